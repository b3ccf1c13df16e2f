//! `catalogue diff`: what changes for consumers from one release to another.

pub(super) mod changes;
mod document;
mod record;
pub(super) mod report;
pub(super) mod sentences;

use std::io::Write;
use std::path::PathBuf;

use clap::{Args, value_parser};
use shared::base::ids::IdOrSlug;
use shared::release::ReleaseId;
use shared::release::diff::Kind;

use self::changes::{Compared, Side};
use self::document::DiffDocument;
use self::record::RecordDiff;
use self::report::{Bounds, heads};
use crate::commands::export_args::write_page;
use crate::commands::release_name::ReleaseName;
use crate::commands::{coverage, one_of, show};
use crate::exit_status::ExitStatus;
use crate::hints::Hinted;
use crate::process::context::Context;
use crate::process::output_file::{self, OutputFile, Permit};
use crate::report::Report;
use crate::report::page::{Page, Tone};
use crate::serving::release_location::ReleaseLocation;

/// Most records or slugs of one kind that are listed without `--full`.
pub const EXAMPLES_MAX: usize = 20;
/// Most names of one kind that a page lists.
pub(super) const PAGE_MAX: usize = 200;
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
    #[arg(value_name = "FROM", value_parser = value_parser!(ReleaseName))]
    pub from: Option<ReleaseName>,
    /// The release whose changes are shown [default: current]. A single release is TO. Each is an
    /// id or a beginning of it, `current`, `previous` or `latest`
    #[arg(value_name = "TO", value_parser = value_parser!(ReleaseName))]
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
        write_as_page(sides, args.only, file)?;
    }
    match &args.record {
        Some(id) => {
            let record = RecordDiff::find(id.as_str(), args.only, sides)?;
            show_record(&record, args, active.as_ref(), context)?;
        }
        None => show_all(sides, args, active.as_ref(), context)?,
    }
    if let (Some(path), false) = (&args.report_html, args.json) {
        writeln!(context.out)?;
        show::written([path], context)?;
    }
    Ok(ExitStatus::Done)
}

/// Writes what changes, as a page.
fn write_as_page(sides: [&Side; 2], only: Option<Kind>, file: OutputFile) -> anyhow::Result<()> {
    let compared = Compared::of(sides, only, PAGE_MAX)?;
    let [from, to] = sides.map(|side| side.release.id());
    let mut page = Page::new(&format!("Changes from {from} to {to}"));
    let breaks = sentences::breaking(&compared.diff);
    let lost = compared.changes.iter();
    let lost = lost.map(|of_kind| (of_kind.kind, &of_kind.lost));
    let lost =
        lost.filter_map(|(kind, lost)| sentences::fields_that_did(kind, "lost values", lost));
    let breaks: Vec<String> = breaks.into_iter().chain(lost).collect();
    if breaks.is_empty() {
        page.set_verdict(Tone::Good, "Nothing that consumers rely on goes away.");
    } else {
        page.set_verdict(Tone::Warning, breaks.join("; "));
    }
    report::add(&mut page.body, &compared, Bounds::PAGE, &|_id| None);
    let [old, new] = &compared.manifests;
    page.body.coverage(coverage::of(new, Some(old)));
    write_page(&page, file)
}

fn show_record(
    record: &RecordDiff<'_>,
    args: &DiffArgs,
    active: Option<&ReleaseId>,
    context: &mut Context,
) -> anyhow::Result<()> {
    if !args.json {
        return show::report(&record.report(active, args.full), context);
    }
    if let Some(only_in_one) = record.only_in_one() {
        writeln!(context.err, "note: {only_in_one}")?;
    }
    show::json(&record.patch(), context)
}

fn show_all(
    sides: [&Side; 2],
    args: &DiffArgs,
    active: Option<&ReleaseId>,
    context: &mut Context,
) -> anyhow::Result<()> {
    let bounded = |max| if args.full { usize::MAX } else { max };
    let compared = Compared::of(sides, args.only, bounded(EXAMPLES_MAX))?;
    let changes_max = bounded(CHANGES_MAX);
    if args.json {
        let bounds = document::Bounds {
            changes_max,
            value_max: bounded(VALUE_MAX),
        };
        let document = DiffDocument::new(&compared.diff, &compared.changes, bounds);
        return show::json(&document, context);
    }
    let bounds = Bounds {
        fields_max: bounded(EXAMPLES_MAX),
        changes_max,
        is_full: args.full,
    };
    let mut report = Report::new();
    report.facts(heads(sides.map(|side| side.release.id()), active));
    report::add(&mut report, &compared, bounds, &|_id| None);
    if compared.has_changed() {
        report.note("(--record ID shows every change of one record)");
    }
    show::report(&report, context)
}
