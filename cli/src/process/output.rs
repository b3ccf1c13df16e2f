//! Standard output, which may be closed: by its reader, or before the process started.
//!
//! A reader that closes it, as `head` does, has seen enough, and the command ends successfully. A
//! process may also be started without standard output, as with `>&-`, or with one that cannot be
//! written to, as with `1</dev/null`. Before any of our code runs, the runtime replaces a closed
//! stream by `/dev/null`, opened for reading and writing; a shell's `>/dev/null` opens it for
//! writing only. A few programs start others with a `/dev/null` like the runtime's, so it is no
//! reason to end a command whose output can be produced again, but it is a reason not to create
//! something that is shown only once. The standard library treats writes to a stream that is only
//! open for reading as successful.

use std::error::Error;
use std::fs::{Metadata, metadata};
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt;

use rustix::fs::{OFlags, fcntl_getfl, fstat};

/// What the runtime opens in place of a closed stream.
const NULL: &str = "/dev/null";

/// Standard output. If its reader closes it, as `head` does, that is a separate error, unlike other
/// broken pipes.
pub struct Output {
    stream: Box<dyn Write + Send>,
    is_absent: bool,
}

/// The reader of standard output has closed it.
#[derive(Debug, thiserror::Error)]
#[error("standard output is closed")]
pub struct OutputClosed;

impl Output {
    /// Results go to `stream`.
    pub fn new(stream: impl Write + Send + 'static) -> Self {
        Self {
            stream: Box::new(stream),
            is_absent: false,
        }
    }

    /// Standard output of this process.
    pub(super) fn of_process() -> Self {
        Self {
            stream: Box::new(std::io::stdout()),
            is_absent: is_closed(&std::io::stdout()),
        }
    }

    /// Fails if the process was started without a standard output: for something that is shown only
    /// once, and must not be created if nobody can see it.
    pub fn require(&self) -> Result<(), OutputClosed> {
        if self.is_absent {
            return Err(OutputClosed);
        }
        Ok(())
    }
}

impl OutputClosed {
    /// Whether an attempt failed because of this.
    pub fn caused(error: &anyhow::Error) -> bool {
        error
            .chain()
            .filter_map(|cause| cause.downcast_ref::<io::Error>()?.get_ref())
            .any(<dyn Error + Send + Sync>::is::<Self>)
    }

    /// Ignores a closed standard output, for a command whose exit status does not depend on anyone
    /// watching.
    pub fn ignore_closed(shown: anyhow::Result<()>) -> anyhow::Result<()> {
        let is_closed = |cause: &io::Error| cause.kind() == io::ErrorKind::BrokenPipe;
        match shown {
            Err(error)
                if error
                    .chain()
                    .filter_map(<dyn Error>::downcast_ref)
                    .any(is_closed) =>
            {
                Ok(())
            }
            shown => shown,
        }
    }

    fn marked(error: io::Error) -> io::Error {
        match error.kind() {
            io::ErrorKind::BrokenPipe => io::Error::new(io::ErrorKind::BrokenPipe, Self),
            _ => error,
        }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.stream.write(bytes).map_err(OutputClosed::marked)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush().map_err(OutputClosed::marked)
    }
}

/// Whether nobody can see what is written to `stream`, since it was closed or is only open for
/// reading.
fn is_closed(stream: &impl AsFd) -> bool {
    match fcntl_getfl(stream).map(|flags| flags & OFlags::ACCMODE) {
        Ok(OFlags::RDONLY) => true,
        Ok(OFlags::RDWR) => is_null(stream, metadata(NULL)).unwrap_or(false),
        _ => false,
    }
}

fn is_null(stream: &impl AsFd, null: io::Result<Metadata>) -> io::Result<bool> {
    let (found, null) = (fstat(stream)?, null?);
    Ok((found.st_dev, found.st_ino) == (null.dev(), null.ino()))
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use super::*;

    #[test]
    fn a_closed_stream_is_distinguished_from_one_that_discards() {
        let directory = tempfile::tempdir().unwrap();
        let open = |path, reads| File::options().read(reads).write(true).open(path).unwrap();
        let file = directory.path().join("file");
        File::create(&file).unwrap();
        assert!(is_closed(&open(NULL.as_ref(), true)));
        assert!(!is_closed(&open(NULL.as_ref(), false)));
        assert!(!is_closed(&open(file.as_path(), true)));
        for path in [NULL.as_ref(), file.as_path(), directory.path()] {
            assert!(is_closed(&File::open(path).unwrap()), "{path:?}");
        }
    }
}
