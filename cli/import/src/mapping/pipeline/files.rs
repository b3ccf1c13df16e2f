//! One file of an export at a time: what it is to the mapping, and its records.

use std::io::{BufRead, BufReader, Read};
use std::sync::Arc;

use super::passes::{Copied, Pass, passes};
use super::{Found, Pipeline};
use crate::finding::{Code, ExportFile, Finding, Place, Severity};
use crate::json::parse_line;
use crate::mapping::bounds::DEPTH_MAX;
use crate::mapping::definition::{FileFormat, Role};
use crate::mapping::image_files::HEAD_MAX;
use crate::mapping::record::{Raw, Spot};
use crate::source::readers::{self, BadRecord, RECORD_MAX, RecordText};
use crate::source::{FailedRecord, Incoming, Opened, Stop, lines};

/// Bytes read ahead.
const BUFFER: usize = 128 * 1024;

impl Pipeline<'_, '_> {
    /// Takes the next file, or what is wrong with one.
    pub(in crate::mapping) fn opened(&mut self, opened: Opened<'_>) -> Result<(), Stop> {
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

    fn file(&mut self, file: &Arc<ExportFile>, contents: &mut dyn Read) -> Result<(), Stop> {
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

    /// Reads a file more than once, for sections that read it differently. They would all tell the
    /// same damage, so the first to meet it ends them.
    fn passes(
        &mut self,
        passes: &[Pass<'_>],
        file: &Arc<ExportFile>,
        contents: &mut dyn Read,
    ) -> Result<(), Stop> {
        let mut copied = Copied::of(contents, self.surroundings.temp_dir)?;
        for pass in passes {
            self.pass(pass, file, &mut copied.contents()?)?;
        }
        Ok(())
    }

    /// Notes how large an image is.
    fn image(&mut self, file: &ExportFile, contents: &mut dyn Read) -> Result<(), Stop> {
        let mut head = Vec::new();
        let read = contents.take(HEAD_MAX).read_to_end(&mut head);
        read.map_err(|source| Stop::Unread { line: 1, source })?;
        self.index.images.add(&file.path, &head);
        Ok(())
    }

    /// Reads a file once.
    fn pass(
        &mut self,
        pass: &Pass<'_>,
        file: &Arc<ExportFile>,
        contents: &mut dyn Read,
    ) -> Result<(), Stop> {
        self.mark(&pass.roles, Found::Files);
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
    fn mark(&mut self, roles: &[Role], found: Found) {
        for role in roles {
            let place = match role {
                Role::Records(place) => *place,
                Role::Links => self.found.len() - 1,
            };
            self.found[place] = self.found[place].max(found);
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
    ) -> Result<(), Stop> {
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

    /// Reports the places of records that a file does not have.
    fn report_absent(
        &mut self,
        pass: &Pass<'_>,
        file: &Arc<ExportFile>,
        absent: &[usize],
    ) -> anyhow::Result<()> {
        for place in absent {
            self.mark(&pass.roles, Found::FilesWithoutList);
            let path = &pass.files.records[*place];
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
