//! `catalogue releases log`: who changed, or tried to change, which release is served, when and
//! from what.

use clap::{Args, value_parser};
use serde::Serialize;
use shared::base::hint::quoted;
use shared::base::name::Name;
use shared::base::operator::Operator;
use shared::base::source_files::SourceFile;
use shared::base::timestamp::Timestamp;
use shared::release::log::{Attempt, Entry, LogPart, LogQuery, Logged, Objection, Outcome, Source};
use shared::release::{ReleaseId, Releases};

use crate::commands::release_log::gap;
use crate::commands::release_name::ReleaseName;
use crate::commands::show;
use crate::exit_status::ExitStatus;
use crate::process::context::Context;
use crate::report::Report;
use crate::terminal::Terminal;
use crate::terminal::counted;
use crate::terminal::quantity::count;
use crate::terminal::relative_time;
use crate::terminal::size::file_size;
use crate::terminal::table::{Cell, Column};

/// How many entries are shown by default.
const LAST_DEFAULT: usize = 50;
/// Most entries that are shown at once.
const LAST_MAX: u64 = 100_000;
/// How many digits of a hash are shown to people.
const HASH_DIGITS: usize = 16;

/// Arguments of `releases log`.
#[derive(Debug, Args)]
#[command(after_help = "\
For example: catalogue releases log --last 10\n\
Imports that activated nothing are logged with the reason; those that found nothing new, at most \
once an hour. Each activation is logged before it happens. --json shows the whole SHA-256 of each file.")]
pub struct LogArgs {
    /// Only entries that name this release: its id, or a beginning of it; or `current`, `previous`
    /// or `latest`
    #[arg(long, value_name = "ID", value_parser = value_parser!(ReleaseName))]
    pub release: Option<ReleaseName>,
    /// How many of the latest entries to show
    #[arg(long, alias = "limit", value_name = "N", default_value_t = LAST_DEFAULT)]
    #[arg(value_parser = count::<usize>(1..=LAST_MAX))]
    pub last: usize,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Document<'a> {
    entries: Vec<EntryDocument<'a>>,
    has_more: bool,
    /// How many lines of the log cannot be read.
    unreadable: u64,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct EntryDocument<'a> {
    at: Timestamp,
    user: Option<&'a str>,
    uid: u32,
    sudo_user: Option<&'a str>,
    command: &'static str,
    #[serde(flatten)]
    outcome: &'a Outcome,
    source: Option<&'a Source>,
    objections: &'a [Objection],
    /// Whether the release that was active before is not the one that the log says.
    after_gap: bool,
}

/// Shows the latest entries, the last one first.
pub(super) fn run(
    args: &LogArgs,
    releases: &dyn Releases,
    as_json: bool,
    context: &mut Context,
) -> anyhow::Result<ExitStatus> {
    let mut part = read(args, releases)?;
    part.entries.make_contiguous().reverse();
    let document = Document {
        entries: part.entries.iter().map(EntryDocument::of).collect(),
        has_more: part.has_earlier,
        unreadable: part.unreadable,
    };
    let (now, terminal) = (context.clock.now().unix_seconds(), context.terminal);
    show::result(as_json, &document, || report(&part, now, terminal), context)?;
    warn(&part, releases, context);
    Ok(ExitStatus::Done)
}

/// Reads the log. A removed release is only in the log, so the beginning of an id is not looked up
/// among the releases.
fn read(args: &LogArgs, releases: &dyn Releases) -> anyhow::Result<LogPart> {
    let attempt = "could not show the log";
    let beginning = match &args.release {
        None => None,
        Some(ReleaseName::Beginning(beginning)) => Some(beginning.clone()),
        Some(named) => Some(named.id(releases, attempt)?.to_string()),
    };
    let is_wanted = |entry: &Entry| {
        let is_meant = |id: &ReleaseId, beginning| id.as_str().starts_with(beginning);
        let beginning = beginning.as_deref();
        beginning.is_none_or(|beginning| entry.is_about(|id| is_meant(id, beginning)))
    };
    Ok(releases.read_log(LogQuery {
        last: args.last,
        is_wanted: &is_wanted,
    })?)
}

fn report(part: &LogPart, now: i64, terminal: Terminal) -> Report<'static> {
    if part.entries.is_empty() {
        return Report::of("No changes are logged.");
    }
    let mut report = Report::new();
    let rows = part.entries.iter().map(|logged| row(logged, now, terminal));
    let columns = ["WHEN".into(), "WHO".into(), Column::wrapped("WHAT")];
    report.table("", columns, rows);
    if part.has_earlier {
        report.note("There are earlier changes; --last N shows more.");
    }
    report
}

/// The details of a change are below it, each on a line of its own.
fn row(logged: &Logged, now: i64, terminal: Terminal) -> [Cell; 3] {
    let Entry { attempt, outcome } = &logged.entry;
    let mut lines = vec![format!(
        "{}: {}",
        attempt.command.as_str(),
        summary(attempt, outcome)
    )];
    if let Outcome::Activated {
        before: Some(before),
        ..
    } = outcome
    {
        lines.push(format!("before: {before}"));
        if logged.is_after_gap {
            lines.push("gap: no entry says who activated that".to_owned());
        }
    }
    lines.extend(sources(attempt));
    lines.extend(
        attempt
            .objections
            .iter()
            .map(|said| objection(said, outcome)),
    );
    lines.extend(listed(outcome));
    [
        relative_time::short(attempt.at, now, terminal).into(),
        attempt.author.to_string().into(),
        Cell::lines(lines),
    ]
}

