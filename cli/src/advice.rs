//! An error whose remedy is known: shown with a hint, and with its own exit status.

use crate::exit_status::ExitStatus;

/// What went wrong and what to do next.
#[derive(Debug, thiserror::Error)]
#[error("{error:#}")]
pub struct Advised {
    /// What went wrong, with its causes.
    pub error: anyhow::Error,
    /// The places in a file that are wrong, as lines that are safe to be shown.
    pub excerpt: Option<String>,
    /// What to do next: a sentence without a full stop.
    pub advice: String,
    /// How the command ends.
    pub status: ExitStatus,
}

impl Advised {
    /// Wrong usage that the argument parser cannot see.
    pub fn wrong_usage(error: anyhow::Error, advice: impl Into<String>) -> Self {
        Self {
            error,
            excerpt: None,
            advice: advice.into(),
            status: ExitStatus::WrongUsage,
        }
    }

    /// Shows places in a file between the error and the advice.
    #[must_use]
    pub fn with_excerpt(self, excerpt: String) -> Self {
        Self {
            excerpt: Some(excerpt),
            ..self
        }
    }
}
