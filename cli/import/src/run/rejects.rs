//! Where the lines of invalid records go: to a file, unchanged, or nowhere.

use std::io::{self, Write};
use std::path::Path;

use anyhow::Context as _;

use crate::process::new_file::{Kind, NewFile, Permit};

/// Receives the lines that are left out.
pub struct Rejects {
    file: Option<NewFile>,
}

impl Rejects {
    /// Keeps nothing.
    pub const fn nowhere() -> Self {
        Self { file: None }
    }

    /// Keeps the lines for a file at `path`; fails now if it could not be written there, or
    /// may not.
    pub fn create(path: &Path, permit: &Permit) -> anyhow::Result<Self> {
        Ok(Self {
            file: Some(NewFile::create(path, Kind::Rejects, permit)?),
        })
    }

    /// Gives the file its name.
    pub fn publish(self) -> anyhow::Result<()> {
        self.file.map_or(Ok(()), NewFile::publish)
    }

    /// Keeps a line.
    pub(super) fn line(&mut self, bytes: &[u8]) -> anyhow::Result<()> {
        self.piece(bytes)?;
        self.end_of_line()
    }

    /// Keeps a piece of a line too long to be held.
    pub(super) fn piece(&mut self, bytes: &[u8]) -> anyhow::Result<()> {
        self.write(|file| file.write_all(bytes))
    }

    /// Ends a line that was given in pieces.
    pub(super) fn end_of_line(&mut self) -> anyhow::Result<()> {
        self.write(|file| file.write_all(b"\n"))
    }

    fn write(&mut self, write: impl FnOnce(&mut NewFile) -> io::Result<()>) -> anyhow::Result<()> {
        let written = self.file.as_mut().map_or(Ok(()), write);
        written.context("could not write the rejected records")
    }
}
