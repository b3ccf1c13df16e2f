//! The result of one check of `doctor`.

use std::error::Error;
use std::fmt::Display;

use anyhow::Chain;
use serde::Serialize;

use crate::hints::Hints;
use crate::terminal::style::Style;

/// The state of something that was checked.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Observation {
    pub(super) outcome: Outcome,
    pub(super) message: String,
    /// The command that helps, or null.
    pub(super) fix: Option<String>,
}

/// How good or bad a state is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum Outcome {
    /// As it should be.
    Ok,
    /// It works, and the operator should know.
    Warning,
    /// It does not work, or will stop working.
    Problem,
}

impl Outcome {
    /// Length of the longest word for an outcome.
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

    /// The problem of something that could not be checked.
    pub(super) fn failed(error: &(dyn Error + 'static)) -> Self {
        let causes: Vec<String> = Chain::new(error).map(ToString::to_string).collect();
        Self::problem(causes.join(": "))
    }

    /// Adds a command that helps.
    pub(super) fn run(self, fix: impl Display) -> Self {
        Self {
            fix: Some(fix.to_string()),
            ..self
        }
    }

    /// Completes the command so that it can be pasted.
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
