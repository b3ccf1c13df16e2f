//! When keys were last used, in the file that also holds the keys.

use std::collections::HashMap;
use std::path::PathBuf;

use rusqlite::Connection;

use crate::keys::key::KeyId;
use crate::keys::last_use::{LastUse, LastUses};
use crate::keys::sqlite::database::Database;
use crate::keys::sqlite::patience::Patience;
use crate::keys::sqlite::reserve;
use crate::keys::sqlite::rows::parsed;
use crate::keys::store::KeyStoreError;

/// The last uses in the SQLite file at a path. A file of an earlier version, which has no place for
/// them, is left as it is, and refused.
#[derive(Debug)]
pub struct SqliteLastUses {
    path: PathBuf,
}

impl SqliteLastUses {
    /// The last uses in the file at `path`.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }
}

impl LastUses for SqliteLastUses {
    /// Keys that the file at the path does not have any more are left out.
    fn record(&self, uses: &[(KeyId, i64)]) -> Result<(), KeyStoreError> {
        // Who waits to commit keeps readers out: no longer than the polls of servers bear.
        let mut database = Database::open(&self.path, Patience::OF_POLLS)?;
        database.change(|transaction| {
            let sql = "INSERT INTO last_uses (key, at)
                SELECT id, ?2 FROM keys WHERE id = ?1
                ON CONFLICT DO UPDATE SET at = max(at, excluded.at)";
            let mut statement = transaction.prepare(sql)?;
            for (key, at) in uses {
                statement.execute((key.as_str(), at))?;
            }
            Ok(())
        })
    }

    fn keep_reserve(&self) {
        reserve::put_back(&self.path);
    }
}

/// The last use of each key that was ever used.
pub(super) fn last_uses(connection: &Connection) -> rusqlite::Result<HashMap<KeyId, LastUse>> {
    let sql = "SELECT last_uses.key, last_uses.at,
            coalesce(successors.created_at < last_uses.at, 0) AS is_after_rotation
        FROM last_uses JOIN keys ON keys.id = last_uses.key
        LEFT JOIN keys AS successors ON successors.id = keys.replaced_by";
    let mut statement = connection.prepare(sql)?;
    let read = |row: &rusqlite::Row<'_>| {
        let last_use = LastUse {
            at: row.get("at")?,
            is_after_rotation: row.get("is_after_rotation")?,
        };
        Ok((parsed(row, "key", KeyId::parse)?, last_use))
    };
    statement.query_map([], read)?.collect()
}
