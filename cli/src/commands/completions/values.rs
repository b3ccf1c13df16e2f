//! Completions of values that only this program or its data knows: what an option or an argument
//! names.
//!
//! They are read from where commands read them, but read-only, as a server does. Nothing is offered
//! from data that cannot be read. No candidate is a secret: keys are offered by prefix and id.

use std::ffi::OsStr;
use std::path::PathBuf;

use clap::builder::ArgExt;
use clap::{Arg, Command, ValueHint};
use clap_complete::engine::{ArgValueCompleter, CompletionCandidate};
use import::finding::Code;
use shared::base::data_dir::DataDir;
use shared::keys::key::Key;
use shared::keys::store::KeySnapshot;
use shared::release::{ReleaseStore, Releases};

use crate::serving::key_store_config::KeyStoreConfig;
use crate::settings::is_path;

/// Most candidates of one kind that are offered: more would fill the screen.
const CANDIDATES_MAX: usize = 200;

/// What an option or an argument names, as in `#[arg(add = Values::Releases)]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Values {
    /// A release.
    Releases,
    /// A key.
    Keys,
    /// A subscription.
    Subscriptions,
    /// The code of a finding.
    Codes,
}

impl ArgExt for Values {}

/// Where candidates are looked for, if the line and the settings say so.
#[derive(Clone, Default)]
pub(crate) struct Known {
    /// Where keys and subscriptions are.
    pub(crate) keys: Option<KeyStoreConfig>,
    /// The directory with releases; `None` also if they are in S3, which would take too long to
    /// ask.
    pub(crate) releases: Option<PathBuf>,
}

/// `command` with the candidates of each of its arguments.
pub(super) fn complete(command: Command, known: &Known) -> Command {
    let command = command.mut_args(|arg| with_candidates(arg, known));
    command.mut_subcommands(|below| complete(below, known))
}

/// `command` with options as candidates only if there are no others, so that the shell can type the
/// common beginning of the others.
pub(super) fn without_options(command: Command) -> Command {
    let command = command.disable_help_flag(true).disable_version_flag(true);
    let command = command.mut_args(|arg| {
        let is_option = !arg.is_positional();
        arg.hide(is_option)
    });
    command.mut_subcommands(without_options)
}

/// Adds the candidates of an argument; only paths are completed as paths.
fn with_candidates(arg: Arg, known: &Known) -> Arg {
    if let Some(values) = arg.get::<Values>().copied() {
        let known = known.clone();
        let completer = move |typed: &OsStr| candidates(values, typed, &known);
        return arg.add(ArgValueCompleter::new(completer));
    }
    if is_path(&arg) {
        arg.value_hint(ValueHint::AnyPath)
    } else if arg.get_action().takes_values() {
        arg.value_hint(ValueHint::Other)
    } else {
        arg
    }
}

/// The candidates that begin with what was typed, the likeliest first.
fn candidates(values: Values, typed: &OsStr, known: &Known) -> Vec<CompletionCandidate> {
    let all = match values {
        Values::Releases => releases(known),
        Values::Keys => keys(typed, known),
        Values::Subscriptions => subscriptions(known),
        Values::Codes => codes(),
    };
    offered(all, &typed.to_string_lossy())
}

/// Those that begin with what was typed, in their order, at most [`CANDIDATES_MAX`].
fn offered(all: Vec<CompletionCandidate>, typed: &str) -> Vec<CompletionCandidate> {
    let fits = |candidate: &CompletionCandidate| {
        let value = candidate.get_value().to_string_lossy();
        value.starts_with(typed)
    };
    let fitting = all.into_iter().filter(fits).take(CANDIDATES_MAX);
    // The library sorts candidates by their text if they have no explicit order.
    let ordered = fitting.enumerate();
    ordered
        .map(|(place, candidate)| candidate.display_order(Some(place)))
        .collect()
}

fn candidate(value: &str, help: impl Into<Option<String>>) -> CompletionCandidate {
    let help = help.into().map(Into::into);
    CompletionCandidate::new(value).help(help)
}

/// The words for releases and their ids, the newest first.
fn releases(known: &Known) -> Vec<CompletionCandidate> {
    let words = [
        ("current", "the active release"),
        ("previous", "the one that was active before"),
        ("latest", "the one that was published last"),
    ];
    let words = words.map(|(word, meaning)| candidate(word, meaning.to_owned()));
    let store = known.releases.as_ref();
    let store = store.map(|data| ReleaseStore::new(DataDir::new(data)));
    let ids = store
        .and_then(|store| store.list().ok())
        .unwrap_or_default();
    let ids = ids.iter().map(|id| candidate(id.as_str(), None));
    words.into_iter().chain(ids).collect()
}

/// The snapshot of keys that servers read, read once.
fn snapshot(known: &Known) -> Option<KeySnapshot> {
    let mut followed = known.keys.as_ref()?.follow().ok()?;
    followed.source.poll().ok()?
}

/// The prefixes of keys, or their ids if the beginning of one was typed: the newest first, revoked
/// ones last.
fn keys(typed: &OsStr, known: &Known) -> Vec<CompletionCandidate> {
    let by_id = typed.to_string_lossy().starts_with("key");
    let snapshot = snapshot(known).unwrap_or_default();
    let mut keys: Vec<&Key> = snapshot.keys.iter().rev().collect();
    keys.sort_by_key(|key| key.revoked_at.is_some());
    let candidates = keys.into_iter().map(|key| {
        let mut owners = snapshot.subscriptions.iter();
        let owner = owners.find(|owner| owner.id == key.subscription);
        let owner = owner.map(|owner| owner.name.to_string());
        let name = key.name.as_ref().map(ToString::to_string);
        let revoked = key.revoked_at.map(|_at| "revoked".to_owned());
        let help: Vec<_> = owner.into_iter().chain(name).chain(revoked).collect();
        let value = if by_id {
            key.id.as_str()
        } else {
            key.prefix.as_str()
        };
        candidate(value, help.join(", "))
    });
    candidates.collect()
}

fn subscriptions(known: &Known) -> Vec<CompletionCandidate> {
    let snapshot = snapshot(known);
    let subscriptions = snapshot.into_iter().flat_map(|read| read.subscriptions);
    let there = subscriptions.filter(|subscription| !subscription.is_deleted());
    there
        .map(|subscription| candidate(subscription.name.as_str(), None))
        .collect()
}

fn codes() -> Vec<CompletionCandidate> {
    let severity = |code: &Code| candidate(code.as_str(), code.severity().as_str().to_owned());
    Code::ALL.iter().map(severity).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_is_offered_than_a_person_reads() {
        let offered_of = |typed| {
            let all = (0..=CANDIDATES_MAX).map(|number| candidate(&format!("a{number}"), None));
            offered(all.chain([candidate("b", None)]).collect(), typed)
        };
        assert_eq!(offered_of("a").len(), CANDIDATES_MAX);
        assert_eq!(offered_of("a")[0].get_value(), "a0");
        assert_eq!(offered_of("b").len(), 1);
        assert_eq!(offered_of("c").len(), 0);
    }
}
