//! `catalogue store backup`: copies the key store of a data directory, also while servers run.

use std::fs::{self, Permissions};
use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow};
use clap::Args;
use serde::Serialize;
use shared::base::durable;
use shared::base::hint::quoted;
use shared::keys::postgres::PgClient;
use shared::keys::sqlite;
use tempfile::NamedTempFile;

use crate::commands::{key_store, show};
use crate::hints::Hinted;
use crate::process::context::Context;
use crate::process::output_file::{self, Permit};
use crate::report::Report;
use crate::serving::key_store_config::KeyStoreConfig;
use crate::terminal::size::file_size;

/// Arguments of `store backup`.
#[derive(Debug, Args)]
#[command(after_help = "\
For example: catalogue store backup keys-2026-10-01.sqlite\n\
The file has the keys, subscriptions, usage and audit log of one moment. Servers may run meanwhile, \
but charge nothing while it is written: name a file on a fast local disk.\n\
To restore it, stop the servers, remove keys.sqlite-journal and put it in the place of keys.sqlite.")]
pub struct BackupArgs {
    /// The file to write, which must not exist yet
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
}

#[derive(Serialize)]
struct Document {
    from: String,
    to: String,
    bytes: u64,
}

/// Backs up.
pub(super) fn run(
    args: &BackupArgs,
    config: &KeyStoreConfig,
    client: Option<&PgClient>,
    context: &mut Context,
) -> anyhow::Result<()> {
    if let Some(client) = client {
        return Err(refuse_database(client, &args.file));
    }
    let to = &args.file;
    Permit::outside(config.data().path()).check(to)?;
    if fs::symlink_metadata(to).is_ok() {
        return Err(exists(to));
    }
    let from = config.data().keys_database();
    let bytes = write(&from, to)?;
    let document = Document {
        from: from.display().to_string(),
        to: to.display().to_string(),
        bytes,
    };
    let report = || {
        let Document { from, to, bytes } = &document;
        Report::of(format!("Backed up {from} to {to}, {}.", file_size(*bytes)))
    };
    show::result(args.json, &document, report, context)
}

/// Writes a backup, for its owner alone. It has its name only once it is whole and on disk; one that
/// is killed leaves a file whose name begins with `.part-`. The size in bytes.
fn write(from: &Path, to: &Path) -> anyhow::Result<u64> {
    let failed = || format!("could not write {}", to.display());
    let private = Permissions::from_mode(0o600);
    let (part, _unfinished) = output_file::part(to, to, private).with_context(failed)?;
    let attempt = format!("could not back up the store to {}", to.display());
    sqlite::back_up(from, part.path()).map_err(|error| key_store::stopped(error, &attempt))?;
    let bytes = part.as_file().metadata().with_context(failed)?.len();
    publish(part, to)?;
    Ok(bytes)
}

fn publish(part: NamedTempFile, to: &Path) -> anyhow::Result<()> {
    let failed = || format!("could not write {}", to.display());
    part.as_file().sync_all().with_context(failed)?;
    match part.persist_noclobber(to) {
        Err(error) if error.error.kind() == ErrorKind::AlreadyExists => return Err(exists(to)),
        Err(error) => return Err(error.error).with_context(failed),
        Ok(_file) => {}
    }
    durable::sync_directory(durable::directory_of(to)).with_context(failed)
}

fn exists(to: &Path) -> anyhow::Error {
    let error = anyhow!("{} exists already", to.display());
    Hinted::wrong_usage(error, "name another file: a backup replaces nothing").into()
}

fn refuse_database(client: &PgClient, to: &Path) -> anyhow::Error {
    let address = client.address();
    let error = anyhow!("it is in PostgreSQL, {address}, which pg_dump backs up");
    let to = quoted(&to.display().to_string());
    let hint = format!("pg_dump -Fc -n catalogue -U USER -f {to} {address}");
    Hinted::wrong_usage(error.context("could not back up the store"), hint).into()
}
