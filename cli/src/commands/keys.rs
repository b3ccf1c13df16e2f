//! `catalogue keys`: the life of API keys, from issue to revocation.

mod change;
mod document;
mod issue;
mod list;
mod log;
mod rotate;
mod update;

use clap::{Args, Subcommand};
use shared::base::hint::quoted;
use shared::keys::environment::Environment;
use shared::keys::key::{Key, KeyId, KeyReference};
use shared::keys::key_store::KeyStore;
use shared::keys::last_use::LastUse;
use shared::keys::secret::{KeyPrefix, PREFIX_RANDOM_LENGTH, PlainKey};
use shared::keys::subscription::Subscription;

use crate::commands::wait::Change;
use crate::commands::{beginning, key_store};
use crate::exit_status::ExitStatus;
use crate::hints::Hinted;
use crate::process::context::Context;
use crate::serving::key_store_config::KeyStoreConfig;

/// Arguments of `keys`.
#[derive(Debug, Args)]
pub struct KeysArgs {
    /// What to do.
    #[command(subcommand)]
    pub command: KeysCommand,
    /// Print one JSON document
    #[arg(long, global = true)]
    pub json: bool,
}

/// What can be done with keys.
#[derive(Debug, Subcommand)]
pub enum KeysCommand {
    /// Issue a key; it is shown only once
    #[command(
        after_help = "For example:\n  catalogue keys issue --subscription acme --scope boats.read --expires 90d"
    )]
    Issue(issue::IssueArgs),
    /// List keys, revoked and expired ones included
    List(list::ListArgs),
    /// Show one key
    #[command(after_help = "For example: catalogue keys show boat_live_3fKz9Q")]
    Show(KeyArgs),
    /// Change the name, the minute limit, the expiry or the scopes of a key
    Update(update::UpdateArgs),
    /// Replace a key with a new one; the old one works a little longer
    Rotate(rotate::RotateArgs),
    /// Refuse a key until it is enabled again
    #[command(after_help = "For example: catalogue keys disable boat_live_3fKz9Q")]
    Disable(change::ChangeArgs),
    /// Accept a disabled key again
    #[command(after_help = "For example: catalogue keys enable boat_live_3fKz9Q")]
    Enable(change::ChangeArgs),
    /// Refuse a key for good
    #[command(after_help = "For example: catalogue keys revoke boat_live_3fKz9Q")]
    Revoke(change::ChangeArgs),
    /// Show who changed which key or subscription, and when
    Log(log::LogArgs),
}

/// The key that is meant.
#[derive(Clone, Args)]
pub struct KeyArgs {
    /// The key's id or prefix, or a beginning of it that no other key has; or the key's name
    pub id: String,
}

/// Shows no value, since a whole key may have been typed.
impl std::fmt::Debug for KeyArgs {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("KeyArgs(…)")
    }
}

/// Does what was typed.
pub fn run(
    args: &KeysArgs,
    config: &KeyStoreConfig,
    context: &mut Context,
) -> anyhow::Result<ExitStatus> {
    let typed = |attempt, wait| Change {
        attempt,
        wait,
        config,
    };
    match &args.command {
        KeysCommand::Issue(issue) => issue::run(issue, args.json, config, context),
        KeysCommand::List(list) => list::run(list, args.json, config, context),
        KeysCommand::Show(key) => list::show(key, args.json, config, context),
        KeysCommand::Update(update::UpdateArgs { key, change, wait }) => {
            let typed = typed("could not update the key", *wait);
            let update = |store: &mut KeyStore, id: &KeyId, now| {
                store.update_key(id, change.update(now), now)
            };
            change::run(key, &typed, args.json, context, update)
        }
        KeysCommand::Rotate(rotate) => rotate::run(rotate, args.json, config, context),
        KeysCommand::Disable(change::ChangeArgs { key, wait }) => {
            let typed = typed("could not disable the key", *wait);
            change::run(key, &typed, args.json, context, KeyStore::disable_key)
        }
        KeysCommand::Enable(change::ChangeArgs { key, wait }) => {
            let typed = typed("could not enable the key", *wait);
            change::run(key, &typed, args.json, context, KeyStore::enable_key)
        }
        KeysCommand::Revoke(change::ChangeArgs { key, wait }) => {
            let typed = typed("could not revoke the key", *wait);
            change::run(key, &typed, args.json, context, KeyStore::revoke_key)
        }
        KeysCommand::Log(log) => log::run(log, args.json, config, context),
    }
}

