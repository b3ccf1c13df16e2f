//! Creates unnamed files for data that need not be in memory. No other process can open them, and
//! they disappear with the process, however it ends.

use std::fs::File;
use std::path::Path;

use anyhow::Context as _;

/// Creates a file in `directory` for writing and reading.
pub(crate) fn create(directory: &Path) -> anyhow::Result<File> {
    tempfile::tempfile_in(directory).with_context(|| {
        format!(
            "could not create a temporary file in {}",
            directory.display()
        )
    })
}

/// The message if such a file cannot be written, most likely because the disk is full.
pub(crate) fn not_written(directory: &Path) -> String {
    format!(
        "could not write to a temporary file in {}",
        directory.display()
    )
}
