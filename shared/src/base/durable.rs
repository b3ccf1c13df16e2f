//! Files that survive a power cut whole, or do not exist at all.
//!
//! Whatever must survive is written through this module: contents are synced before they get
//! their name, and the directory is synced after.

use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use tempfile::NamedTempFile;

/// Creates a file that only its owner may read and write, whatever the umask. It must not exist
/// yet.
pub fn create_new(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    let options = options.read(true).write(true).create_new(true);
    options.mode(0o600).open(path)
}

/// Replaces the file at `path` by one with these `contents`; readers see the old or the new one.
pub fn replace(path: &Path, contents: &[u8]) -> io::Result<()> {
    let mut file = tempfile::Builder::new()
        .prefix(".new-")
        .tempfile_in(directory_of(path))?;
    file.write_all(contents)?;
    persist(file, path)
}

/// Gives a whole file its final name. It must lie in the same file system, best beside it.
pub fn persist(file: NamedTempFile, path: &Path) -> io::Result<()> {
    file.as_file().sync_all()?;
    file.persist(path)?;
    sync_directory(directory_of(path))
}

/// The same for a name that nothing has yet.
pub fn persist_new(file: NamedTempFile, path: &Path) -> io::Result<()> {
    file.as_file().sync_all()?;
    file.persist_noclobber(path)?;
    sync_directory(directory_of(path))
}

/// Gives a whole directory its final name, once everything in it is synced.
#[expect(
    clippy::disallowed_methods,
    reason = "the directory is synced right after"
)]
pub fn publish_directory(from: &Path, to: &Path) -> io::Result<()> {
    sync_directory(from)?;
    fs::rename(from, to)?;
    sync_directory(directory_of(to))
}

/// Makes the names in a directory durable.
pub fn sync_directory(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

/// The directory that has, or will have, the name `path`.
pub fn directory_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::MetadataExt;

    use super::*;

    #[test]
    fn replacing_a_file_leaves_the_new_contents_and_no_temporary_file() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("current");
        replace(&path, b"one").unwrap();
        replace(&path, b"two").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
    }

    #[test]
    fn new_files_are_for_their_owner_alone_and_replace_nothing() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("file");
        let mode = create_new(&path).unwrap().metadata().unwrap().mode();
        assert_eq!(mode & 0o777, 0o600);
        let again = create_new(&path).unwrap_err();
        assert_eq!(again.kind(), io::ErrorKind::AlreadyExists);
    }

    #[test]
    fn a_file_lies_where_its_path_says() {
        for (path, directory) in [("/a/b", "/a"), ("a/b", "a"), ("b", "."), ("/", ".")] {
            assert_eq!(
                directory_of(Path::new(path)),
                Path::new(directory),
                "{path}"
            );
        }
    }

    #[test]
    fn a_missing_directory_is_an_error() {
        let directory = tempfile::tempdir().unwrap();
        assert!(replace(&directory.path().join("missing/current"), b"one").is_err());
    }
}
