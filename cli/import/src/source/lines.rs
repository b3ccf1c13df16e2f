//! Splits a file into numbered lines, holding no more than one line of bounded length.

use std::io::{BufRead, Read as _};
use std::sync::Arc;

use super::incoming::{FileError, Incoming, Record, Sink, Spot};
use crate::finding::{BYTE_ORDER_MARK, Code, ExportFile, Finding, Line};

/// Bytes that do not count towards the length of a line: its byte order mark and carriage return.
const UNCOUNTED: usize = BYTE_ORDER_MARK.len() + b"\r".len();

/// Hands every line of `reader` to `sink` for these groups; a line of more than `line_max` bytes is
/// a finding, after its pieces. A reader that fails ends the file, not the run.
pub(super) fn read(
    file: &Arc<ExportFile>,
    mut reader: impl BufRead,
    groups: &[usize],
    line_max: usize,
    sink: &mut Sink<'_>,
) -> Result<(), FileError> {
    let (mut raw, mut position) = (Vec::new(), 0_u32);
    for number in 1.. {
        // Reads the line, or the next piece of one that is too long; returns whether it ends there.
        let mut next = |raw: &mut Vec<u8>| {
            raw.clear();
            let mut piece = reader
                .by_ref()
                .take((line_max + UNCOUNTED + b"\n".len()) as u64);
            match piece.read_until(b'\n', raw) {
                Ok(_length) => Ok(raw.pop_if(|last| *last == b'\n').is_some()),
                Err(source) => Err(FileError::Unread {
                    line: number,
                    source,
                }),
            }
        };
        let mut is_ended = next(&mut raw)?;
        if raw.is_empty() && !is_ended {
            break;
        }
        let line = Line {
            file,
            start: number.into(),
            raw: &raw,
            is_unterminated: !is_ended,
            made: None,
        };
        let contents = line.contents();
        let is_too_long = line_max < contents.len();
        if contents.trim_ascii().is_empty() && !is_too_long {
            continue;
        }
        position = position.saturating_add(1);
        if !is_too_long {
            let list = None;
            let spot = Spot { list, position };
            sink(Incoming::Record(Record { line, spot, groups }))?;
            continue;
        }
        sink(Incoming::Oversized(&raw))?;
        while !is_ended {
            is_ended = next(&mut raw)? || raw.is_empty();
            sink(Incoming::Oversized(&raw))?;
        }
        let message = format!("the line is longer than {line_max} bytes");
        let finding = Finding::in_file(Code::LineTooLong, file, Some(number), message);
        sink(Incoming::Finding(finding))?;
    }
    Ok(())
}
