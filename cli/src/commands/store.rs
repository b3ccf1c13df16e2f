//! `catalogue store`: the store of keys, subscriptions and usage as a whole.
//!
//! Tables that several servers share are created only by `store init`, when the operator decides to;
//! no server and no other command does it in passing.

mod backup;
mod copy;

use clap::{Args, Subcommand};
use shared::keys::postgres::{PgClient, make};
use shared::keys::tables::VERSION;

use crate::commands::show::made;
use crate::commands::{Needs, key_store, show};
use crate::exit_status::ExitStatus;
use crate::process::context::Context;
use crate::report::Report;
use crate::serving::key_store_config::KeyStoreConfig;

/// Arguments of `store`.
#[derive(Debug, Args)]
pub struct StoreArgs {
    /// What to do.
    #[command(subcommand)]
    pub command: StoreCommand,
}

/// What can be done with a store.
#[derive(Debug, Subcommand)]
pub enum StoreCommand {
    /// Create the tables in an empty database, or the file in the data directory
    #[command(
        after_help = "For example:\n  catalogue store init --store postgres://catalogue@db.example/catalogue"
    )]
    Init,
    /// Copy everything into an empty store: from the file to a database, or back
    Copy(copy::CopyArgs),
    /// Back up the key store of a data directory into a new file, also while servers run
    // An interruption leaves nothing of it.
    #[command(add = Needs::Releases)]
    Backup(backup::BackupArgs),
}

/// Does what was typed.
pub fn run(
    args: &StoreArgs,
    config: &KeyStoreConfig,
    context: &mut Context,
) -> anyhow::Result<ExitStatus> {
    let client = config.client()?;
    match (&args.command, client) {
        (StoreCommand::Init, Some(client)) => init_database(&client, context)?,
        (StoreCommand::Init, None) => init_file(config, context)?,
        (StoreCommand::Copy(args), client) => copy::run(args, config, client, context)?,
        (StoreCommand::Backup(args), client) => {
            backup::run(args, config, client.as_ref(), context)?;
        }
    }
    Ok(ExitStatus::Done)
}

fn init_database(client: &PgClient, context: &mut Context) -> anyhow::Result<()> {
    let address = client.address();
    let done = make(client);
    if !done.map_err(|error| key_store::stopped(error, "could not make the store"))? {
        let told = format!("{address} has a key store already. Nothing was changed.");
        return show::report(&Report::of(told), context);
    }
    let done = format!("Made a key store in {address}: schema catalogue, version {VERSION}.");
    let mut report = Report::of(done);
    report
        .line("Create the first subscription: catalogue subscriptions create NAME")
        .line("Or take over what a data directory has: catalogue store copy --help");
    made(show::report(&report, context))
}

fn init_file(config: &KeyStoreConfig, context: &mut Context) -> anyhow::Result<()> {
    let file = config.data().keys_database();
    let shown = file.display();
    if file.exists() {
        key_store::open(config, context)?;
        let told = format!("{shown} is a key store already. Nothing was changed.");
        return show::report(&Report::of(told), context);
    }
    key_store::open_or_create(config, context)?;
    let done = Report::of(format!("Made a key store in {shown}."));
    made(show::report(&done, context))
}
