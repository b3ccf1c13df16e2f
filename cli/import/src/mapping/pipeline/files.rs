//! One file of an export at a time: what it is to the mapping, and its records.

use std::io::{BufReader, Read};
use std::sync::Arc;

use super::passes::{Copied, Pass, passes};
use super::{Found, Pipeline};
use crate::finding::{Code, Finding, Place, Severity};
use crate::finding::{ExportFile, Line};
use crate::json::parse_line;
use crate::mapping::DEPTH_MAX;
use crate::mapping::definition::{FileFormat, Role};
use crate::mapping::documents::Spot;
use crate::mapping::image_files::HEAD_MAX;
use crate::mapping::mapper::{Failed, Raw};
use crate::source::readers::{self, BadRecord, RECORD_MAX, RecordText, Stop};
use crate::source::{Broken, Fault, Visit, VisitFile, lines};

/// Bytes read ahead.
const BUFFER: usize = 128 * 1024;

impl Pipeline<'_> {
    /// Reads a file more than once, for sections that read it differently.
    fn passes(
        &mut self,
        passes: &[Pass<'_>],
        file: &Arc<ExportFile>,
        contents: &mut dyn Read,
    ) -> anyhow::Result<Result<(), Broken>> {
        let mut copied = Copied::of(contents, self.temp_dir)?;
        for pass in passes {
            match self.pass(pass, file, &mut copied.contents()?)? {
                Ok(true) => {}
                // The other sections would tell the same damage again.
                Ok(false) => break,
                Err(broken) => return Ok(Err(broken)),
            }
        }
        Ok(Ok(()))
    }

    /// Notes how large an image is.
    fn image(&mut self, file: &ExportFile, contents: &mut dyn Read) -> Result<(), Broken> {
        let mut head = Vec::new();
        let read = contents.take(HEAD_MAX).read_to_end(&mut head);
        read.map_err(|source| Broken { line: 1, source })?;
        self.index.images.add(&file.path, &head);
        Ok(())
    }

    /// Reads a file once; gives whether it could be read to its end.
    fn pass(
        &mut self,
        pass: &Pass<'_>,
        file: &Arc<ExportFile>,
        contents: &mut dyn Read,
    ) -> anyhow::Result<Result<bool, Broken>> {
        self.mark(&pass.roles, Found::Files);
        match pass.files.format {
            FileFormat::Ndjson => {
                let read = self.lines(&pass.roles, file, contents)?;
                Ok(read.map(|()| true))
            }
            _ => self.whole(pass, file, contents),
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

    fn lines(
        &mut self,
        roles: &[Role],
        file: &Arc<ExportFile>,
        contents: &mut dyn Read,
    ) -> anyhow::Result<Result<(), Broken>> {
        let reader = BufReader::with_capacity(BUFFER, contents);
        let mut visit = SourceLines {
            pipeline: self,
            roles,
            spots: Spots::of(0),
        };
        lines::read(file, reader, RECORD_MAX, &mut visit)
    }

    fn whole(
        &mut self,
        pass: &Pass<'_>,
        file: &Arc<ExportFile>,
        contents: &mut dyn Read,
    ) -> anyhow::Result<Result<bool, Broken>> {
        let reader = BufReader::with_capacity(BUFFER, contents);
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
                self.receive.failed(failed(file, bad))
            }
        };
        let read = match pass.files.format {
            FileFormat::Json => readers::json::read(reader, records, &mut push),
            FileFormat::Xml => readers::xml::read(reader, records, &pass.files.lists, &mut push),
            FileFormat::Csv | FileFormat::Ndjson => {
                readers::csv::read(reader, &mut push).map(|()| Vec::new())
            }
        };
        match read {
            Ok(absent) => {
                self.report_absent(pass, file, &absent)?;
                Ok(Ok(true))
            }
            Err(Stop::Told(error)) => Err(error),
            Err(Stop::Unread { line, source }) => Ok(Err(Broken { line, source })),
            Err(Stop::Broken(broken)) => {
                self.fault(Fault {
                    code: broken.code,
                    file: Arc::clone(file),
                    line: broken.line,
                    message: broken.message,
                })?;
                Ok(Ok(false))
            }
        }
    }

    /// Reports the places of records that a file does not have.
    fn report_absent(
        &mut self,
        pass: &Pass<'_>,
        file: &Arc<ExportFile>,
        absent: &[usize],
    ) -> anyhow::Result<()> {
        for place in absent {
            self.settle()?;
            self.mark(&pass.roles, Found::FilesWithoutList);
            let path = &pass.files.records[*place];
            self.receive.fault(Fault {
                code: Code::RecordsNotFound,
                file: Arc::clone(file),
                line: None,
                message: format!("the file has no records at `{path}`"),
            })?;
        }
        Ok(())
    }
}

