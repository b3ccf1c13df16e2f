//! `catalogue mapping check`: field by field what a mapping finds, and the keys it leaves unread.
//! The export is validated, and its records are watched on the way.

use std::io;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::{Args, ValueHint};
use import::finding::report::FindingsReport;
use import::finding::{Code, Findings};
use import::mapping::{CheckReport, Mapping, RuleReport, UnreadKey};
use import::run::{self, Discard, Outcome, Settings};
use serde::Serialize;
use shared::base::timestamp::Timestamp;

use crate::commands::export_args::{read_mapping, write_page};
use crate::commands::fetch::{FetchArgs, Gathering};
use crate::commands::image_args::{self, ImageArgs};
use crate::commands::import::lost_images;
use crate::commands::show;
use crate::exit_status::ExitStatus;
use crate::process::context::Context;
use crate::process::output::OutputClosed;
use crate::process::output_file::{Kind, OutputFile, Permit};
use crate::remote::Source;
use crate::report::Report;
use crate::report::page::{Page, Tone};
use crate::settings::address::SourceParser;
use crate::terminal::counted;
use crate::terminal::findings;
use crate::terminal::progress::Progress;
use crate::terminal::quantity::count;
use crate::terminal::table::Column;

/// How many findings are used to count errors by field.
const FINDINGS_MAX: usize = 100_000;

/// How many findings are listed by default: fewer than `validate` lists.
const LISTED_MAX: usize = 10;

/// What is said of keys of which it is not known whether anything reads them.
const UNKNOWN: &str = "that an expression names, but came to in none of these records";

/// Arguments of `mapping check`.
#[derive(Debug, Args)]
#[command(after_help = "\
For example: catalogue mapping check sanity.toml production.tar.gz
The exit status is 1 if there is an error, or a missing key: one that an expression names and that \
no record has.")]
pub struct CheckArgs {
    /// The mapping file
    #[arg(value_name = "FILE")]
    pub mapping: PathBuf,
    /// Files, folders or archives of the content system, compressed or not, here or at an address
    /// as `import` takes them; `-` is standard input
    #[arg(value_name = "EXPORT", required = true)]
    #[arg(value_parser = SourceParser, value_hint = ValueHint::AnyPath)]
    pub exports: Vec<Source>,
    /// How addresses are fetched.
    #[command(flatten)]
    pub fetch: FetchArgs,
    /// List at most this many findings; their counts stay exact
    #[arg(long, value_name = "N", default_value_t = LISTED_MAX)]
    #[arg(value_parser = count::<usize>(0..=u64::MAX))]
    pub max_findings: usize,
    /// Write what was found to this file, as a page for a browser
    #[arg(long, value_name = "FILE")]
    pub report_html: Option<PathBuf>,
    /// Let --report-html replace any existing file
    #[arg(long)]
    pub overwrite: bool,
    /// Show all findings that are listed, not three of each cause
    #[arg(long, conflicts_with = "json")]
    pub all: bool,
    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
}

#[derive(Serialize)]
struct Document<'a> {
    valid: bool,
    #[serde(flatten)]
    report: &'a CheckReport,
    #[serde(flatten)]
    findings: FindingsReport<'a>,
}

/// Checks.
pub(super) fn run(
    args: &CheckArgs,
    data: &Path,
    context: &mut Context,
) -> anyhow::Result<ExitStatus> {
    let permit = Permit::outside(data).overwriting(args.overwrite);
    let file = args.report_html.as_deref();
    let file = file.map(|path| OutputFile::create(path, Kind::Page, &permit));
    let file = file.transpose()?;
    let mapping = read_mapping(&args.mapping)?;
    let mut outcome = validated(args, &mapping, data, context)?;
    let report = outcome.report.take();
    let mut report = report.context("the export was not read with the mapping")?;
    add_errors(&mut report, &outcome.findings);
    outcome.findings.list_at_most(args.max_findings);
    let is_valid = outcome.findings.errors() == 0 && missing(&report) == 0;
    if let Some(file) = file {
        write_page(&page(args, &mapping, &report, &outcome), file)?;
    }
    OutputClosed::ignore_closed(if args.json {
        let document = Document {
            valid: is_valid,
            report: &report,
            findings: FindingsReport::new(&outcome.findings),
        };
        show::json(&document, context)
    } else {
        show(&report, &outcome, args.all, context)
    })?;
    Ok(if is_valid {
        ExitStatus::Done
    } else {
        ExitStatus::InvalidData
    })
}

