//! The keys of a file, followed by a server.
//!
//! Each poll asks three questions: are the files at the path still the opened ones and not written
//! to behind SQLite's back (`stat`), did anybody commit (`PRAGMA data_version`), and did that
//! commit concern keys (the revision). Any doubt opens the file anew.

use std::path::PathBuf;
use std::time::Duration;

use crate::keys::sqlite::database::{Database, FileStamp, Stop, failed};
use crate::keys::sqlite::rows;
use crate::keys::store::{KeySnapshot, KeySource, KeyStoreError};

/// How long a poll waits for a lock: well under the time for which a server may trust the last.
const PATIENCE: Duration = Duration::from_millis(100);

/// Follows the keys of the SQLite file at a path, which need not exist yet.
#[derive(Debug)]
pub struct SqliteKeySource {
    path: PathBuf,
    opened: Option<Opened>,
}

#[derive(Debug)]
struct Opened {
    database: Database,
    data_version: i64,
    revision: i64,
}

impl SqliteKeySource {
    /// Follows the file at `path`.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            opened: None,
        }
    }

    /// Takes the opened file out, so that an error on the way leaves nothing half known.
    fn poll_opened(&mut self) -> Result<Option<KeySnapshot>, KeyStoreError> {
        let stamp = FileStamp::of(&self.path)?;
        let Some(opened) = self
            .opened
            .take()
            .filter(|opened| opened.database.stamp() == stamp)
        else {
            let (opened, snapshot) = self.open()?;
            self.opened = Some(opened);
            return Ok(Some(snapshot));
        };
        let data_version = self.data_version(&opened.database)?;
        if data_version == opened.data_version {
            self.opened = Some(opened);
            return Ok(None);
        }
        let (before, mut database) = (opened.revision, opened.database);
        let (revision, snapshot) = load(&mut database, Some(before))?;
        self.opened = Some(Opened {
            database,
            data_version,
            revision,
        });
        Ok(snapshot)
    }

    fn open(&self) -> Result<(Opened, KeySnapshot), KeyStoreError> {
        let mut database = Database::open(&self.path, PATIENCE)?;
        // Read before the snapshot: what is committed in between is found by the next poll.
        let data_version = self.data_version(&database)?;
        let (revision, snapshot) = load(&mut database, None)?;
        Ok((
            Opened {
                database,
                data_version,
                revision,
            },
            snapshot.unwrap_or_default(),
        ))
    }

    fn data_version(&self, database: &Database) -> Result<i64, KeyStoreError> {
        let version = database
            .connection
            .pragma_query_value(None, "data_version", |row| row.get(0));
        version.map_err(|error| failed("read", &self.path, error))
    }
}

impl KeySource for SqliteKeySource {
    fn poll(&mut self) -> Result<Option<KeySnapshot>, KeyStoreError> {
        self.poll_opened()
    }
}

/// The revision, and the snapshot unless the revision is `known`.
fn load(
    database: &mut Database,
    known: Option<i64>,
) -> Result<(i64, Option<KeySnapshot>), KeyStoreError> {
    database.read(|transaction| {
        let sql = "SELECT number FROM revision";
        let revision: i64 = transaction.query_row(sql, [], |row| row.get(0))?;
        if known == Some(revision) {
            return Ok((revision, None));
        }
        let keys = rows::keys(transaction)?;
        let subscriptions = rows::subscriptions(transaction)?;
        Ok::<_, Stop>((
            revision,
            Some(KeySnapshot {
                keys,
                subscriptions,
            }),
        ))
    })
}
