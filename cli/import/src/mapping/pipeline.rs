//! Turns the records of an export into lines of the native format, using a mapping.

mod warnings;

use std::collections::BTreeSet;
use std::mem;
use std::num::NonZero;
use std::sync::{Arc, OnceLock};

use shared::base::timestamp::Timestamp;

use self::warnings::Warnings;
use super::bounds::DEPTH_MAX;
use super::check::CheckReport;
use super::definition::Role;
use super::index::Index;
use super::mapper::difference::{difference, name_of};
use super::mapper::make::{self, Piece};
use super::mapper::{Merge, identify};
use super::record::{Raw, ReadRecord};
use super::worker::Workers;
use super::{Mapped, Mapping, line_of};
use crate::finding::{ExportFile, Kind, Line};
use crate::image::{ImageMeasurer, ImageTally};
use crate::json::parse_line;
use crate::pool::Pending;
use crate::source::{FailedRecord, FilesRead, Incoming, Original, ReadContext, Record, Sink};

/// Records handed over together, unless they are long.
const BATCH_RECORDS: usize = 256;
/// Bytes of records after which a batch is handed over.
const BATCH_BYTES: usize = 1024 * 1024;

/// Most bytes of addresses of images that are collected to be measured: some millions of them.
const ADDRESSES_BYTES: usize = 256 * 1024 * 1024;

/// Maps the records of an export.
pub(crate) struct Pipeline<'a, 't> {
    mapping: &'a Mapping,
    workers: Workers,
    index: Index,
    sink: &'a mut Sink<'t>,
    batch: RecordBatch,
    /// Batches being identified, in the export's order.
    pending: Pending<Vec<ReadRecord>>,
    /// The most batches being identified while reading continues.
    pending_max: usize,
    context: ReadContext<'a>,
}

/// Records on their way to a thread.
#[derive(Default)]
struct RecordBatch {
    /// The groups of files they are read for.
    groups: Vec<usize>,
    records: Vec<Raw>,
    bytes: usize,
}

impl<'a, 't> Pipeline<'a, 't> {
    /// Starts a thread for each processor; their output goes to `sink`. The time of the import is
    /// `now`.
    ///
    /// Reading continues while records are identified. If the input may block, as a pipe may, each
    /// batch is identified before more is read, because nothing checks the watch while reading
    /// waits.
    pub(crate) fn start(
        mapping: &'a Mapping,
        processors: NonZero<usize>,
        context: ReadContext<'a>,
        input_may_block: bool,
        now: &Timestamp,
        sink: &'a mut Sink<'t>,
    ) -> anyhow::Result<Self> {
        let definition = &mapping.definition;
        let none_yet = Arc::new(Index::new(context.temp_dir));
        let workers = Workers::start(definition, processors, &none_yet, now.unix_seconds())?;
        let pending_max = if input_may_block {
            0
        } else {
            workers.pending_max()
        };
        Ok(Self {
            mapping,
            workers,
            index: Index::new(context.temp_dir),
            sink,
            batch: RecordBatch::default(),
            pending: Pending::new(),
            pending_max,
            context,
        })
    }

    /// Takes the next item from the files. Findings are passed on only after everything that came
    /// before them.
    pub(crate) fn take(&mut self, incoming: Incoming<'_>) -> anyhow::Result<()> {
        match incoming {
            Incoming::Record(record) => self.record(record),
            Incoming::Head(file, head) => {
                self.index.images.add(&file.path, head);
                Ok(())
            }
            other => {
                self.settle()?;
                (self.sink)(other)
            }
        }
    }

    /// Makes the native records after all files were read, and a report if `is_checked`. Images
    /// without a size are measured if there is a `measurer`.
    pub(crate) fn finish(
        mut self,
        files: &FilesRead,
        is_checked: bool,
        measurer: Option<&dyn ImageMeasurer>,
    ) -> anyhow::Result<Mapped> {
        self.settle()?;
        let reading = self.index.finish()?;
        (self.sink)(Incoming::Originals(self.index.documents.originals()))?;
        let warnings = Warnings {
            mapping: self.mapping,
            mapping_file: self.mapping_file(),
            index: &self.index,
            files,
            findings: Vec::new(),
        };
        for warning in warnings.about(&reading) {
            (self.sink)(Incoming::Finding(warning))?;
        }
        let none_yet = Index::new(self.context.temp_dir);
        let mut index = mem::replace(&mut self.index, none_yet);
        index.images.measured = measurer.map(|_| OnceLock::new());
        let index = Arc::new(index);
        if let Some(measurer) = measurer {
            self.measure(&index, reading.records, measurer)?;
        }
        self.context.progress.mapping(reading.records);
        let (images, report) = self.make(&index, is_checked)?;
        Ok(Mapped {
            records: reading.records,
            unidentified: reading.unidentified.count,
            images,
            report,
        })
    }

    /// Has images without a size measured. Which these are shows when images are made, so these are
    /// made twice, here for their addresses alone.
    fn measure(
        &mut self,
        index: &Arc<Index>,
        records: u64,
        measurer: &dyn ImageMeasurer,
    ) -> anyhow::Result<()> {
        let progress = self.context.progress;
        progress.mapping(records);
        let mut addresses = BTreeSet::new();
        let mut bytes_left = ADDRESSES_BYTES;
        self.make_all(index, false, &mut |piece, _sink| {
            progress.advance(piece.records);
            for address in piece.into_addresses() {
                let length = address.len();
                if length <= bytes_left && addresses.insert(address) {
                    bytes_left -= length;
                }
            }
            Ok(())
        })?;
        let sizes = measurer.measure(addresses.into_iter().collect())?;
        index.images.measured.as_ref().map(|of| of.set(sizes));
        Ok(())
    }

