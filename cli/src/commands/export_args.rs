//! What `import` and `validate` have in common: the exports they read and the findings they show.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::{Args, ValueHint};
use import::finding::LISTED_DEFAULT;
use import::finding::report::FindingsReport;
use import::mapping::{InvalidMapping, Mapping, Recognised, recognise};
use import::run::{Outcome, Tally};
use import::source::{self, Export, Plan, STANDARD_INPUT};
use serde::Serialize;
use shared::base::hint::quoted;

use super::fetch::{FetchArgs, Gathering, local, paths};
use super::foreign;
use super::image_args::ImageArgs;
use crate::hints::Hinted;
use crate::process::context::Context;
use crate::process::output::OutputClosed;
use crate::process::output_file::{self, Kind, OutputFile, Permit};
use crate::remote::Source;
use crate::report::Report;
use crate::report::page::Page;
use crate::settings::address::SourceParser;
use crate::terminal::excerpt;
use crate::terminal::findings;
use crate::terminal::progress::Progress;
use crate::terminal::quantity::count;

/// Heading of the options about what is shown and written of an export.
pub(super) const REPORTS: &str = "Findings and reports";

/// Arguments about exports and findings.
#[derive(Debug, Args)]
pub struct ExportArgs {
    /// Files, folders or archives, compressed or not, here or at an address that begins with
    /// `https://`, `http://`, `s3://`, `gs://` or `az://`; `-` is standard input
    ///
    /// Their format is `boat-catalogue/1`, unless --mapping is given.
    #[arg(value_name = "EXPORT", required = true)]
    #[arg(value_parser = SourceParser, value_hint = ValueHint::AnyPath)]
    pub exports: Vec<Source>,
    /// How addresses are fetched.
    #[command(flatten)]
    pub fetch: FetchArgs,
    /// Read the export of a content system by this mapping file [default: none]
    #[arg(long, value_name = "FILE")]
    #[arg(env = "CATALOGUE_MAPPING", hide_env_values = true)]
    pub mapping: Option<PathBuf>,
    /// What is done for images without a size.
    #[command(flatten)]
    pub images: ImageArgs,
    /// Write all findings to this file, as JSON
    #[arg(long, value_name = "FILE", help_heading = REPORTS)]
    pub report: Option<PathBuf>,
    /// Write what was found to this file, as a page for a browser
    #[arg(long, value_name = "FILE", help_heading = REPORTS)]
    pub report_html: Option<PathBuf>,
    /// List at most this many findings; their counts stay exact
    #[arg(long, value_name = "N", default_value_t = LISTED_DEFAULT, help_heading = REPORTS)]
    #[arg(value_parser = count::<usize>(0..=u64::MAX))]
    #[arg(env = "CATALOGUE_MAX_FINDINGS", hide_env_values = true)]
    pub max_findings: usize,
    /// Show all findings that are listed, not three of each cause
    #[arg(long, conflicts_with = "json", help_heading = REPORTS)]
    pub all: bool,
    /// Print one JSON document
    #[arg(long, help_heading = REPORTS)]
    pub json: bool,
}

/// What was shown of an export.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// What is wrong with it.
    Findings,
    /// That it is not native, and what to do; nothing needs to be added.
    Foreign,
}

/// The files of the requested reports.
pub struct Reports {
    json: Option<OutputFile>,
    page: Option<OutputFile>,
}

impl Reports {
    /// Writes the page into its file, if one was requested.
    pub fn write_page(
        self,
        write: impl FnOnce(OutputFile) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        self.page.map_or(Ok(()), write)
    }
}

/// Writes a page into the file that was begun for it.
pub(super) fn write_page(page: &Page<'_>, mut file: OutputFile) -> anyhow::Result<()> {
    let written = page.write_into(&mut file);
    written.with_context(|| format!("could not write {}", file.path().display()))?;
    file.publish()
}

/// Findings and records, as reports and `--json` show them.
#[derive(Debug, Serialize)]
pub struct OutcomeDocument<'a> {
    /// Records by kind.
    pub records: Tally,
    /// What is wrong.
    #[serde(flatten)]
    pub findings: FindingsReport<'a>,
}

impl<'a> OutcomeDocument<'a> {
    /// The document of an outcome.
    pub fn new(outcome: &'a Outcome) -> Self {
        Self {
            records: outcome.tally,
            findings: FindingsReport::new(&outcome.findings),
        }
    }
}

impl ExportArgs {
    /// The mapping, if the export is not native; one with mistakes is wrong usage.
    pub fn mapping(&self) -> anyhow::Result<Option<Mapping>> {
        self.mapping.as_deref().map(read_mapping).transpose()
    }

