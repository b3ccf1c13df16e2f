//! `catalogue diff`: what changes for consumers from one release to another.

pub(super) mod changes;
mod cut;
mod document;
pub(super) mod page;
mod record;
pub(super) mod sentences;
mod text;
mod values;

use std::io::{BufWriter, Write};
use std::path::PathBuf;

use anyhow::Context as _;
use clap::{Args, value_parser};
use shared::base::ids::IdOrSlug;
use shared::release::diff::Kind;
use shared::release::{ReleaseDiff, ReleaseId};

use self::changes::{Changes, FAILED, Side};
use self::document::{Bounds, DiffDocument};
use self::record::RecordDiff;
use self::text::Layout;
use crate::commands::completions::Values;
use crate::commands::export_args::write_page;
use crate::commands::release_name::ReleaseName;
use crate::commands::{one_of, show};
use crate::exit_status::ExitStatus;
use crate::hints::Hinted;
use crate::page::{Page, Tone};
use crate::process::context::Context;
use crate::process::output_file::{self, OutputFile, Permit};
use crate::serving::release_location::ReleaseLocation;
use crate::terminal::escape::escape_control;

/// Most records or slugs of one kind that are listed without `--full`.
pub const EXAMPLES_MAX: usize = 20;
/// Most changes of one record that are listed among those of others without `--full`.
const CHANGES_MAX: usize = 10;
/// Longest value in a document without `--full`, in columns.
const VALUE_MAX: usize = 500;

/// Arguments of `diff`.
#[derive(Debug, Args)]
#[command(override_usage = "catalogue diff [OPTIONS] [[FROM] TO]")]
#[command(after_help = "\
For example:
  catalogue diff                            # what the active release changed
  catalogue diff 20261121T101500Z-3f2a9c1b  # what this one would change
  catalogue diff previous current --only manufacturers
  catalogue diff latest --record boat-017
The exit status is 0 whether or not the releases differ, and 3 where neither has the record.")]
pub struct DiffArgs {
    /// The release to compare with [default: current; without TO, previous]
    #[arg(value_name = "FROM", value_parser = value_parser!(ReleaseName), add = Values::Releases)]
    pub from: Option<ReleaseName>,
    /// The release whose changes are shown [default: current]. A single release is TO. Each is an
    /// id or a beginning of it, `current`, `previous` or `latest`
    #[arg(value_name = "TO", value_parser = value_parser!(ReleaseName), add = Values::Releases)]
    pub to: Option<ReleaseName>,
    /// Compare only the records of one kind
    #[arg(long, value_name = "KIND", value_parser = one_of(Kind::ALL, Kind::name))]
    pub only: Option<Kind>,
    /// Show every change of the record with this id or slug
    #[arg(long, value_name = "ID", value_parser = IdOrSlug::parse)]
    pub record: Option<IdOrSlug>,
    /// Write what changes to this file, as a page for a browser
    #[arg(long, value_name = "FILE", conflicts_with = "record")]
    pub report_html: Option<PathBuf>,
    /// Let --report-html replace a file that is not a report; it always replaces one that is
    #[arg(long)]
    pub overwrite: bool,
    /// List every record and change, not only the first of each list, and show long values whole
    #[arg(long)]
    pub full: bool,
    /// Print one JSON document; of one record a JSON Patch (RFC 6902) of what its response has under
    /// `data`
    #[arg(long)]
    pub json: bool,
}

impl DiffArgs {
    /// The two releases to compare. A single release is compared with the active one; without any,
    /// the active one is compared with the previous one.
    const fn releases(&self) -> [&ReleaseName; 2] {
        match (&self.from, &self.to) {
            (None, None) => [&ReleaseName::Previous, &ReleaseName::Current],
            (Some(to), None) | (None, Some(to)) => [&ReleaseName::Current, to],
            (Some(from), Some(to)) => [from, to],
        }
    }

