//! `catalogue mapping check`: field by field what a mapping finds, and the keys it leaves unread.
//! The export is validated, and its records are watched on the way.

mod page;

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::{Args, ValueHint};
use import::finding::report::FindingsReport;
use import::finding::{Code, Findings};
use import::mapping::{CheckReport, FieldReport, Mapping, RuleReport, UnreadKey};
use import::run::{self, Discard, Outcome, Settings};
use serde::Serialize;

use crate::commands::export_args::{read_mapping, write_page};
use crate::commands::fetch::{FetchArgs, Gathering};
use crate::commands::show;
use crate::exit_status::ExitStatus;
use crate::process::context::Context;
use crate::process::output::OutputClosed;
use crate::process::output_file::{Kind, OutputFile, Permit};
use crate::remote::Source;
use crate::settings::address::SourceParser;
use crate::terminal::count::count;
use crate::terminal::counted;
use crate::terminal::escape::escape_control;
use crate::terminal::findings::{self, Extent};
use crate::terminal::progress::Progress;
use crate::terminal::table::{self, Column};

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
    let page = args.report_html.as_deref();
    let page = page.map(|path| OutputFile::create(path, Kind::Page, &permit));
    let page = page.transpose()?;
    let mapping = read_mapping(&args.mapping)?;
    let mut outcome = validated(args, &mapping, context)?;
    let report = outcome.report.take();
    let mut report = report.context("the export was not read with the mapping")?;
    add_errors(&mut report, &outcome.findings);
    outcome.findings.list_at_most(args.max_findings);
    let is_valid = outcome.findings.errors() == 0 && missing(&report) == 0;
    if let Some(file) = page {
        write_page(&page::of(args, &mapping, &report, &outcome), file)?;
    }
    OutputClosed::ignore_closed(if args.json {
        let document = Document {
            valid: is_valid,
            report: &report,
            findings: FindingsReport::new(&outcome.findings),
        };
        show::json(&document, context)
    } else {
        show(&report, &outcome, Extent::of(args.all), context)
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
    context: &mut Context,
) -> anyhow::Result<Outcome> {
    let progress = Progress::new(context.terminal.err && !args.json);
    let temp_dir = tempfile::env::temp_dir();
    let gathering = Gathering {
        args: &args.fetch,
        temp_dir: &temp_dir,
        progress: &progress,
    };
    let settings = Settings {
        exports: &gathering.exports(&args.exports, context)?,
        mapping: Some(mapping),
        is_mapping_checked: true,
        temp_dir: &temp_dir,
        listed_max: FINDINGS_MAX,
        skip_invalid: false,
        progress: &progress,
    };
    let outcome = run::run(&settings, &mut context.input, &mut io::sink(), &mut Discard);
    progress.finish();
    outcome
}

/// Counts the listed errors of validation for the fields that they are about.
fn add_errors(report: &mut CheckReport, findings: &Findings) {
    for finding in findings.listed() {
        let (Some(rule), Some(pointer)) = (finding.rule, &finding.pointer) else {
            continue;
        };
        // Failures of the mapping itself are counted already.
        if finding.code == Code::MappingFailed {
            continue;
        }
        let path = field_path(pointer);
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

/// The name of a field from the JSON pointer to its value.
fn field_path(pointer: &str) -> String {
    let mut path = String::new();
    for step in pointer.split('/').skip(1) {
        if step.bytes().all(|byte| byte.is_ascii_digit()) {
            path.push_str("[]");
        } else {
            path.extend((!path.is_empty()).then_some('.'));
            path.push_str(step);
        }
    }
    path
}

fn show(
    report: &CheckReport,
    outcome: &Outcome,
    extent: Extent,
    context: &mut Context,
) -> anyhow::Result<()> {
    findings::write(
        &outcome.findings,
        extent,
        context.terminal,
        &mut context.err,
    )?;
    for rule in &report.rules {
        show_rule(rule, context)?;
    }
    show_others(report, context)?;
    Ok(writeln!(context.out, "{}", verdict(report, outcome))?)
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

fn show_rule(rule: &RuleReport, context: &mut Context) -> anyhow::Result<()> {
    let out = &mut context.out;
    let types = escape_control(&rule.types.join(", ")).into_owned();
    let records = counted(rule.records, "published record");
    writeln!(out, "{} from {types}: {records}\n", rule.kind)?;
    let rows = rule.fields.iter().map(|field| {
        [
            field.field.clone(),
            field.filled.to_string(),
            field.null.to_string(),
            field.errors.to_string(),
            escape_control(&field.shown()).into_owned(),
        ]
    });
    let mut columns = ["FIELD", "FILLED", "NULL", "ERRORS", ""].map(Column::from);
    columns[4] = Column::wrapped("SAMPLE");
    writeln!(out, "{}", table::list(columns, rows, context.terminal))?;
    for field in &rule.fields {
        show_troubles(field, out)?;
    }
    let keys = format!("Keys of {types}");
    show_keys(&format!("{keys} that nothing reads"), &rule.unread, context)?;
    show_keys(&format!("{keys} {UNKNOWN}"), &rule.unknown, context)
}

fn show_keys(what: &str, keys: &[UnreadKey], context: &mut Context) -> anyhow::Result<()> {
    let out = &mut context.out;
    if keys.is_empty() {
        return Ok(());
    }
    writeln!(out, "{what}:\n")?;
    let rows = keys.iter().map(|key| {
        let sample = escape_control(&key.sample).into_owned();
        [
            escape_control(&key.key).into_owned(),
            key.records.to_string(),
            sample,
        ]
    });
    let columns = ["KEY".into(), "RECORDS".into(), Column::wrapped("SAMPLE")];
    Ok(writeln!(
        out,
        "{}",
        table::list(columns, rows, context.terminal)
    )?)
}

/// Shows what is read besides the records of rules, and what is not read.
fn show_others(report: &CheckReport, context: &mut Context) -> anyhow::Result<()> {
    for linked in &report.linked {
        let keys = format!("Keys of {}", escape_control(&linked.record_type));
        show_keys(
            &format!("{keys} that nothing reads"),
            &linked.unread,
            context,
        )?;
        show_keys(&format!("{keys} {UNKNOWN}"), &linked.unknown, context)?;
    }
    let what = "Links from keys without a record that nothing reads";
    show_keys(what, &report.lone_links, context)?;
    let out = &mut context.out;
    for (part, keys) in &report.envelope {
        let keys: Vec<String> = keys
            .iter()
            .map(|key| format!("`{}`", escape_control(key)))
            .collect();
        let keys = keys.join(", ");
        writeln!(
            out,
            "`{part}` of the envelope: no record has the key {keys}\n"
        )?;
    }
    for (variable, address) in &report.examples {
        let (variable, address) = (escape_control(variable), escape_control(address));
        writeln!(
            out,
            "`{variable}` of [variables] is still that of an example: {address}\n"
        )?;
    }
    if report.unread_types.is_empty() {
        return Ok(());
    }
    let types = report.unread_types.iter();
    let types = types.map(|(name, records)| format!("{} ({records})", escape_control(name)));
    let types: Vec<String> = types.collect();
    Ok(writeln!(
        out,
        "Types of record that nothing reads: {}\n",
        types.join(", ")
    )?)
}

fn show_troubles(field: &FieldReport, out: &mut dyn Write) -> anyhow::Result<()> {
    for missing in &field.missing {
        let suggestion = missing.suggestion.as_ref();
        let suggestion = suggestion.map(|key| format!("; did you mean `{}`?", escape_control(key)));
        let (name, key) = (&field.field, escape_control(&missing.key));
        let hint = suggestion.unwrap_or_default();
        writeln!(out, "{name}: no record has the key `{key}`{hint}\n")?;
    }
    if let Some(error) = &field.error {
        writeln!(out, "{}: {}\n", field.field, escape_control(error))?;
    }
    Ok(())
}