impl KeyArgs {
    /// A key that was named in another argument.
    fn typed(id: &str) -> Self {
        Self { id: id.to_owned() }
    }

    /// Finds the key by its whole id or prefix, the beginning of one, or its name; `attempt` says
    /// what for, in errors. A whole key counts as its prefix.
    fn find(&self, attempt: &str, store: &mut KeyStore) -> anyhow::Result<Key> {
        let of_prefix = || KeyPrefix::parse(&self.id).ok();
        let of_key = || Some(PlainKey::parse(&self.id).ok()?.prefix());
        let whole = KeyId::parse(&self.id).map(KeyReference::Id).ok();
        let whole = whole.or_else(|| of_prefix().or_else(of_key).map(KeyReference::Prefix));
        if let Some(reference) = whole {
            let found = store.find_key(&reference);
            return found.map_err(|error| key_store::refused(error, attempt, store));
        }
        let all = store.keys()?;
        if let Some(random) = self.id.strip_prefix("key_")
            && is_beginning(random, KeyId::RANDOM_LENGTH)
        {
            return beginning::only(&self.id, "key", all, |key| key.id.as_str());
        }
        let random = Environment::ALL.into_iter().find_map(|environment| {
            let random = self.id.strip_prefix("boat_")?;
            random.strip_prefix(environment.as_str())?.strip_prefix('_')
        });
        if random.is_some_and(|random| is_beginning(random, PREFIX_RANDOM_LENGTH)) {
            return beginning::only(&self.id, "key", all, |key| key.prefix.as_str());
        }
        called(&self.id, all)
    }
}

/// The key with that name. Revoked keys count only if no other key has the name. The name is
/// repeated in errors only if a key has it, since it may be a mistyped key.
fn called(name: &str, all: Vec<Key>) -> anyhow::Result<Key> {
    let is_called = |key: &Key| key.name.as_ref().is_some_and(|own| own.as_str() == name);
    let (revoked, mut found): (Vec<_>, Vec<_>) = all
        .into_iter()
        .filter(is_called)
        .partition(|key| key.revoked_at.is_some());
    if found.is_empty() {
        found = revoked;
    }
    if let [_] = found[..]
        && let Some(one) = found.pop()
    {
        return Ok(one);
    }
    if found.is_empty() {
        let error = anyhow::anyhow!("no key has that id, prefix or name");
        let hint = format!(
            "an id is key_ and 16 characters, a prefix boat_live_ or boat_test_ and 6; of both, \
             the first {} may be enough; catalogue keys list shows ids, prefixes and names",
            beginning::LENGTH_MIN
        );
        return Err(Hinted::wrong_usage(error, hint).into());
    }
    let (count, prefixes) = beginning::candidates(&found, |key| key.prefix.as_str());
    let error = anyhow::anyhow!("{count} keys are named {}: {prefixes}", quoted(name));
    Err(Hinted::wrong_usage(error, "name one of them by its prefix").into())
}

/// Whether `random` may be the beginning of the random part of a name, which has `length`
/// characters, and is long enough.
fn is_beginning(random: &str, length: usize) -> bool {
    (beginning::LENGTH_MIN..length).contains(&random.len())
        && random.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// Refuses to create a key that could not be shown.
pub(super) fn require_output(attempt: &str, context: &Context) -> anyhow::Result<()> {
    context.out.require().map_err(|closed| {
        let error = anyhow::Error::new(closed).context(attempt.to_owned());
        let hint = "nothing was changed; a key is shown once, on standard output: leave it open";
        Hinted::new(error, hint, ExitStatus::Failure).into()
    })
}

/// When `key` was last used, if ever.
fn last_use(key: &Key, store: &mut KeyStore) -> anyhow::Result<Option<LastUse>> {
    Ok(store.last_uses()?.remove(&key.id))
}

/// The subscription that owns `key`.
fn owner(key: &Key, store: &mut KeyStore) -> anyhow::Result<Subscription> {
    let subscriptions = store.subscriptions_ever()?;
    let owner = subscriptions
        .into_iter()
        .find(|subscription| subscription.id == key.subscription);
    owner.ok_or_else(|| without_owner(key))
}

/// The error of a store that was changed by hand; servers refuse all keys then.
fn without_owner(key: &Key) -> anyhow::Error {
    anyhow::anyhow!(
        "the key {} belongs to a subscription that the key store does not have",
        key.id
    )
}
