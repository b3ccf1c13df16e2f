//! From the files of an export, by a mapping, to the lines of the native format.

mod passes;
mod warnings;

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read};
use std::mem;
use std::sync::Arc;

use self::passes::{Copied, Pass, passes};
use self::warnings::Warnings;
use super::bounds::DEPTH_MAX;
use super::check::CheckReport;
use super::definition::{FileFormat, Role};
use super::image_files::HEAD_MAX;
use super::index::Index;
use super::mapper::distinct::difference;
use super::mapper::make::make_all;
use super::mapper::{Merge, identify};
use super::record::{Raw, ReadRecord, Spot};
use super::worker::{Pending, Workers};
use super::{Mapped, Mapping};
use crate::finding::{Code, ExportFile, Finding, Line, Place, Severity};
use crate::json::parse_line;
use crate::source::readers::{self, BadRecord, RECORD_MAX, RecordText};
use crate::source::{FailedRecord, FileError, Incoming, Opened, Surroundings, Take, lines};

/// Bytes read ahead.
const BUFFER: usize = 128 * 1024;
/// Records that are handed over together, unless they are long.
const BATCH_RECORDS: usize = 256;
/// Bytes of records above which they are handed over.
const BATCH_BYTES: usize = 1024 * 1024;
/// Tasks that are begun for each thread, so that it has another one when it ends the first.
const AHEAD: usize = 2;

/// What became of the files of a section.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum SectionFiles {
    Absent,
    Read,
    /// Some without a list of records, which has been reported.
    WithoutList,
}

/// Reads the files of an export.
pub(super) struct Pipeline<'a, 't> {
    mapping: &'a Mapping,
    workers: Workers,
    index: Index,
    take: &'a mut Take<'t>,
    batch: RecordBatch,
    /// Records that are identified, in the order of the export.
    pending: VecDeque<Pending<Vec<ReadRecord>>>,
    /// How many batches are identified while reading goes on.
    pending_max: usize,
    /// By section, that of links last.
    files: Vec<SectionFiles>,
    surroundings: Surroundings<'a>,
    /// Whether files may be missing because an archive broke off.
    is_damaged: bool,
}

