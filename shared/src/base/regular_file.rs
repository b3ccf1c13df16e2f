//! Opening a file to read or append, without ever blocking on a pipe.
//!
//! A pipe or a device in place of a file would block its reader, or feed it forever. Here that is
//! an error. Reading a directory fails with the system's own error.

use std::fs::{File, FileType, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::Path;

use nix::fcntl::OFlag;

/// The file at `path`, open for reading; an error where it is a pipe or a device.
pub fn open(path: &Path) -> io::Result<File> {
    let file = open_unwaiting(path)?;
    refuse_irregular(file.metadata()?.file_type())?;
    Ok(file)
}

/// The same for a caller that reads a limited number of bytes, for which a device such as
/// `/dev/null` will do.
pub fn open_unwaiting(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    let options = options.read(true).custom_flags(OFlag::O_NONBLOCK.bits());
    let file = options.open(path)?;
    refuse_pipe(file.metadata()?.file_type())?;
    Ok(file)
}

/// The file at `path`, open for reading and appending; created for its owner alone if it does not
/// exist.
pub fn open_to_append(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    let options = options.read(true).append(true).create(true).mode(0o600);
    let file = options.custom_flags(OFlag::O_NONBLOCK.bits()).open(path)?;
    refuse_irregular(file.metadata()?.file_type())?;
    Ok(file)
}

/// The contents of the file at `path`.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut contents = Vec::new();
    open(path)?.read_to_end(&mut contents)?;
    Ok(contents)
}

/// An error for everything but a file and a directory.
pub(crate) fn refuse_irregular(kind: FileType) -> io::Result<()> {
    refuse_pipe(kind)?;
    if kind.is_file() || kind.is_dir() {
        return Ok(());
    }
    Err(io::Error::other("it is a device, not a file"))
}

fn refuse_pipe(kind: FileType) -> io::Result<()> {
    if kind.is_fifo() {
        return Err(io::Error::other("it is a pipe, not a file"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {

    use nix::sys::stat::Mode;
    use nix::unistd::mkfifo;

    use super::*;
    use crate::base::durable;

    #[test]
    fn what_is_no_file_is_refused_at_once() {
        let directory = tempfile::tempdir().unwrap();
        let pipe = directory.path().join("pipe");
        mkfifo(&pipe, Mode::S_IRUSR | Mode::S_IWUSR).unwrap();
        for (path, expected) in [
            (pipe.as_path(), "it is a pipe, not a file"),
            (Path::new("/dev/zero"), "it is a device, not a file"),
        ] {
            let error = read(path).unwrap_err().to_string();
            assert_eq!(error, expected, "{path:?}");
        }
        assert!(open_unwaiting(&pipe).is_err());
        assert!(open_unwaiting(Path::new("/dev/null")).is_ok());
    }

    #[test]
    fn a_file_is_read_and_what_is_missing_or_a_directory_says_so() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("file");
        assert_eq!(read(&file).unwrap_err().kind(), io::ErrorKind::NotFound);
        durable::replace(&file, b"text").unwrap();
        assert_eq!(read(&file).unwrap(), b"text");
        let read = read(directory.path()).unwrap_err();
        assert_eq!(read.kind(), io::ErrorKind::IsADirectory);
    }
}
