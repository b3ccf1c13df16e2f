//! Whether a process was started without a standard output, as `>&-` does, or with one that cannot
//! be written to, as `1</dev/null` does.
//!
//! The runtime opens `/dev/null` in the place of a stream that is closed, before any code of ours
//! runs, for reading and writing. A shell's `>/dev/null` opens it for writing only. A few programs
//! start others with a `/dev/null` like the runtime's, so this is no reason to end a command whose
//! answer can be had again; it is one not to make what is shown only once. The library takes what
//! is written to a stream that is open for reading alone for written.

use std::fs::Metadata;
use std::fs::metadata;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt;

use rustix::fs::{OFlags, fcntl_getfl, fstat};

/// What stands for a closed stream.
const NULL: &str = "/dev/null";

/// Whether nothing that is written to `stream` is seen, since it was closed or is only read.
pub(crate) fn is_closed(stream: &impl AsFd) -> bool {
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
