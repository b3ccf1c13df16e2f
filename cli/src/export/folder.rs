//! Which files of a folder, and which members of an archive, are read.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// Endings of the names that are read from folders and archives.
const LINE_FILE_ENDINGS: [&str; 6] = [
    ".ndjson",
    ".jsonl",
    ".ndjson.gz",
    ".jsonl.gz",
    ".ndjson.zst",
    ".jsonl.zst",
];

/// The files of lines in a folder, sorted by name.
pub(super) fn line_files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let is_wanted = path
            .file_name()
            .and_then(OsStr::to_str)
            .is_some_and(is_line_file);
        if is_wanted && path.is_file() {
            paths.push(path);
        }
    }
    paths.sort_unstable();
    Ok(paths)
}

/// The folders directly in `folder` with files of lines somewhere in them, sorted by name. What
/// cannot be looked into is not among them.
pub(super) fn unread_folders(folder: &Path) -> Vec<PathBuf> {
    let mut unread = folders_in(folder);
    unread.retain(|folder| has_line_files(folder));
    unread.sort_unstable();
    unread
}

fn has_line_files(folder: &Path) -> bool {
    line_files(folder).is_ok_and(|files| !files.is_empty())
        || folders_in(folder)
            .iter()
            .any(|folder| has_line_files(folder))
}

/// Not hidden, and no links, which may lead in circles.
fn folders_in(folder: &Path) -> Vec<PathBuf> {
    let is_wanted = |entry: &fs::DirEntry| {
        let is_hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
        !is_hidden && entry.file_type().is_ok_and(|kind| kind.is_dir())
    };
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .filter(is_wanted)
        .map(|entry| entry.path())
        .collect()
}

/// Whether a file of this name is read from folders and archives. Hidden files are not: some
/// systems leave them beside the real ones.
pub(super) fn is_line_file(name: &str) -> bool {
    !name.starts_with('.')
        && LINE_FILE_ENDINGS
            .iter()
            .any(|ending| name.ends_with(ending))
}
