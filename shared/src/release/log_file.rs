//! The log in a directory: one file, of one line an entry.
//!
//! An append is complete or undone. Half a line left by a power cut is not an entry, and later
//! entries can still be read.

use std::fs::File;
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use super::ReleaseError;
use super::log::{Entry, LINE_MAX, LogPart, LogQuery, NoEntry};
use crate::base::{durable, regular_file};

/// Most bytes read of the log, from its end: more than 100,000 entries.
const READ_MAX: u64 = 1 << 27;
/// Most bytes read to find one entry: about 10,000 entries.
const FOUND_WITHIN: u64 = 1 << 22;

/// The file of the log, existing or not.
pub(super) struct LogFile(PathBuf);

impl LogFile {
    pub(super) const fn new(path: PathBuf) -> Self {
        Self(path)
    }

    /// Appends an entry, durably. The caller holds the lock on releases, so no other process does.
    pub(super) fn append(&self, entry: &Entry) -> Result<(), ReleaseError> {
        let line = entry.to_line();
        append(&self.0, line.as_bytes()).map_err(ReleaseError::io("write to", &self.0))
    }

    /// The entries of a query; none if there is no file.
    pub(super) fn read(&self, query: LogQuery<'_>) -> Result<LogPart, ReleaseError> {
        self.read_end(READ_MAX, query)
    }

    /// The latest entry that is wanted. Later ones are asked about first.
    pub(super) fn latest(
        &self,
        is_wanted: &mut dyn FnMut(&Entry) -> bool,
    ) -> Result<Option<Entry>, ReleaseError> {
        let all = LogQuery {
            last: usize::MAX,
            is_wanted: &|_any| true,
        };
        let part = self.read_end(FOUND_WITHIN, all)?;
        let mut entries = part.entries.into_iter().rev().map(|logged| logged.entry);
        Ok(entries.find(|entry| is_wanted(entry)))
    }

    fn read_end(&self, bytes_max: u64, query: LogQuery<'_>) -> Result<LogPart, ReleaseError> {
        let read = match regular_file::open(&self.0) {
            Ok(file) => read(file, bytes_max, query),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(LogPart::default()),
            Err(error) => Err(error),
        };
        read.map_err(ReleaseError::io("read", &self.0))
    }
}

fn append(path: &Path, line: &[u8]) -> io::Result<()> {
    let file = regular_file::open_to_append(path)?;
    let length = file.metadata()?.len();
    let mut text = Vec::with_capacity(line.len() + 1);
    if !ends_line(&file, length)? {
        text.push(b'\n');
    }
    text.extend_from_slice(line);
    let written = (&file).write_all(&text).and_then(|()| file.sync_all());
    if let Err(error) = written {
        // Half a line is worse than none, and if this fails too, it is still not an entry.
        _ = file.set_len(length);
        return Err(error);
    }
    if length == 0 {
        durable::sync_directory(durable::directory_of(path))?;
    }
    Ok(())
}

/// Whether what comes next begins a line.
fn ends_line(file: &File, length: u64) -> io::Result<bool> {
    let mut last = [b'\n'];
    if let Some(place) = length.checked_sub(1) {
        file.read_exact_at(&mut last, place)?;
    }
    Ok(last == [b'\n'])
}

/// Reads the lines of the last `bytes_max` bytes. Lines are named by number if all of them are
/// read, otherwise by the offset of their first byte.
pub(super) fn read(mut file: File, bytes_max: u64, query: LogQuery<'_>) -> io::Result<LogPart> {
    let length = file.metadata()?.len();
    let mut place = length.saturating_sub(bytes_max);
    file.seek(SeekFrom::Start(place))?;
    // Only what was there: another process may be appending.
    let mut lines = BufReader::new(file.take(length - place));
    let is_whole = place == 0;
    let mut part = LogPart::after_unread(!is_whole);
    if !is_whole {
        // Skips the rest of a line that began before.
        place += skip_line(&mut lines)?;
    }
    for number in 1_u64.. {
        let mut line = Vec::new();
        let most = LINE_MAX as u64 + 1;
        let mut bytes = (&mut lines).take(most).read_until(b'\n', &mut line)? as u64;
        if bytes == 0 {
            break;
        }
        let ended = line.pop_if(|last| *last == b'\n').is_some();
        if bytes == most && !ended {
            bytes += skip_line(&mut lines)?;
        }
        let name = if is_whole {
            format!("line {number}")
        } else {
            format!("the line at byte {place}")
        };
        place += bytes;
        let entry = match Entry::parse(&line) {
            Err(NoEntry::Damaged) if !ended => Err(NoEntry::Torn),
            parsed => parsed,
        };
        part.push(entry, &name, query);
    }
    Ok(part)
}

/// Skips the rest of a line, and returns its length.
fn skip_line(lines: &mut impl BufRead) -> io::Result<u64> {
    Ok(lines.skip_until(b'\n')? as u64)
}
