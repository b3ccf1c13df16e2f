//! Where a command may write a file: never into the data directory, and never over a file of
//! another kind, unless the operator allows that. A kind that is known again, such as a report,
//! replaces its own, for a job that runs every night.
//!
//! This only inspects and decides; it writes nothing. A file that cannot be inspected does not
//! count as ours.

use std::ffi::OsStr;
use std::fs::{self, File, Metadata, Permissions};
use std::io::{self, ErrorKind, Read};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow};
use rustix::fs::{FileType, Stat, XattrFlags, fgetxattr, fsetxattr, fstat, stat};
use shared::base::{durable, regular_file};

use crate::hints::Hinted;
use crate::report::page;

/// The beginning of every report, and of no other file.
const REPORT: &[u8] = b"{\n  \"records\": {\n    \"boat\": {\n      \"published\": ";
/// The beginning of every manual page of ours.
const MANUAL_PAGE: &[u8] = b".ie \\n(.g .ds Aq \\(aq\n.el .ds Aq '\n.TH catalogue";
/// The extended attribute that marks a file of rejects, which otherwise looks like any export.
const MARK: &str = "user.boat-catalogue.rejects";
/// Longest mark, in bytes: three numbers.
const MARK_MAX: usize = 64;

/// The kind of a file, which decides what it may replace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Findings as JSON.
    Report,
    /// A report as an HTML page.
    Page,
    /// Records that were left out, unchanged.
    Rejects,
    /// A page of the manual.
    ManualPage,
    /// What a release publishes.
    Export,
    /// A mapping or settings, to be edited.
    Draft,
    /// The key store at one moment. It never replaces anything, so that no backup is lost.
    Backup,
}

/// The files that a command may write.
#[derive(Clone, Debug)]
pub struct Permit {
    data: PathBuf,
    overwrite: bool,
}

/// Where output goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Destination {
    /// A file with this name, which contains no symbolic links.
    File(PathBuf),
    /// A pipe, a socket or a character device, which takes a stream of text.
    Stream,
}

/// What already exists at the path of a new file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Existing {
    /// A file that a new file may replace.
    Name,
    /// Something that takes a stream of text.
    Stream,
    /// A block device, whose contents would be overwritten.
    Disk,
}

impl Existing {
    const fn of(kind: FileType) -> Self {
        match kind {
            FileType::Fifo | FileType::Socket | FileType::CharacterDevice => Self::Stream,
            FileType::RegularFile | FileType::Directory => Self::Name,
            _ => Self::Disk,
        }
    }
}

fn not_over_disk(path: &Path) -> anyhow::Error {
    let error = anyhow!("{} is a disk, not a file", path.display());
    Hinted::wrong_usage(error, "name a file").into()
}

impl Permit {
    /// Allows files anywhere outside this data directory, over files of the same kind.
    pub fn outside(data: &Path) -> Self {
        Self {
            data: data.to_owned(),
            overwrite: false,
        }
    }

    /// The same, over any file if `is_allowed`.
    #[must_use]
    pub fn overwriting(self, is_allowed: bool) -> Self {
        Self {
            overwrite: is_allowed,
            ..self
        }
    }

    /// The destination of a file of this kind at `path`; wrong usage if it may not be written
    /// there.
    pub(super) fn destination(&self, path: &Path, kind: Kind) -> anyhow::Result<Destination> {
        if fs::metadata(path).is_ok_and(|found| is_of_process(&found)) {
            return Err(has_stream(path));
        }
        if kind == Kind::Backup && fs::symlink_metadata(path).is_ok() {
            return Err(kind.not_replaced(path));
        }
        match stat(path).map(|found| Existing::of(FileType::from_raw_mode(found.st_mode))) {
            Ok(Existing::Stream) => return Ok(Destination::Stream),
            Ok(Existing::Disk) => return Err(not_over_disk(path)),
            Ok(Existing::Name) | Err(_) => {}
        }
        let real = self.check(path)?;
        let replaces = fs::metadata(path).is_ok_and(|found| found.is_file() && found.len() != 0);
        if replaces && !self.overwrite && !kind.has(&real).unwrap_or(false) {
            return Err(kind.not_replaced(path));
        }
        Ok(Destination::File(real))
    }

    /// The path of a file with symbolic links resolved; wrong usage if it is in the data directory.
    pub fn check(&self, path: &Path) -> anyhow::Result<PathBuf> {
        let real = real(path)?;
        if is_in(&real, &self.data) || would_replace(path, &self.data) {
            let (path, data) = (path.display(), self.data.display());
            let error = anyhow!("{path} is in the data directory {data}");
            let hint = "name a file elsewhere: only what is served and its keys belong there";
            return Err(Hinted::wrong_usage(error, hint).into());
        }
        Ok(real)
    }
}

impl Kind {
    /// Who may read it. Exports and what is said of them are their owner's, and settings may hold
    /// passwords.
    pub(super) fn permissions(self) -> Permissions {
        Permissions::from_mode(match self {
            Self::ManualPage => 0o666,
            _ => 0o600,
        })
    }