    /// Checks that the exports exist and that the outputs, `rejects` included, may be written, so
    /// that failures come before anything is written. Returns the files of the reports.
    pub fn prepare(&self, rejects: Option<&Path>, permit: &Permit) -> anyhow::Result<Reports> {
        for export in paths(&self.exports).filter(|path| path.as_os_str() != STANDARD_INPUT) {
            let found = export.metadata();
            found.with_context(|| format!("could not open the export {}", export.display()))?;
        }
        let (report, page) = (self.report.as_deref(), self.report_html.as_deref());
        let outputs = [
            ("--rejects", rejects),
            ("--report", report),
            ("--report-html", page),
        ];
        let outputs = outputs.map(|(option, path)| Some((option, path?)));
        let outputs: Vec<(&str, &Path)> = outputs.into_iter().flatten().collect();
        for (place, output) in outputs.iter().enumerate() {
            self.refuse_to_overwrite(*output, &outputs[..place])?;
        }
        let json = report.map(|path| OutputFile::create(path, Kind::Report, permit));
        let page = page.map(|path| OutputFile::create(path, Kind::Page, permit));
        Ok(Reports {
            json: json.transpose()?,
            page: page.transpose()?,
        })
    }

    /// Refuses the file of an option if it would overwrite that of another option, or the export.
    fn refuse_to_overwrite(
        &self,
        (option, output): (&str, &Path),
        others: &[(&str, &Path)],
    ) -> anyhow::Result<()> {
        let is_there = |(_, other): &&(&str, &Path)| output_file::would_replace(output, other);
        let taken = if let Some((other, _)) = others.iter().find(is_there) {
            format!("the file of {other}")
        } else if source::files(&local(&self.exports), &Plan::native())
            .context("could not list the files of the export")?
            .iter()
            .any(|file| output_file::would_replace(output, file))
        {
            "a file of the export".to_owned()
        } else {
            return Ok(());
        };
        let error = anyhow::anyhow!("{option} {} names {taken}", output.display());
        Err(Hinted::wrong_usage(error, "name another file").into())
    }

    /// The bar to show while reading.
    pub fn progress(&self, context: &Context) -> Progress {
        Progress::new(context.terminal.err && !self.json)
    }

    /// The exports; those at addresses are fetched into this folder.
    pub fn gather(&self, temp_dir: &Path, context: &mut Context) -> anyhow::Result<Vec<Export>> {
        let progress = self.progress(context);
        self.gathering(temp_dir, &progress)
            .exports(&self.exports, context)
    }

    /// The settings for fetching exports into this folder.
    pub(super) const fn gathering<'a>(
        &'a self,
        temp_dir: &'a Path,
        progress: &'a Progress,
    ) -> Gathering<'a> {
        Gathering {
            args: &self.fetch,
            temp_dir,
            progress,
        }
    }

    /// Writes the report, if one was requested.
    pub fn write_report(&self, outcome: &Outcome, reports: &mut Reports) -> anyhow::Result<()> {
        let Some(mut report) = reports.json.take() else {
            return Ok(());
        };
        let document = OutcomeDocument::new(outcome);
        serde_json::to_writer_pretty(&mut report, &document)
            .and_then(|()| report.write_all(b"\n").map_err(serde_json::Error::io))
            .with_context(|| format!("could not write {}", report.path().display()))?;
        report.publish()
    }

    /// The files that were written.
    pub fn written<'a>(&'a self, rejects: Option<&'a Path>) -> impl Iterator<Item = &'a Path> {
        let files = [self.report.as_deref(), self.report_html.as_deref(), rejects];
        files.into_iter().flatten()
    }

    /// The page about an export: everything except what became of it.
    pub fn page<'p>(&self, title: &str, outcome: &Outcome, mapping: Option<&Mapping>) -> Page<'p> {
        let exports = self.exports.iter().map(Source::to_string);
        let exports = exports.collect::<Vec<_>>().join(", ");
        let mut page = Page::new(&format!("{title} of {exports}"));
        let mapping_file = self.mapping.as_ref();
        let mapping_file = mapping_file.map(|file| ("Mapping", file.display().to_string()));
        let next = self.next(outcome).map(|next| ("Next", next));
        page.head.facts(mapping_file.into_iter().chain(next));
        add_tally(&mut page.head, &outcome.tally);
        page.add_findings(&outcome.findings, |finding| {
            let id = finding.record.as_ref()?.id.as_deref()?;
            mapping?.edit_url(id)
        });
        page
    }

    /// If a mapping is used and errors leave no boat to publish: the command that shows why, since
    /// keys may have been renamed.
    pub fn next(&self, outcome: &Outcome) -> Option<String> {
        let boats = outcome.tally.boat;
        let is_none_left = boats.published == 0 && boats.invalid != 0;
        let mapping = self.mapping.as_deref().filter(|_| is_none_left)?;
        let exports = self.exports.iter().map(Source::to_string);
        let files = [mapping.display().to_string()].into_iter().chain(exports);
        let files = files.map(|file| quoted(&file)).collect::<Vec<_>>();
        Some(format!("catalogue mapping check {}", files.join(" ")))
    }

    /// Recognises an export from which no record could be read and for which no mapping was given.
    fn recognise(
        &self,
        exports: &[Export],
        outcome: &Outcome,
        temp_dir: &Path,
    ) -> anyhow::Result<Option<Recognised>> {
        if self.mapping.is_some() || outcome.tally.has_records() {
            return Ok(None);
        }
        recognise(exports, temp_dir).context("could not look at the export")
    }

    /// Shows the findings to people, as many as they asked for, or, if the export is not native,
    /// what it looks like.
    pub fn show(
        &self,
        exports: &[Export],
        outcome: &Outcome,
        temp_dir: &Path,
        context: &mut Context,
    ) -> anyhow::Result<Shown> {
        if self.json {
            return Ok(Shown::Findings);
        }
        if let Some(recognised) = self.recognise(exports, outcome, temp_dir)? {
            let (hints, terminal) = (&context.hints, context.terminal);
            let shown = foreign::write(
                &recognised,
                &self.exports,
                hints,
                terminal,
                &mut context.err,
            );
            let shown = shown.context("could not show what the export is");
            OutputClosed::ignore_closed(shown)?;
            return Ok(Shown::Foreign);
        }
        let (terminal, err) = (context.terminal, &mut context.err);
        let shown = findings::write(&outcome.findings, self.all, terminal, err);
        OutputClosed::ignore_closed(shown.context("could not show the findings"))?;
        Ok(Shown::Findings)
    }
}

