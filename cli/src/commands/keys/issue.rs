//! `catalogue keys issue`: creates a key and shows it this one time.

use std::io::Write;
use std::time::Duration;

use clap::{ArgAction, Args, value_parser};
use shared::base::clock::Moment;
use shared::keys::environment::Environment;
use shared::keys::key::Key;
use shared::keys::key_store::{IssuedKey, KeyStore, NewKey};
use shared::keys::limits::{DEFAULT_RATE_LIMIT, NAME_MAX, RATE_LIMIT_MAX, RATE_LIMIT_MIN};
use shared::keys::name::Name;
use shared::keys::scope::Scope;
use shared::keys::subscription::Subscription;

use crate::commands::keys::document::{self, IssuedDocument};
use crate::commands::keys::{owner, require_output};
use crate::commands::show;
use crate::commands::wait::WaitArgs;
use crate::commands::{key_store, one_of};
use crate::exit_status::ExitStatus;
use crate::hints::{Hinted, LISTEN};
use crate::process::context::Context;
use crate::serving::key_store_config::KeyStoreConfig;
use crate::terminal::quantity::{InvalidQuantity, POSITIVE, count, duration};
use crate::terminal::table;

/// Arguments of `keys issue`.
#[derive(Debug, Args)]
pub struct IssueArgs {
    /// The subscription that owns the key
    #[arg(long, value_name = "NAME", value_parser = value_parser!(Name))]
    pub subscription: Name,
    /// Scopes of the key; one or more
    #[arg(long = "scope", value_name = "SCOPE", required = true, value_parser = one_of(Scope::ALL, Scope::as_str))]
    #[arg(num_args = 1.., value_delimiter = ',', action = ArgAction::Append)]
    pub scopes: Vec<Scope>,
    /// Which servers accept the key
    #[arg(long = "env", value_name = "ENV", default_value_t = Environment::Live)]
    #[arg(value_parser = one_of(Environment::ALL, Environment::as_str))]
    pub environment: Environment,
    #[arg(long, value_name = "TEXT", value_parser = value_parser!(Name), help = name_help())]
    pub name: Option<Name>,
    /// How long the key works, such as 12h or 90d [default: forever]
    #[arg(long, value_name = "DURATION", value_parser = duration(POSITIVE))]
    #[arg(env = "CATALOGUE_EXPIRES", hide_env_values = true)]
    pub expires: Option<Duration>,
    #[arg(long, value_name = "N", value_parser = rate_limit(), help = rate_limit_help())]
    #[arg(env = "CATALOGUE_RATE_LIMIT", hide_env_values = true)]
    pub rate_limit: Option<u32>,
    /// Whether to wait.
    #[command(flatten)]
    pub wait: WaitArgs,
}

/// The parser of a minute limit.
pub(super) fn rate_limit() -> impl Fn(&str) -> Result<u32, InvalidQuantity> + Clone {
    count(u64::from(RATE_LIMIT_MIN)..=u64::from(RATE_LIMIT_MAX))
}

pub(super) fn name_help() -> String {
    format!("What to call the key, at most {NAME_MAX} characters")
}

fn rate_limit_help() -> String {
    format!("Requests in any 60 seconds [default: {DEFAULT_RATE_LIMIT}]")
}

/// Issues a key.
pub(super) fn run(
    args: &IssueArgs,
    as_json: bool,
    config: &KeyStoreConfig,
    context: &mut Context,
) -> anyhow::Result<ExitStatus> {
    let attempt = "could not issue a key";
    require_output(attempt, context)?;
    let mut store = key_store::open(config, context)?;
    let now = context.clock.now();
    let new = NewKey {
        subscription: args.subscription.clone(),
        environment: args.environment,
        scopes: args.scopes.iter().copied().collect(),
        name: args.name.clone(),
        rate_limit: args.rate_limit,
        expires_at: args.expires.map(|expires| {
            now.unix_seconds()
                .saturating_add_unsigned(expires.as_secs())
        }),
    };
    let issued = store.issue_key(new, &mut *context.random, now.unix_seconds());
    let issued = issued.map_err(|error| key_store::refused(error, attempt, &mut store))?;
    let shown = if as_json {
        show_document(&issued, now, &mut store, context)
    } else {
        show_key(&issued, context)
    };
    let shown = seen(&issued.key, shown, &mut store, context);
    if shown.is_ok()
        && !as_json
        && let Ok(owner) = owner(&issued.key, &mut store)
    {
        show_beside_key(&about(&issued, &owner, now, context), context);
    }
    args.wait.then(shown, config, &mut store, context)?;
    Ok(ExitStatus::Done)
}

