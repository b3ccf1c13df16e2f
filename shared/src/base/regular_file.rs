//! Opening a file to read, write or append, without ever blocking on a pipe.
//!
//! A pipe or a device in place of a file would block its reader, or feed it forever. Here that is
//! an error. Reading a directory fails with the system's own error.
//!
//! What is opened to be changed is never a link: whoever may write to the directory could let root
//! change any file.

use std::fs::{File, FileType, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::Path;

use nix::errno::Errno;
use nix::fcntl::OFlag;

/// What is said of a link where a file is to be changed.
const LINK: &str = "it is a link, which is not followed";

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
    open_to_change(path, OpenOptions::new().read(true).append(true))
}

/// The file at `path`, open for writing over what it has, such as one that is only locked; created
/// for its owner alone if it does not exist.
pub fn open_to_write(path: &Path) -> io::Result<File> {
    open_to_change(path, OpenOptions::new().write(true))
}

fn open_to_change(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    let flags = OFlag::O_NONBLOCK | OFlag::O_NOFOLLOW;
    let options = options.create(true).truncate(false).mode(0o600);
    let opened = options.custom_flags(flags.bits()).open(path);
    let file = opened.map_err(|error| match error.raw_os_error() {
        Some(number) if number == Errno::ELOOP as i32 => io::Error::other(LINK),
        _ => error,
    })?;
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
    if kind.is_symlink() {
        return Err(io::Error::other(LINK));
    }
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
    use std::os::unix::fs::symlink;

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
    fn what_is_changed_is_no_link_and_no_pipe() {
        let directory = tempfile::tempdir().unwrap();
        let [file, link, dangling, pipe] =
            ["file", "link", "dangling", "pipe"].map(|name| directory.path().join(name));
        durable::replace(&file, b"text").unwrap();
        symlink(&file, &link).unwrap();
        symlink(directory.path().join("new"), &dangling).unwrap();
        mkfifo(&pipe, Mode::S_IRUSR | Mode::S_IWUSR).unwrap();
        for open in [open_to_append, open_to_write] {
            for (path, expected) in [
                (&link, "it is a link, which is not followed"),
                (&dangling, "it is a link, which is not followed"),
            ] {
                assert_eq!(open(path).unwrap_err().to_string(), expected, "{path:?}");
            }
            assert!(open(&pipe).is_err());
            assert_eq!(open(&file).unwrap().metadata().unwrap().len(), 4);
        }
        assert!(!directory.path().join("new").exists());
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
