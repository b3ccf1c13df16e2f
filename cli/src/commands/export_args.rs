//! What `import` and `validate` have in common: the exports they read and the findings they show.

use std::io::Write;
use std::path::PathBuf;

use anyhow::Context as _;
use clap::Args;
use serde::Serialize;

use crate::context::Context;
use crate::export::STANDARD_INPUT;
use crate::findings::report::FindingsReport;
use crate::findings::{LISTED_DEFAULT, terminal};
use crate::new_file::NewFile;
use crate::progress::Progress;
use crate::table;
use crate::validate::{Outcome, Tally};

/// Arguments about exports and findings.
#[derive(Debug, Args)]
pub struct ExportArgs {
    /// Files, folders or archives of the format `boat-catalogue/1`, compressed or not; `-` is
    /// standard input
    #[arg(value_name = "EXPORT", required = true)]
    pub exports: Vec<PathBuf>,
    /// Write all findings to this file, as JSON
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
    /// List at most this many findings; their counts stay exact
    #[arg(long, value_name = "N", default_value_t = LISTED_DEFAULT)]
    pub max_findings: usize,
    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
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
    /// Fails for what would fail later anyway, before anything is written anywhere; gives the
    /// file of the report.
    pub fn prepare(&self) -> anyhow::Result<Option<NewFile>> {
        for export in self
            .exports
            .iter()
            .filter(|export| export.as_os_str() != STANDARD_INPUT)
        {
            let found = export.metadata();
            found.with_context(|| format!("could not open the export {}", export.display()))?;
        }
        self.report.as_deref().map(NewFile::create).transpose()
    }

    /// The bar to show while reading.
    pub fn progress(&self, context: &Context) -> Progress {
        Progress::new(context.terminal.err && !self.json)
    }

    /// Shows the findings to people and writes the report.
    pub fn show(
        &self,
        outcome: &Outcome,
        report: Option<NewFile>,
        context: &mut Context,
    ) -> anyhow::Result<()> {
        if let Some(mut report) = report {
            let document = OutcomeDocument::new(outcome);
            serde_json::to_writer_pretty(&mut report, &document)
                .and_then(|()| report.write_all(b"\n").map_err(serde_json::Error::io))
                .context("could not write the report")?;
            report.publish()?;
        }
        if !self.json {
            let colour = context.terminal.err_colour;
            terminal::write(&outcome.findings, colour, &mut context.err)?;
        }
        Ok(())
    }
}

/// Records by kind, for people.
pub fn tally_table(tally: &Tally) -> String {
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
    table::list(["RECORDS", "PUBLISHED", "UNPUBLISHED", "INVALID"], rows)
}

/// A number of things, in the plural unless there is one: `1 error`, `2 errors`.
pub fn counted(count: u64, what: &str) -> String {
    match count {
        1 => format!("1 {what}"),
        _ => format!("{count} {what}s"),
    }
}