    /// Makes the native records and reports on them.
    fn make(
        &mut self,
        index: &Arc<Index>,
        is_checked: bool,
    ) -> anyhow::Result<(ImageTally, Option<CheckReport>)> {
        let definition = Arc::clone(&self.mapping.definition);
        let mut merge = Merge::new(&definition, index, is_checked);
        let progress = self.context.progress;
        self.make_all(index, is_checked, &mut |piece, sink| {
            progress.advance(piece.records);
            merge.take(piece, sink)
        })?;
        self.summarize(&merge, index)?;
        // A record in the mapping itself counts before one that is not published.
        self.constants()?;
        self.unpublished(&merge, index)?;
        Ok((merge.images(), merge.report()?))
    }

    /// Makes the native records of all stored ones, piece by piece, for `take`.
    fn make_all(
        &mut self,
        index: &Arc<Index>,
        is_checked: bool,
        take: &mut dyn FnMut(Piece, &mut Sink<'_>) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let mut pending = Pending::new();
        let left = self.workers.pending_max();
        let sink = &mut *self.sink;
        let mut take = |piece: Piece| take(piece, sink);
        for places in index.documents.chunks(BATCH_RECORDS, BATCH_BYTES) {
            let index = Arc::clone(index);
            pending.push_back(self.workers.begin(move |mapper, pieces| {
                make::make_records(mapper, index, places, is_checked, &mut |piece| {
                    pieces.send(piece)
                })
            }));
            self.workers.take(&mut pending, left, &mut take)?;
        }
        self.workers.take(&mut pending, 0, &mut take)
    }

    /// Passes on the kinds and ids of what unpublished records would have become. What boats refer
    /// to has its name, for the boats that are left out with it.
    fn unpublished(&mut self, merge: &Merge<'_>, index: &Arc<Index>) -> anyhow::Result<()> {
        for made_of in merge.unpublished() {
            let kind = self.mapping.definition.rules[made_of.rule].kind;
            let mut name = None;
            if kind != Kind::Boat {
                let index = Arc::clone(index);
                let task = self
                    .workers
                    .begin(move |mapper, pieces| pieces.send(name_of(mapper, index, made_of)));
                name = self.workers.next(&task)?.flatten();
            }
            let id = index.id_of(index.documents.at(made_of.place));
            let name = name.as_deref();
            (self.sink)(Incoming::Unpublished { kind, id, name })?;
        }
        Ok(())
    }

    /// Reports the findings about many records at once.
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
            (self.sink)(Incoming::Finding(finding))?;
        }
        Ok(())
    }

    /// Passes on the native records in the mapping file itself.
    fn constants(&mut self) -> anyhow::Result<()> {
        let file = self.mapping_file();
        for constant in &self.mapping.definition.records {
            let text = serde_json::to_string(&constant.record)?;
            (self.sink)(Incoming::Mapped(Line {
                file: &file,
                start: line_of(&self.mapping.text, constant.span.start).into(),
                raw: text.as_bytes(),
                is_unterminated: false,
                made: None,
            }))?;
        }
        Ok(())
    }

    /// The mapping file as an export file that comes after all others.
    fn mapping_file(&self) -> Arc<ExportFile> {
        Arc::new(ExportFile {
            ordinal: u32::MAX,
            name: self.mapping.name.clone(),
            path: String::new(),
        })
    }

    /// Takes a record to be identified on another thread.
    fn record(&mut self, record: Record<'_>) -> anyhow::Result<()> {
        let line = record.line;
        let Ok(text) = std::str::from_utf8(line.contents()) else {
            let finding = parse_line(line, DEPTH_MAX).err();
            return self.take(Incoming::Failed(FailedRecord {
                kind: None,
                findings: finding.into_iter().map(|finding| *finding).collect(),
                original: Original::Text(line.raw.to_vec()),
            }));
        };
        if self.batch.groups != record.groups {
            self.flush()?;
            self.batch.groups = record.groups.to_vec();
        }
        self.batch.bytes += text.len();
        self.batch.records.push(Raw {
            file: Arc::clone(line.file),
            start: line.start,
            spot: record.spot,
            text: text.to_owned(),
            is_unterminated: line.is_unterminated,
        });
        let is_full = BATCH_RECORDS <= self.batch.records.len() || BATCH_BYTES <= self.batch.bytes;
        if is_full { self.flush() } else { Ok(()) }
    }

    /// Hands the batch over and takes the batches identified by now.
    fn flush(&mut self) -> anyhow::Result<()> {
        let RecordBatch {
            groups, records, ..
        } = mem::take(&mut self.batch);
        if !records.is_empty() {
            let roles = groups.iter().map(|of| self.mapping.definition.role(*of));
            let roles: Vec<Role> = roles.collect();
            self.pending
                .push_back(self.workers.begin(move |mapper, pieces| {
                    let records = records.into_iter();
                    pieces.send(
                        records
                            .map(|raw| identify::identify_record(mapper, &roles, raw))
                            .collect(),
                    )
                }));
        }
        self.take_identified(self.pending_max)
    }

    /// Takes everything that was handed over, so later reports come after it.
    fn settle(&mut self) -> anyhow::Result<()> {
        self.flush()?;
        self.take_identified(0)
    }

    /// Takes identified batches until at most `left` are still pending.
    fn take_identified(&mut self, left: usize) -> anyhow::Result<()> {
        let Self {
            workers,
            pending,
            index,
            sink,
            ..
        } = self;
        workers.take(pending, left, &mut |records| {
            let mut records = records.into_iter();
            records.try_for_each(|read| index.add(read, sink))
        })
    }
}
