//! From the files of an export, by a mapping, to the lines of the native format.

mod files;
mod passes;
mod warnings;

use std::path::Path;
use std::sync::Arc;

use anyhow::Context as _;

use super::check::CheckReport;
use super::definition::{Definition, Files, Role};
use super::image_files::{HEAD_MAX, ImageFiles, is_called_image};
use super::mapper::{Event, Raw, Reading};
use super::worker::{Job, Worker};
use super::{Mapping, Receive};
use crate::export::{ExportFile, Line, Select};
use crate::progress::Progress;

/// Records that are handed over together, unless they are long.
const BATCH_RECORDS: usize = 256;
/// Bytes of records above which they are handed over.
const BATCH_BYTES: usize = 4 * 1024 * 1024;

/// What became of the files of a section.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Found {
    Nothing,
    Files,
    /// Some without a list of records, which has been told.
    FilesWithoutList,
}

/// Reads the files of an export.
pub(super) struct Pipeline<'a> {
    mapping: &'a Mapping,
    worker: Worker,
    receive: &'a mut dyn Receive,
    batch: Batch,
    /// By section, that of links last.
    found: Vec<Found>,
    images: ImageFiles,
    /// Where files are copied that are read more than once.
    temp_dir: &'a Path,
    /// Whether files may be missing because an archive broke off.
    is_damaged: bool,
}

/// Records on their way to the worker.
#[derive(Default)]
struct Batch {
    /// The sections that they are for.
    roles: Vec<Role>,
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

    fn roles_of(&self, path: &str) -> impl Iterator<Item = (Role, &Files)> {
        self.roles().filter(|(_, files)| files.are_called(path))
    }

    /// Whether a file is read for nothing but how large an image it is.
    fn is_image(&self, path: &str) -> bool {
        self.reads_images && is_called_image(path) && self.roles_of(path).next().is_none()
    }
}

impl Files {
    /// Whether a file with this path within the export is one of these.
    fn are_called(&self, path: &str) -> bool {
        let plain = [".gz", ".zst"]
            .iter()
            .find_map(|end| path.strip_suffix(end));
        self.globs.is_match(path) || plain.is_some_and(|plain| self.globs.is_match(plain))
    }
}

impl Select for Mapping {
    fn is_wanted(&self, path: &str) -> bool {
        let is_hidden = path
            .split('/')
            .any(|part| part.starts_with('.') && part != ".");
        let path = path.trim_start_matches("./");
        let is_of_records = self.definition.roles_of(path).next().is_some();
        !is_hidden && (is_of_records || self.definition.is_image(path))
    }

    fn bytes_wanted(&self, path: &str) -> u64 {
        if self.definition.is_image(path.trim_start_matches("./")) {
            HEAD_MAX
        } else {
            u64::MAX
        }
    }

    fn descends(&self) -> bool {
        true
    }

    fn wanted(&self) -> &str {
        &self.wanted
    }
}

impl<'a> Pipeline<'a> {
    pub(super) fn new(
        mapping: &'a Mapping,
        worker: Worker,
        temp_dir: &'a Path,
        receive: &'a mut dyn Receive,
    ) -> Self {
        let found = vec![Found::Nothing; mapping.definition.roles().count()];
        Self {
            mapping,
            worker,
            receive,
            batch: Batch::default(),
            found,
            images: ImageFiles::default(),
            temp_dir,
            is_damaged: false,
        }
    }

    /// Once every file was read: makes the native records.
    pub(super) fn finish(mut self, progress: &Progress) -> anyhow::Result<()> {
        self.flush()?;
        let reading = self.finish_reading()?;
        self.receive.read(reading.records);
        self.warn(&reading)?;
        progress.mapping(reading.records);
        self.all(Job::Make, progress)?;
        let remarks = self.worker.ask(Job::FinishMaking)?.events;
        self.pass_on(remarks)?;
        self.all(Job::Unpublished, &Progress::new(false))?;
        self.constants()
    }

    /// Once every file was read: tells what the mapping finds, and makes nothing.
    pub(super) fn check(mut self) -> anyhow::Result<CheckReport> {
        self.flush()?;
        self.finish_reading()?;
        let report = self.worker.ask(Job::Check)?.report;
        report.context("mapping gave no report")
    }

    fn finish_reading(&mut self) -> anyhow::Result<Reading> {
        let images = std::mem::take(&mut self.images);
        Ok(self.worker.ask(Job::FinishReading(images))?.reading)
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
        let file = self.mapping_file();
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

    /// The mapping itself, as a place after all others.
    fn mapping_file(&self) -> Arc<ExportFile> {
        Arc::new(ExportFile {
            ordinal: u32::MAX,
            name: self.mapping.name.clone(),
            path: String::new(),
        })
    }

    fn push(&mut self, roles: &[Role], raw: Raw) -> anyhow::Result<()> {
        if self.batch.roles != roles {
            self.flush()?;
            self.batch.roles = roles.to_vec();
        }
        self.batch.bytes += raw.text.len();
        self.batch.records.push(raw);
        let is_full = BATCH_RECORDS <= self.batch.records.len() || BATCH_BYTES <= self.batch.bytes;
        if is_full { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> anyhow::Result<()> {
        let Batch { roles, records, .. } = std::mem::take(&mut self.batch);
        if records.is_empty() {
            return Ok(());
        }
        let answer = self.worker.ask(Job::Read(roles, records))?;
        self.pass_on(answer.events)
    }
}
