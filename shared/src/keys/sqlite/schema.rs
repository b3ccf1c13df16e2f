//! The tables, and how a file says that it holds them.

use rusqlite::Connection;

/// `BOAT` in ASCII: marks the file as ours (`PRAGMA application_id`).
pub(super) const APPLICATION_ID: i64 = 0x424F_4154;
/// The version of the tables below (`PRAGMA user_version`).
pub(super) const VERSION: i64 = 1;

/// What a file says about itself.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// Nothing yet.
    Empty,
    /// Our tables, of the version we know.
    Known,
    /// Our tables, of a later version.
    Newer(i64),
    /// Somebody else's tables.
    Foreign,
}

/// The revision goes up with every change of what servers must know, however it is made; usage is
/// not part of that.
const TABLES: &str = "
CREATE TABLE subscriptions (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    name        TEXT NOT NULL UNIQUE,
    plan        TEXT NOT NULL,
    status      TEXT NOT NULL,
    quota       INTEGER NOT NULL CHECK (0 <= quota),
    started_at  INTEGER NOT NULL,
    created_at  INTEGER NOT NULL
) STRICT;

CREATE TABLE keys (
    number         INTEGER PRIMARY KEY AUTOINCREMENT,
    id             TEXT NOT NULL UNIQUE,
    family         TEXT NOT NULL REFERENCES keys (id),
    prefix         TEXT NOT NULL UNIQUE,
    hash           BLOB NOT NULL UNIQUE CHECK (length(hash) = 32),
    subscription   INTEGER NOT NULL REFERENCES subscriptions (id),
    environment    TEXT NOT NULL,
    scopes         TEXT NOT NULL,
    name           TEXT,
    rate_limit     INTEGER CHECK (1 <= rate_limit),
    created_at     INTEGER NOT NULL,
    expires_at     INTEGER,
    revoked_at     INTEGER,
    disabled_at    INTEGER,
    replaced_by    TEXT REFERENCES keys (id),
    grace_ends_at  INTEGER
) STRICT;

CREATE TABLE usage (
    subscription  INTEGER NOT NULL REFERENCES subscriptions (id),
    period_start  INTEGER NOT NULL,
    period_end    INTEGER NOT NULL,
    charged       INTEGER NOT NULL CHECK (0 <= charged),
    PRIMARY KEY (subscription, period_start)
) STRICT, WITHOUT ROWID;

CREATE TABLE revision (number INTEGER NOT NULL) STRICT;
INSERT INTO revision VALUES (1);
";

/// Tables whose changes count in the revision.
const WATCHED: [&str; 2] = ["subscriptions", "keys"];

/// Reads what the file says about itself.
pub(super) fn find(connection: &Connection) -> rusqlite::Result<Found> {
    let pragma = |name| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    let (application_id, version) = (pragma("application_id")?, pragma("user_version")?);
    let is_empty = "SELECT count(*) = 0 FROM sqlite_schema";
    let is_empty = connection.query_row(is_empty, [], |row| row.get::<_, bool>(0))?;
    Ok(match (application_id, version) {
        (0, 0) if is_empty => Found::Empty,
        (APPLICATION_ID, VERSION) => Found::Known,
        (APPLICATION_ID, VERSION..) => Found::Newer(version),
        _ => Found::Foreign,
    })
}

/// Makes the tables in an empty file; part of a transaction.
pub(super) fn create(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch(TABLES)?;
    for table in WATCHED {
        for change in ["INSERT", "UPDATE", "DELETE"] {
            connection.execute_batch(&format!(
                "CREATE TRIGGER {table}_{change} AFTER {change} ON {table}
                 BEGIN UPDATE revision SET number = number + 1; END;"
            ))?;
        }
    }
    connection.pragma_update(None, "application_id", APPLICATION_ID)?;
    connection.pragma_update(None, "user_version", VERSION)
}
