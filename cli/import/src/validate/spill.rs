//! Stores lines in a spool, because boats can be read only once everything they may refer to is
//! known, and they may not all fit in memory.

use std::io::{self, BufRead, BufReader, ErrorKind, Read};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use anyhow::Context as _;
use serde::{Deserialize, Serialize};

use crate::finding::{ExportFile, Line, Made, Start};
use crate::spool::{Part, Spool};

/// The most lines in a batch.
const BATCH_LINES: usize = 256;
/// Bytes after which a batch is complete, however few lines it has.
const BATCH_BYTES: usize = 1024 * 1024;
/// Bytes read ahead.
const BUFFER: usize = 1024 * 1024;
/// What describes a line, in JSON on a line before it: the ordinal of its file, where it begins,
/// whether the file ends with it, how a mapping made it, and its length.
#[derive(Serialize, Deserialize)]
struct Head(u32, Start, bool, Option<Made>, u32);

/// Lines being written.
pub(super) struct SpillFile {
    spool: Spool,
    /// By ordinal; files without a stored line may be missing.
    files: Vec<Arc<ExportFile>>,
    lines: u64,
}

/// Reads the stored lines in order.
pub(super) struct SpillReader {
    spool: BufReader<Part<Spool>>,
    files: Vec<Arc<ExportFile>>,
    /// The number of lines still to be read.
    left: u64,
}

/// Some lines held together.
#[derive(Default)]
pub(super) struct LineBatch {
    bytes: Vec<u8>,
    lines: Vec<HeldLine>,
}

struct HeldLine {
    file: Arc<ExportFile>,
    start: Start,
    is_unterminated: bool,
    made: Option<Made>,
    bytes: Range<usize>,
}

impl SpillFile {
    /// An empty store, with its spool in `temp_dir`.
    pub(super) fn new(temp_dir: &Path) -> Self {
        Self {
            spool: Spool::new(temp_dir),
            files: Vec::new(),
            lines: 0,
        }
    }

    /// Adds a line: what describes it, and then its text.
    pub(super) fn push(&mut self, line: Line<'_>) -> anyhow::Result<()> {
        if self.files.last() != Some(line.file) {
            self.files.push(Arc::clone(line.file));
        }
        self.lines += 1;
        let length = u32::try_from(line.raw.len()).context("a line is too long")?;
        let ordinal = line.file.ordinal;
        let head = Head(ordinal, line.start, line.is_unterminated, line.made, length);
        let mut head = serde_json::to_vec(&head)?;
        head.push(b'\n');
        self.spool.append(&head)?;
        self.spool.append(line.raw)?;
        Ok(())
    }

    /// The number of lines so far.
    pub(super) const fn lines(&self) -> u64 {
        self.lines
    }

    /// Ends adding and returns to the first line.
    pub(super) fn into_reader(mut self) -> anyhow::Result<SpillReader> {
        self.spool.finish()?;
        let whole = 0..self.spool.length();
        Ok(SpillReader {
            spool: BufReader::with_capacity(BUFFER, Part::new(self.spool, whole)),
            files: self.files,
            left: self.lines,
        })
    }
}

impl SpillReader {
    /// The next lines; empty if there are no more.
    pub(super) fn next_batch(&mut self) -> anyhow::Result<LineBatch> {
        let mut batch = LineBatch::default();
        while 0 < self.left && batch.lines.len() < BATCH_LINES && batch.bytes.len() < BATCH_BYTES {
            let read = self.read_line(&mut batch);
            read.map_err(|error| self.spool.get_ref().spool().unread(error))?;
            self.left -= 1;
        }
        Ok(batch)
    }

    fn read_line(&mut self, batch: &mut LineBatch) -> io::Result<()> {
        let mut head = Vec::new();
        self.spool.read_until(b'\n', &mut head)?;
        let Head(ordinal, start, is_unterminated, made, length) = serde_json::from_slice(&head)?;
        let position = self
            .files
            .binary_search_by_key(&ordinal, |file| file.ordinal);
        let file = position.map_err(|_absent| io::Error::from(ErrorKind::InvalidData))?;

        let begin = batch.bytes.len();
        let read = (&mut self.spool)
            .take(u64::from(length))
            .read_to_end(&mut batch.bytes)?;
        if read < length as usize {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        batch.lines.push(HeldLine {
            file: Arc::clone(&self.files[file]),
            start,
            is_unterminated,
            made,
            bytes: begin..batch.bytes.len(),
        });
        Ok(())
    }
}

impl LineBatch {
    /// Whether it has no lines.
    pub(super) const fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// The lines in order.
    pub(super) fn lines(&self) -> Vec<Line<'_>> {
        let lines = self.lines.iter().map(|held| Line {
            file: &held.file,
            start: held.start,
            raw: &self.bytes[held.bytes.clone()],
            is_unterminated: held.is_unterminated,
            made: held.made,
        });
        lines.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Nth;
    use crate::spool::Stored;

    #[test]
    fn lines_come_back_in_their_order_with_their_places() {
        let directory = tempfile::tempdir().unwrap();
        let mut spill = SpillFile::new(directory.path());
        let file = |ordinal| {
            Arc::new(ExportFile {
                ordinal,
                name: format!("{ordinal}.ndjson"),
                path: String::new(),
            })
        };
        let (first, third) = (file(0), file(2));
        let long = vec![b'x'; BATCH_BYTES];
        let start = |line, nth| Start { line, nth };
        let made = |rule| {
            let (offset, length) = (u64::from(rule) << 40, rule);
            let of = Stored { offset, length };
            Some(Made { rule, of })
        };
        let lines = [
            (&first, start(7, None), &b"{}"[..], false, None),
            (&first, start(9, Some(Nth::Row(8))), &long, false, made(0)),
            (&third, start(1, Some(Nth::Record(17))), b"", true, made(3)),
        ];
        for (file, start, raw, is_unterminated, made) in lines {
            spill
                .push(Line {
                    file,
                    start,
                    raw,
                    is_unterminated,
                    made,
                })
                .unwrap();
        }
        assert_eq!(spill.lines(), 3);

        let mut reader = spill.into_reader().unwrap();
        let (mut batches, mut back) = (0, 0);
        loop {
            let batch = reader.next_batch().unwrap();
            if batch.is_empty() {
                break;
            }
            for line in batch.lines() {
                let (file, start, bytes, is_unterminated, made) = lines[back];
                assert_eq!((line.file, line.start, line.made), (file, start, made));
                assert_eq!((line.raw, line.is_unterminated), (bytes, is_unterminated));
                back += 1;
            }
            batches += 1;
        }
        assert_eq!((back, batches), (3, 2));
    }
}
