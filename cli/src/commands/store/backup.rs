//! `catalogue store backup`: copies the key store of a data directory, also while servers run.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow};
use clap::Args;
use serde::Serialize;
use shared::base::hint::quoted;
use shared::keys::postgres::PgClient;
use shared::keys::sqlite;

use crate::commands::{key_store, show};
use crate::hints::Hinted;
use crate::process::context::Context;
use crate::process::output_file::{Kind, OutputFile, Permit};
use crate::report::Report;
use crate::serving::key_store_config::KeyStoreConfig;
use crate::terminal::size::file_size;

/// Arguments of `store backup`.
#[derive(Debug, Args)]
#[command(after_help = "\
For example: catalogue store backup keys-2026-10-01.sqlite\n\
The file has the keys, subscriptions, usage and audit log of one moment. Servers may run meanwhile, \
but charge nothing while it is written: name a file on a fast local disk.\n\
To restore it, stop the servers, remove keys.sqlite-journal, and replace keys.sqlite by it.")]
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
    let permit = Permit::outside(config.data().path());
    let file = OutputFile::create(to, Kind::Backup, &permit)?;
    let from = config.data().keys_database();
    let attempt = format!("could not back up the store to {}", to.display());
    let copied = sqlite::back_up(&from, file.part());
    copied.map_err(|error| key_store::stopped(error, &attempt))?;
    file.publish()?;
    let written = fs::metadata(to);
    let bytes = written
        .with_context(|| format!("could not look at {}", to.display()))?
        .len();
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

fn refuse_database(client: &PgClient, to: &Path) -> anyhow::Error {
    let address = client.address();
    let error = anyhow!("it is in PostgreSQL, {address}, which pg_dump backs up");
    let to = quoted(&to.display().to_string());
    let hint = format!("pg_dump -Fc -n catalogue -U USER -f {to} {address}");
    Hinted::wrong_usage(error.context("could not back up the store"), hint).into()
}
