//! Writes a new file for an operator to edit.

use std::io::{ErrorKind, Write};
use std::path::Path;

use anyhow::{Context as _, anyhow};
use import::source::STANDARD_INPUT;
use shared::base::durable;

use crate::hints::Hinted;
use crate::process::context::Context;
use crate::process::output_file::Permit;

/// Where the text is now.
pub(super) enum Written {
    /// On standard output, for `-`.
    Shown,
    /// In the file.
    InFile,
}

/// Writes `text` into a new file outside of the directory `data`, for its owner alone: settings may
/// later contain passwords. An existing file is left unchanged.
pub(super) fn write(
    text: &str,
    path: &Path,
    data: &Path,
    context: &mut Context,
) -> anyhow::Result<Written> {
    if path.as_os_str() == STANDARD_INPUT {
        context.out.write_all(text.as_bytes())?;
        return Ok(Written::Shown);
    }
    let shown = path.display();
    Permit::outside(data).check(path)?;
    let mut file = match durable::create_new(path) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            let error = anyhow!("{shown} exists already");
            let hint = "name another file, or remove this one";
            return Err(Hinted::wrong_usage(error, hint).into());
        }
        created => created.with_context(|| format!("could not create {shown}"))?,
    };
    let written = file.write_all(text.as_bytes());
    written.with_context(|| format!("could not write {shown}"))?;
    Ok(Written::InFile)
}
