//! Reads exports: turns what was named on the command line into a stream of records with their
//! places.
//!
//! Plain and compressed files, folders, archives and standard input all become one stream, split
//! into records according to a `Plan`. Memory is bounded whatever the size of the export: a record
//! may have at most [`LINE_MAX`] or `readers::RECORD_MAX` bytes, and an archive's members are
//! copied to a spool. A damaged file is a finding in the stream, not an error, so reading
//! continues with the next file. Nothing here interprets a record.

pub(crate) mod encoding;
pub(crate) mod error_cells;
pub mod formula;
pub(crate) mod plan;
pub(crate) mod readers;
pub(crate) mod unread;

mod archive;
mod decompress;
mod end_mark;
mod export;
mod files;
mod folder;
mod incoming;
mod lines;
mod passes;
mod records;
mod unpacking;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

pub use self::encoding::Encoding;
pub use self::export::{Export, Origin, STANDARD_INPUT};
pub use self::files::ProgressListener;
pub use self::plan::{LINE_MAX, Plan};
pub use self::unpacking::{UNPACKED_MAX, UnpackedTooMuch};
pub use self::unread::UnreadFormat;

pub(crate) use self::files::{ReadContext, read};
pub(crate) use self::incoming::{FailedRecord, Header, Incoming, Original, Record, Sink, Spot};
pub(crate) use self::plan::{
    FileGroup, FileNames, Format, Layout, Rows, SheetName, TableLayout, without_compression,
};
pub(crate) use self::readers::in_path;
pub(crate) use self::records::{FilesRead, GroupFiles};

/// The bytes on disk that reading `exports` will take; `None` if that cannot be known.
pub fn size(exports: &[Export], plan: &Plan) -> Option<u64> {
    let length = |path: &Path| {
        let about = fs::metadata(path).ok()?;
        about.is_file().then_some(about.len())
    };
    let mut total = 0;
    for export in exports {
        let Some(folder) = export.folder() else {
            total += export.bytes()?;
            continue;
        };
        for path in folder::list(folder, plan).ok()?.files {
            let within = path.strip_prefix(folder).unwrap_or(&path);
            let wanted = plan.bytes_of(&within.to_string_lossy()).unwrap_or(u64::MAX);
            total += length(&path)?.min(wanted);
        }
    }
    Some(total)
}

/// The files that reading `exports` will open, including those in folders. Fetched ones have no path
/// that another program could be given.
pub fn files(exports: &[Export], plan: &Plan) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for export in exports {
        match export.folder() {
            Some(folder) => files.extend(folder::list(folder, plan)?.files),
            None => files.extend(export.path().map(Path::to_owned)),
        }
    }
    Ok(files)
}

#[cfg(test)]
mod tests;
