//! What one check of `doctor` found.

use std::error::Error;
use std::fmt::Display;

use anyhow::Chain;
use serde::Serialize;

use crate::hints::Hints;
use crate::terminal::style::Style;

/// How a thing is that was looked at.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Observation {
    pub(super) outcome: Outcome,
    pub(super) message: String,
    /// What to run about it, or null.
    pub(super) fix: Option<String>,
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
    /// Length of the longest word.
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

impl Observation {
    pub(super) fn ok(message: impl Into<String>) -> Self {
        Self::new(Outcome::Ok, message)
    }

    pub(super) fn warning(message: impl Into<String>) -> Self {
        Self::new(Outcome::Warning, message)
    }

    pub(super) fn problem(message: impl Into<String>) -> Self {
        Self::new(Outcome::Problem, message)
    }

    /// A thing that could not be looked at.
    pub(super) fn failed(error: &(dyn Error + 'static)) -> Self {
        let causes: Vec<String> = Chain::new(error).map(ToString::to_string).collect();
        Self::problem(causes.join(": "))
    }

    /// With a command that helps.
    pub(super) fn run(self, fix: impl Display) -> Self {
        Self {
            fix: Some(fix.to_string()),
            ..self
        }
    }

    /// The same with a command that can be pasted.
    pub(super) fn pasted(self, hints: &Hints) -> Self {
        let fix = self.fix.map(|run| hints.paste(&run).into_owned());
        Self { fix, ..self }
    }

    fn new(outcome: Outcome, message: impl Into<String>) -> Self {
        Self {
            outcome,
            message: message.into(),
            fix: None,
        }
    }
}
