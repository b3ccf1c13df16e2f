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
        Ok(Self::of(name, file))
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

    /// Takes the bytes of the file `name` to `file`, which is empty.
    pub(super) fn of(name: FileName, file: File) -> Self {
        Self {
            name,
            file: Hashed::new(file),
        }
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

/// Appends bodies to a new file, which is hashed, written and synced on its own thread.
pub(super) struct BodyWriter {
    path: PathBuf,
    writing: WritingThread<FileEntry>,
    length: i64,
}

/// The last bodies, being written to disk.
pub(super) struct LastBodies {
    path: PathBuf,
    ending: Ending<FileEntry>,
}

impl BodyWriter {
    pub(super) fn create(directory: &Path, name: FileName) -> Result<Self, ReleaseError> {
        let file = NewFile::create(directory, name)?;
        Self::start(directory.join(name.as_str()), file)
    }

    /// Appends bodies to `file`, which has the name `path`.
    pub(super) fn start(path: PathBuf, file: NewFile) -> Result<Self, ReleaseError> {
        let writing = WritingThread::start(file, NewFile::finish);
        Ok(Self {
            writing: writing.map_err(ReleaseError::io("write", &path))?,
            path,
            length: 0,
        })
    }

    /// Appends a body and returns its offset.
    pub(super) fn push(&mut self, body: &[u8]) -> Result<i64, ReleaseError> {
        let offset = self.length;
        self.writing
            .write_all(body)
            .map_err(ReleaseError::io("write", &self.path))?;
        self.length += i64::try_from(body.len()).unwrap_or(i64::MAX);
        Ok(offset)
    }

    /// No more bodies are coming.
    pub(super) fn end(self) -> Result<LastBodies, ReleaseError> {
        let ending = self.writing.end();
        Ok(LastBodies {
            ending: ending.map_err(ReleaseError::io("write", &self.path))?,
            path: self.path,
        })
    }
}

impl LastBodies {
    /// Waits until the bodies are durable, and describes their file.
    pub(super) fn wait(self) -> Result<FileEntry, ReleaseError> {
        self.ending
            .wait()
            .map_err(ReleaseError::io("write", &self.path))
    }
}
