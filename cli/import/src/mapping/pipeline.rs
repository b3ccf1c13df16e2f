//! From the files of an export, by a mapping, to the lines of the native format.

mod files;
mod passes;
mod warnings;

use std::collections::VecDeque;
use std::mem;
use std::sync::Arc;

use super::check::CheckReport;
use super::definition::{Definition, Files, Role};
use super::image_files::{HEAD_MAX, is_called_image};
use super::index::Index;
use super::mapper::Merge;
use super::record::{Raw, ReadRecord};
use super::worker::{Pending, Workers};
use super::{Mapped, Mapping};
use crate::finding::{ExportFile, Line};
use crate::source::{Incoming, Selection, Surroundings, Take};

/// Records that are handed over together, unless they are long.
const BATCH_RECORDS: usize = 256;
/// Bytes of records above which they are handed over.
const BATCH_BYTES: usize = 1024 * 1024;
/// Tasks that are begun for each thread, so that it has another one when it ends the first.
const AHEAD: usize = 2;

/// What became of the files of a section.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Found {
    Nothing,
    Files,
    /// Some without a list of records, which has been told.
    FilesWithoutList,
}

/// Reads the files of an export.
pub(super) struct Pipeline<'a, 't> {
    mapping: &'a Mapping,
    workers: Workers,
    index: Index,
    take: &'a mut Take<'t>,
    batch: Batch,
    /// Records that are identified, in the order of the export.
    pending: VecDeque<Pending<Vec<ReadRecord>>>,
    /// How many batches are identified while reading goes on.
    pending_max: usize,
    /// By section, that of links last.
    found: Vec<Found>,
    surroundings: Surroundings<'a>,
    /// Whether files may be missing because an archive broke off.
    is_damaged: bool,
}

/// Records on their way to a thread.
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

impl Mapping {
    /// The files that it reads.
    pub(crate) fn selection(&self) -> Selection<'_> {
        Selection {
            bytes_of: Box::new(|path| self.bytes_of(path)),
            descends: true,
            wanted: &self.wanted,
        }
    }

    /// How many bytes of a file are read: of an image its beginning.
    pub(super) fn bytes_of(&self, path: &str) -> Option<u64> {
        let is_hidden = |part: &str| part.starts_with('.') && part != ".";
        if path.split('/').any(is_hidden) {
            return None;
        }
        let path = path.trim_start_matches("./");
        if self.definition.is_image(path) {
            return Some(HEAD_MAX);
        }
        let is_of_records = self.definition.roles_of(path).next().is_some();
        is_of_records.then_some(u64::MAX)
    }
}

impl<'a, 't> Pipeline<'a, 't> {
    /// Reading goes on while records are identified, unless `may_wait`: the watch over them does not
    /// look while reading waits for what comes from a pipe.
    pub(super) fn new(
        mapping: &'a Mapping,
        workers: Workers,
        surroundings: Surroundings<'a>,
        may_wait: bool,
        take: &'a mut Take<'t>,
    ) -> anyhow::Result<Self> {
        let found = vec![Found::Nothing; mapping.definition.roles().count()];
        let pending_max = if may_wait { 0 } else { AHEAD * workers.len() };
        Ok(Self {
            mapping,
            workers,
            index: Index::create(surroundings.temp_dir)?,
            take,
            batch: Batch::default(),
            pending: VecDeque::new(),
            pending_max,
            found,
            surroundings,
            is_damaged: false,
        })
    }

    /// Once every file was read: makes the native records, and a report where that `is_checked`.
    pub(super) fn finish(mut self, is_checked: bool) -> anyhow::Result<Mapped> {
        self.settle()?;
        let reading = self.index.finish()?;
        self.warn(&reading)?;
        self.surroundings.progress.mapping(reading.records);
        let report = self.make_all(is_checked)?;
        self.constants()?;
        Ok(Mapped {
            records: reading.records,
            report,
        })
    }

    /// Makes the native records, and what is to be said of them.
    fn make_all(&mut self, is_checked: bool) -> anyhow::Result<Option<CheckReport>> {
        let none_yet = Index::create(self.surroundings.temp_dir)?;
        let index = Arc::new(mem::replace(&mut self.index, none_yet));
        let definition = Arc::clone(&self.mapping.definition);
        let mut merge = Merge::new(&definition, &index, is_checked);
        let mut chunks = index.documents.chunks(BATCH_RECORDS, BATCH_BYTES);
        let mut pending = VecDeque::new();
        loop {
            while pending.len() < AHEAD * self.workers.len()
                && let Some(places) = chunks.next()
            {
                let index = Arc::clone(&index);
                pending.push_back(self.workers.begin(move |mapper, pieces| {
                    mapper.make_all(index, places, is_checked, &mut |piece| pieces.send(piece))
                }));
            }
            let Some(first) = pending.front() else { break };
            match self.workers.next(first)? {
                None => _ = pending.pop_front(),
                Some(piece) => {
                    self.surroundings.progress.advance(piece.records);
                    merge.take(piece, self.take)?;
                }
            }
        }
        self.remark(&merge, &index)?;
        merge.unpublished(self.take)?;
        merge.report()
    }

    /// Tells what is to be said of many records at once.
    fn remark(&mut self, merge: &Merge<'_>, index: &Arc<Index>) -> anyhow::Result<()> {
        let mut differences = Vec::new();
        for differing in merge.differing() {
            let index = Arc::clone(index);
            let task = self.workers.begin(move |mapper, pieces| {
                let difference = mapper.difference(index, differing);
                pieces.send(difference)
            });
            differences.push((differing, self.workers.next(&task)?.flatten()));
        }
        for finding in merge.remarks(differences) {
            (self.take)(Incoming::Finding(finding))?;
        }
        Ok(())
    }

    /// The native records that the mapping file itself has.
    fn constants(&mut self) -> anyhow::Result<()> {
        let file = self.mapping_file();
        for constant in &self.mapping.definition.records {
            let text = serde_json::to_string(&constant.record)?;
            (self.take)(Incoming::Line(Line {
                file: &file,
                number: self.mapping.line_of(constant.span.start),
                raw: text.as_bytes(),
                is_unterminated: false,
                rule: None,
            }))?;
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

    /// Hands the batch over, and takes what is identified by now.
    fn flush(&mut self) -> anyhow::Result<()> {
        let Batch { roles, records, .. } = mem::take(&mut self.batch);
        if !records.is_empty() {
            self.pending
                .push_back(self.workers.begin(move |mapper, pieces| {
                    let records = records.into_iter();
                    pieces.send(records.map(|raw| mapper.read(&roles, raw)).collect())
                }));
        }
        self.take_identified(self.pending_max)
    }

    /// Takes everything that was handed over, so that what is told next comes after it.
    fn settle(&mut self) -> anyhow::Result<()> {
        self.flush()?;
        self.take_identified(0)
    }

    /// Takes what is identified until no more than so many batches are left.
    fn take_identified(&mut self, left: usize) -> anyhow::Result<()> {
        while left < self.pending.len()
            && let Some(first) = self.pending.pop_front()
        {
            for read in self.workers.next(&first)?.into_iter().flatten() {
                self.index.add(read, self.take)?;
            }
        }
        Ok(())
    }
}
