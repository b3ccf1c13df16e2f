//! Selects the files of a folder that are read.

use std::fs::{self, File};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use shared::base::regular_file;

use super::plan::Plan;

/// The files of a folder.
pub(super) struct Listing {
    /// The folder's path, with links resolved.
    root: PathBuf,
    /// The selected files, sorted by their paths.
    pub(super) files: Vec<PathBuf>,
    /// Files that match the plan but are not read, with the reason, sorted by path.
    pub(super) refused: Vec<(PathBuf, &'static str)>,
    /// Files that are missed by the plan, sorted by path.
    pub(super) missed: Vec<PathBuf>,
    /// Folders in it that are not read although they have files that match the plan, and links to
    /// folders, which are not followed; sorted by path.
    pub(super) skipped: Vec<PathBuf>,
}

impl Listing {
    /// Opens a listed file; `None` if its path now leads out of the folder. A program that can
    /// write to the folder may replace a file, or a folder above it, with a link, so only a file
    /// that is already open can be checked.
    pub(super) fn open(&self, path: &Path) -> io::Result<Option<File>> {
        // A pipe put in the file's place would never end.
        let file = regular_file::open(path)?;
        let place = place_of(&file, path)?;
        let is_inside = place.is_some_and(|place| place.starts_with(&self.root));
        Ok(is_inside.then_some(file))
    }
}

/// The path of an open file with links resolved; `None` if `path` no longer leads to it.
fn place_of(file: &File, path: &Path) -> io::Result<Option<PathBuf>> {
    match fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd())) {
        Ok(place) => Ok(Some(place)),
        Err(_) => place_by_name(file, path),
    }
}

/// Like [`place_of`], for systems that, unlike Linux, do not report the path of an open file.
fn place_by_name(file: &File, path: &Path) -> io::Result<Option<PathBuf>> {
    let place = path.canonicalize()?;
    let (opened, found) = (file.metadata()?, fs::symlink_metadata(&place)?);
    let is_same = (opened.dev(), opened.ino()) == (found.dev(), found.ino());
    Ok(is_same.then_some(place))
}

/// Lists a folder. A link may lead only to a file in the folder, as links in mounted volumes do:
/// whoever can write to the folder may not be allowed to read what a link elsewhere leads to.
pub(super) fn list(folder: &Path, plan: &Plan) -> io::Result<Listing> {
    let mut listing = Listing {
        root: folder.canonicalize()?,
        files: Vec::new(),
        refused: Vec::new(),
        missed: Vec::new(),
        skipped: Vec::new(),
    };
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(&next)? {
            let entry = entry?;
            let path = entry.path();
            let within = path.strip_prefix(folder).unwrap_or(&path);
            let within = within.to_string_lossy().into_owned();
            let is_wanted = plan.looks_into(&within) || plan.bytes_of(&within).is_some();
            match what_is(&entry, &listing.root)? {
                Found::Folder | Found::LinkedFolder if is_hidden(&entry) => {}
                Found::Folder if plan.descends => folders.push(path),
                Found::LinkedFolder if plan.descends => {
                    listing.refused.push((path, "is a link to a folder"));
                }
                Found::LinkedFolder => listing.skipped.push(path),
                Found::Folder if has_wanted_files(&path, plan) => listing.skipped.push(path),
                Found::File if is_wanted => listing.files.push(path),
                Found::File if plan.misses(&within) => listing.missed.push(path),
                Found::Refused(reason) if is_wanted => listing.refused.push((path, reason)),
                _ => {}
            }
        }
    }
    listing.files.sort_unstable();
    listing.refused.sort_unstable();
    listing.missed.sort_unstable();
    listing.skipped.sort_unstable();
    Ok(listing)
}

/// What an entry of a folder is to an export.
enum Found {
    File,
    Folder,
    LinkedFolder,
    Refused(&'static str),
}

fn what_is(entry: &fs::DirEntry, root: &Path) -> io::Result<Found> {
    let kind = entry.file_type()?;
    if !kind.is_symlink() {
        return Ok(match (kind.is_file(), kind.is_dir()) {
            (true, _) => Found::File,
            (_, true) => Found::Folder,
            _ => Found::Refused("is not a plain file"),
        });
    }
    // Neither call can block, whatever the link leads to.
    let target = entry.path().canonicalize();
    let about = fs::metadata(entry.path());
    Ok(match (target, about) {
        (_, Ok(about)) if about.is_dir() => Found::LinkedFolder,
        (Ok(target), _) if !target.starts_with(root) => {
            Found::Refused("is a link that leads out of the folder")
        }
        (Ok(_), Ok(about)) if about.is_file() => Found::File,
        (Ok(_), Ok(_)) => Found::Refused("is a link to what is not a plain file"),
        _ => Found::Refused("is a link that leads nowhere"),
    })
}

fn is_hidden(entry: &fs::DirEntry) -> bool {
    entry.file_name().as_encoded_bytes().starts_with(b".")
}

/// Whether a folder has files that match the plan, or folders with such. One that cannot be listed
/// has none.
fn has_wanted_files(folder: &Path, plan: &Plan) -> bool {
    list(folder, plan).is_ok_and(|listing| {
        let mut skipped = listing.skipped.iter();
        !listing.files.is_empty() || skipped.any(|folder| !folder.is_symlink())
    })
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn where_an_open_file_lies_is_known_with_and_without_the_help_of_the_system() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap();
        let [file, other, link] = ["file", "other", "link"].map(|name| root.join(name));
        File::create(&file).unwrap();
        File::create(&other).unwrap();
        symlink(&file, &link).unwrap();
        let opened = File::open(&link).unwrap();
        for place in [place_of, place_by_name] {
            assert_eq!(place(&opened, &link).unwrap(), Some(file.clone()));
        }
        fs::remove_file(&link).unwrap();
        symlink(&other, &link).unwrap();
        assert_eq!(place_by_name(&opened, &link).unwrap(), None);
    }
}