fn validated(
    args: &CheckArgs,
    mapping: &Mapping,
    data: &Path,
    context: &mut Context,
) -> anyhow::Result<Outcome> {
    let progress = Progress::new(context.terminal.err && !args.json);
    let temp_dir = args.fetch.temp_dir(data);
    let gathering = Gathering {
        args: &args.fetch,
        temp_dir,
        progress: &progress,
    };
    let images = ImageArgs::default();
    let measurer = images.measurer(Some(mapping), data, false, (&progress, context));
    let now = Timestamp::from_unix_seconds(context.clock.now().unix_seconds());
    let settings = Settings {
        exports: &gathering.exports(&args.exports, context)?,
        mapping: Some(mapping),
        is_mapping_checked: true,
        temp_dir,
        listed_max: FINDINGS_MAX,
        skip_invalid: false,
        now: &now,
        measurer: measurer.as_ref().map(|of| of as _),
        progress: &progress,
    };
    let outcome = run::run(&settings, &mut context.input, &mut io::sink(), &mut Discard);
    progress.finish();
    image_args::warn(measurer, context);
    outcome
}

/// Counts the listed errors of validation for the fields that they are about.
fn add_errors(report: &mut CheckReport, findings: &Findings) {
    for finding in findings.listed() {
        let (Some(rule), Some(path)) = (finding.rule, &finding.path) else {
            continue;
        };
        // Failures of the mapping itself are counted already.
        if finding.code == Code::MappingFailed {
            continue;
        }
        let path = path.field().to_string();
        let rule = usize::try_from(rule).ok();
        let rule = rule.and_then(|rule| report.rules.get_mut(rule));
        for field in rule.into_iter().flat_map(|rule| &mut rule.fields) {
            if path == field.field || path.starts_with(&format!("{}.", field.field)) {
                field.errors += 1;
                field.error.get_or_insert_with(|| finding.message.clone());
            }
        }
    }
}

/// How many keys that no record has are named in expressions.
fn missing(report: &CheckReport) -> u64 {
    let fields = report.rules.iter().flat_map(|rule| &rule.fields);
    fields.map(|field| field.missing.len() as u64).sum()
}

fn show(
    report: &CheckReport,
    outcome: &Outcome,
    is_each_shown: bool,
    context: &mut Context,
) -> anyhow::Result<()> {
    findings::write(
        &outcome.findings,
        is_each_shown,
        context.terminal,
        &mut context.err,
    )?;
    let mut shown = Report::new();
    add(&mut shown, report);
    shown.note(verdict(report, outcome));
    if let Some(lost) = lost_images(outcome.images) {
        shown.note(format!(
            "Unless more can be measured, an import is refused: {lost}."
        ));
    }
    show::report(&shown, context)
}

/// The same for a browser.
fn page<'a>(
    args: &CheckArgs,
    mapping: &Mapping,
    report: &'a CheckReport,
    outcome: &Outcome,
) -> Page<'a> {
    let exports = args.exports.iter().map(Source::to_string);
    let exports = exports.collect::<Vec<_>>().join(", ");
    let mut page = Page::new(&format!("Check of a mapping on {exports}"));
    page.head
        .facts([("Mapping", args.mapping.display().to_string())]);
    let tone = match missing(report) {
        0 => Tone::of(&outcome.findings),
        _ => Tone::Bad,
    };
    page.set_verdict(tone, verdict(report, outcome));
    page.add_findings(&outcome.findings, |finding| {
        mapping.edit_url(finding.record.as_ref()?.id.as_deref()?)
    });
    add(&mut page.body, report);
    page
}

