//! How commands show their results: with `--json` as one document on standard output; a change that
//! could not be shown is still reported as made.

use std::io::{self, BufWriter, Write};

use serde::Serialize;

use crate::hints::Hinted;
use crate::process::context::Context;

/// Prints `document`, indented, and a line end. It is written while it is serialized, as it may be
/// long.
pub(crate) fn json(document: &impl Serialize, context: &mut Context) -> anyhow::Result<()> {
    let mut out = BufWriter::new(&mut context.out);
    // Converted so that an error of the stream is returned as such.
    serde_json::to_writer_pretty(&mut out, document).map_err(io::Error::from)?;
    out.write_all(b"\n")?;
    Ok(out.flush()?)
}

/// Adds to an error of showing a change that the change was made. Otherwise a bare cause, such as a
/// full disk, would make people repeat it. An error with a hint already says so.
pub(super) fn made(shown: Result<(), impl Into<anyhow::Error>>) -> anyhow::Result<()> {
    shown.map_err(Into::into).map_err(|error| {
        if error.is::<Hinted>() {
            return error;
        }
        error.context("the change is made, but could not be shown")
    })
}