fn summary(attempt: &Attempt, outcome: &Outcome) -> String {
    match outcome {
        Outcome::Activated { release, .. } => format!("activated {release}"),
        Outcome::Made { release } => format!("made {release}, not activated"),
        Outcome::Unchanged { release } if attempt.source.is_none() => {
            format!("nothing had changed since {release} was imported")
        }
        Outcome::Unchanged { release } => format!("{release} was active already"),
        Outcome::Refused { release } => format!("made {release}, refused to activate it"),
        Outcome::Overtaken { release } => {
            format!("did not activate {release}: what is active had changed")
        }
        Outcome::Invalid { errors } => format!("made nothing: {}", counted(*errors, "error")),
        Outcome::Removed { count, bytes, .. } => {
            let releases = counted(*count, "release");
            format!("removed {releases}, {}", file_size(*bytes))
        }
        Outcome::NotRemoved { count, .. } => {
            format!("did not remove {} after all", counted(*count, "release"))
        }
    }
}

/// The sources of an attempt.
fn sources(attempt: &Attempt) -> Vec<String> {
    let Some(source) = &attempt.source else {
        return Vec::new();
    };
    let Source {
        files,
        mapping,
        left_out,
        unmeasured,
    } = source;
    let first = files.first.iter().map(|one| file("file", one));
    let others = files.count.saturating_sub(files.first.len() as u64);
    let others = (others != 0).then(|| {
        let others = counted(others, "other file");
        format!("and {others}, {} in all", file_size(files.bytes))
    });
    let mapping = mapping.iter().map(|one| file("mapping", one));
    let left_out = (*left_out != 0).then(|| {
        let records = counted(*left_out, "invalid record");
        format!("left out: {records}")
    });
    let unmeasured = (*unmeasured != 0).then(|| {
        let images = counted(*unmeasured, "image");
        format!("not measured: {images}")
    });
    let left_out = left_out.into_iter().chain(unmeasured);
    first.chain(others).chain(mapping).chain(left_out).collect()
}

fn file(what: &str, file: &SourceFile) -> String {
    let SourceFile {
        name,
        bytes,
        sha256,
        etag,
        ..
    } = file;
    let hash = sha256.as_deref().map_or_else(
        || "not read to its end".to_owned(),
        |hash| format!("sha256 {}", hash.get(..HASH_DIGITS).unwrap_or(hash)),
    );
    let etag = etag.as_deref();
    let etag = etag
        .map(|etag| format!(", ETag {etag}"))
        .unwrap_or_default();
    format!(
        "{what}: {}, {}, {hash}{etag}",
        quoted(name),
        file_size(*bytes)
    )
}

fn objection(objection: &Objection, outcome: &Outcome) -> String {
    let Objection {
        message,
        allowed_by,
        is_allowed,
    } = objection;
    let (verdict, by) = match outcome {
        _ if *is_allowed => ("allowed", "needed"),
        Outcome::Refused { .. } => ("refused", "allowed by"),
        _ => ("would be refused", "allowed by"),
    };
    format!("{verdict}: {message} ({by} {allowed_by})")
}

/// The releases that were to be removed.
fn listed(outcome: &Outcome) -> Vec<String> {
    let (Outcome::Removed { count, first, .. } | Outcome::NotRemoved { count, first }) = outcome
    else {
        return Vec::new();
    };
    let others = count.saturating_sub(first.len() as u64);
    let others = (others != 0).then(|| format!("and {}", counted(others, "other release")));
    first
        .iter()
        .map(ToString::to_string)
        .chain(others)
        .collect()
}

/// Reports what the log lacks.
fn warn(part: &LogPart, releases: &dyn Releases, context: &mut Context) {
    let mut warnings = Vec::new();
    for line in &part.unreadable_last {
        warnings.push(format!("in the log of releases, {line}"));
    }
    let unnamed = part.unreadable - part.unreadable_last.len() as u64;
    if unnamed != 0 {
        let lines = counted(unnamed, "earlier line");
        warnings.push(format!("in the log of releases, {lines} cannot be read"));
    }
    // Other commands report a pointer that cannot be read.
    warnings.extend(
        releases
            .current()
            .ok()
            .and_then(|active| gap(part, &active?)),
    );
    for warning in warnings {
        show::aside(format!("warning: {warning}"), context);
    }
}

impl<'a> EntryDocument<'a> {
    fn of(logged: &'a Logged) -> Self {
        let Entry { attempt, outcome } = &logged.entry;
        let Operator {
            user,
            uid,
            sudo_user,
        } = &attempt.author;
        Self {
            at: Timestamp::from_unix_seconds(attempt.at),
            user: user.as_ref().map(Name::as_str),
            uid: *uid,
            sudo_user: sudo_user.as_ref().map(Name::as_str),
            command: attempt.command.as_str(),
            outcome,
            source: attempt.source.as_ref(),
            objections: &attempt.objections,
            after_gap: logged.is_after_gap,
        }
    }
}
