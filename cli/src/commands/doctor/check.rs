//! What one check found.

use std::fmt::Display;

use serde::Serialize;

use crate::hints::Hints;
use crate::terminal::style::Style;

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
    /// It works, and the operator should know.
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

    pub(super) const fn style(self) -> Style {
        match self {
            Self::Ok => Style::Good,
            Self::Warning => Style::Notice,
            Self::Problem => Style::Bad,
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

    /// The same with a command that can be pasted.
    pub(super) fn pasted(self, hints: &Hints) -> Self {
        let remedy = self.remedy.map(|run| hints.paste(&run).into_owned());
        Self { remedy, ..self }
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
