//! Usage errors: the commands and options that were probably meant, and how errors and help are
//! shown.
//!
//! clap finds the errors and suggests similar names. Names that other programs use for the same are
//! listed here. What was typed is escaped, and secrets in it are redacted.

use std::borrow::Cow;
use std::ffi::OsString;
use std::io::Write as _;

use anyhow::Context as _;
use clap::CommandFactory;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use super::Args;
use crate::exit_status::ExitStatus;
use crate::hints;
use crate::process::context::Context;
use crate::terminal::escape::escape_control;
use crate::terminal::redact::redact;

/// Help and version go to standard output; everything else is wrong usage.
pub(crate) fn show_usage(usage: clap::Error, context: &mut Context) -> anyhow::Result<ExitStatus> {
    let usage = escaped(usage);
    let terminal = context.terminal;
    let text = |colour| match usage.render() {
        rendered if colour => rendered.ansi().to_string(),
        rendered => rendered.to_string(),
    };
    if usage.use_stderr() {
        let text = text(terminal.err_colour);
        let lines = text.lines();
        let lines: String = lines
            .map(|line| hints::lines(line, terminal) + "\n")
            .collect();
        // There is nowhere left to report that standard error is closed.
        _ = context.err.write_all(redact(&lines).as_bytes());
        return Ok(ExitStatus::WrongUsage);
    }
    let text = text(terminal.out_colour);
    let shown = context.out.write_all(redact(&text).as_bytes());
    let shown = shown.and_then(|()| context.out.flush());
    shown.context("could not write to standard output")?;
    Ok(ExitStatus::Done)
}

/// Commands of other programs, with the commands of this one that do the same. clap itself suggests
/// similar names.
const MEANT: [(&[&str], &[&str]); 16] = [
    (&["status", "check", "health"], &["doctor"]),
    (&["start", "run", "server", "up"], &["serve"]),
    (&["init", "quickstart", "setup"], &["demo", "mapping init"]),
    (&["load", "ingest", "upload"], &["import"]),
    (&["lint", "verify"], &["validate", "releases verify"]),
    (&["publish", "deploy"], &["import", "releases activate"]),
    (&["rollback", "undo"], &["releases rollback"]),
    (&["config", "env"], &["settings"]),
    (&["users", "customers", "tenants"], &["subscriptions"]),
    (&["quota", "billing"], &["usage"]),
    (&["new", "add"], &["keys issue", "subscriptions create"]),
    (
        &["ls", "list"],
        &["releases list", "keys list", "subscriptions list"],
    ),
    (
        &["delete", "remove", "rm"],
        &["keys revoke", "subscriptions delete", "releases prune"],
    ),
    (&["logs", "audit", "history"], &["releases log", "keys log"]),
    (&["man"], &["manual"]),
    (&["codes"], &["explain-code"]),
];

/// Options of other programs, with the options of this one that do the same, and their command.
const MEANT_OPTIONS: [(&[&str], &[&str], &str); 6] = [
    (&["keys", "issue"], &["--limit", "--rate"], "--rate-limit N"),
    (
        &["keys", "update"],
        &["--limit", "--rate"],
        "--rate-limit N",
    ),
    (&["subscriptions"], &["--limit"], "--quota N"),
    (
        &["serve"],
        &["--port", "--host", "--bind", "-p"],
        "--listen ADDRESS:PORT",
    ),
    (
        &["demo"],
        &["--port", "--host", "--bind", "-p"],
        "--listen ADDRESS:PORT",
    ),
    (&["diff"], &["--id", "--slug", "--boat"], "--record ID"),
];

/// Adds a tip with the option that an unknown one probably stands for.
pub(super) fn suggesting_option(mut usage: clap::Error, args: &[OsString]) -> clap::Error {
    let Some(ContextValue::String(typed)) = usage.get(ContextKind::InvalidArg) else {
        return usage;
    };
    let is_typed = |command: &&str| args.iter().any(|arg| arg == command);
    let is_meant = |(commands, names, _): &&(&[&str], &[&str], &str)| {
        commands.iter().all(is_typed) && names.contains(&typed.as_str())
    };
    if usage.kind() == ErrorKind::UnknownArgument
        && let Some((_, _, option)) = MEANT_OPTIONS.iter().find(is_meant)
    {
        let tip = format!("did you mean {option}?");
        usage.remove(ContextKind::SuggestedArg);
        usage.insert(
            ContextKind::Suggested,
            ContextValue::StyledStrs(vec![tip.into()]),
        );
    }
    usage
}