impl VisitFile for Pipeline<'_> {
    fn file(
        &mut self,
        file: &Arc<ExportFile>,
        contents: &mut dyn Read,
    ) -> anyhow::Result<Result<(), Broken>> {
        let definition = Arc::clone(&self.mapping.definition);
        if definition.is_image(&file.path) {
            return Ok(self.image(file, contents));
        }
        let mut wanted: Vec<_> = definition.roles_of(&file.path).collect();
        if wanted.is_empty() && definition.roles().count() == 1 {
            wanted.extend(definition.roles());
        }
        if wanted.is_empty() {
            let message = format!(
                "the mapping reads {}, and no other file",
                self.mapping.wanted
            );
            let file = Arc::clone(file);
            self.settle()?;
            self.receive.fault(Fault {
                code: Code::NoExportFiles,
                file,
                line: None,
                message,
            })?;
            return Ok(Ok(()));
        }
        match passes(wanted).as_slice() {
            [pass] => self.pass(pass, file, contents).map(|read| read.map(drop)),
            passes => self.passes(passes, file, contents),
        }
    }

    fn fault(&mut self, fault: Fault) -> anyhow::Result<()> {
        self.settle()?;
        self.is_damaged |= fault.code.severity() == Severity::Error;
        self.receive.fault(fault)
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
fn failed(file: &Arc<ExportFile>, bad: BadRecord) -> Failed {
    let place = Place {
        file: Arc::clone(file),
        line: Some(bad.line),
    };
    Failed {
        kind: None,
        id: None,
        findings: vec![Finding::new(bad.code, Some(place), bad.message)],
        raw: bad.raw.into_bytes(),
    }
}

/// Takes the lines of a file that has one record in each.
struct SourceLines<'p, 'a> {
    pipeline: &'p mut Pipeline<'a>,
    roles: &'p [Role],
    spots: Spots,
}

impl Visit for SourceLines<'_, '_> {
    fn line(&mut self, line: Line<'_>) -> anyhow::Result<()> {
        let (contents, spot) = (line.contents(), self.spots.next(None));
        let Ok(text) = std::str::from_utf8(contents) else {
            let finding = parse_line(line, DEPTH_MAX).err();
            self.pipeline.settle()?;
            return self.pipeline.receive.failed(Failed {
                kind: None,
                id: None,
                findings: finding.into_iter().map(|finding| *finding).collect(),
                raw: line.raw.to_vec(),
            });
        };
        let raw = Raw {
            file: Arc::clone(line.file),
            line: line.number,
            spot,
            text: text.to_owned(),
            is_unterminated: line.is_unterminated,
        };
        self.pipeline.push(self.roles, raw)
    }

    fn oversized(&mut self, piece: &[u8]) -> anyhow::Result<()> {
        self.pipeline.settle()?;
        self.pipeline.receive.oversized(piece)
    }

    fn fault(&mut self, fault: Fault) -> anyhow::Result<()> {
        if fault.code == Code::LineTooLong {
            self.spots.next(None);
        }
        self.pipeline.settle()?;
        self.pipeline.receive.fault(fault)
    }
}
