//! Nameless files for what memory need not hold. No other process can open one, and it is gone with
//! the process, however that ends.

use std::fs::File;
use std::path::Path;

use anyhow::Context as _;

/// A file in `directory`, to be written and read.
pub(crate) fn create(directory: &Path) -> anyhow::Result<File> {
    tempfile::tempfile_in(directory).with_context(|| {
        format!(
            "could not create a temporary file in {}",
            directory.display()
        )
    })
}

/// What to say where such a file cannot be written: most likely the disk is full.
pub(crate) fn not_written(directory: &Path) -> String {
    format!(
        "could not write to a temporary file in {}",
        directory.display()
    )
}