/// Records on their way to a thread.
#[derive(Default)]
struct RecordBatch {
    /// The sections that they are for.
    roles: Vec<Role>,
    records: Vec<Raw>,
    bytes: usize,
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
        let files = vec![SectionFiles::Absent; mapping.definition.roles().count()];
        let pending_max = if may_wait { 0 } else { AHEAD * workers.len() };
        Ok(Self {
            mapping,
            workers,
            index: Index::create(surroundings.temp_dir)?,
            take,
            batch: RecordBatch::default(),
            pending: VecDeque::new(),
            pending_max,
            files,
            surroundings,
            is_damaged: false,
        })
    }

    /// Once every file was read: makes the native records, and a report where that `is_checked`.
    pub(super) fn finish(mut self, is_checked: bool) -> anyhow::Result<Mapped> {
        self.settle()?;
        let reading = self.index.finish()?;
        let warnings = Warnings {
            mapping: self.mapping,
            mapping_file: self.mapping_file(),
            index: &self.index,
            files: &self.files,
            is_damaged: self.is_damaged,
            findings: Vec::new(),
        };
        for warning in warnings.about(&reading) {
            (self.take)(Incoming::Finding(warning))?;
        }
        self.surroundings.progress.mapping(reading.records);
        let report = self.make_all(is_checked)?;
        self.constants()?;
        Ok(Mapped {
            records: reading.records,
            report,
        })
    }

    /// Makes the native records, and reports on them.
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
                    make_all(mapper, index, places, is_checked, &mut |piece| {
                        pieces.send(piece)
                    })
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
        self.summarize(&merge, &index)?;
        merge.unpublished(self.take)?;
        merge.report()
    }

    /// Reports what is known of many records at once.
    fn summarize(&mut self, merge: &Merge<'_>, index: &Arc<Index>) -> anyhow::Result<()> {
        let mut differences = Vec::new();
        for differing in merge.differing() {
            let index = Arc::clone(index);
            let task = self.workers.begin(move |mapper, pieces| {
                let difference = difference(mapper, index, differing);
                pieces.send(difference)
            });
            differences.push((differing, self.workers.next(&task)?.flatten()));
        }
        for finding in merge.summaries(differences) {
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
        let RecordBatch { roles, records, .. } = mem::take(&mut self.batch);
        if !records.is_empty() {
            self.pending
                .push_back(self.workers.begin(move |mapper, pieces| {
                    let records = records.into_iter();
                    pieces.send(
                        records
                            .map(|raw| identify::read(mapper, &roles, raw))
                            .collect(),
                    )
                }));
        }
        self.take_identified(self.pending_max)
    }

    /// Takes everything that was handed over, so that what is reported next comes after it.
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

    /// Takes the next file, or what is wrong with one.
    pub(super) fn opened(&mut self, opened: Opened<'_>) -> Result<(), FileError> {
        match opened {
            Opened::File(file, contents) => self.file(file, contents),
            Opened::Damaged(finding) => {
                self.is_damaged |= finding.code.severity() == Severity::Error;
                Ok(self.report(*finding)?)
            }
        }
    }

    /// Hands on what is wrong, after everything that came before it.
    fn report(&mut self, finding: Finding) -> anyhow::Result<()> {
        self.settle()?;
        (self.take)(Incoming::Finding(finding))
    }

    fn file(&mut self, file: &Arc<ExportFile>, contents: &mut dyn Read) -> Result<(), FileError> {
        let definition = Arc::clone(&self.mapping.definition);
        if definition.is_image(&file.path) {
            return self.image(file, contents);
        }
        let mut wanted: Vec<_> = definition.roles_of(&file.path).collect();
        if wanted.is_empty() && definition.roles().count() == 1 {
            wanted.extend(definition.roles());
        }
        if wanted.is_empty() {
            let wanted = &self.mapping.wanted;
            let message = format!("the mapping reads {wanted}, and no other file");
            let finding = Finding::in_file(Code::NoExportFiles, file, None, message);
            return Ok(self.report(finding)?);
        }
        match passes(wanted).as_slice() {
            [pass] => self.pass(pass, file, contents),
            passes => self.passes(passes, file, contents),
        }
    }

    /// Reads a file more than once, for sections that read it differently. They would all report
    /// the same damage, so the first to meet it ends them.
    fn passes(
        &mut self,
        passes: &[Pass<'_>],
        file: &Arc<ExportFile>,
        contents: &mut dyn Read,
    ) -> Result<(), FileError> {
        let mut copied = Copied::of(contents, self.surroundings.temp_dir)?;
        for pass in passes {
            self.pass(pass, file, &mut copied.contents()?)?;
        }
        Ok(())
    }

    /// Notes how large an image is.
    fn image(&mut self, file: &ExportFile, contents: &mut dyn Read) -> Result<(), FileError> {
        let mut head = Vec::new();
        let read = contents.take(HEAD_MAX).read_to_end(&mut head);
        read.map_err(|source| FileError::Unread { line: 1, source })?;
        self.index.images.add(&file.path, &head);
        Ok(())
    }

    /// Reads a file once.
    fn pass(
        &mut self,
        pass: &Pass<'_>,
        file: &Arc<ExportFile>,
        contents: &mut dyn Read,
    ) -> Result<(), FileError> {
        self.mark(&pass.roles, SectionFiles::Read);
        let reader = BufReader::with_capacity(BUFFER, contents);
        match pass.files.format {
            FileFormat::Ndjson => {
                let mut spots = Spots::of(0);
                lines::read(file, reader, RECORD_MAX, &mut |incoming| {
                    self.line(&pass.roles, &mut spots, incoming)
                })
            }
            _ => self.whole(pass, file, reader),
        }
    }

    /// Notes what became of the files of some sections.
    fn mark(&mut self, roles: &[Role], state: SectionFiles) {
        for role in roles {
            let index = match role {
                Role::Records(source) => *source,
                Role::Links => self.files.len() - 1,
            };
            self.files[index] = self.files[index].max(state);
        }
    }

    /// Takes what comes of a file that has one record in each line.
    fn line(
        &mut self,
        roles: &[Role],
        spots: &mut Spots,
        incoming: Incoming<'_>,
    ) -> anyhow::Result<()> {
        let line = match incoming {
            Incoming::Line(line) => line,
            other => {
                if matches!(&other, Incoming::Finding(of) if of.code == Code::LineTooLong) {
                    spots.next(None);
                }
                self.settle()?;
                return (self.take)(other);
            }
        };
        let spot = spots.next(None);
        let Ok(text) = std::str::from_utf8(line.contents()) else {
            let finding = parse_line(line, DEPTH_MAX).err();
            self.settle()?;
            return (self.take)(Incoming::Failed(FailedRecord {
                kind: None,
                id: None,
                findings: finding.into_iter().map(|finding| *finding).collect(),
                raw: line.raw.to_vec(),
            }));
        };
        let raw = Raw {
            file: Arc::clone(line.file),
            line: line.number,
            spot,
            text: text.to_owned(),
            is_unterminated: line.is_unterminated,
        };
        self.push(roles, raw)
    }

    /// Reads a file that is one document.
    fn whole(
        &mut self,
        pass: &Pass<'_>,
        file: &Arc<ExportFile>,
        reader: impl BufRead,
    ) -> Result<(), FileError> {
        let records = &pass.files.records;
        let mut spots = Spots::of(records.len());
        let mut push = |record: Result<RecordText<'_>, BadRecord>| match record {
            Ok(record) => {
                let raw = Raw {
                    file: Arc::clone(file),
                    line: record.line,
                    spot: spots.next(record.list),
                    text: record.text.to_owned(),
                    is_unterminated: false,
                };
                self.push(&pass.roles, raw)
            }
            Err(bad) => {
                spots.next(None);
                self.settle()?;
                (self.take)(Incoming::Failed(failed(file, bad)))
            }
        };
        let absent = match pass.files.format {
            FileFormat::Json => readers::json::read(reader, records, &mut push),
            FileFormat::Xml => readers::xml::read(reader, records, &pass.files.lists, &mut push),
            FileFormat::Csv | FileFormat::Ndjson => {
                readers::csv::read(reader, &mut push).map(|()| Vec::new())
            }
        }?;
        Ok(self.report_absent(pass, file, &absent)?)
    }

    /// Reports the lists of records that a file does not have.
    fn report_absent(
        &mut self,
        pass: &Pass<'_>,
        file: &Arc<ExportFile>,
        absent: &[usize],
    ) -> anyhow::Result<()> {
        for index in absent {
            self.mark(&pass.roles, SectionFiles::WithoutList);
            let path = &pass.files.records[*index];
            let message = format!("the file has no records at `{path}`");
            let finding = Finding::in_file(Code::RecordsNotFound, file, None, message);
            self.report(finding)?;
        }
        Ok(())
    }
}

/// Counts the records of a file, those that cannot be read too, each list by itself.
struct Spots(Vec<u32>);

impl Spots {
    fn of(lists: usize) -> Self {
        Self(vec![0; lists.max(1)])
    }

    fn next(&mut self, list: Option<usize>) -> Spot {
        let count = &mut self.0[list.unwrap_or(0)];
        *count = count.saturating_add(1);
        Spot {
            list: list.and_then(|list| u16::try_from(list).ok()),
            position: *count,
        }
    }
}

/// A record that its reader could not read.
fn failed(file: &Arc<ExportFile>, bad: BadRecord) -> FailedRecord {
    let place = Place {
        file: Arc::clone(file),
        line: Some(bad.line),
    };
    FailedRecord {
        kind: None,
        id: None,
        findings: vec![Finding::new(bad.code, Some(place), bad.message)],
        raw: bad.raw.into_bytes(),
    }
}
