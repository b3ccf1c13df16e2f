//! Files as objects, in pieces: several pieces are on their way at a time, none takes longer than
//! it may, and no more of a file than those is held in memory.

use std::fs::File;
use std::io::Read;
use std::ops::Range;
use std::path::Path;

use futures_util::{StreamExt, stream};
use object_store::{ObjectStoreExt, WriteMultipart};

use super::failure::is_missing;
use super::{Bucket, Failure, PIECE_MAX, SMALL_MAX, within};
use crate::base::regular_file;
use crate::release::ReleaseError;

/// Bytes of a piece. A file of no more is written at once; S3 takes no smaller piece than 5 MiB,
/// but for the last.
const PIECE_BYTES: u64 = 8 << 20;
/// Most pieces of a file that S3 takes.
const PIECES_MAX: u64 = 10_000;
/// Pieces on their way at a time.
const AT_A_TIME: usize = 4;

impl Bucket {
    /// Writes the file at `path` to an object, and says of how many bytes more that was done.
    pub(in crate::release::s3) fn put_file(
        &self,
        name: &str,
        path: &Path,
        written: &dyn Fn(u64),
    ) -> Result<(), ReleaseError> {
        let mut pieces = Pieces::open(path)?;
        let sent = self.run(async {
            if pieces.are_one {
                self.send_whole(name, &mut pieces, written).await
            } else {
                self.send_pieces(name, &mut pieces, written).await
            }
        });
        sent.map_err(|undone| match undone {
            Undone::Here(error) => error,
            Undone::There(failure) => self.error("write", name, failure),
        })
    }

    /// Gives the first `size` bytes of an object to `take`, in order.
    pub(in crate::release::s3) fn get_file(
        &self,
        name: &str,
        size: u64,
        mut take: impl FnMut(&[u8]) -> Result<(), ReleaseError>,
    ) -> Result<(), ReleaseError> {
        let key = self.key(name);
        let asked = stream::iter(ranges(size))
            .map(|range| within(PIECE_MAX, self.client.get_range(&key, range)));
        let taken = self.run(async {
            let mut pieces = std::pin::pin!(asked.buffered(AT_A_TIME));
            while let Some(piece) = pieces.next().await {
                take(&piece?).map_err(Undone::Here)?;
            }
            Ok(())
        });
        taken.map_err(|undone| match undone {
            Undone::Here(error) => error,
            Undone::There(Failure::Client(error)) if is_missing(&error) => {
                ReleaseError::damaged(&self.path(name), "it is not there")
            }
            Undone::There(failure) => self.error("read", name, failure),
        })
    }

    async fn send_whole(
        &self,
        name: &str,
        pieces: &mut Pieces<'_>,
        written: &dyn Fn(u64),
    ) -> Result<(), Undone> {
        let whole = pieces.next()?;
        let bytes = whole.len() as u64;
        within(PIECE_MAX, self.client.put(&self.key(name), whole.into())).await?;
        written(bytes);
        Ok(())
    }

    async fn send_pieces(
        &self,
        name: &str,
        pieces: &mut Pieces<'_>,
        written: &dyn Fn(u64),
    ) -> Result<(), Undone> {
        let key = self.key(name);
        let upload = within(SMALL_MAX, self.client.put_multipart(&key)).await?;
        let piece_bytes = usize::try_from(pieces.bytes).unwrap_or(usize::MAX);
        let mut writing = WriteMultipart::new_with_chunk_size(upload, piece_bytes);
        match pieces.send(&mut writing, written).await {
            Ok(()) => {
                within(PIECE_MAX, writing.finish()).await?;
                Ok(())
            }
            Err(undone) => {
                // Where this fails too, the bucket's own rules remove what is unfinished.
                _ = within(SMALL_MAX, writing.abort()).await;
                Err(undone)
            }
        }
    }
}

/// A file, a piece at a time.
struct Pieces<'a> {
    file: File,
    path: &'a Path,
    bytes: u64,
    are_one: bool,
}

impl<'a> Pieces<'a> {
    fn open(path: &'a Path) -> Result<Self, ReleaseError> {
        let file = regular_file::open(path).map_err(ReleaseError::io("open", path))?;
        let metadata = file.metadata().map_err(ReleaseError::io("measure", path))?;
        let bytes = PIECE_BYTES.max(metadata.len().div_ceil(PIECES_MAX));
        Ok(Self {
            file,
            path,
            bytes,
            are_one: metadata.len() <= bytes,
        })
    }

    /// Empty at the end.
    fn next(&mut self) -> Result<Vec<u8>, Undone> {
        let mut piece = Vec::new();
        let read = (&mut self.file).take(self.bytes).read_to_end(&mut piece);
        let read = read.map_err(ReleaseError::io("read", self.path));
        read.map_err(Undone::Here)?;
        Ok(piece)
    }

    async fn send(
        &mut self,
        writing: &mut WriteMultipart,
        written: &dyn Fn(u64),
    ) -> Result<(), Undone> {
        loop {
            let piece = self.next()?;
            let bytes = piece.len() as u64;
            if bytes == 0 {
                // Until all are there, so that each has had its own time.
                within(PIECE_MAX, writing.wait_for_capacity(1)).await?;
                return Ok(());
            }
            within(PIECE_MAX, writing.wait_for_capacity(AT_A_TIME)).await?;
            writing.put(piece.into());
            written(bytes);
        }
    }
}

/// Why a file was not sent or taken.
enum Undone {
    /// The disk failed.
    Here(ReleaseError),
    /// S3 did.
    There(Failure),
}

impl From<Failure> for Undone {
    fn from(failure: Failure) -> Self {
        Self::There(failure)
    }
}

fn ranges(size: u64) -> impl Iterator<Item = Range<u64>> {
    let starts = (0..size.div_ceil(PIECE_BYTES)).map(|piece| piece * PIECE_BYTES);
    starts.map(move |start| start..size.min(start + PIECE_BYTES))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pieces_of_a_file_are_all_of_it_once() {
        for size in [
            0,
            1,
            PIECE_BYTES - 1,
            PIECE_BYTES,
            PIECE_BYTES + 1,
            5 * PIECE_BYTES,
        ] {
            let mut end = 0;
            for range in ranges(size) {
                assert_eq!(range.start, end);
                assert!(range.start < range.end && range.end - range.start <= PIECE_BYTES);
                end = range.end;
            }
            assert_eq!(end, size);
        }
    }
}