    /// Explains why there is nothing to compare with, and what to type if no release was named.
    fn explained(&self, error: anyhow::Error) -> anyhow::Error {
        if self.from.is_some() || self.to.is_some() {
            return error;
        }
        let hint = "name the releases: catalogue diff FROM TO; catalogue releases list shows them";
        Hinted::new(error, hint, ExitStatus::Failure).into()
    }
}

/// Compares.
pub fn run(
    args: &DiffArgs,
    location: ReleaseLocation<'_>,
    context: &mut Context,
) -> anyhow::Result<ExitStatus> {
    let permit = Permit::outside(location.data).overwriting(args.overwrite);
    let file = args.report_html.as_deref();
    let file = file.map(|path| OutputFile::create(path, output_file::Kind::Page, &permit));
    let file = file.transpose()?;
    let releases = &*location.open(!args.json, context)?;
    let [from, to] = args.releases();
    let old = Side::open(from, releases).map_err(|error| args.explained(error))?;
    let new = Side::open(to, releases)?;
    // Only the headings show which one is active.
    let active = releases.current().ok().flatten();
    let sides = [&old, &new];
    if let Some(file) = file {
        write_page(&page(sides, args.only)?, file)?;
    }
    match &args.record {
        Some(id) => {
            let record = RecordDiff::find(id.as_str(), args.only, sides)?;
            show_record(&record, args, active.as_ref(), context)?;
        }
        None => show_all(sides, args, active.as_ref(), context)?,
    }
    if let (Some(path), false) = (&args.report_html, args.json) {
        let written = format!("\nWrote {}.", path.display());
        writeln!(context.out, "{}", escape_control(&written))?;
    }
    Ok(ExitStatus::Done)
}

/// What changes, as a page.
fn page(sides: [&Side; 2], only: Option<Kind>) -> anyhow::Result<Page> {
    let [old, new] = sides.map(|side| side.release.id());
    let mut page = Page::new(&format!("Changes from {old} to {new}"));
    let breaks = page::add(&mut page, sides, only, &|_id| None)?;
    if breaks.is_empty() {
        page.set_verdict(Tone::Good, "Nothing that consumers rely on goes away.");
    } else {
        page.set_verdict(Tone::Warning, breaks.join("; "));
    }
    Ok(page)
}

fn show_record(
    record: &RecordDiff<'_>,
    args: &DiffArgs,
    active: Option<&ReleaseId>,
    context: &mut Context,
) -> anyhow::Result<()> {
    if !args.json {
        return record.write(active, args.full, context.terminal, &mut context.out);
    }
    if let Some(only_in_one) = record.only_in_one() {
        writeln!(context.err, "note: {only_in_one}")?;
    }
    show::json(&record.patch(), context)
}

fn show_all(
    [old, new]: [&Side; 2],
    args: &DiffArgs,
    active: Option<&ReleaseId>,
    context: &mut Context,
) -> anyhow::Result<()> {
    let bounded = |max| if args.full { usize::MAX } else { max };
    let diff = ReleaseDiff::of(&old.contents, &new.contents, bounded(EXAMPLES_MAX));
    let kinds = args.only.map_or(Kind::ALL.to_vec(), |kind| vec![kind]);
    let read = |kind| Changes::read(kind, [old, new]);
    let changes: Result<Vec<Changes>, _> = kinds.into_iter().map(read).collect();
    let changes = changes.context(FAILED)?;
    let changes_max = bounded(CHANGES_MAX);
    if args.json {
        let bounds = Bounds {
            changes_max,
            value_max: bounded(VALUE_MAX),
        };
        return show::json(&DiffDocument::new(&diff, &changes, bounds), context);
    }
    let layout = Layout {
        terminal: context.terminal,
        fields_max: bounded(EXAMPLES_MAX),
        changes_max,
        is_full: args.full,
    };
    let mut out = BufWriter::new(&mut context.out);
    text::write(&diff, &changes, active, layout, &mut out)?;
    Ok(out.flush()?)
}
