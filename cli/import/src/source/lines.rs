//! Splits a file into numbered lines, holding no more than one line of bounded length.

use std::io::{self, BufRead};
use std::sync::Arc;

use super::incoming::{FileError, Incoming, Record, Sink, Spot};
use crate::finding::{BYTE_ORDER_MARK, Code, ExportFile, Finding, Line};

/// Bytes that do not count towards the length of a line: its byte order mark and carriage return.
const UNCOUNTED: usize = BYTE_ORDER_MARK.len() + b"\r".len();

/// Hands every line of `reader` to `sink` for these groups; a line of more than `line_max` bytes is
/// a finding. A reader that fails ends the file, not the run.
pub(super) fn read(
    file: &Arc<ExportFile>,
    mut reader: impl BufRead,
    groups: &[usize],
    line_max: usize,
    sink: &mut Sink<'_>,
) -> Result<(), FileError> {
    let mut cutter = Cutter {
        file,
        sink,
        groups,
        line_max,
        number: 1,
        position: 0,
        held: Vec::new(),
        is_oversized: false,
    };
    loop {
        let chunk = match reader.fill_buf() {
            Ok(chunk) => chunk,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(source) => {
                return Err(FileError::Unread {
                    line: cutter.number,
                    source,
                });
            }
        };
        if chunk.is_empty() {
            return Ok(cutter.end_of_file()?);
        }
        let used = if let Some(end) = memchr::memchr(b'\n', chunk) {
            cutter.end_of_line(&chunk[..end])?;
            end + 1
        } else {
            cutter.hold(chunk)?;
            chunk.len()
        };
        reader.consume(used);
    }
}

struct Cutter<'a, 't> {
    file: &'a Arc<ExportFile>,
    sink: &'a mut Sink<'t>,
    groups: &'a [usize],
    line_max: usize,
    /// The number of the line being read.
    number: u64,
    /// The number of lines read that are not blank.
    position: u32,
    /// The beginning of a line that continues in the next chunk.
    held: Vec<u8>,
    is_oversized: bool,
}

impl Cutter<'_, '_> {
    fn hold(&mut self, piece: &[u8]) -> anyhow::Result<()> {
        if self.is_oversized {
            return (self.sink)(Incoming::Oversized(piece));
        }
        if self.held.len() + piece.len() <= self.line_max + UNCOUNTED {
            self.held.extend_from_slice(piece);
            return Ok(());
        }
        self.is_oversized = true;
        (self.sink)(Incoming::Oversized(&self.held))?;
        self.held.clear();
        (self.sink)(Incoming::Oversized(piece))
    }

    fn end_of_line(&mut self, rest: &[u8]) -> anyhow::Result<()> {
        if self.held.is_empty() && !self.is_oversized {
            self.hand_over(rest, false)?;
        } else {
            self.hold(rest)?;
            self.hand_over_held(false)?;
        }
        self.number += 1;
        Ok(())
    }

    fn end_of_file(mut self) -> anyhow::Result<()> {
        if self.held.is_empty() && !self.is_oversized {
            return Ok(());
        }
        self.hand_over_held(true)
    }

    fn hand_over_held(&mut self, is_unterminated: bool) -> anyhow::Result<()> {
        if std::mem::take(&mut self.is_oversized) {
            return self.too_long();
        }
        let mut held = std::mem::take(&mut self.held);
        self.hand_over(&held, is_unterminated)?;
        held.clear();
        self.held = held;
        Ok(())
    }

    fn hand_over(&mut self, raw: &[u8], is_unterminated: bool) -> anyhow::Result<()> {
        let line = Line {
            file: self.file,
            start: self.number.into(),
            raw,
            is_unterminated,
            made: None,
        };
        let contents = line.contents();
        if self.line_max < contents.len() {
            (self.sink)(Incoming::Oversized(raw))?;
            return self.too_long();
        }
        if contents.trim_ascii().is_empty() {
            return Ok(());
        }
        let position = self.next_position();
        (self.sink)(Incoming::Record(Record {
            line,
            spot: Spot {
                list: None,
                position,
            },
            groups: self.groups,
        }))
    }

    fn next_position(&mut self) -> u32 {
        self.position = self.position.saturating_add(1);
        self.position
    }

    fn too_long(&mut self) -> anyhow::Result<()> {
        self.next_position();
        let message = format!("the line is longer than {} bytes", self.line_max);
        let line = Some(self.number);
        let finding = Finding::in_file(Code::LineTooLong, self.file, line, message);
        (self.sink)(Incoming::Finding(finding))
    }
}
