//! A file that appears under its name only when it is complete.
//!
//! Until then it is in the same directory, under a name that begins with `.part-`. A command that
//! is killed leaves it behind, to be deleted by hand: it might belong to another running command,
//! and pruning only knows files with other names.

mod permit;

use std::fs::{self, File, Permissions};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, ensure};
use shared::base::durable;
use shared::release::interruption::Unfinished;
use tempfile::{NamedTempFile, TempPath};

use self::permit::Destination;
pub use self::permit::{Kind, Permit, would_replace};

/// Prefix of files that are being written.
const PART: &str = ".part-";

/// A file being written. If it is dropped without being published, nothing is left of it.
pub struct OutputFile {
    path: PathBuf,
    kind: Kind,
    permit: Permit,
    to: Target,
}

/// A file and its temporary name. They are kept apart, so that errors of writing do not mention
/// that name.
struct Beside(BufWriter<File>, TempPath);

enum Target {
    /// A temporary file, which replaces the file with this name, if any.
    Beside(Beside, PathBuf, Unfinished),
    /// A pipe or a device cannot be replaced, only written to.
    Directly(BufWriter<File>),
}

impl OutputFile {
    /// Begins a file of this kind that will be called `path`. Fails at once if it could not, or
    /// must not, be written there.
    pub fn create(path: &Path, kind: Kind, permit: &Permit) -> anyhow::Result<Self> {
        let destination = permit.destination(path, kind)?;
        let to = open(path, destination, kind)
            .with_context(|| format!("could not create {}", path.display()))?;
        Ok(Self {
            path: path.to_owned(),
            kind,
            permit: permit.clone(),
            to,
        })
    }

    /// The final name of the file, as typed.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The name that the file has until it is published, for what writes to a name.
    pub fn part(&self) -> &Path {
        match &self.to {
            Target::Beside(Beside(_, name), ..) => name,
            Target::Directly(_) => &self.path,
        }
    }

    /// Gives the file its name, once its contents are on disk. The same rules protect a file that
    /// has appeared there meanwhile.
    pub fn publish(self) -> anyhow::Result<()> {
        let attempt = format!("could not write {}", self.path.display());
        match self.to {
            Target::Directly(mut file) => file.flush().context(attempt),
            Target::Beside(file, real, _unfinished) => {
                let destination = self.permit.destination(&self.path, self.kind)?;
                ensure!(
                    destination == Destination::File(real.clone()),
                    "{attempt}: it has moved"
                );
                match publish(file, &real, self.kind) {
                    Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                        Err(self.kind.not_replaced(&self.path))
                    }
                    published => published.context(attempt),
                }
            }
        }
    }
}

impl Write for OutputFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let (Target::Beside(Beside(file, _), ..) | Target::Directly(file)) = &mut self.to;
        file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        let (Target::Beside(Beside(file, _), ..) | Target::Directly(file)) = &mut self.to;
        file.flush()
    }
}

fn open(path: &Path, destination: Destination, kind: Kind) -> io::Result<Target> {
    let real = match destination {
        Destination::File(real) if !real.is_dir() => real,
        // The system reports what is wrong with the directory.
        Destination::File(_) | Destination::Stream => {
            let file = File::options().write(true).open(path)?;
            return Ok(Target::Directly(BufWriter::new(file)));
        }
    };
    let (file, unfinished) = part(path, &real, kind.permissions())?;
    let (file, name) = file.into_parts();
    let beside = Beside(BufWriter::new(file), name);
    Ok(Target::Beside(beside, real, unfinished))
}

/// A new file beside `real`, which is what `path` leads to, that an interruption removes.
fn part(
    path: &Path,
    real: &Path,
    permissions: Permissions,
) -> io::Result<(NamedTempFile, Unfinished)> {
    // Without this, the error about a missing directory names the temporary file.
    fs::metadata(durable::directory_of(path))?;
    let make = || {
        let mut part = tempfile::Builder::new();
        let part = part.prefix(PART).permissions(permissions);
        part.tempfile_in(durable::directory_of(real))
    };
    Unfinished::make(make).map_err(nameless)
}

/// The error of the system, without the temporary name that the library adds.
fn nameless(error: io::Error) -> io::Error {
    match error.to_string().split_once(" at path ") {
        Some((why, _name)) => io::Error::new(error.kind(), why.to_owned()),
        None => error,
    }
}

fn publish(Beside(file, name): Beside, path: &Path, kind: Kind) -> io::Result<()> {
    let file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
    kind.mark(&file);
    let file = NamedTempFile::from_parts(file, name);
    if path.exists() {
        durable::persist(file, path)
    } else {
        durable::persist_new(file, path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A report, with the data directory elsewhere.
    fn create(path: &Path) -> anyhow::Result<OutputFile> {
        OutputFile::create(path, Kind::Report, &Permit::outside(Path::new("/nowhere")))
    }

    #[test]
    fn a_file_has_its_name_only_once_it_is_published() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("report.json");
        let mut file = create(&path).unwrap();
        file.write_all(b"{}").unwrap();
        assert!(!path.exists());
        file.publish().unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"{}");
        drop(create(&directory.path().join("other.json")).unwrap());
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_device_is_written_to_and_not_replaced() {
        let mut file = create(Path::new("/dev/null")).unwrap();
        file.write_all(b"{}").unwrap();
        file.publish().unwrap();
        assert!(!Path::new("/dev/null").is_file());
    }

    #[test]
    fn an_error_names_only_the_file_that_was_asked_for() {
        let directory = tempfile::tempdir().unwrap();
        File::create(directory.path().join("file")).unwrap();
        let created = create(&directory.path().join("file/report.json"));
        let error = format!("{:#}", created.err().unwrap());
        assert!(error.ends_with("Not a directory (os error 20)"), "{error}");
    }

    #[test]
    fn a_missing_directory_is_an_error_at_once() {
        let directory = tempfile::tempdir().unwrap();
        assert!(create(&directory.path().join("missing/report.json")).is_err());
    }
}
