//! Checks the key store itself, a file or a database: whether it can be used, and what is in it.

use std::io::ErrorKind;

use shared::base::regular_file;
use shared::keys::postgres::{self, PgClient, SERVER_CONNECTIONS_MAX};
use shared::keys::sqlite::{self, WholeOrNot};
use shared::keys::store::{KeyStoreError, Revision};

use super::inputs::{Inputs, StoreContents};
use super::observation::Observation;
use crate::serving::key_store_config::KeyStoreConfig;
use crate::terminal::size::file_size;
use shared::base::hint::quoted;

/// Largest file that is checked completely, in bytes.
const CHECKED_BYTES_MAX: u64 = 500_000_000;

/// Whether the store can be used.
pub(super) fn usable(inputs: &Inputs<'_>) -> anyhow::Result<Vec<Observation>> {
    let store = inputs.keys.as_ref().map(|keys| &keys.store);
    Ok(vec![store.unwrap_or_else(|unusable| unusable).clone()])
}

/// Reads the store, or says why it cannot be read.
pub(super) fn contents(config: &KeyStoreConfig) -> Result<StoreContents, Observation> {
    match config.client() {
        Ok(None) => file_contents(config),
        Ok(Some(client)) => database_contents(&client),
        Err(error) => Err(Observation::failed(&*error)),
    }
}

/// The current revision of the store, if it can be read.
pub(super) fn revision(config: &KeyStoreConfig) -> Option<Revision> {
    match config.client().ok()? {
        None => sqlite::revision(&config.data().keys_database()).ok(),
        Some(client) => postgres::revision(&client).ok(),
    }
}

fn file_contents(config: &KeyStoreConfig) -> Result<StoreContents, Observation> {
    let file = config.data().keys_database();
    let path = quoted(&file.display().to_string());
    let opened = regular_file::open(&file);
    let is_forbidden = opened.is_err_and(|error| error.kind() == ErrorKind::PermissionDenied);
    let found = sqlite::examine(&file, CHECKED_BYTES_MAX);
    let found = found.map_err(|error| unusable(&error, &path, is_forbidden))?;
    Ok(StoreContents {
        store: check_file(&found, &path),
        overview: found.overview,
    })
}

fn unusable(error: &KeyStoreError, path: &str, is_forbidden: bool) -> Observation {
    let failed = Observation::failed(error);
    match error {
        KeyStoreError::Missing { .. } => Observation::problem(format!(
            "{error}: none was made here yet, or it was lost or moved"
        ))
        .run(format!(
            "catalogue subscriptions create NAME, or, if there were keys: cp BACKUP {path}"
        )),
        KeyStoreError::Locked { .. } => failed.run(format!("fuser -v {path}")),
        // Restoring a backup would undo later changes, and nothing is lost here.
        KeyStoreError::Failed { .. } if is_forbidden => failed.run(format!("chmod u+rw {path}")),
        KeyStoreError::Gone { .. } | KeyStoreError::Failed { .. } => failed.run(restore(path)),
        _ => failed,
    }
}

fn check_file(found: &sqlite::Examination, path: &str) -> Observation {
    if let WholeOrNot::Damaged(how) = &found.whole {
        let message = format!("it is damaged: {}", how.join("; "));
        return Observation::problem(message).run(restore(path));
    }
    if !found.is_writable {
        let message =
            "it, its journal or its directory cannot be written to, so no request can be counted";
        return Observation::problem(message).run(format!("chmod u+w {path}*"));
    }
    if !found.has_reserve {
        let message = "it lacks the room in which keys can be refused while the disk is full; the next \
                    command on keys makes it, and so does a running server, once the disk has 256 kB \
                    for it";
        return Observation::warning(message).run("catalogue keys list");
    }
    let whole = match found.whole {
        WholeOrNot::NotChecked => "not read through, being so large",
        _ => "whole",
    };
    Observation::ok(format!("{whole}, {}", file_size(found.bytes)))
}

/// The commands to restore a backup, since a damaged file cannot be recovered from itself. SQLite
/// would undo in it what the old journal says.
fn restore(path: &str) -> String {
    format!("stop the servers, then rm -f {path}-journal; cp BACKUP {path}")
}

fn database_contents(client: &PgClient) -> Result<StoreContents, Observation> {
    let found = postgres::examine(client).map_err(|error| {
        let failed = Observation::failed(&error);
        match error {
            KeyStoreError::Missing { .. } => failed.run("catalogue store init"),
            _ => failed,
        }
    })?;
    Ok(StoreContents {
        store: check_database(client, &found),
        overview: found.overview,
    })
}

fn check_database(client: &PgClient, found: &postgres::Examination) -> Observation {
    let address = client.address();
    if !found.is_writable {
        let message = format!("{address} cannot be written to, so no request can be counted");
        return Observation::problem(message);
    }
    if !found.is_durable {
        let message = format!(
            "{address} does not wait for its disk (fsync or full_page_writes is off): a power cut \
             may lose what was charged, or everything"
        );
        return Observation::problem(message);
    }
    let (server, size, left) = (
        &found.server,
        file_size(found.bytes),
        found.connections_left,
    );
    Observation::ok(format!(
        "{address}, PostgreSQL {server}, {size}, {left} connections left; a server takes up to \
         {SERVER_CONNECTIONS_MAX}"
    ))
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
            (
                false,
                "stop the servers, then rm -f keys.sqlite-journal; cp BACKUP keys.sqlite",
            ),
        ] {
            let observed = unusable(&error, "keys.sqlite", is_forbidden);
            assert_eq!(observed.fix.as_deref(), Some(expected));
        }
    }
}
