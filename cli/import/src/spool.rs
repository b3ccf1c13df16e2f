//! What is kept of an export while it is read: in memory while it is short, and in an unnamed file
//! once it is not.
//!
//! No other process can open the file, and it disappears with the process, however it ends. The
//! caller names its directory: nothing here looks for one, in the environment or elsewhere.

use std::borrow::Borrow;
use std::fmt;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::mem;
use std::ops::Range;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use serde::{Deserialize, Serialize};
use shared::base::writing_thread::{Ending, WritingThread};

/// Bytes that a spool keeps in memory before it needs a file.
pub const MEMORY_MAX: usize = 16 * 1024 * 1024;

/// Bytes that are appended and, once the spool is finished, read anywhere.
pub struct Spool {
    temp_dir: PathBuf,
    memory_max: usize,
    length: u64,
    contents: Contents,
    /// The number of the system's error when it could not be read first.
    failure: OnceLock<i32>,
}

enum Contents {
    Memory(Vec<u8>),
    /// On the way to the disk, and not readable yet.
    Writing(WritingThread<File>),
    File(File),
}

/// Where in a spool something stands that was stored whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stored {
    /// The offset at which it begins.
    pub offset: u64,
    /// How many bytes it has.
    pub length: u32,
}

/// Why a spool cannot be kept.
#[derive(Debug, thiserror::Error)]
#[error("could not {attempt} a temporary file in {}", .directory.display())]
pub struct SpoolError {
    attempt: &'static str,
    directory: PathBuf,
    source: io::Error,
}

impl Spool {
    /// An empty spool. If it grows beyond [`MEMORY_MAX`], it goes to a file in `temp_dir`.
    pub fn new(temp_dir: &Path) -> Self {
        Self {
            temp_dir: temp_dir.to_owned(),
            memory_max: MEMORY_MAX,
            length: 0,
            contents: Contents::Memory(Vec::new()),
            failure: OnceLock::new(),
        }
    }

    /// Appends bytes and returns the offset at which they begin.
    pub fn append(&mut self, bytes: &[u8]) -> Result<u64, SpoolError> {
        let start = self.length;
        if let Contents::Memory(held) = &self.contents
            && self.memory_max < held.len() + bytes.len()
        {
            self.move_to_file()?;
        }
        let written = match &mut self.contents {
            Contents::Memory(held) => {
                held.extend_from_slice(bytes);
                Ok(())
            }
            Contents::Writing(thread) => thread.write_all(bytes),
            Contents::File(file) => file.write_all_at(bytes, start),
        };
        written.map_err(|source| self.failed("write to", source))?;
        self.length += bytes.len() as u64;
        Ok(start)
    }

    /// Ends appending, after which everything can be read.
    pub fn finish(&mut self) -> Result<(), SpoolError> {
        let contents = mem::replace(&mut self.contents, Contents::Memory(Vec::new()));
        self.contents = match contents {
            Contents::Writing(thread) => {
                let file = thread.end().and_then(Ending::wait);
                Contents::File(file.map_err(|source| self.failed("write to", source))?)
            }
            others => others,
        };
        Ok(())
    }

    /// What is stored somewhere.
    pub fn read(&self, stored: Stored) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; stored.length as usize];
        self.read_exact_at(&mut bytes, stored.offset)?;
        Ok(bytes)
    }

    /// The number of bytes.
    pub const fn length(&self) -> u64 {
        self.length
    }

    /// Fills `bytes` with those from an offset on.
    pub fn read_exact_at(&self, bytes: &mut [u8], offset: u64) -> io::Result<()> {
        self.part(offset..self.length).read_exact(bytes)
    }

    /// A reader of some of the bytes.
    pub const fn part(&self, range: Range<u64>) -> Part<&Self> {
        Part::new(self, range)
    }

    /// The first failure to read it, whatever a library made of that. That it ends although what is
    /// in it claims to go on is none.
    pub fn failure(&self) -> Option<io::Error> {
        self.failure
            .get()
            .copied()
            .map(io::Error::from_raw_os_error)
    }

    /// The error that the file could not be read.
    pub fn unread(&self, source: io::Error) -> SpoolError {
        self.failed("read", source)
    }

    fn read_at(&self, bytes: &mut [u8], offset: u64) -> io::Result<usize> {
        let read = match &self.contents {
            Contents::Memory(held) => {
                let start = usize::try_from(offset).unwrap_or(usize::MAX);
                held.get(start..).unwrap_or_default().read(bytes)
            }
            Contents::Writing(_) => Err(io::Error::other("it is still being written")),
            Contents::File(file) => file.read_at(bytes, offset),
        };
        if let Some(code) = read.as_ref().err().and_then(io::Error::raw_os_error) {
            _ = self.failure.set(code);
        }
        read
    }

    fn move_to_file(&mut self) -> Result<(), SpoolError> {
        let file = tempfile::tempfile_in(&self.temp_dir);
        let file = file.map_err(|source| self.failed("create", source))?;
        let started = WritingThread::start(file, Ok);
        let mut thread = started.map_err(|source| self.failed("write to", source))?;
        if let Contents::Memory(held) = &self.contents {
            let written = thread.write_all(held);
            written.map_err(|source| self.failed("write to", source))?;
        }
        self.contents = Contents::Writing(thread);
        Ok(())
    }

    fn failed(&self, attempt: &'static str, source: io::Error) -> SpoolError {
        SpoolError {
            attempt,
            directory: self.temp_dir.clone(),
            source,
        }
    }
}

