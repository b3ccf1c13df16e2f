//! Cutting a file into lines with their numbers, holding no more than one of bounded length.

use std::io::{self, BufRead};
use std::sync::Arc;

use super::{ExportFile, Fault, LINE_MAX, Line, Visit};
use crate::findings::Code;

const BYTE_ORDER_MARK: &[u8] = &[0xef, 0xbb, 0xbf];

/// Where, and by what, reading was cut short.
pub(super) struct Broken {
    /// The line that could not be read to its end.
    pub(super) line: u64,
    /// Why not.
    pub(super) source: io::Error,
}

/// Hands every line of `reader` to `visit`. A reader that fails ends the file, not the run.
pub(super) fn read(
    file: &Arc<ExportFile>,
    mut reader: impl BufRead,
    visit: &mut dyn Visit,
) -> anyhow::Result<Result<(), Broken>> {
    let mut cutter = Cutter {
        file,
        visit,
        number: 1,
        held: Vec::new(),
        is_oversized: false,
    };
    loop {
        let chunk = match reader.fill_buf() {
            Ok(chunk) => chunk,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(source) => {
                return Ok(Err(Broken {
                    line: cutter.number,
                    source,
                }));
            }
        };
        if chunk.is_empty() {
            return cutter.end_of_file().map(Ok);
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

struct Cutter<'a> {
    file: &'a Arc<ExportFile>,
    visit: &'a mut dyn Visit,
    /// Number of the line being read.
    number: u64,
    /// The beginning of a line that goes on in the next chunk.
    held: Vec<u8>,
    is_oversized: bool,
}

impl Cutter<'_> {
    fn hold(&mut self, piece: &[u8]) -> anyhow::Result<()> {
        if self.is_oversized {
            return self.visit.oversized(piece);
        }
        // A line of the longest kind may still be followed by a carriage return.
        if self.held.len() + piece.len() <= LINE_MAX + 1 {
            self.held.extend_from_slice(piece);
            return Ok(());
        }
        self.is_oversized = true;
        self.visit.oversized(&self.held)?;
        self.held.clear();
        self.visit.oversized(piece)
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

    fn hand_over(&mut self, bytes: &[u8], is_unterminated: bool) -> anyhow::Result<()> {
        let bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
        let bytes = match self.number {
            1 => bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes),
            _ => bytes,
        };
        if LINE_MAX < bytes.len() {
            self.visit.oversized(bytes)?;
            return self.too_long();
        }
        if bytes.trim_ascii().is_empty() {
            return Ok(());
        }
        self.visit.line(Line {
            file: self.file,
            number: self.number,
            bytes,
            is_unterminated,
        })
    }

    fn too_long(&mut self) -> anyhow::Result<()> {
        self.visit.fault(Fault {
            code: Code::LineTooLong,
            file: Arc::clone(self.file),
            line: Some(self.number),
            message: format!("the line is longer than {LINE_MAX} bytes"),
        })
    }
}
