//! What one check found.

use std::fmt::Display;
use std::path::Path;

use serde::Serialize;

use crate::args::DATA;
use crate::key_place::KeyPlace;
use crate::shell::quoted;
use crate::tone::Tone;

/// A thing that was looked at.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Check {
    /// What was looked at.
    pub(super) about: &'static str,
    /// How it is.
    pub(super) outcome: Outcome,
    /// What was found.
    pub(super) said: String,
    /// What to run about it, or null.
    pub(super) remedy: Option<String>,
}

/// How a thing is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum Outcome {
    /// As it should be.
    Ok,
    /// It works, and somebody should know.
    Warning,
    /// It does not work, or will not.
    Problem,
}

impl Outcome {
    /// Of the longest word.
    pub(super) const WIDTH: usize = "problem".len();

    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Warning => "warning",
            Self::Problem => "problem",
        }
    }

    pub(super) const fn tone(self) -> Tone {
        match self {
            Self::Ok => Tone::Good,
            Self::Warning => Tone::Notice,
            Self::Problem => Tone::Bad,
        }
    }
}

impl Check {
    pub(super) fn ok(about: &'static str, said: impl Into<String>) -> Self {
        Self::new(about, Outcome::Ok, said)
    }

    pub(super) fn warning(about: &'static str, said: impl Into<String>) -> Self {
        Self::new(about, Outcome::Warning, said)
    }

    pub(super) fn problem(about: &'static str, said: impl Into<String>) -> Self {
        Self::new(about, Outcome::Problem, said)
    }

    /// A thing that could not be looked at.
    pub(super) fn failed(about: &'static str, error: impl Into<anyhow::Error>) -> Self {
        Self::problem(about, format!("{:#}", error.into()))
    }

    /// With a command that helps.
    pub(super) fn run(self, remedy: impl Display) -> Self {
        Self {
            remedy: Some(remedy.to_string()),
            ..self
        }
    }

    /// The same for a place that has to be named, so that what is to be run is run on it. The address
    /// of a database may have a password, and is left in the variable that it is best kept in.
    pub(super) fn within(self, place: &KeyPlace) -> Self {
        let data = place.data().path();
        let mut named = String::new();
        if data != Path::new(DATA) {
            named = format!(" --data {}", quoted(&data.display().to_string()));
        }
        if place.is_shared() {
            named.push_str(" --store \"$CATALOGUE_STORE\"");
        }
        let command = |run: String| match run.strip_prefix("catalogue ") {
            Some(rest) => format!("catalogue{named} {rest}"),
            None => run,
        };
        Self {
            remedy: self.remedy.map(command),
            ..self
        }
    }

    fn new(about: &'static str, outcome: Outcome, said: impl Into<String>) -> Self {
        let said = said.into();
        Self {
            about,
            outcome,
            said,
            remedy: None,
        }
    }
}