/// Reads a mapping file. Mistakes in it are shown, as wrong usage.
pub(super) fn read_mapping(path: &Path) -> anyhow::Result<Mapping> {
    Mapping::read(path).map_err(|error| match error.downcast::<InvalidMapping>() {
        Ok(invalid) => unusable(invalid).into(),
        Err(error) => error,
    })
}

fn unusable(invalid: InvalidMapping) -> Hinted {
    let excerpt = excerpt::render(&invalid.mistakes, &invalid.name, &invalid.text);
    Hinted::wrong_usage(invalid.into(), InvalidMapping::HINT).with_excerpt(excerpt)
}

/// Adds the table of records by kind.
pub fn add_tally(report: &mut Report<'_>, tally: &Tally) {
    let rows = tally.by_kind().map(|(kind, of_kind)| {
        let [published, unpublished, invalid] =
            [of_kind.published, of_kind.unpublished, of_kind.invalid].map(|n| n.to_string());
        [
            format!("{}s", kind.as_str()),
            published,
            unpublished,
            invalid,
        ]
    });
    let unreadable = [
        "unreadable".to_owned(),
        String::new(),
        String::new(),
        tally.unreadable.to_string(),
    ];
    let rows = rows
        .into_iter()
        .chain((tally.unreadable != 0).then_some(unreadable));
    let columns = ["RECORDS", "PUBLISHED", "UNPUBLISHED", "INVALID"];
    report.table("", columns, rows);
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use super::*;

    #[test]
    fn fields_that_the_native_format_does_not_know_are_reported() {
        let text = r#"mapping = "boat-catalogue-mapping/1"
[[sources]]
files = ["*.ndjson"]
reader = "ndjson"
[envelope]
key = ".key"
type = ".type"

[[emit]]
kind = "boat"
type = "b"
[emit.fields]
model = ".a"
lenghtOverall = ".b"
hull.keel = ".c"
lengthOverallMetres = ".d"
engines = { each = ".e", fields = { make = ".f" } }
"#;
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.toml");
        let mut file = File::create(&path).unwrap();
        file.write_all(text.as_bytes()).unwrap();
        let error = read_mapping(&path).unwrap_err();
        let hinted: &Hinted = error.downcast_ref().unwrap();
        let expected = r#"error: unknown key `lenghtOverall` of a boat at /lenghtOverall
  --> a.toml:14:17
   |
14 | lenghtOverall = ".b"
   |                 ^^^^
   |
   = help: did you mean `lengthOverall`?

error: unknown key `keel` of a boat at /hull/keel
  --> a.toml:15:13
   |
15 | hull.keel = ".c"
   |             ^^^^
   |
   = help: did you mean `keelType`?

error: `lengthOverallMetres` is derived from `unit` and `lengthOverall` of a boat at /lengthOverallMetres
  --> a.toml:16:23
   |
16 | lengthOverallMetres = ".d"
   |                       ^^^^
   |
   = help: leave the key out

error: unknown key `make` of a boat at /engines/0/make
  --> a.toml:17:44
   |
17 | engines = { each = ".e", fields = { make = ".f" } }
   |                                            ^^^^
   |
   = help: did you mean `maker`?"#;
        let directory = format!("{}/", directory.path().display());
        let excerpt = hinted.excerpt().unwrap().replace(&directory, "");
        assert_eq!(excerpt, expected);
    }
}