/// Suggests the commands that an unknown one probably stands for, instead of commands with similar
/// names. After a group of commands, only commands of that group are suggested.
pub(super) fn suggesting(mut usage: clap::Error, args: &[OsString]) -> clap::Error {
    let typed = match usage.get(ContextKind::InvalidSubcommand) {
        Some(ContextValue::String(typed)) => typed.as_str(),
        _ => return usage,
    };
    let meant = MEANT.iter().find(|(names, _)| names.contains(&typed));
    let known = Args::command();
    let group = args.iter().find(|arg| known.find_subcommand(arg).is_some());
    let is_possible = |command: &&&str| {
        let first = command.split(' ').next();
        group.is_none_or(|group| first.is_some_and(|first| group == first))
    };
    let commands = meant.iter().flat_map(|(_, commands)| commands.iter());
    let commands = commands.filter(is_possible);
    let commands: Vec<_> = commands
        .map(|command| format!("`catalogue {command}`"))
        .collect();
    if commands.is_empty() {
        return usage;
    }
    let tip = format!("did you mean {}?", commands.join(" or "));
    usage.remove(ContextKind::SuggestedSubcommand);
    usage.insert(
        ContextKind::Suggested,
        ContextValue::StyledStrs(vec![tip.into()]),
    );
    usage
}

/// Escapes what was typed. A tip that repeats it is left out, since its colours cannot be told from
/// escape sequences that were typed.
fn escaped(mut usage: clap::Error) -> clap::Error {
    let is_unseen = |text: &str| matches!(escape_control(text), Cow::Owned(_));
    let kinds = usage.context().filter_map(|(kind, value)| match value {
        ContextValue::String(text) if is_unseen(text) => {
            Some((kind, Some(escape_control(text).into())))
        }
        ContextValue::StyledStrs(tips) => {
            let repeats = tips.iter().any(|tip| is_unseen(&tip.to_string()));
            repeats.then_some((kind, None))
        }
        _ => None,
    });
    for (kind, text) in kinds.collect::<Vec<_>>() {
        match text {
            Some(text) => usage.insert(kind, ContextValue::String(text)),
            None => usage.remove(kind),
        };
    }
    usage
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_suggested_exists_and_what_it_is_suggested_for_does_not() {
        let command = Args::command();
        for (names, commands) in MEANT {
            let is_there = |name: &&str| command.find_subcommand(name).is_some();
            assert!(!names.iter().any(is_there), "{names:?}");
            for words in commands {
                let found = words
                    .split(' ')
                    .try_fold(&command, |command, word| command.find_subcommand(word));
                assert!(found.is_some(), "{words}");
            }
        }
    }

    #[test]
    fn options_that_are_suggested_exist_and_those_they_are_suggested_for_do_not() {
        let all = Args::command();
        for (commands, names, suggested) in MEANT_OPTIONS {
            let command = commands
                .iter()
                .try_fold(&all, |command, word| command.find_subcommand(word));
            let command = command.unwrap_or_else(|| panic!("there is no {commands:?}"));
            let mut below = vec![command];
            let mut options = Vec::new();
            while let Some(command) = below.pop() {
                options.extend(command.get_arguments().filter_map(|one| one.get_long()));
                below.extend(command.get_subcommands());
            }
            let is_option = |name: &str| options.iter().any(|one| name == format!("--{one}"));
            let suggested = suggested.split(' ').next().unwrap_or_default();
            assert!(is_option(suggested), "{commands:?} {suggested}");
            assert!(
                !names.iter().any(|name| is_option(name)),
                "{commands:?} {names:?}"
            );
        }
    }
}
