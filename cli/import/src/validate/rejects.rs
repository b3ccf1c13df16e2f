//! Where the lines of invalid records go: as they came, or as the mapping made them.

use std::io::{self, Write};

use anyhow::Context as _;

/// Receives the lines that are left out.
pub(super) struct Rejects<'a>(pub(super) &'a mut dyn Write);

impl Rejects<'_> {
    /// Keeps a line.
    pub(super) fn line(&mut self, bytes: &[u8]) -> anyhow::Result<()> {
        self.piece(bytes)?;
        self.end_of_line()
    }

    /// Keeps a piece of a line too long to be held.
    pub(super) fn piece(&mut self, bytes: &[u8]) -> anyhow::Result<()> {
        written(self.0.write_all(bytes))
    }

    /// Ends a line that was given in pieces.
    pub(super) fn end_of_line(&mut self) -> anyhow::Result<()> {
        written(self.0.write_all(b"\n"))
    }
}

fn written(written: io::Result<()>) -> anyhow::Result<()> {
    written.context("could not write the rejected records")
}
