//! A reader that counts lines and limits the bytes read for one record.
//!
//! Parsers buffer what they read until a record is complete. They get this reader instead of the
//! file, so an endless record cannot exhaust memory.

use std::cell::Cell;
use std::io::{self, BufRead, Read};

use super::{FileError, RECORD_MAX, corrupt};
use crate::finding::BYTE_ORDER_MARK;

/// How far a reader got. It is shared with the code that knows where records begin.
#[derive(Debug)]
pub(crate) struct Progress {
    line: Cell<u64>,
    /// The line where the current record begins.
    begin: Cell<u64>,
    /// Bytes that the record may still take; `None` if there is no limit.
    left: Cell<Option<usize>>,
    /// What must follow, but for blanks, if the value of a key is a list of objects; `None` once
    /// something else did.
    awaited: Cell<Option<&'static [u8]>>,
}

impl Progress {
    pub(crate) const fn new() -> Self {
        Self {
            line: Cell::new(1),
            begin: Cell::new(1),
            left: Cell::new(Some(RECORD_MAX)),
            awaited: Cell::new(None),
        }
    }

    /// The line of the next byte.
    pub(crate) const fn line(&self) -> u64 {
        self.line.get()
    }

    /// Marks the beginning of a record, or of anything else held as a whole. It may take as many
    /// bytes as the limit, plus `ahead` bytes of read-ahead.
    pub(crate) fn begin(&self, ahead: usize) {
        self.begin.set(self.line.get());
        self.left.set(Some(RECORD_MAX + ahead));
    }

    /// Lifts the limit for what follows, because it is not held.
    pub(crate) fn skip(&self) {
        self.left.set(None);
    }

    /// Begins to watch whether the value of the key that was just read is a list of objects. Its
    /// first bytes tell, so nothing of it is held.
    pub(crate) fn await_list(&self) {
        self.awaited.set(Some(b":[{"));
    }

    /// Whether the value, which was read, is a list of objects.
    pub(crate) fn was_list(&self) -> bool {
        self.awaited.take().is_some_and(<[u8]>::is_empty)
    }

    fn watch(&self, bytes: &[u8]) {
        for byte in bytes.iter().filter(|byte| !byte.is_ascii_whitespace()) {
            let Some([next, rest @ ..]) = self.awaited.get() else {
                return;
            };
            self.awaited.set((byte == next).then_some(rest));
        }
    }

    fn take(&self, bytes: &[u8]) {
        if self.awaited.get().is_some() {
            self.watch(bytes);
        }
        let lines = memchr::memchr_iter(b'\n', bytes).count() as u64;
        self.line.set(self.line.get() + lines);
        let left = self.left.get();
        self.left
            .set(left.map(|left| left.saturating_sub(bytes.len())));
    }

    fn check(&self) -> io::Result<()> {
        if self.left.get() == Some(0) {
            let line = self.begin.get();
            return Err(io::Error::other(Refused {
                line,
                message: too_long(),
            }));
        }
        Ok(())
    }
}

/// The message for a record that is too long.
pub(crate) fn too_long() -> String {
    format!("the record that begins here has more than {RECORD_MAX} bytes")
}

/// The error for an exceeded limit, passed through a parser that does not know about limits.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub(crate) struct Refused {
    pub(crate) line: u64,
    pub(crate) message: String,
}

/// Distinguishes an exceeded limit from a failure to read the file.
pub(crate) fn unread(source: io::Error, line: u64) -> FileError {
    match source.downcast::<Refused>() {
        Ok(refused) => corrupt(refused.line, refused.message),
        Err(source) => FileError::Unread { line, source },
    }
}

/// A file without its byte order mark, of which only a bounded part is held at a time.
#[derive(Debug)]
pub(crate) struct Bounded<'p, R> {
    reader: R,
    progress: &'p Progress,
}

impl<'p, R: BufRead> Bounded<'p, R> {
    /// Wraps a file that is at its beginning.
    pub(crate) fn new(
        mut reader: R,
        progress: &'p Progress,
    ) -> io::Result<Bounded<'p, impl BufRead>> {
        let mut head = Vec::new();
        let length = BYTE_ORDER_MARK.len() as u64;
        reader.by_ref().take(length).read_to_end(&mut head)?;
        if head == BYTE_ORDER_MARK {
            head.clear();
        }
        Ok(Bounded {
            reader: io::Cursor::new(head).chain(reader),
            progress,
        })
    }
}

impl<R: BufRead> BufRead for Bounded<'_, R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        let most = self.progress.left.get().unwrap_or(usize::MAX);
        let chunk = self.reader.fill_buf()?;
        if !chunk.is_empty() {
            self.progress.check()?;
        }
        Ok(&chunk[..chunk.len().min(most)])
    }

    fn consume(&mut self, used: usize) {
        // The consumed bytes are already in the buffer.
        if let Ok(chunk) = self.reader.fill_buf() {
            self.progress.take(&chunk[..used.min(chunk.len())]);
        }
        self.reader.consume(used);
    }
}

impl<R: BufRead> Read for Bounded<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let chunk = self.fill_buf()?;
        let used = chunk.len().min(buffer.len());
        buffer[..used].copy_from_slice(&chunk[..used]);
        self.consume(used);
        Ok(used)
    }
}
