//! The bodies of single records, made from the file of their lines: by ordinal, from memory or from
//! disk.
//!
//! A body is a line within an envelope. It is a copy, since the line is also a part of the file that
//! consumers get as a whole. Lines on disk are verified once as a whole, then read one by one, each
//! with its checksum. Their file is not mapped into memory, because a mapping kills the process when
//! its file shrinks.

mod reused_buffer;

use std::fs::File;
use std::io::{self, Read};
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

use bytes::Bytes;
use sha2::{Digest, Sha256};
use twox_hash::XxHash3_64;

pub(super) use self::reused_buffer::ReusedBuffer;
use super::ReleaseError;
use super::throttle::Throttle;
use crate::base::hash::hex;
use crate::base::render::{CLOSING, OPENING};

/// Longest body that is read on an asynchronous thread, in bytes: copying it takes microseconds.
const AT_ONCE_MAX: u64 = 1 << 18;
/// Bytes hashed at a time: they fit into a core's cache, and take 0.1 ms.
const PART: u64 = 1 << 16;

/// The verified bodies of one kind of record, by ordinal.
#[derive(Debug)]
pub struct Bodies(Source);

#[derive(Debug)]
enum Source {
    Memory {
        /// Where each line begins, and where the last one ends.
        offsets: Vec<u64>,
        contents: Bytes,
    },
    Disk(OnDisk),
}

impl Bodies {
    /// Bodies held in memory. `contents` is verified, and as long as the last offset.
    pub(super) const fn in_memory(offsets: Vec<u64>, contents: Bytes) -> Self {
        Self(Source::Memory { offsets, contents })
    }

    /// Bodies that stay in `file`, which is read once to check its SHA-256.
    pub(super) fn on_disk(
        offsets: &[u64],
        file: File,
        path: PathBuf,
        sha256: &str,
        throttle: &dyn Throttle,
    ) -> Result<Self, ReleaseError> {
        let bodies = OnDisk::verify(file, path, offsets, sha256, throttle)?;
        Ok(Self(Source::Disk(bodies)))
    }

    /// Bytes of bodies held in memory.
    pub const fn held_bytes(&self) -> u64 {
        match &self.0 {
            Source::Memory { contents, .. } => contents.len() as u64,
            Source::Disk(_) => 0,
        }
    }

    /// The body of the record with that ordinal: one slice of memory, or one positioned read.
    ///
    /// # Panics
    /// When there is no such ordinal.
    pub fn read(&self, ordinal: usize) -> Result<Bytes, ReleaseError> {
        match &self.0 {
            Source::Memory { offsets, contents } => Ok(in_memory(contents, offsets, ordinal)),
            Source::Disk(bodies) => Ok(bodies.read(ordinal)?.body()),
        }
    }

    /// Hands over the line of the record with that ordinal, with its line feed.
    ///
    /// # Panics
    /// When there is no such ordinal.
    pub fn with_line<T>(
        &self,
        ordinal: usize,
        take: impl FnOnce(&[u8]) -> T,
    ) -> Result<T, ReleaseError> {
        match &self.0 {
            Source::Memory { offsets, contents } => Ok(take(line(contents, offsets, ordinal))),
            Source::Disk(bodies) => Ok(take(bodies.read(ordinal)?.line())),
        }
    }

    /// The same, without waiting for a disk. `None` if that would be needed, or if a body cannot be
    /// read: [`Self::read`] says why.
    ///
    /// # Panics
    /// When there is no such ordinal.
    pub fn read_at_once(&self, ordinal: usize) -> Option<Bytes> {
        match &self.0 {
            Source::Memory { offsets, contents } => Some(in_memory(contents, offsets, ordinal)),
            Source::Disk(bodies) => bodies.read_at_once(ordinal),
        }
    }
}

fn line<'a>(contents: &'a Bytes, offsets: &[u64], ordinal: usize) -> &'a [u8] {
    let place = |offset| {
        usize::try_from(offset)
            .unwrap_or_else(|_| unreachable!("what is in memory can be addressed"))
    };
    &contents[place(offsets[ordinal])..place(offsets[ordinal + 1])]
}

fn in_memory(contents: &Bytes, offsets: &[u64], ordinal: usize) -> Bytes {
    let line = line(contents, offsets, ordinal);
    let mut framed = FramedLine::of(line.len());
    framed.line_mut().copy_from_slice(line);
    framed.body()
}

/// A line with room around it, so that it becomes a body where it lies.
pub(super) struct FramedLine(ReusedBuffer);

impl FramedLine {
    /// An unread line of that length, with its line feed.
    pub(super) fn of(length: usize) -> Self {
        let mut buffer = ReusedBuffer::take(OPENING.len() + length);
        buffer.as_mut()[..OPENING.len()].copy_from_slice(OPENING);
        Self(buffer)
    }

    pub(super) fn line_mut(&mut self) -> &mut [u8] {
        &mut self.0.as_mut()[OPENING.len()..]
    }

    fn line(&self) -> &[u8] {
        &self.0.as_ref()[OPENING.len()..]
    }

