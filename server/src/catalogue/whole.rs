//! The files with all records of a kind: opened with a release, and read in small parts while a
//! response is sent.
//!
//! A client that takes no more holds a few parts and no thread, and a file until its end, whatever
//! release is served meanwhile.

use std::future::pending;
use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::{Stream, stream};
use shared::base::error_chain::chain;
use shared::base::etag::{CodedETag, Coding};
use shared::release::bodies::Bodies;
use shared::release::open_file::PART;
use shared::release::{Kind, OpenFile, Release, ReleaseError, WholeFile};
use tokio::sync::Semaphore;
use tokio::task::{spawn_blocking, yield_now};

use super::queue::finished;
use crate::api_tables::routes::WholeFormat;

/// Parts after which other requests of the thread get their turn: they take 0.1 ms.
const TURN: u64 = 4;
/// Most threads that wait for the disk.
pub(crate) const WHOLE_READS_AT_ONCE: usize = 4;

static WAITING: Semaphore = Semaphore::const_new(WHOLE_READS_AT_ONCE);

/// The files of one kind.
#[derive(Debug)]
pub(super) struct WholeFiles {
    lines: Arc<OpenFile>,
    zstd: Arc<OpenFile>,
    gzip: Arc<OpenFile>,
    columns: Arc<OpenFile>,
}

/// A file that a request asks for, in a coding.
#[derive(Clone, Debug)]
pub(crate) struct SentFile {
    file: Arc<OpenFile>,
    /// The tag of the response.
    pub(crate) etag: CodedETag,
}

impl WholeFiles {
    /// Opens and verifies them; `bodies` are those of the kind.
    pub(super) fn open(
        release: &Release,
        kind: Kind,
        bodies: &Bodies,
    ) -> Result<Self, ReleaseError> {
        let open = |file| release.open_whole(kind, file).map(Arc::new);
        Ok(Self {
            lines: Arc::new(release.open_lines(kind, bodies)?),
            zstd: open(WholeFile::LinesZstd)?,
            gzip: open(WholeFile::LinesGzip)?,
            columns: open(WholeFile::Columns)?,
        })
    }

    /// The file of that format in a coding, if there is one.
    pub(super) fn get(&self, format: WholeFormat, coding: Coding) -> Option<SentFile> {
        let (file, whole) = match (format, coding) {
            (WholeFormat::Ndjson, Coding::Identity) => (&self.lines, &self.lines),
            (WholeFormat::Ndjson, Coding::Zstd) => (&self.zstd, &self.lines),
            (WholeFormat::Ndjson, Coding::Gzip) => (&self.gzip, &self.lines),
            (WholeFormat::Parquet, Coding::Identity) => (&self.columns, &self.columns),
            (_, Coding::Brotli) | (WholeFormat::Parquet, _) => return None,
        };
        Some(SentFile {
            file: Arc::clone(file),
            etag: whole.etag.in_coding(coding),
        })
    }
}

impl SentFile {
    /// Its length.
    pub(crate) fn bytes(&self) -> u64 {
        self.file.bytes
    }

    /// The bytes of that range. What cannot be read, or has changed, ends the response, so that its
    /// client sees that it is not whole.
    pub(crate) fn stream(
        self,
        range: Range<u64>,
    ) -> impl Stream<Item = Result<Bytes, ReleaseError>> + Send + 'static {
        stream::try_unfold((self.file, range), move |(file, left)| async move {
            if left.is_empty() {
                return Ok(None);
            }
            let part = left.start / PART;
            if part.is_multiple_of(TURN) {
                yield_now().await;
            }
            let read = read(&file, place(part)).await;
            let read = read.inspect_err(|error| {
                tracing::error!("a response broke off: {}", chain(error));
            })?;
            let begin = part * PART;
            let end = left.end.min(begin + PART);
            let sent = read.slice(place(left.start - begin)..place(end - begin));
            Ok(Some((sent, (file, end..left.end))))
        })
    }
}

/// The number of a part, or a place in one.
fn place(number: u64) -> usize {
    usize::try_from(number).unwrap_or_else(|_| unreachable!("a file has fewer parts"))
}

async fn read(file: &Arc<OpenFile>, part: usize) -> Result<Bytes, ReleaseError> {
    if let Some(read) = file.read_at_once(part) {
        return Ok(read);
    }
    let waiting = WAITING.acquire().await;
    let file = Arc::clone(file);
    let read = move || {
        // Held until the disk answers, also if the client leaves before.
        let _waiting = waiting;
        file.read(part)
    };
    match finished(spawn_blocking(read).await) {
        Some(read) => read,
        // The server stops, and drops the response.
        None => pending().await,
    }
}
