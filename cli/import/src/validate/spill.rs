//! Stores lines in a temporary file, because boats can be read only once everything they may refer
//! to is known, and they may not all fit in memory.

use std::fs::File;
use std::io::{self, BufReader, ErrorKind, Read, Seek, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context as _;
use shared::base::writing_thread::{Ending, WritingThread};

use crate::finding::{ExportFile, Line};
use crate::source::temporary_file;

/// The most lines in a batch.
const BATCH_LINES: usize = 1024;
/// Bytes after which a batch is complete, however few lines it has.
const BATCH_BYTES: usize = 4 * 1024 * 1024;
/// Bytes read ahead.
const BUFFER: usize = 1024 * 1024;
/// Bytes before the text of a line that describe it: file, number, whether it is unterminated,
/// rule, length.
const HEAD: usize = 4 + 8 + 1 + 4 + 4;
/// Stands for the rule of a line that no rule made.
const NO_RULE: u32 = u32::MAX;

/// Lines being written.
pub(super) struct SpillFile {
    file: WritingThread<File>,
    /// The directory of the file, for messages, because the file has no name.
    temp_dir: PathBuf,
    /// By ordinal; files without a stored line may be missing.
    files: Vec<Arc<ExportFile>>,
    lines: u64,
}

/// Reads the stored lines in order.
pub(super) struct SpillReader {
    file: BufReader<File>,
    temp_dir: PathBuf,
    files: Vec<Arc<ExportFile>>,
}

/// Some lines held together.
#[derive(Default)]
pub(super) struct LineBatch {
    bytes: Vec<u8>,
    lines: Vec<HeldLine>,
}

struct HeldLine {
    file: Arc<ExportFile>,
    number: u64,
    is_unterminated: bool,
    rule: Option<u32>,
    bytes: Range<usize>,
}

impl SpillFile {
    /// Creates an empty, unnamed file in `temp_dir`.
    pub(super) fn create(temp_dir: &Path) -> anyhow::Result<Self> {
        let file = temporary_file::create(temp_dir)?;
        let rewind = |mut file: File| file.rewind().map(|()| file);
        let file = WritingThread::start(file, rewind);
        Ok(Self {
            file: file.with_context(|| temporary_file::not_written(temp_dir))?,
            temp_dir: temp_dir.to_owned(),
            files: Vec::new(),
            lines: 0,
        })
    }

    /// Adds a line.
    pub(super) fn push(&mut self, line: Line<'_>) -> anyhow::Result<()> {
        if self.files.last() != Some(line.file) {
            self.files.push(Arc::clone(line.file));
        }
        self.lines += 1;
        self.write(line)
            .with_context(|| temporary_file::not_written(&self.temp_dir))
    }

    /// The number of lines so far.
    pub(super) const fn lines(&self) -> u64 {
        self.lines
    }

    /// Rewinds to the first line.
    pub(super) fn into_reader(self) -> anyhow::Result<SpillReader> {
        let rewound = self.file.end().and_then(Ending::wait);
        let file = rewound.with_context(|| temporary_file::not_written(&self.temp_dir))?;
        Ok(SpillReader {
            file: BufReader::with_capacity(BUFFER, file),
            temp_dir: self.temp_dir,
            files: self.files,
        })
    }

    fn write(&mut self, line: Line<'_>) -> io::Result<()> {
        let length = u32::try_from(line.raw.len()).map_err(io::Error::other)?;
        self.file.write_all(&line.file.ordinal.to_le_bytes())?;
        self.file.write_all(&line.number.to_le_bytes())?;
        self.file.write_all(&[u8::from(line.is_unterminated)])?;
        let rule = line.rule.unwrap_or(NO_RULE);
        self.file.write_all(&rule.to_le_bytes())?;
        self.file.write_all(&length.to_le_bytes())?;
        self.file.write_all(line.raw)
    }
}

impl SpillReader {
    /// The next lines; empty if there are no more.
    pub(super) fn next_batch(&mut self) -> anyhow::Result<LineBatch> {
        let mut batch = LineBatch::default();
        while batch.lines.len() < BATCH_LINES && batch.bytes.len() < BATCH_BYTES {
            let more = self.read_line(&mut batch).with_context(|| {
                format!(
                    "could not read a temporary file in {}",
                    self.temp_dir.display()
                )
            })?;
            if !more {
                break;
            }
        }
        Ok(batch)
    }

    fn read_line(&mut self, batch: &mut LineBatch) -> io::Result<bool> {
        let mut head = [0; HEAD];
        match self.file.read_exact(&mut head) {
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Ok(false),
            read => read?,
        }
        let [
            f0,
            f1,
            f2,
            f3,
            n0,
            n1,
            n2,
            n3,
            n4,
            n5,
            n6,
            n7,
            unterminated,
            r0,
            r1,
            r2,
            r3,
            l0,
            l1,
            l2,
            l3,
        ] = head;
        let ordinal = u32::from_le_bytes([f0, f1, f2, f3]);
        let number = u64::from_le_bytes([n0, n1, n2, n3, n4, n5, n6, n7]);
        let rule = u32::from_le_bytes([r0, r1, r2, r3]);
        let length = u32::from_le_bytes([l0, l1, l2, l3]);
        let position = self
            .files
            .binary_search_by_key(&ordinal, |file| file.ordinal);
        let file = position.map_err(|_absent| io::Error::from(ErrorKind::InvalidData))?;

        let start = batch.bytes.len();
        let read = (&mut self.file)
            .take(u64::from(length))
            .read_to_end(&mut batch.bytes)?;
        if read < length as usize {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        batch.lines.push(HeldLine {
            file: Arc::clone(&self.files[file]),
            number,
            is_unterminated: unterminated != 0,
            rule: (rule != NO_RULE).then_some(rule),
            bytes: start..batch.bytes.len(),
        });
        Ok(true)
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
            number: held.number,
            raw: &self.bytes[held.bytes.clone()],
            is_unterminated: held.is_unterminated,
            rule: held.rule,
        });
        lines.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_back_in_their_order_with_their_places() {
        let directory = tempfile::tempdir().unwrap();
        let mut spill = SpillFile::create(directory.path()).unwrap();
        let file = |ordinal| {
            Arc::new(ExportFile {
                ordinal,
                name: format!("{ordinal}.ndjson"),
                path: String::new(),
            })
        };
        let (first, third) = (file(0), file(2));
        let long = vec![b'x'; BATCH_BYTES];
        let lines = [
            (&first, 7, &b"{}"[..], false, None),
            (&first, 9, &long, false, Some(0)),
            (&third, 1, b"", true, Some(3)),
        ];
        for (file, number, raw, is_unterminated, rule) in lines {
            spill
                .push(Line {
                    file,
                    number,
                    raw,
                    is_unterminated,
                    rule,
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
                let (file, number, bytes, is_unterminated, rule) = lines[back];
                assert_eq!((line.file, line.number, line.rule), (file, number, rule));
                assert_eq!((line.raw, line.is_unterminated), (bytes, is_unterminated));
                back += 1;
            }
            batches += 1;
        }
        assert_eq!((back, batches), (3, 2));
    }
}