/// Its contents may be a whole export.
impl fmt::Debug for Spool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Spool");
        shown.field("length", &self.length).finish_non_exhaustive()
    }
}

/// Appends, so that a spool can be copied into; [`copied`] tells its errors from others.
impl Write for Spool {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.append(bytes).map_err(io::Error::other)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The outcome of copying into a spool: failures of the spool, apart from those of what was copied.
pub fn copied<T>(outcome: io::Result<T>) -> Result<io::Result<T>, SpoolError> {
    match outcome.map_err(io::Error::downcast) {
        Ok(copied) => Ok(Ok(copied)),
        Err(Ok(failed)) => Err(failed),
        Err(Err(other)) => Ok(Err(other)),
    }
}

/// A reader of some bytes of a spool.
#[derive(Debug)]
pub struct Part<S> {
    spool: S,
    at: u64,
    end: u64,
}

impl<S> Part<S> {
    /// A reader of a range of bytes.
    pub const fn new(spool: S, range: Range<u64>) -> Self {
        Self {
            spool,
            at: range.start,
            end: range.end,
        }
    }

    /// The spool.
    pub const fn spool(&self) -> &S {
        &self.spool
    }
}

impl<S: Borrow<Spool>> Read for Part<S> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = usize::try_from(self.end.saturating_sub(self.at)).unwrap_or(usize::MAX);
        let most = buffer.len().min(left);
        let length = self.spool.borrow().read_at(&mut buffer[..most], self.at)?;
        self.at += length as u64;
        Ok(length)
    }
}

/// Positions are those in the spool.
impl<S> Seek for Part<S> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let at = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::End(distance) => self.end.checked_add_signed(distance),
            SeekFrom::Current(distance) => self.at.checked_add_signed(distance),
        };
        self.at = at.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.at)
    }
}

#[cfg(test)]
impl Spool {
    /// A finished spool in a file that may not be readable.
    pub(crate) fn of_file(file: File, length: u64) -> Self {
        Self {
            length,
            contents: Contents::File(file),
            ..Self::new(Path::new(""))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A spool with room for a few bytes in memory.
    fn small(temp_dir: &Path) -> Spool {
        Spool {
            memory_max: 4,
            ..Spool::new(temp_dir)
        }
    }

    #[test]
    fn bytes_come_back_from_memory_and_from_a_file() {
        let directory = tempfile::tempdir().unwrap();
        for parts in [&["ab", "cd"][..], &["ab", "cde"], &["abcde", "", "fg"]] {
            let mut spool = small(directory.path());
            let mut append = |part: &&str| spool.append(part.as_bytes()).unwrap();
            let starts: Vec<u64> = parts.iter().map(&mut append).collect();
            spool.finish().unwrap();
            let whole = io::read_to_string(spool.part(0..spool.length())).unwrap();
            assert_eq!(whole, parts.concat());
            for (part, start) in parts.iter().zip(starts) {
                let mut bytes = vec![0; part.len()];
                spool.read_exact_at(&mut bytes, start).unwrap();
                assert_eq!(bytes, part.as_bytes());
            }
            assert!(spool.read_exact_at(&mut [0], spool.length()).is_err());
        }
        assert_eq!(directory.path().read_dir().unwrap().count(), 0);
    }

    #[test]
    fn what_is_short_needs_no_directory_and_the_rest_names_it() {
        let mut spool = small(Path::new("/nowhere"));
        spool.append(b"abcd").unwrap();
        let error = anyhow::Error::from(spool.append(b"e").unwrap_err());
        assert_eq!(
            format!("{error:#}"),
            "could not create a temporary file in /nowhere: No such file or directory (os error 2)"
        );
        spool.finish().unwrap();
        assert_eq!(io::read_to_string(spool.part(0..4)).unwrap(), "abcd");
    }

    #[test]
    fn a_file_that_cannot_be_read_is_a_failure_and_one_that_ends_is_none() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a");
        let unreadable = Spool::of_file(File::create(&path).unwrap(), 1);
        assert!(unreadable.read_exact_at(&mut [0], 0).is_err());
        assert!(unreadable.failure().is_some());
        let empty = Spool::of_file(File::open(&path).unwrap(), 1);
        assert!(empty.read_exact_at(&mut [0], 0).is_err());
        assert!(empty.failure().is_none());
    }

    #[test]
    fn a_failure_of_the_spool_is_not_one_of_what_is_copied() {
        let mut spool = small(Path::new("/nowhere"));
        assert!(copied(io::copy(&mut &b"abcde"[..], &mut spool)).is_err());
        let broken = io::Error::other("the disk is broken");
        let outcome = copied(Err::<u64, _>(broken)).unwrap();
        assert_eq!(outcome.unwrap_err().to_string(), "the disk is broken");
        assert_eq!(copied(Ok(4)).unwrap().unwrap(), 4);
    }
}