    /// Whether the file was written by a command and has this kind.
    fn has(self, path: &Path) -> io::Result<bool> {
        let file = regular_file::open(path)?;
        match self {
            Self::Report => begins(file, REPORT),
            Self::Page => begins(file, page::BEGINNING.as_bytes()),
            Self::ManualPage => begins(file, MANUAL_PAGE),
            // An export cannot be told from other files of its format, and a draft is edited.
            Self::Export | Self::Draft | Self::Backup => Ok(false),
            Self::Rejects => {
                let mut mark = [0; MARK_MAX];
                let length = fgetxattr(&file, MARK, &mut mark[..])?;
                Ok(mark[..length] == *state(&file.metadata()?).as_bytes())
            }
        }
    }

    /// Marks a complete file as one of this kind, if its contents do not show the kind. On a file
    /// system without extended attributes, the next run needs `--overwrite`.
    pub(super) fn mark(self, file: &File) {
        if self == Self::Rejects
            && let Ok(found) = file.metadata()
        {
            let _kept = fsetxattr(file, MARK, state(&found).as_bytes(), XattrFlags::empty());
        }
    }

    /// The error about a file that it may not replace.
    pub(super) fn not_replaced(self, path: &Path) -> anyhow::Error {
        const REPLACE: &str = "name another file, or replace it: --overwrite";
        let (is_not, hint) = match self {
            Self::Report | Self::Page => (" and is no report", REPLACE),
            Self::Rejects => (" and is not, or no longer, what --rejects wrote", REPLACE),
            Self::Export | Self::Draft => ("", REPLACE),
            Self::ManualPage => (" and is no manual page of this program", REPLACE),
            Self::Backup => ("", "name another file: a backup replaces nothing"),
        };
        let error = anyhow!("{} already exists{is_not}", path.display());
        Hinted::wrong_usage(error, hint).into()
    }
}

/// Whether a stream of this process reads from or writes to this file: replacing it would lose what
/// that stream writes.
fn is_of_process(found: &Metadata) -> bool {
    let streams = [fstat(io::stdin()), fstat(io::stdout()), fstat(io::stderr())];
    let is_it = |stream: Stat| (stream.st_dev, stream.st_ino) == (found.dev(), found.ino());
    found.is_file() && streams.into_iter().flatten().any(is_it)
}

fn has_stream(path: &Path) -> anyhow::Error {
    let error = anyhow!("{} is open as a stream of this command", path.display());
    Hinted::wrong_usage(error, "name another file, or use a pipe").into()
}

/// A value that changes with every write to a file, so that a mark is valid only for the marked
/// contents.
fn state(found: &Metadata) -> String {
    let (seconds, nanoseconds) = (found.mtime(), found.mtime_nsec());
    format!("{} {seconds} {nanoseconds}", found.len())
}

fn begins(file: File, beginning: &[u8]) -> io::Result<bool> {
    let mut read = Vec::with_capacity(beginning.len());
    file.take(beginning.len() as u64).read_to_end(&mut read)?;
    Ok(read == beginning)
}

/// The path with symbolic links resolved. A path that does not exist yet counts as in its nearest
/// existing directory.
fn real(path: &Path) -> anyhow::Result<PathBuf> {
    if fs::symlink_metadata(path).is_ok() {
        let real = path.canonicalize();
        return match real {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                let error = anyhow!("{} is a link to nothing", path.display());
                Err(Hinted::wrong_usage(error, "name another file, or remove the link").into())
            }
            real => real.with_context(|| format!("could not create {}", path.display())),
        };
    }
    let mut directories = durable::directory_of(path).ancestors();
    let nearest = directories.find_map(|it| it.canonicalize().ok());
    let nearest = nearest.or_else(|| Path::new(".").canonicalize().ok());
    let name = path.file_name().unwrap_or_default();
    Ok(nearest.unwrap_or_default().join(name))
}

/// Whether a path without symbolic links is in that directory.
fn is_in(real: &Path, directory: &Path) -> bool {
    let Ok(directory) = fs::metadata(directory) else {
        return false;
    };
    let is_it = |above: &Path| fs::metadata(above).is_ok_and(|above| is_same(&above, &directory));
    real.ancestors().any(is_it)
}

fn is_same(one: &Metadata, other: &Metadata) -> bool {
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

/// Whether a new file at `path` would replace the one at `other`, which need not exist yet. Pipes
/// and devices are never replaced.
pub fn would_replace(path: &Path, other: &Path) -> bool {
    match (fs::metadata(path), fs::metadata(other)) {
        (Ok(this), Ok(other)) => this.is_file() && is_same(&this, &other),
        (Err(_), Err(_)) => match (place_of(path), place_of(other)) {
            (Some(place), Some(other)) => place == other,
            _ => false,
        },
        _ => false,
    }
}

/// The directory and the name of a file that does not exist.
fn place_of(path: &Path) -> Option<(PathBuf, &OsStr)> {
    let directory = durable::directory_of(path).canonicalize().ok()?;
    Some((directory, path.file_name()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_takes_text_as_it_comes_is_written_to_and_disks_are_refused() {
        for (kind, expected) in [
            (FileType::Fifo, Existing::Stream),
            (FileType::Socket, Existing::Stream),
            (FileType::CharacterDevice, Existing::Stream),
            (FileType::RegularFile, Existing::Name),
            (FileType::Directory, Existing::Name),
            (FileType::BlockDevice, Existing::Disk),
        ] {
            assert_eq!(Existing::of(kind), expected, "{kind:?}");
        }
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
}
