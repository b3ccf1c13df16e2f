//! One file of an export at a time: what it is to the mapping, and its records.

use std::io::{BufReader, Read};
use std::sync::Arc;

use super::{Pipeline, Role};
use crate::export::{Broken, ExportFile, Fault, Line, Visit, VisitFile, lines};
use crate::findings::{Code, Severity};
use crate::mapping::definition::{FileFormat, Files};
use crate::mapping::mapper::Raw;
use crate::mapping::readers::{self, RECORD_MAX, RecordText, Stop};

/// Bytes read ahead.
const BUFFER: usize = 128 * 1024;

impl Pipeline<'_> {
    fn lines(
        &mut self,
        role: Role,
        file: &Arc<ExportFile>,
        contents: &mut dyn Read,
    ) -> anyhow::Result<Result<(), Broken>> {
        let reader = BufReader::with_capacity(BUFFER, contents);
        let mut visit = SourceLines {
            pipeline: self,
            role,
        };
        lines::read(file, reader, RECORD_MAX, &mut visit)
    }

    fn whole(
        &mut self,
        role: Role,
        files: &Files,
        file: &Arc<ExportFile>,
        contents: &mut dyn Read,
    ) -> anyhow::Result<Result<(), Broken>> {
        let reader = BufReader::with_capacity(BUFFER, contents);
        let mut push = |record: RecordText<'_>| {
            self.push(
                role,
                Raw {
                    file: Arc::clone(file),
                    line: record.line,
                    text: record.text.to_owned(),
                    is_unterminated: false,
                },
            )
        };
        let read = match files.format {
            FileFormat::Json => readers::json::read(reader, &files.records, &mut push),
            FileFormat::Xml => readers::xml::read(reader, &files.records, &mut push),
            FileFormat::Csv | FileFormat::Ndjson => {
                readers::csv::read(reader, &mut push).map(|()| Vec::new())
            }
        };
        match read {
            Ok(absent) => self.report_absent(files, file, &absent).map(Ok),
            Err(Stop::Told(error)) => Err(error),
            Err(Stop::Unread { line, source }) => Ok(Err(Broken { line, source })),
            Err(Stop::Broken(broken)) => {
                self.receive.fault(Fault {
                    code: broken.code,
                    file: Arc::clone(file),
                    line: broken.line,
                    message: broken.message,
                })?;
                Ok(Ok(()))
            }
        }
    }

    /// Reports the places of records that a file does not have.
    fn report_absent(
        &mut self,
        files: &Files,
        file: &Arc<ExportFile>,
        absent: &[usize],
    ) -> anyhow::Result<()> {
        for place in absent {
            let path = files.records[*place].join(".");
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
        path: &str,
        contents: &mut dyn Read,
    ) -> anyhow::Result<Result<(), Broken>> {
        let definition = Arc::clone(&self.mapping.definition);
        let path = path.trim_start_matches("./");
        let only = || {
            definition
                .roles()
                .next()
                .filter(|_| definition.roles().count() == 1)
        };
        let Some((role, files)) = definition.role_of(path).or_else(only) else {
            let message = format!(
                "the mapping reads {}, and no other file",
                self.mapping.wanted
            );
            let file = Arc::clone(file);
            self.receive.fault(Fault {
                code: Code::NoExportFiles,
                file,
                line: None,
                message,
            })?;
            return Ok(Ok(()));
        };
        let place = match role {
            Role::Records(place) => place,
            Role::Links => self.found.len() - 1,
        };
        self.found[place] = true;
        match files.format {
            FileFormat::Ndjson => self.lines(role, file, contents),
            _ => self.whole(role, files, file, contents),
        }
    }

    fn fault(&mut self, fault: Fault) -> anyhow::Result<()> {
        self.is_damaged |= fault.code.severity() == Severity::Error;
        self.receive.fault(fault)
    }
}

/// Takes the lines of a file that has one record in each.
struct SourceLines<'p, 'a> {
    pipeline: &'p mut Pipeline<'a>,
    role: Role,
}

impl Visit for SourceLines<'_, '_> {
    fn line(&mut self, line: Line<'_>) -> anyhow::Result<()> {
        let contents = line.contents();
        let text = match std::str::from_utf8(contents) {
            Ok(text) => text.to_owned(),
            Err(_invalid) => {
                return self.pipeline.receive.fault(Fault {
                    code: Code::InvalidUtf8,
                    file: Arc::clone(line.file),
                    line: Some(line.number),
                    message: "the line is not UTF-8".to_owned(),
                });
            }
        };
        let raw = Raw {
            file: Arc::clone(line.file),
            line: line.number,
            text,
            is_unterminated: line.is_unterminated,
        };
        self.pipeline.push(self.role, raw)
    }

    fn oversized(&mut self, piece: &[u8]) -> anyhow::Result<()> {
        self.pipeline.receive.oversized(piece)
    }

    fn fault(&mut self, fault: Fault) -> anyhow::Result<()> {
        self.pipeline.receive.fault(fault)
    }
}
