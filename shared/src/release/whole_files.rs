//! The files with all records of a kind, for consumers who want them at once: lines in the order of
//! ids, as they are and compressed, and columns.
//!
//! ```text
//! lines as they were pushed ─► read in the order of ids ─┬─► boats.ndjson
//!                                                        ├─► Zstandard ─► boats.ndjson.zst
//!                                                        ├─► gzip ─► boats.ndjson.gz
//!                                                        └─► rows ─► boats.parquet
//! ```
//!
//! Each file is compressed, hashed and written on its own thread. The levels are the cheapest: they
//! are for a file that is made once an import, and of which most is repeated names of fields.

use std::fs::File;
use std::io::{self, Write};
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use arrow::datatypes::Fields;
use flate2::Compression;
use flate2::write::GzEncoder;
use zstd::zstd_safe::CompressionLevel;

use super::ReleaseError;
use super::column_file::ColumnFile;
use super::kind::{Kind, WholeFile};
use super::manifest::FileEntry;
use super::new_file::NewFile;
use crate::base::writing_thread::WritingThread;

/// Level of gzip.
const GZIP_LEVEL: u32 = 1;
/// Level of Zstandard.
const ZSTD_LEVEL: CompressionLevel = 1;

/// The columns of records, one for each field.
#[derive(Clone, Debug)]
pub struct RecordColumns {
    /// Those of boats.
    pub boats: Fields,
    /// Those of manufacturers.
    pub manufacturers: Fields,
}

impl RecordColumns {
    /// Those of one kind.
    pub const fn of(&self, kind: Kind) -> &Fields {
        match kind {
            Kind::Boats => &self.boats,
            Kind::Manufacturers => &self.manufacturers,
        }
    }
}

/// A file being written, with its path for errors.
type Sink = (PathBuf, WritingThread<FileEntry>);

/// Writes all files of a kind into `directory`. `lines` says where the line of each record lies in
/// `pushed`, in the order of ids.
pub(super) fn write(
    directory: &Path,
    kind: Kind,
    columns: &RecordColumns,
    pushed: &File,
    lines: &[Range<u64>],
) -> Result<Vec<FileEntry>, ReleaseError> {
    let mut sinks: Vec<Sink> = Vec::new();
    for file in WholeFile::ALL {
        let name = kind.whole(file);
        let path = directory.join(name.as_str());
        let sink = sink(file, NewFile::create(directory, name)?, columns.of(kind));
        sinks.push((
            path.clone(),
            sink.map_err(ReleaseError::io("write", &path))?,
        ));
    }
    let mut line = Vec::new();
    for place in lines {
        line.resize(
            usize::try_from(place.end - place.start).unwrap_or(usize::MAX),
            0,
        );
        pushed
            .read_exact_at(&mut line, place.start)
            .map_err(ReleaseError::io("read what was written for", &sinks[0].0))?;
        for (path, sink) in &mut sinks {
            sink.write_all(&line)
                .map_err(ReleaseError::io("write", path))?;
        }
    }
    // All of them end at once.
    let mut ending = Vec::new();
    for (path, sink) in sinks {
        let ended = sink.end().map_err(ReleaseError::io("write", &path))?;
        ending.push((path, ended));
    }
    let entries = ending
        .into_iter()
        .map(|(path, ended)| ended.wait().map_err(ReleaseError::io("write", &path)));
    entries.collect()
}

fn sink(file: WholeFile, to: NewFile, columns: &Fields) -> io::Result<WritingThread<FileEntry>> {
    match file {
        WholeFile::Lines => WritingThread::start(to, NewFile::finish),
        WholeFile::LinesZstd => {
            let mut encoder = zstd::Encoder::new(to, ZSTD_LEVEL)?;
            encoder.include_checksum(true)?;
            WritingThread::start(encoder, |encoder| encoder.finish()?.finish())
        }
        WholeFile::LinesGzip => {
            let encoder = GzEncoder::new(to, Compression::new(GZIP_LEVEL));
            WritingThread::start(encoder, |encoder| encoder.finish()?.finish())
        }
        WholeFile::Columns => {
            WritingThread::start(ColumnFile::new(to, columns)?, ColumnFile::finish)
        }
    }
}
