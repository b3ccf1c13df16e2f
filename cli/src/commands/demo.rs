//! `catalogue demo`: from nothing to a served sample catalogue, in one command.
//!
//! The sample export is part of the binary, so this works wherever the binary does. A directory
//! that serves anything else is left unchanged.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, bail, ensure};
use clap::Args;
use import::finding::LISTED_DEFAULT;
use server::catalogue::OpenSettings;
use server::cors::AllowedOrigins;
use shared::keys::environment::Environment;
use shared::keys::key_store::NewKey;
use shared::keys::limits::DEFAULT_QUOTA;
use shared::keys::name::Name;
use shared::keys::scope::Scope;
use shared::keys::secret::PlainKey;
use shared::keys::store::KeyStoreError;
use shared::keys::subscription::NewSubscription;
use shared::release::interruption::Unfinished;
use shared::release::log::Command;

use super::export_args::ExportArgs;
use super::fetch::FetchArgs;
use super::image_args::ImageArgs;
use super::import::{Activation, Active, Ended, GuardArgs, ImportArgs, import};
use super::key_store;
use super::keys::require_output;
use super::listen::ListenArgs;
use crate::exit_status::ExitStatus;
use crate::hints::Hinted;
use crate::process::context::Context;
use crate::process::runtime;
use crate::remote::Source;
use crate::serving::admin::Admin;
use crate::serving::key_store_config::KeyStoreConfig;
use crate::serving::listening::Listening;
use crate::serving::logging;
use crate::serving::release_location::ReleaseLocation;
use crate::serving::{Serving, connection_limits, take_lock};
use crate::terminal::escape::escape_control;

/// The files of the sample export.
const SAMPLE: [(&str, &str); 2] = [
    (
        "boats.ndjson",
        include_str!("../../../fixtures/sample/boats.ndjson"),
    ),
    (
        "makers.ndjson",
        include_str!("../../../fixtures/sample/makers.ndjson"),
    ),
];
/// The subscription that owns the keys of the demo.
const SUBSCRIPTION: &str = "demo";

/// Arguments of `demo`.
#[derive(Debug, Args)]
pub struct DemoArgs {
    /// Where to listen.
    #[command(flatten)]
    pub listen: ListenArgs,
}

/// Imports the sample, issues a key and serves.
pub fn run(
    args: &DemoArgs,
    keys: &KeyStoreConfig,
    location: ReleaseLocation<'_>,
    context: &mut Context,
) -> anyhow::Result<ExitStatus> {
    if keys.is_shared() {
        return Err(in_a_database(keys));
    }
    if let Some(address) = location.address {
        let error = anyhow::anyhow!("the demo does not touch {address}");
        let hint = "leave --releases out, and CATALOGUE_RELEASES unset";
        return Err(Hinted::wrong_usage(error, hint).into());
    }
    require_output("could not issue the key of the demo", context)?;
    let directory = keys.data();
    let data = directory.path();
    directory
        .create()
        .with_context(|| format!("could not create the data directory {}", data.display()))?;
    let settings = OpenSettings::default();
    let runtime = runtime::start(settings)?;
    let lock = take_lock(directory, Environment::Live)?;
    import_sample(data, context)?;
    let key = issue_key(keys, context)?;
    let listening = Listening::At(args.listen.address);
    let releases = location.open(false, context)?;
    let parts = (Arc::from(releases), settings);
    let origins = AllowedOrigins::Own;
    let serving = Serving::prepare(runtime, lock, keys, listening, parts, origins, context)?;
    writeln!(
        context.out,
        "Key, shown this one time:\n  {key}\n\nTry it:\n  \
         curl -i -H 'Authorization: Bearer {key}' 'http://{address}/v1/boats?limit=2'\n\n\
         Everything is kept in {data}.\nCtrl-C stops the server.",
        key = key.expose(),
        address = serving.address()?,
        data = escape_control(&data.display().to_string()),
    )?;
    let filter = logging::parse_filter("warn")?;
    let dropped = logging::start(filter, logging::Format::default(), context)?;
    let serving = serving.logging(dropped);
    serving.run(connection_limits(None), Admin::Off, Duration::ZERO, context)
}

