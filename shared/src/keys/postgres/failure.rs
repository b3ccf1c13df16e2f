//! What a failure means: whether the store can be reached, and whether a change was made.

use tokio_postgres::Error;
use tokio_postgres::error::{Severity, SqlState};

use crate::base::error_chain::chain;
use crate::base::shortened::shortened;
use crate::keys::postgres::PostgresAddress;
use crate::keys::store::{CHANGE, KeyStoreError};

/// Why there is no reply.
#[derive(Debug)]
pub(super) enum Failure {
    /// The error of the library.
    Library(Error),
    /// There is no connection, or not any more, and why.
    Ended(String),
    /// It took too long, so many milliseconds.
    TooSlow(u128),
    /// It was not asked: for so many milliseconds, others in this process used all connections.
    Busy {
        /// How many there are.
        connections: usize,
        /// How long.
        millis: u128,
    },
    /// It was not asked, because it did not answer a moment ago.
    Away,
}

/// Whether a failed change was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CommitOutcome {
    /// Not made: nothing that changes the store was sent, or not all of it.
    NotMade,
    /// Possibly made: the commit was under way.
    Unknown,
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Library(error)
    }
}

impl Failure {
    /// Whether the connection is unusable: only a reply, or a request never sent, leaves it usable.
    pub(super) fn breaks(&self) -> bool {
        self.refusal().is_none() && !matches!(self, Self::Busy { .. } | Self::Away)
    }

    /// Whether the store accepts no more connections; open ones keep working.
    pub(super) fn is_full(&self) -> bool {
        let Self::Library(error) = self else {
            return false;
        };
        error.code() == Some(&SqlState::TOO_MANY_CONNECTIONS)
    }

    /// Whether the store is read-only, such as one that has become a standby.
    pub(super) fn is_read_only(&self) -> bool {
        self.refusal().is_some_and(is_read_only)
    }

    /// The state of a statement that the store refused on a working connection: the transaction is
    /// rolled back.
    fn refusal(&self) -> Option<&SqlState> {
        let Self::Library(error) = self else {
            return None;
        };
        let error = error.as_db_error()?;
        // With this severity the server closes the connection, perhaps in the middle of a commit.
        let is_last_word = matches!(
            error.parsed_severity(),
            Some(Severity::Fatal | Severity::Panic)
        );
        (!is_last_word).then(|| error.code())
    }

    /// The error of an `attempt`, a verb, on the store at `address`.
    pub(super) fn explained(
        self,
        attempt: &'static str,
        outcome: CommitOutcome,
        address: &PostgresAddress,
    ) -> KeyStoreError {
        let location = address.location();
        let source = self.text().into();
        match self.refusal() {
            Some(code) if is_missing(code) => KeyStoreError::Missing { location },
            Some(code) if is_read_only(code) => KeyStoreError::ReadOnly { location },
            Some(code) if is_locked(code) => KeyStoreError::Locked {
                attempt,
                location,
                source,
            },
            // This error ends the transaction.
            Some(_) => KeyStoreError::Refused {
                attempt,
                location,
                source,
            },
            None if matches!(self, Self::Busy { .. }) => KeyStoreError::Locked {
                attempt,
                location,
                source,
            },
            // A query changes nothing, even if it failed.
            None if attempt == CHANGE && outcome == CommitOutcome::Unknown => {
                KeyStoreError::Failed {
                    attempt,
                    location,
                    source,
                }
            }
            None => KeyStoreError::Unreachable { location, source },
        }
    }

    /// The failure with its chain of causes, on one line.
    pub(super) fn text(&self) -> String {
        let text = match self {
            Self::TooSlow(millis) => format!("no answer within {millis} ms"),
            Self::Busy {
                connections,
                millis,
            } => format!("all {connections} connections to it were busy for {millis} ms"),
            Self::Away => "it did not answer a moment ago".to_owned(),
            Self::Ended(why) => why.clone(),
            Self::Library(error) => match error.as_db_error() {
                Some(error) => error.message().to_owned(),
                None => chain(error),
            },
        };
        shortened(text)
    }
}

fn is_missing(code: &SqlState) -> bool {
    [
        SqlState::UNDEFINED_TABLE,
        SqlState::UNDEFINED_FUNCTION,
        SqlState::INVALID_SCHEMA_NAME,
    ]
    .contains(code)
}

fn is_read_only(code: &SqlState) -> bool {
    *code == SqlState::READ_ONLY_SQL_TRANSACTION
}

fn is_locked(code: &SqlState) -> bool {
    [
        SqlState::LOCK_NOT_AVAILABLE,
        SqlState::QUERY_CANCELED,
        SqlState::T_R_DEADLOCK_DETECTED,
        SqlState::T_R_SERIALIZATION_FAILURE,
    ]
    .contains(code)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::shortened::CHARS_MAX;

    #[test]
    fn of_a_long_message_only_the_beginning_is_shown() {
        let message = "a".repeat(1 << 20);
        let text = Failure::Ended(message).text();
        assert_eq!(text.chars().count(), CHARS_MAX + 1);
    }
}
