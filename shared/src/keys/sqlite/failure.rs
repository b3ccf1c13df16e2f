//! What an error of SQLite means for a store.

use std::fmt;
use std::path::Path;

use rusqlite::ErrorCode;

use crate::base::shortened::shortened;
use crate::keys::store::{KeyStoreError, Location};

/// The error of an `attempt`, a verb, that SQLite refused.
pub(super) fn refused(
    attempt: &'static str,
    path: &Path,
    error: &rusqlite::Error,
) -> KeyStoreError {
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => KeyStoreError::Locked {
            attempt,
            location: location(path),
            source: error.to_string().into(),
        },
        Some(ErrorCode::ReadOnly) => KeyStoreError::ReadOnly {
            location: location(path),
        },
        _ => failed(attempt, path, error),
    }
}

/// The error of a failed `attempt`, a verb. It keeps the text of the cause, not the cause, since
/// SQLite's errors repeat their sources in their own text, even a long statement.
pub(super) fn failed(
    attempt: &'static str,
    path: &Path,
    cause: impl fmt::Display,
) -> KeyStoreError {
    KeyStoreError::Failed {
        attempt,
        location: location(path),
        source: shortened(cause.to_string()).into(),
    }
}

pub(super) fn location(path: &Path) -> Location {
    Location::File(path.display().to_string())
}

#[cfg(test)]
mod tests {
    use std::error::Error as _;

    use super::*;
    use crate::base::shortened::CHARS_MAX;

    #[test]
    fn of_a_long_statement_only_the_beginning_is_shown() {
        let connection = rusqlite::Connection::open_in_memory().unwrap();
        let long = format!("SELECT '{}' FROM FROM", "a".repeat(1 << 20));
        let error = connection.prepare(&long).unwrap_err();
        let error = refused("change", Path::new("keys.sqlite"), &error);
        let shown = error.source().unwrap().to_string();
        assert_eq!(shown.chars().count(), CHARS_MAX + 1);
    }
}
