//! Which files of a folder, and which members of an archive, are read.

use std::path::{Path, PathBuf};
use std::{fs, io};

use super::files::Select;

/// Endings of the names that are read from folders and archives.
const LINE_FILE_ENDINGS: [&str; 6] = [
    ".ndjson",
    ".jsonl",
    ".ndjson.gz",
    ".jsonl.gz",
    ".ndjson.zst",
    ".jsonl.zst",
];

/// Files of lines: what is read of an export that needs no mapping. Hidden files are not: some
/// systems leave them beside the real ones.
pub struct LineFiles;

impl Select for LineFiles {
    fn is_wanted(&self, path: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        let is_line_file = LINE_FILE_ENDINGS.iter().any(|end| name.ends_with(end));
        is_line_file && !name.starts_with('.')
    }

    fn descends(&self) -> bool {
        false
    }

    fn wanted(&self) -> &'static str {
        ".ndjson or .jsonl"
    }
}

/// The selected files of a folder, sorted by their paths.
pub(super) fn wanted_files(folder: &Path, selection: &dyn Select) -> io::Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(&next)? {
            let path = entry?.path();
            let within = path.strip_prefix(folder).unwrap_or(&path);
            let is_wanted = within
                .to_str()
                .is_some_and(|path| selection.is_wanted(path));
            if is_wanted && path.is_file() {
                paths.push(path);
            }
        }
        folders.extend(
            selection
                .descends()
                .then(|| folders_in(&next))
                .into_iter()
                .flatten(),
        );
    }
    paths.sort_unstable();
    Ok(paths)
}

/// The folders directly in `folder` that are not read although they have files that would be,
/// sorted by name. What cannot be looked into is not among them.
pub(super) fn unread_folders(folder: &Path, selection: &dyn Select) -> Vec<PathBuf> {
    if selection.descends() {
        return Vec::new();
    }
    let mut unread = folders_in(folder);
    unread.retain(|folder| has_wanted_files(folder, selection));
    unread.sort_unstable();
    unread
}

fn has_wanted_files(folder: &Path, selection: &dyn Select) -> bool {
    wanted_files(folder, selection).is_ok_and(|files| !files.is_empty())
        || folders_in(folder)
            .iter()
            .any(|folder| has_wanted_files(folder, selection))
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
