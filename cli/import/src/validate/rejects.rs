//! Writes the lines of invalid records, in their original form or as the mapping made them.

use std::io::{self, Write};

use anyhow::Context as _;

/// The writer of the lines that are left out.
pub(super) struct Rejects<'a>(pub(super) &'a mut dyn Write);

impl Rejects<'_> {
    /// Writes a line.
    pub(super) fn line(&mut self, bytes: &[u8]) -> anyhow::Result<()> {
        self.piece(bytes)?;
        self.end_of_line()
    }

    /// Writes a piece of a line that is too long to be held.
    pub(super) fn piece(&mut self, bytes: &[u8]) -> anyhow::Result<()> {
        written(self.0.write_all(bytes))
    }

    /// Ends a line that was written in pieces.
    pub(super) fn end_of_line(&mut self) -> anyhow::Result<()> {
        written(self.0.write_all(b"\n"))
    }
}

fn written(written: io::Result<()>) -> anyhow::Result<()> {
    written.context("could not write the rejected records")
}