    /// The body, in which a brace takes the place of the line feed.
    pub(super) fn body(mut self) -> Bytes {
        if let Some(line_feed) = self.0.as_mut().last_mut() {
            *line_feed = CLOSING;
        }
        self.0.filled()
    }
}

/// An open file of lines.
#[derive(Debug)]
struct OnDisk {
    /// Stays readable when the release is pruned.
    file: File,
    /// For messages.
    path: PathBuf,
    spans: Vec<Span>,
}

/// Where a line lies, and what shows that it is still the one that was verified. Both are side by
/// side, since with a million bodies fetching either from memory takes longer than using it.
#[derive(Clone, Copy, Debug)]
struct Span {
    start: u64,
    end: u64,
    /// Made of the very bytes that the SHA-256 of the file was made of.
    ///
    /// So a line with this sum is one that the manifest vouches for. What the sum guards against is
    /// a disk or a mistake that changes the file of a running server, and 64 bits miss one such
    /// change in 10^19; a person who may write there could as well replace the release.
    /// Checking it takes 0.2 us a body, its SHA-256 3.4 us.
    sum: u64,
}

impl Span {
    fn length(&self) -> usize {
        length(&(self.start..self.end))
    }

    fn checked(&self, line: FramedLine) -> Option<FramedLine> {
        (sum(line.line()) == self.sum).then_some(line)
    }
}

impl OnDisk {
    /// Reads all of `file`, whose lines begin and end at `offsets`, and compares its hash.
    fn verify(
        file: File,
        path: PathBuf,
        offsets: &[u64],
        sha256: &str,
        throttle: &dyn Throttle,
    ) -> Result<Self, ReleaseError> {
        let (spans, found) =
            spans_and_sha256(&file, offsets, throttle).map_err(ReleaseError::io("read", &path))?;
        if found != sha256 {
            return Err(ReleaseError::damaged(
                &path,
                "its contents do not match its checksum",
            ));
        }
        Ok(Self { file, path, spans })
    }

    fn read(&self, ordinal: usize) -> Result<FramedLine, ReleaseError> {
        let span = &self.spans[ordinal];
        let mut line = FramedLine::of(span.length());
        self.file
            .read_exact_at(line.line_mut(), span.start)
            .map_err(ReleaseError::io("read", &self.path))?;
        span.checked(line).ok_or_else(|| {
            let reason = format!("the line at byte {} has changed", span.start);
            ReleaseError::damaged(&self.path, reason)
        })
    }

    /// What is in the page cache is read in microseconds, on any thread. That saves two thread
    /// switches a request, half of its processor time with a million boats.
    fn read_at_once(&self, ordinal: usize) -> Option<Bytes> {
        let span = &self.spans[ordinal];
        if AT_ONCE_MAX < span.end - span.start {
            return None;
        }
        let mut line = FramedLine::of(span.length());
        is_read_at_once(&self.file, line.line_mut(), span.start).then_some(())?;
        span.checked(line).map(FramedLine::body)
    }
}

fn sum(body: &[u8]) -> u64 {
    XxHash3_64::oneshot(body)
}

fn length(range: &Range<u64>) -> usize {
    let length = usize::try_from(range.end - range.start);
    length.unwrap_or_else(|_| unreachable!("a body was in memory when it was written"))
}

/// Whether all of `buffer` could be filled without waiting for a disk. Some file systems cannot
/// tell.
#[cfg(target_os = "linux")]
pub(super) fn is_read_at_once(file: &File, buffer: &mut [u8], offset: u64) -> bool {
    use std::io::IoSliceMut;

    use rustix::io::{ReadWriteFlags, preadv2};

    let length = buffer.len();
    let buffers = &mut [IoSliceMut::new(buffer)];
    preadv2(file, buffers, offset, ReadWriteFlags::NOWAIT) == Ok(length)
}

#[cfg(not(target_os = "linux"))]
pub(super) fn is_read_at_once(_file: &File, _buffer: &mut [u8], _offset: u64) -> bool {
    false
}

/// The span of each body, and the SHA-256 of all of them.
fn spans_and_sha256(
    mut file: &File,
    offsets: &[u64],
    throttle: &dyn Throttle,
) -> io::Result<(Vec<Span>, String)> {
    let mut spans = Vec::with_capacity(offsets.len());
    let (mut hasher, mut part) = (Sha256::new(), Vec::new());
    let mut rest = offsets;
    while let [start, ends @ ..] = rest
        && !ends.is_empty()
    {
        // Whole bodies, and at least one.
        let count = ends.partition_point(|end| end - start <= PART).max(1);
        part.resize(length(&(*start..ends[count - 1])), 0);
        for some in part.chunks_mut(length(&(0..PART))) {
            file.read_exact(some)?;
            hasher.update(some);
            throttle.step();
        }
        let mut bodies = &*part;
        for &[start, end] in rest[..=count].array_windows() {
            let body = bodies.split_off(..length(&(start..end)));
            spans.extend(body.map(|body| Span {
                start,
                end,
                sum: sum(body),
            }));
        }
        rest = &rest[count..];
    }
    Ok((spans, hex(&hasher.finalize())))
}

#[cfg(test)]
mod tests;