/// How many errors, missing keys and other results there are. Those that make the exit status 1
/// come first.
fn verdict(report: &CheckReport, outcome: &Outcome) -> String {
    let errors = counted(outcome.findings.errors(), "error");
    let missing = match missing(report) {
        0 => String::new(),
        count => format!("{}, ", counted(count, "missing key")),
    };
    let warnings = counted(outcome.findings.warnings(), "warning");
    let of_rules = report.rules.iter().map(|rule| rule.unread.len());
    let of_linked = report.linked.iter().map(|linked| linked.unread.len());
    let unread: usize = of_rules.chain(of_linked).sum();
    let unread = unread + report.lone_links.len();
    let unread = counted(unread as u64, "key");
    format!("{errors}, {missing}{warnings}, {unread} unread.")
}

fn add(to: &mut Report<'_>, report: &CheckReport) {
    for rule in &report.rules {
        let types = rule.types.join(", ");
        add_fields(to, &types, rule);
        add_keys(to, &types, &rule.unread, &rule.unknown);
    }
    for linked in &report.linked {
        add_keys(to, &linked.record_type, &linked.unread, &linked.unknown);
    }
    let what = "Links from keys without a record that nothing reads:";
    add_key_table(to, what.to_owned(), &report.lone_links);
    for (part, keys) in &report.envelope {
        let keys: Vec<String> = keys.iter().map(|key| format!("`{key}`")).collect();
        let keys = keys.join(", ");
        to.note(format!(
            "`{part}` of the envelope: no record has the key {keys}"
        ));
    }
    for (variable, address) in &report.examples {
        to.note(format!(
            "`{variable}` of [variables] is still that of an example: {address}"
        ));
    }
    let types = report.unread_types.iter();
    let types = types.map(|(name, records)| format!("{name} ({records})"));
    let types: Vec<String> = types.collect();
    if !types.is_empty() {
        let types = types.join(", ");
        to.note(format!("Types of record that nothing reads: {types}"));
    }
}

/// The fields of a rule, and below them what is wrong with some.
fn add_fields(to: &mut Report<'_>, types: &str, rule: &RuleReport) {
    let rows = rule.fields.iter().map(|field| {
        [
            field.field.clone(),
            field.filled.to_string(),
            field.null.to_string(),
            field.errors.to_string(),
            field.shown(),
        ]
    });
    let columns = [
        "FIELD".into(),
        "FILLED".into(),
        "NULL".into(),
        "ERRORS".into(),
        Column::wrapped("SAMPLE"),
    ];
    let records = counted(rule.records, "published record");
    let title = format!("{} from {types}: {records}", rule.kind);
    to.table(title, columns, rows);
    for field in &rule.fields {
        let name = &field.field;
        for missing in &field.missing {
            let key = &missing.key;
            let hint = missing.suggestion.as_ref();
            let hint = hint.map(|key| format!("; did you mean `{key}`?"));
            let hint = hint.unwrap_or_default();
            to.note(format!("{name}: no record has the key `{key}`{hint}"));
        }
        if let Some(error) = &field.error {
            to.note(format!("{name}: {error}"));
        }
    }
}

fn add_keys(to: &mut Report<'_>, types: &str, unread: &[UnreadKey], unknown: &[UnreadKey]) {
    let unread_title = format!("Keys of {types} that nothing reads:");
    add_key_table(to, unread_title, unread);
    add_key_table(to, format!("Keys of {types} {UNKNOWN}:"), unknown);
}

fn add_key_table(to: &mut Report<'_>, title: String, keys: &[UnreadKey]) {
    if keys.is_empty() {
        return;
    }
    let rows = keys.iter().map(|key| {
        let UnreadKey {
            key,
            records,
            sample,
            ..
        } = key;
        [key.clone(), records.to_string(), sample.clone()]
    });
    let columns = ["KEY".into(), "RECORDS".into(), Column::wrapped("SAMPLE")];
    to.table(title, columns, rows);
}
