//! Pipes that make a process wait forever: one that nobody writes to, in place of a file, and one
//! that nobody reads.

use std::fs::File;
use std::io::{ErrorKind, PipeReader, PipeWriter, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use nix::fcntl::OFlag;
use nix::sys::stat::Mode;
use nix::unistd::mkfifo;

/// Creates a named pipe at a path that does not exist yet.
pub(crate) fn make_pipe(path: &Path) {
    mkfifo(path, Mode::S_IRUSR | Mode::S_IWUSR).unwrap();
}

/// A full pipe: a writer waits as long as the reader exists.
pub(crate) fn full_pipe() -> (PipeReader, PipeWriter) {
    let (reader, writer) = std::io::pipe().unwrap();
    // Opened again, so that this descriptor is non-blocking but the other writers are not.
    let path = format!("/proc/self/fd/{}", writer.as_raw_fd());
    let mut options = File::options();
    let options = options.write(true).custom_flags(OFlag::O_NONBLOCK.bits());
    let mut filled = options.open(path).unwrap();
    let error = loop {
        if let Err(error) = filled.write(&[b'.'; 4096]) {
            break error;
        }
    };
    assert_eq!(error.kind(), ErrorKind::WouldBlock);
    (reader, writer)
}