fn show_document(
    issued: &IssuedKey,
    now: Moment,
    store: &mut KeyStore,
    context: &mut Context,
) -> anyhow::Result<()> {
    let owner = owner(&issued.key, store)?;
    let document = IssuedDocument {
        key: issued.secret.expose(),
        document: document::facts(&issued.key, &owner, None, now, context.terminal),
        replaces: None,
    };
    show::json(&document, context)
}

/// Revokes a new key that could not be shown: it is lost, but would work. This includes an output
/// that its reader has closed.
pub(super) fn seen(
    key: &Key,
    shown: anyhow::Result<()>,
    store: &mut KeyStore,
    context: &mut Context,
) -> anyhow::Result<()> {
    let flushed = shown.and_then(|()| Ok(context.out.flush()?));
    let Err(error) = flushed else {
        return Ok(());
    };
    let id = &key.id;
    let (what, hint) = match store.revoke_key(id, context.clock.now().unix_seconds()) {
        Ok(_) => (
            format!("the new key {id} could not be shown and is revoked: {error:#}"),
            "issue another one: catalogue keys issue --help".to_owned(),
        ),
        Err(why) => (
            format!("the new key {id} could not be shown, and works: {error:#}; {why:#}"),
            format!("revoke it: catalogue keys revoke {id}"),
        ),
    };
    // The error is formatted, not wrapped, since a closed output would otherwise count as success.
    let error = anyhow::anyhow!(what);
    Err(Hinted::new(error, hint, ExitStatus::Failure).into())
}

/// Shows the new key, alone on its line: for scripts it is the only output, and people can select
/// it.
pub(super) fn show_key(issued: &IssuedKey, context: &mut Context) -> anyhow::Result<()> {
    Ok(writeln!(context.out, "{}", issued.secret.expose())?)
}

/// Shows people more about the key, on standard error if standard output is not a terminal. The key
/// has been shown already, so a failure here is ignored.
pub(super) fn show_beside_key(text: &str, context: &mut Context) {
    let _shown = if context.terminal.out {
        context.out.write_all(text.as_bytes())
    } else {
        context.err.write_all(text.as_bytes())
    };
}

/// What a new key can do, for a person.
pub(super) fn about(
    issued: &IssuedKey,
    owner: &Subscription,
    now: Moment,
    context: &Context,
) -> String {
    let details = document::facts(&issued.key, owner, None, now, context.terminal);
    let details = table::details(details.lines(), context.terminal);
    let gap = if context.terminal.out { "\n" } else { "" };
    let (readable, path) = readable(issued);
    let environment = issued.key.environment;
    let text = format!(
        "{gap}This key is shown only once. Copy it now and keep it secret.\n\n{details}\n\
         It can read {readable}.\n\
         Try it while `catalogue serve --env {environment}` runs:\n  \
         curl -H \"Authorization: Bearer $KEY\" http://{LISTEN}{path}\n"
    );
    context.hints.paste(&text).into_owned()
}

/// What the key can read, in words, and the path of an example that it may ask for.
fn readable(issued: &IssuedKey) -> (String, &'static str) {
    let can = |scope| issued.key.scopes.contains(scope);
    let (what, path) = match (can(Scope::BoatsRead), can(Scope::ManufacturersRead)) {
        (true, true) => (
            "boats, manufacturers, and the boats of a manufacturer",
            "/v1/boats",
        ),
        (true, false) => ("boats", "/v1/boats"),
        (false, true) => ("manufacturers", "/v1/manufacturers"),
        (false, false) => {
            let lacking = "nothing: --scope needs boats.read or manufacturers.read too";
            return (lacking.to_owned(), "/v1/key");
        }
    };
    let at_once = can(Scope::CatalogueExport);
    let at_once = if at_once { ", also all at once" } else { "" };
    (format!("{what}{at_once}"), path)
}
