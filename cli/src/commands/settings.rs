//! `catalogue settings`: shows what is set and where, and writes a file to edit.

use std::path::{Path, PathBuf};

use anyhow::anyhow;
use clap::{Args, Command, Subcommand};
use serde::Serialize;
use shared::base::hint::quoted;

use crate::commands::{Needs, draft_file, show};
use crate::exit_status::ExitStatus;
use crate::hints::Hinted;
use crate::process::context::Context;
use crate::process::output_file::Permit;
use crate::report::Report;
use crate::settings::{self, FILE, Shown, Source, Typed};
use crate::terminal::table::Column;

/// Arguments of `settings`.
#[derive(Debug, Args)]
#[command(after_help = "\
For example: catalogue settings\n\
A typed option wins over its environment variable, which wins over the file, which wins over the \
default.")]
pub struct SettingsArgs {
    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
    /// What else to do.
    #[command(subcommand)]
    pub command: Option<SettingsCommand>,
}

/// What else can be done with settings.
#[derive(Debug, Subcommand)]
pub enum SettingsCommand {
    /// Write a file with every setting to edit
    #[command(add = Needs::BuiltIn)]
    #[command(after_help = "For example: catalogue settings init catalogue.toml")]
    Init(InitArgs),
}

/// Arguments of `settings init`.
#[derive(Debug, Args)]
pub struct InitArgs {
    /// Where to write it; `-` is standard output
    #[arg(value_name = "FILE", default_value = FILE)]
    pub file: PathBuf,
    /// Replace any existing file
    #[arg(long)]
    pub overwrite: bool,
}

/// The settings as JSON.
#[derive(Serialize)]
struct Document<'a> {
    /// The file that was read.
    file: Option<&'a str>,
    settings: Vec<SettingDocument<'a>>,
}

#[derive(Serialize)]
struct SettingDocument<'a> {
    name: &'a str,
    value: Option<&'a str>,
    source: &'static str,
    variable: &'a str,
}

/// Runs the command; `command` is the root of the command line, `config` the file that was named,
/// `typed` the other global options that were typed.
pub(crate) fn run(
    args: &SettingsArgs,
    command: &Command,
    (config, typed): (Option<&Path>, &[Typed]),
    data: &Path,
    context: &mut Context,
) -> anyhow::Result<ExitStatus> {
    match &args.command {
        None => show(args.json, command, (config, typed), context),
        Some(SettingsCommand::Init(_)) if args.json => {
            let error = anyhow!("`settings init` has no JSON to print");
            Err(Hinted::wrong_usage(error, "leave --json out").into())
        }
        Some(SettingsCommand::Init(args)) => init(args, command, data, context),
    }
}

fn show(
    is_json: bool,
    command: &Command,
    (config, typed): (Option<&Path>, &[Typed]),
    context: &mut Context,
) -> anyhow::Result<ExitStatus> {
    let settings = settings::find(config, context.operator.uid, command)?;
    let shown = settings.shown(command, typed);
    let settings_of = shown.iter().map(|setting| SettingDocument {
        name: &setting.name,
        value: setting.value.as_deref(),
        source: word(setting.source),
        variable: &setting.variable,
    });
    let document = Document {
        file: settings.file.as_deref(),
        settings: settings_of.collect(),
    };
    show::result(
        is_json,
        &document,
        || report(&shown, settings.file.as_deref()),
        context,
    )?;
    Ok(ExitStatus::Done)
}

fn report(shown: &[Shown], file: Option<&str>) -> Report<'static> {
    let rows = shown.iter().map(|setting| {
        let value = setting.value.as_ref().or(setting.otherwise.as_ref());
        let value = value.map_or("-", String::as_str);
        let source = word(setting.source);
        [&setting.name, value, source, &setting.variable]
    });
    let columns = [
        "SETTING".into(),
        Column::wrapped("VALUE"),
        "FROM".into(),
        Column::spare(1, "VARIABLE"),
    ];
    let mut report = Report::new();
    report.table("", columns, rows).note(match file {
        Some(file) => format!("The file is {file}."),
        None => format!("There is no {FILE} here. Write one: catalogue settings init"),
    });
    report
}

const fn word(source: Source) -> &'static str {
    match source {
        Source::Typed => "flag",
        Source::Variable => "variable",
        Source::RefusedVariable => "variable, refused",
        Source::File => "file",
        Source::Default => "default",
    }
}

fn init(
    args: &InitArgs,
    command: &Command,
    data: &Path,
    context: &mut Context,
) -> anyhow::Result<ExitStatus> {
    let (path, text) = (&args.file, settings::template(command));
    let permit = Permit::outside(data).overwriting(args.overwrite);
    if draft_file::write(&text, path, &permit, context)? {
        let shown = path.display().to_string();
        let named = if path == Path::new(FILE) {
            String::new()
        } else {
            format!(" --config {}", quoted(&shown))
        };
        let mut report = Report::of(format!("Wrote {shown}. Nothing in it is set yet."));
        report.line(format!("See what holds: catalogue settings{named}"));
        show::report(&report, context)?;
    }
    Ok(ExitStatus::Done)
}
