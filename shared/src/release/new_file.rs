//! A file of a release under construction, hashed on its way to disk, so that it need not be read
//! again.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::ReleaseError;
use super::manifest::{FileEntry, FileName};
use crate::base::durable;
use crate::base::hash::Hashed;
use crate::base::writing_thread::{Ending, WritingThread};

/// Takes the bytes of one file.
pub(super) struct NewFile {
    name: FileName,
    file: Hashed<File>,
}

impl NewFile {
    /// Creates the file `name` in `directory`.
    pub(super) fn create(directory: &Path, name: FileName) -> Result<Self, ReleaseError> {
        let path = directory.join(name.as_str());
        let file = durable::create_new(&path).map_err(ReleaseError::io("create", &path))?;
        Ok(Self {
            name,
            file: Hashed::new(file),
        })
    }

    /// Creates the file `name` in `directory` with these contents, and makes it durable.
    pub(super) fn written(
        directory: &Path,
        name: FileName,
        contents: &[u8],
    ) -> Result<FileEntry, ReleaseError> {
        let mut file = Self::create(directory, name)?;
        let written = file.write_all(contents).and_then(|()| file.finish());
        written.map_err(ReleaseError::io("write", &directory.join(name.as_str())))
    }

    /// Makes the file durable, and describes it.
    pub(super) fn finish(self) -> io::Result<FileEntry> {
        let (file, bytes, sha256) = self.file.finish();
        file.sync_all()?;
        Ok(FileEntry {
            name: self.name,
            bytes,
            sha256,
        })
    }
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Lines in the order in which records are pushed: a file without a name, written on its own thread.
pub(super) struct PushedLines {
    /// The file that they are for, which errors name.
    path: PathBuf,
    writing: WritingThread<File>,
}

impl PushedLines {
    pub(super) fn create(directory: &Path, name: FileName) -> Result<Self, ReleaseError> {
        let path = directory.join(name.as_str());
        let file = tempfile::tempfile_in(directory).map_err(ReleaseError::io("create", &path))?;
        Self::start(path, file)
    }

    /// Appends lines to `file`.
    pub(super) fn start(path: PathBuf, file: File) -> Result<Self, ReleaseError> {
        let writing = WritingThread::start(file, Ok);
        Ok(Self {
            writing: writing.map_err(ReleaseError::io("write", &path))?,
            path,
        })
    }

    /// Appends a record.
    pub(super) fn push(&mut self, record: &[u8]) -> Result<(), ReleaseError> {
        let written = self.writing.write_all(record);
        let written = written.and_then(|()| self.writing.write_all(b"\n"));
        written.map_err(ReleaseError::io("write", &self.path))
    }

    /// Waits until they are written, and returns their file.
    pub(super) fn end(self) -> Result<File, ReleaseError> {
        let ended = self.writing.end().and_then(Ending::wait);
        ended.map_err(ReleaseError::io("write", &self.path))
    }
}
