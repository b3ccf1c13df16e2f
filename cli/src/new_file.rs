//! A file that appears under its name only when it is complete.
//!
//! Until then it lies beside its place, under a name that begins with `.part-`. A command that is
//! killed leaves it there, where anybody may delete it: nothing can tell it from another command's
//! work under way, so pruning, which knows files of other names, does not touch it.

use std::ffi::OsStr;
use std::fs::{self, File, Permissions};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use shared::durable;
use tempfile::NamedTempFile;

/// Prefix of files that are being written.
const PART: &str = ".part-";

/// A file being written. Dropped without being published, it leaves nothing behind.
pub struct NewFile {
    path: PathBuf,
    to: Target,
}

enum Target {
    /// Takes the place of whatever file has the name.
    Beside(BufWriter<NamedTempFile>),
    /// A pipe or a device cannot be replaced, only written to.
    Directly(BufWriter<File>),
}

impl NewFile {
    /// Begins a file that will be called `path`; fails now if it could not be written there.
    pub fn create(path: &Path) -> anyhow::Result<Self> {
        let to = open(path).with_context(|| format!("could not create {}", path.display()))?;
        Ok(Self {
            path: path.to_owned(),
            to,
        })
    }

    /// Gives the file its name, once its contents are on disk.
    pub fn publish(self) -> anyhow::Result<()> {
        let written = match self.to {
            Target::Directly(mut file) => file.flush(),
            Target::Beside(file) => publish(file, &self.path),
        };
        written.with_context(|| format!("could not write {}", self.path.display()))
    }
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.to {
            Target::Beside(file) => file.write(bytes),
            Target::Directly(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.to {
            Target::Beside(file) => file.flush(),
            Target::Directly(file) => file.flush(),
        }
    }
}

/// Whether a new file at `path` would take the place of the one at `other`, which need not exist
/// yet. Pipes and devices take anything from anybody.
pub fn would_replace(path: &Path, other: &Path) -> bool {
    match (fs::metadata(path), fs::metadata(other)) {
        (Ok(this), Ok(other)) => {
            this.is_file() && (this.dev(), this.ino()) == (other.dev(), other.ino())
        }
        (Err(_), Err(_)) => match (place(path), place(other)) {
            (Some(place), Some(other)) => place == other,
            _ => false,
        },
        _ => false,
    }
}

/// The directory and the name of a file that does not exist.
fn place(path: &Path) -> Option<(PathBuf, &OsStr)> {
    let directory = durable::directory_of(path).canonicalize().ok()?;
    Some((directory, path.file_name()?))
}

fn open(path: &Path) -> io::Result<Target> {
    if path.exists() && !path.is_file() {
        let file = File::options().write(true).open(path)?;
        return Ok(Target::Directly(BufWriter::new(file)));
    }
    let directory = durable::directory_of(path);
    // Without this, the error about a missing directory names a file nobody asked for.
    fs::metadata(directory)?;
    let file = tempfile::Builder::new()
        .prefix(PART)
        .permissions(Permissions::from_mode(0o666))
        .tempfile_in(directory)?;
    Ok(Target::Beside(BufWriter::new(file)))
}

fn publish(file: BufWriter<NamedTempFile>, path: &Path) -> io::Result<()> {
    let file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
    durable::persist(file, path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_its_name_only_once_it_is_published() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("report.json");
        let mut file = NewFile::create(&path).unwrap();
        file.write_all(b"{}").unwrap();
        assert!(!path.exists());
        file.publish().unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"{}");
        drop(NewFile::create(&path).unwrap());
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_device_is_written_to_and_not_replaced() {
        let mut file = NewFile::create(Path::new("/dev/null")).unwrap();
        file.write_all(b"{}").unwrap();
        file.publish().unwrap();
        assert!(!Path::new("/dev/null").is_file());
    }

    #[test]
    fn one_file_is_recognised_under_all_its_names() {
        let directory = tempfile::tempdir().unwrap();
        let path = |name: &str| directory.path().join(name);
        File::create(path("file")).unwrap();
        std::os::unix::fs::symlink("file", path("link")).unwrap();
        let device = PathBuf::from("/dev/null");
        for (this, other, expected) in [
            (path("file"), path("./link"), true),
            (path("new"), path("./new"), true),
            (path("new"), path("other"), false),
            (path("new"), path("file"), false),
            (path("missing/new"), path("missing/new"), false),
            (device.clone(), device, false),
        ] {
            assert_eq!(would_replace(&this, &other), expected, "{this:?} {other:?}");
        }
    }

    #[test]
    fn a_missing_directory_is_an_error_at_once() {
        let directory = tempfile::tempdir().unwrap();
        assert!(NewFile::create(&directory.path().join("missing/report.json")).is_err());
    }
}
