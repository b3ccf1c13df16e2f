//! The tables, and how a file is marked as having them.

use rusqlite::Connection;

/// `BOAT` in ASCII: marks the file as ours (`PRAGMA application_id`).
pub(super) const APPLICATION_ID: i64 = 0x424F_4154;
/// The version of the tables (`PRAGMA user_version`): how many of the steps were taken.
pub(super) const VERSION: i64 = 3;

/// What a file says about itself.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// Nothing yet.
    Empty,
    /// Our tables, of the version we know.
    Known,
    /// Our tables, of an earlier version.
    Older,
    /// Our tables, of a later version.
    Newer(i64),
    /// Tables of another program.
    Foreign,
}

/// The revision goes up with every change that servers must know of, however it is made; not with
/// usage or with anything that a later step adds.
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

/// The audit log. Triggers keep entries from being altered, also by other programs: the last one is
/// for `INSERT OR REPLACE`, which deletes without firing a trigger.
const AUDIT: &str = "
CREATE TABLE audit (
    number        INTEGER PRIMARY KEY AUTOINCREMENT,
    at            INTEGER NOT NULL,
    uid           INTEGER NOT NULL,
    user          TEXT,
    sudo_user     TEXT,
    event         TEXT NOT NULL,
    subscription  INTEGER NOT NULL REFERENCES subscriptions (id),
    key           TEXT REFERENCES keys (id),
    changes       TEXT NOT NULL
) STRICT;

CREATE TRIGGER audit_update BEFORE UPDATE ON audit
BEGIN SELECT RAISE(ABORT, 'the audit log is only added to'); END;
CREATE TRIGGER audit_delete BEFORE DELETE ON audit
BEGIN SELECT RAISE(ABORT, 'the audit log is only added to'); END;
CREATE TRIGGER audit_replace BEFORE INSERT ON audit
WHEN EXISTS (SELECT 1 FROM audit WHERE number = NEW.number)
BEGIN SELECT RAISE(ABORT, 'the audit log is only added to'); END;
";

/// Not in the table of keys, whose changes servers must know of.
const LAST_USES: &str = "
CREATE TABLE last_uses (
    key  TEXT PRIMARY KEY REFERENCES keys (id),
    at   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
";

/// Two files may reach the same number, if one is a copy of the other; a random token, new with
/// every change, tells them apart.
const TOKEN: &str = "
ALTER TABLE revision ADD COLUMN token BLOB;
UPDATE revision SET token = randomblob(16);
";

/// From each version to the next. Past steps never change, since files were made by them.
const STEPS: [fn(&Connection) -> rusqlite::Result<()>; 3] =
    [make_tables, add_audit_and_last_uses, add_token];

/// Tables whose changes raise the revision.
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
        (APPLICATION_ID, 1..VERSION) => Found::Older,
        (APPLICATION_ID, VERSION..) => Found::Newer(version),
        _ => Found::Foreign,
    })
}

/// Takes the steps that an empty or older file lacks. Runs inside a transaction.
pub(super) fn complete(connection: &Connection) -> rusqlite::Result<()> {
    let version: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    for step in STEPS
        .iter()
        .skip(usize::try_from(version).unwrap_or(STEPS.len()))
    {
        step(connection)?;
    }
    connection.pragma_update(None, "application_id", APPLICATION_ID)?;
    connection.pragma_update(None, "user_version", VERSION)
}

fn add_audit_and_last_uses(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch(AUDIT)?;
    connection.execute_batch(LAST_USES)
}

fn add_token(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch(TOKEN)?;
    for_each_change(|table, change| {
        connection.execute_batch(&format!(
            "DROP TRIGGER {table}_{change};
             CREATE TRIGGER {table}_{change} AFTER {change} ON {table}
             BEGIN UPDATE revision SET number = number + 1, token = randomblob(16); END;"
        ))
    })
}

fn make_tables(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch(TABLES)?;
    for_each_change(|table, change| {
        connection.execute_batch(&format!(
            "CREATE TRIGGER {table}_{change} AFTER {change} ON {table}
             BEGIN UPDATE revision SET number = number + 1; END;"
        ))
    })
}

/// Calls `act` for each kind of change that raises the revision.
fn for_each_change(act: impl Fn(&str, &str) -> rusqlite::Result<()>) -> rusqlite::Result<()> {
    for table in WATCHED {
        for change in ["INSERT", "UPDATE", "DELETE"] {
            act(table, change)?;
        }
    }
    Ok(())
}
