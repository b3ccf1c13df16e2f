//! From the files of an export, by a mapping, to the lines of the native format.

mod files;

use std::sync::Arc;

use anyhow::Context as _;

use super::check::CheckReport;
use super::definition::{Definition, Files};
use super::mapper::{Changed, Event, Raw};
use super::worker::{Job, Worker};
use super::{Mapping, Receive};
use crate::export::{ExportFile, Fault, Line, Select};
use crate::findings::Code;
use crate::progress::Progress;

/// Records that are handed over together, unless they are long.
const BATCH_RECORDS: usize = 256;
/// Bytes of records above which they are handed over.
const BATCH_BYTES: usize = 4 * 1024 * 1024;
/// What a file is to the mapping.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    /// It has records of the source at this place.
    Records(usize),
    /// It has links.
    Links,
}

/// Reads the files of an export.
pub(super) struct Pipeline<'a> {
    mapping: &'a Mapping,
    worker: Worker,
    receive: &'a mut dyn Receive,
    batch: Batch,
    /// Which sources a file was found for, those of links last.
    found: Vec<bool>,
    /// Whether files may be missing because an archive broke off.
    is_damaged: bool,
}

/// Records on their way to the worker.
#[derive(Default)]
struct Batch {
    role: Option<Role>,
    records: Vec<Raw>,
    bytes: usize,
}

impl Definition {
    fn roles(&self) -> impl Iterator<Item = (Role, &Files)> {
        let sources = self.sources.iter().enumerate();
        let links = self.links.iter().map(|links| (Role::Links, &links.files));
        sources
            .map(|(place, source)| (Role::Records(place), &source.files))
            .chain(links)
    }

    fn role_of(&self, path: &str) -> Option<(Role, &Files)> {
        let is_match = |files: &Files| {
            let plain = [".gz", ".zst"]
                .iter()
                .find_map(|end| path.strip_suffix(end));
            files.globs.is_match(path) || plain.is_some_and(|plain| files.globs.is_match(plain))
        };
        self.roles().find(|(_, files)| is_match(files))
    }
}

impl Select for Mapping {
    fn is_wanted(&self, path: &str) -> bool {
        let is_hidden = path
            .split('/')
            .any(|part| part.starts_with('.') && part != ".");
        !is_hidden
            && self
                .definition
                .role_of(path.trim_start_matches("./"))
                .is_some()
    }

    fn descends(&self) -> bool {
        true
    }

    fn wanted(&self) -> &str {
        &self.wanted
    }
}

impl<'a> Pipeline<'a> {
    pub(super) fn new(mapping: &'a Mapping, worker: Worker, receive: &'a mut dyn Receive) -> Self {
        let found = vec![false; mapping.definition.roles().count()];
        Self {
            mapping,
            worker,
            receive,
            batch: Batch::default(),
            found,
            is_damaged: false,
        }
    }

    /// Once every file was read: makes the native records.
    pub(super) fn finish(mut self, progress: &Progress) -> anyhow::Result<()> {
        self.flush()?;
        let read = self.worker.ask(Job::FinishReading)?;
        self.warn_of_changes(&read.changed)?;
        progress.mapping(read.records);
        self.warn_of_missing_files()?;
        self.all(Job::Make, progress)?;
        self.all(Job::Unpublished, &Progress::new(false))?;
        self.constants()
    }

    /// Once every file was read: tells what the mapping finds, and makes nothing.
    pub(super) fn check(mut self) -> anyhow::Result<CheckReport> {
        self.flush()?;
        self.worker.ask(Job::FinishReading)?;
        let report = self.worker.ask(Job::Check)?.report;
        report.context("mapping gave no report")
    }

    fn all(&mut self, job: fn(usize) -> Job, progress: &Progress) -> anyhow::Result<()> {
        let mut next = Some(0);
        while let Some(from) = next {
            let answer = self.worker.ask(job(from))?;
            next = answer.next;
            progress.advance(next.map_or(0, |next| (next - from) as u64));
            self.pass_on(answer.events)?;
        }
        Ok(())
    }

    fn pass_on(&mut self, events: Vec<Event>) -> anyhow::Result<()> {
        for event in events {
            match event {
                Event::Made { file, line, text } => self.receive.line(Line {
                    file: &file,
                    number: line,
                    raw: text.as_bytes(),
                    is_unterminated: false,
                })?,
                Event::Failed(failed) => self.receive.failed(failed)?,
                Event::Found(finding) => self.receive.finding(*finding),
                Event::Unpublished { kind, id } => self.receive.unpublished(kind, &id),
            }
        }
        Ok(())
    }

    /// The native records that the mapping file itself has.
    fn constants(&mut self) -> anyhow::Result<()> {
        let file = Arc::new(ExportFile {
            ordinal: u32::MAX,
            name: self.mapping.name.clone(),
        });
        for constant in &self.mapping.definition.records {
            let text = serde_json::to_string(&constant.record)?;
            self.receive.line(Line {
                file: &file,
                number: self.mapping.line_of(constant.span.start),
                raw: text.as_bytes(),
                is_unterminated: false,
            })?;
        }
        Ok(())
    }

    fn warn_of_changes(&mut self, changed: &Changed) -> anyhow::Result<()> {
        let Some((file, line)) = &changed.first else {
            return Ok(());
        };
        let (count, plural) = match changed.count {
            1 => ("1 published record was".to_owned(), ""),
            count => (format!("{count} published records were"), ", from here on"),
        };
        self.receive.fault(Fault {
            code: Code::ChangedSincePublication,
            file: Arc::clone(file),
            line: Some(*line),
            message: format!(
                "{count} changed after publication{plural}; the export has the changed contents"
            ),
        })
    }

    fn warn_of_missing_files(&mut self) -> anyhow::Result<()> {
        if self.is_damaged {
            return Ok(());
        }
        let missing: Vec<String> = (self.mapping.definition.roles().zip(&self.found))
            .filter(|(_, found)| !**found)
            .map(|((_, files), _)| files.patterns.join(", "))
            .collect();
        for patterns in missing {
            let file = Arc::new(ExportFile {
                ordinal: u32::MAX,
                name: self.mapping.name.clone(),
            });
            self.receive.fault(Fault {
                code: Code::SourceWithoutFiles,
                file,
                line: None,
                message: format!("no file of the export is called {patterns}"),
            })?;
        }
        Ok(())
    }

    fn push(&mut self, role: Role, raw: Raw) -> anyhow::Result<()> {
        if self.batch.role != Some(role) {
            self.flush()?;
            self.batch.role = Some(role);
        }
        self.batch.bytes += raw.text.len();
        self.batch.records.push(raw);
        let is_full = BATCH_RECORDS <= self.batch.records.len() || BATCH_BYTES <= self.batch.bytes;
        if is_full { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> anyhow::Result<()> {
        let Batch { role, records, .. } = std::mem::take(&mut self.batch);
        let job = match role {
            None => return Ok(()),
            Some(Role::Records(source)) => Job::Records(source, records),
            Some(Role::Links) => Job::Links(records),
        };
        let answer = self.worker.ask(job)?;
        self.pass_on(answer.events)
    }
}
