//! Writes a file for an operator to edit: a mapping or settings.

use std::io::Write;
use std::path::Path;

use anyhow::Context as _;
use import::source::STANDARD_INPUT;

use crate::process::context::Context;
use crate::process::output_file::{Kind, OutputFile, Permit};

/// Writes `text` to `path`, or to standard output for `-`. Returns whether it is in a file.
pub(super) fn write(
    text: &str,
    path: &Path,
    permit: &Permit,
    context: &mut Context,
) -> anyhow::Result<bool> {
    if path.as_os_str() == STANDARD_INPUT {
        context.out.write_all(text.as_bytes())?;
        return Ok(false);
    }
    let mut file = OutputFile::create(path, Kind::Draft, permit)?;
    let written = file.write_all(text.as_bytes());
    written.with_context(|| format!("could not write {}", path.display()))?;
    file.publish()?;
    Ok(true)
}
