//! `catalogue mapping init`: writes a mapping to be edited, for a content system or for an export.
//!
//! A mapping for an export is a draft: its guesses are listed both in the output and in the file
//! itself.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::{Args, ValueHint};

use import::mapping::Shipped;
use import::source::STANDARD_INPUT;
use import::suggest::{NoSuggestion, Suggestion, suggest};
use shared::base::hint::quoted;
use shared::base::timestamp::Timestamp;

use crate::commands::fetch::{FetchArgs, Gathering, paths};
use crate::commands::{draft_file, one_of, show};
use crate::exit_status::ExitStatus;
use crate::hints::Hinted;
use crate::process::context::Context;
use crate::process::output_file::Permit;
use crate::remote::Source;
use crate::report::Report;
use crate::settings::FILE;
use crate::settings::address::SourceParser;
use crate::terminal::counted;
use crate::terminal::progress::Progress;
use crate::terminal::table::Column;

/// Arguments of `mapping init`.
#[derive(Debug, Args)]
#[command(override_usage = "\
catalogue mapping init <SYSTEM> [FILE]
       catalogue mapping init --from <EXPORT>... [--to <FILE>]")]
#[command(after_help = "\
For example:
  catalogue mapping init sanity               # the mapping of a content system
  catalogue mapping init --from boats.csv     # one for what there is
Then edit the file, and see what it finds: catalogue mapping check FILE EXPORT

--from reads what `import` recognises: exports of Sanity, Contentful, Strapi,
Directus, WordPress and Shopify, and lists of boats in workbooks, CSV, JSON,
NDJSON, XML or Parquet.")]
pub struct InitArgs {
    /// The content system; `csv` is for sheets, `minimal` for one list of boats as JSON, CSV or
    /// Parquet
    #[arg(value_parser = one_of(Shipped::ALL, Shipped::name), required_unless_present = "from")]
    pub system: Option<Shipped>,
    /// Where to write it [default: the name of the system, or of the export's file, and .toml];
    /// `-` is standard output
    #[arg(value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// Draft the mapping for an export: files, folders, archives, or addresses as `import` takes them
    #[arg(long, value_name = "EXPORT", num_args = 1.., conflicts_with = "system")]
    #[arg(value_parser = SourceParser, value_hint = ValueHint::AnyPath)]
    pub from: Vec<Source>,
    /// How addresses are fetched.
    #[command(flatten)]
    pub fetch: FetchArgs,
    /// The same as FILE, for use with --from
    #[arg(long, value_name = "FILE", conflicts_with = "file")]
    pub to: Option<PathBuf>,
    /// Replace any existing file
    #[arg(long)]
    pub overwrite: bool,
}

/// Writes a mapping file.
pub(super) fn run(
    args: &InitArgs,
    data: &Path,
    context: &mut Context,
) -> anyhow::Result<ExitStatus> {
    let file = args.file.as_ref().or(args.to.as_ref());
    let permit = Permit::outside(data).overwriting(args.overwrite);
    if let Some(system) = args.system {
        let path = path(file, system.name());
        if draft_file::write(system.text(), &path, &permit, context)? {
            let shown = path.display().to_string();
            let done = format!("Wrote {shown}. What to change in it stands at its beginning.");
            let mut report = Report::of(done);
            let shown = quoted(&shown);
            report.line(format!("Next: catalogue mapping check {shown} EXPORT"));
            show::report(&report, context)?;
        }
        return Ok(ExitStatus::Done);
    }
    let suggestion = suggestion(args, data, context)?;
    // A file with this name would be read as settings.
    let is_settings = format!("{}.toml", suggestion.name) == FILE;
    let name = if is_settings {
        "mapping"
    } else {
        &suggestion.name
    };
    let path = path(file, name);
    if draft_file::write(&suggestion.text, &path, &permit, context)? {
        show::report(&report(&suggestion, &path, &args.from), context)
            .context("could not show it")?;
    }
    Ok(ExitStatus::Done)
}

fn path(named: Option<&PathBuf>, name: &str) -> PathBuf {
    named.map_or_else(|| PathBuf::from(format!("{name}.toml")), PathBuf::clone)
}

fn suggestion(args: &InitArgs, data: &Path, context: &mut Context) -> anyhow::Result<Suggestion> {
    if paths(&args.from).any(|path| path.as_os_str() == STANDARD_INPUT) {
        let error = anyhow::anyhow!("--from cannot be standard input, which is read once");
        return Err(Hinted::wrong_usage(error, "write it to a file first").into());
    }
    let now = Timestamp::from_unix_seconds(context.clock.now().unix_seconds());
    let temp_dir = args.fetch.temp_dir(data);
    let gathering = Gathering {
        args: &args.fetch,
        temp_dir,
        progress: &Progress::new(context.terminal.err),
    };
    let exports = gathering.exports(&args.from, context)?;
    suggest(&exports, temp_dir, now).map_err(|error| {
        let Some(why) = error.downcast_ref::<NoSuggestion>() else {
            return error.context("could not look at the export");
        };
        let hint = match why {
            NoSuggestion::Unknown => "`catalogue validate EXPORT` says what is wrong with it",
            NoSuggestion::Xml(_) => {
                "begin with `catalogue mapping init minimal`, `reader = \"xml\"` and the path of its records; or export it as CSV, JSON, NDJSON or Parquet"
            }
            NoSuggestion::Unread(_, format) => format.advice,
            NoSuggestion::NoRecords(_) => {
                "`catalogue mapping init minimal` shows what a list is, and how it is read"
            }
        };
        Hinted::new(error, hint, ExitStatus::InvalidData).into()
    })
}

/// What was written, and what remains to be done.
fn report(suggestion: &Suggestion, path: &Path, exports: &[Source]) -> Report<'static> {
    let (file, form) = (&suggestion.recognised.file, &suggestion.recognised.form);
    let path = quoted(&path.display().to_string());
    let mut report = Report::of(format!("Wrote {path} for {file}, which looks like {form}."));
    if let Some((keys, read)) = suggestion.keys {
        report.line(format!(
            "It reads {read} of the {keys} keys of its records."
        ));
    }
    report.line(match suggestion.errors {
        _ if suggestion.is_open => {
            "Something in it is left open, so `check` and `import` refuse it \
                                    before that is decided."
                .to_owned()
        }
        0 => "With it, the export has no errors.".to_owned(),
        errors => format!("With it, the export has {}.", counted(errors, "error")),
    });
    if !suggestion.other_files.is_empty() {
        let others = suggestion.other_files.join(", ");
        report.line(format!("It does not read {others}."));
    }
    if !suggestion.decisions.is_empty() {
        let rows = suggestion.decisions.iter();
        let rows = rows.map(|decision| [&decision.field, &decision.why]);
        let columns = ["FIELD".into(), Column::wrapped("WHY")];
        report.table("Look at these before it is used:", columns, rows);
    }
    let exports = exports.iter().map(|export| quoted(&export.to_string()));
    let exports = exports.collect::<Vec<_>>().join(" ");
    report.note(format!("Next: catalogue mapping check {path} {exports}"));
    report
}
