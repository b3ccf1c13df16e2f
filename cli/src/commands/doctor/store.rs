//! The store of keys itself, a file or a database: whether it can be used, and what is in it.

use std::collections::HashMap;
use std::io::ErrorKind;

use shared::base::regular_file;
use shared::keys::key::KeyId;
use shared::keys::last_use::LastUse;
use shared::keys::postgres::{self, PgClient, SERVER_CONNECTIONS_MAX};
use shared::keys::sqlite::{self, Form, WholeOrNot};
use shared::keys::store::{KeySnapshot, KeyStoreError, Revision};

use super::check::Check;
use crate::serving::key_store_config::KeyStoreConfig;
use crate::terminal::file_size::file_size;
use shared::base::hint::quoted;

/// A larger file is not read through.
const CHECKED_BYTES_MAX: u64 = 500_000_000;

const STORE: &str = "key store";

/// A store that could be looked into.
pub(super) struct Found {
    /// How it is.
    pub(super) check: Check,
    /// The state that it is in, where its version has a name for that.
    pub(super) revision: Option<Revision>,
    pub(super) contents: KeySnapshot,
    pub(super) last_uses: HashMap<KeyId, LastUse>,
    pub(super) last_change: Option<i64>,
    pub(super) latest_charged: Option<i64>,
}

/// Looks into the store, or says why it cannot be looked into.
pub(super) fn look(place: &KeyStoreConfig) -> Result<Found, Check> {
    match place.client() {
        Ok(None) => look_into_file(place),
        Ok(Some(client)) => look_into_database(&client),
        Err(error) => Err(Check::problem(STORE, format!("{error:#}"))),
    }
}

/// The state that the store is in now, where that can be seen.
pub(super) fn revision(place: &KeyStoreConfig) -> Option<Revision> {
    match place.client().ok()? {
        None => sqlite::revision(&place.data().keys_database()).ok(),
        Some(client) => Some(postgres::examine(&client).ok()?.revision),
    }
}

fn look_into_file(place: &KeyStoreConfig) -> Result<Found, Check> {
    let file = place.data().keys_database();
    let path = quoted(&file.display().to_string());
    let opened = regular_file::open(&file);
    let is_forbidden = opened.is_err_and(|error| error.kind() == ErrorKind::PermissionDenied);
    let found = sqlite::examine(&file, CHECKED_BYTES_MAX);
    let found = found.map_err(|error| unusable(&error, &path, is_forbidden))?;
    Ok(Found {
        check: usable(&found, &path),
        revision: found.revision,
        contents: found.contents,
        last_uses: found.last_uses,
        last_change: found.last_change,
        latest_charged: found.latest_charged,
    })
}

fn unusable(error: &KeyStoreError, path: &str, is_forbidden: bool) -> Check {
    let check = Check::failed(STORE, error.clone());
    match error {
        KeyStoreError::Missing { .. } => check.run("catalogue subscriptions create NAME"),
        KeyStoreError::Locked { .. } => check.run(format!("fuser -v {path}")),
        // A backup in its place would undo what was done since, and nothing is lost.
        KeyStoreError::Failed { .. } if is_forbidden => check.run(format!("chmod u+rw {path}")),
        KeyStoreError::Failed { .. } => check.run(restore(path)),
        _ => check,
    }
}

fn usable(found: &sqlite::Examination, path: &str) -> Check {
    if let WholeOrNot::Damaged(how) = &found.whole {
        let said = format!("it is damaged: {}", how.join("; "));
        return Check::problem(STORE, said).run(restore(path));
    }
    if !found.is_writable {
        let said =
            "it, its journal or its directory cannot be written to, so no request can be counted";
        return Check::problem(STORE, said).run(format!("chmod u+w {path}*"));
    }
    if found.form == Form::WithLog {
        let said = "another program put it in WAL mode, so it was not checked; the next command on \
                    keys ends that, once no other program has it open";
        return Check::warning(STORE, said).run("catalogue keys list");
    }
    if found.form == Form::Older {
        let said = "it is of an earlier version, which the next command on keys brings up to date; \
                    update all servers first";
        return Check::warning(STORE, said).run("catalogue keys list");
    }
    if !found.has_reserve {
        let said = "it lacks the room in which keys can be refused while the disk is full; the next \
                    command on keys makes it, and so does a running server, once the disk has 256 kB \
                    for it";
        return Check::warning(STORE, said).run("catalogue keys list");
    }
    let whole = match found.whole {
        WholeOrNot::NotChecked => "not read through, being so large",
        _ => "whole",
    };
    Check::ok(STORE, format!("{whole}, {}", file_size(found.bytes)))
}

/// What was damaged cannot be had back from the file itself.
fn restore(path: &str) -> String {
    format!("stop the servers, then cp BACKUP {path}")
}

fn look_into_database(client: &PgClient) -> Result<Found, Check> {
    let found = postgres::examine(client).map_err(|error| {
        let check = Check::failed(STORE, error.clone());
        match error {
            KeyStoreError::Missing { .. } => check.run("catalogue store init"),
            KeyStoreError::Older { .. } => check.run("catalogue store migrate"),
            _ => check,
        }
    })?;
    Ok(Found {
        check: usable_database(client, &found),
        revision: Some(found.revision),
        contents: found.contents,
        last_uses: found.last_uses,
        last_change: found.last_change,
        latest_charged: found.latest_charged,
    })
}

fn usable_database(client: &PgClient, found: &postgres::Examination) -> Check {
    let address = client.address();
    if !found.is_writable {
        let said = format!("{address} cannot be written to, so no request can be counted");
        return Check::problem(STORE, said);
    }
    if !found.is_durable {
        let said = format!(
            "{address} does not wait for its disk (fsync or full_page_writes is off): a power cut \
             may lose what was charged, or everything"
        );
        return Check::problem(STORE, said);
    }
    if found.version < postgres::VERSION {
        let said = format!("{address} is of an earlier version, with which this program works");
        return Check::warning(STORE, said).run("catalogue store migrate");
    }
    let connections_left = usize::try_from(found.connections_left).unwrap_or(0);
    if connections_left < SERVER_CONNECTIONS_MAX {
        let said = format!(
            "{address} allows {connections_left} more connections; \
             each server takes up to {SERVER_CONNECTIONS_MAX}"
        );
        return Check::warning(STORE, said);
    }
    let (server, size) = (&found.server, file_size(found.bytes));
    Check::ok(STORE, format!("{address}, PostgreSQL {server}, {size}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_that_may_not_be_read_is_not_to_be_replaced() {
        let error = KeyStoreError::Failed {
            attempt: "read",
            location: shared::keys::store::Location::File("keys.sqlite".to_owned()),
            source: "Permission denied".into(),
        };
        for (is_forbidden, expected) in [
            (true, "chmod u+rw keys.sqlite"),
            (false, "stop the servers, then cp BACKUP keys.sqlite"),
        ] {
            let check = unusable(&error, "keys.sqlite", is_forbidden);
            assert_eq!(check.remedy.as_deref(), Some(expected));
        }
    }
}