fn import_sample(data: &Path, context: &mut Context) -> anyhow::Result<()> {
    let folder = Unfinished::make(|| tempfile::tempdir_in(data));
    let (folder, _unfinished) = folder.context("could not create a temporary folder")?;
    for (name, text) in SAMPLE {
        let path = folder.path().join(name);
        let written =
            std::fs::File::create_new(&path).and_then(|mut file| file.write_all(text.as_bytes()));
        written.with_context(|| format!("could not write {}", path.display()))?;
    }
    let args = ImportArgs {
        export: ExportArgs {
            mapping: None,
            exports: vec![Source::Path(folder.path().to_owned())],
            fetch: FetchArgs::default(),
            images: ImageArgs::default(),
            report: None,
            report_html: None,
            max_findings: LISTED_DEFAULT,
            all: false,
            json: false,
        },
        skip_invalid: false,
        rejects: None,
        overwrite: false,
        no_activate: false,
        if_changed: false,
        guards: GuardArgs::default(),
    };
    // A catalogue that exists already may have servers that would pick up the sample.
    let ended = import(
        Command::Demo,
        &args,
        Activation::IfNoneIs,
        ReleaseLocation::in_directory(data),
        context,
    )?;
    let Ended::Imported(both) = ended else {
        bail!("the sample export was not read");
    };
    let (imported, outcome) = *both;
    ensure!(outcome.is_usable, "the sample export is not valid");
    if imported.active.id() != imported.release() {
        return Err(not_the_sample(data, &imported.active));
    }
    let [boats, manufacturers] =
        [outcome.tally.boat, outcome.tally.manufacturer].map(|tally| tally.published);
    writeln!(
        context.out,
        "Imported the sample catalogue: {boats} boats of {manufacturers} manufacturers.\n"
    )?;
    Ok(())
}

/// The error about a key store in a database, which others may rely on.
fn in_a_database(keys: &KeyStoreConfig) -> anyhow::Error {
    let error = anyhow::anyhow!("the demo makes a key of its own, and would do so in {keys}");
    Hinted::wrong_usage(error, "leave out --store, and unset CATALOGUE_STORE").into()
}

fn not_the_sample(data: &Path, active: &Active) -> anyhow::Error {
    let error = anyhow::anyhow!(
        "the active release of {} is {active}, which is not the sample catalogue",
        data.display()
    );
    let hint = "name another directory for the demo, such as --data ./demo-data, or serve what \
                  is active: catalogue serve";
    Hinted::new(error, hint, ExitStatus::Refused).into()
}

/// Every demo gets a key of its own, since the earlier ones cannot be shown again.
fn issue_key(config: &KeyStoreConfig, context: &mut Context) -> anyhow::Result<PlainKey> {
    let mut store = key_store::open_or_create(config, context)?;
    let now = context.clock.now().unix_seconds();
    let name: Name = SUBSCRIPTION
        .parse()
        .context("could not name the subscription")?;
    let new = NewSubscription {
        name: name.clone(),
        quota: DEFAULT_QUOTA,
    };
    match store.create_subscription(&new, now) {
        Ok(_) | Err(KeyStoreError::SubscriptionExists { .. }) => {}
        Err(error) => return Err(error).context("could not create the subscription of the demo"),
    }
    let key = NewKey {
        subscription: name.clone(),
        environment: Environment::Live,
        scopes: Scope::READ.into_iter().collect(),
        name: Some(name),
        rate_limit: None,
        expires_at: None,
    };
    let issued = store.issue_key(key, &mut *context.random, now);
    Ok(issued
        .context("could not issue the key of the demo")?
        .secret)
}
