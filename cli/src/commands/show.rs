//! How commands show what came of them: with `--json` as one document on standard output, and a
//! change that is made even where it cannot be shown.

use std::io::{self, BufWriter, Write};

use serde::Serialize;

use crate::hints::Hinted;
use crate::process::context::Context;

/// Prints `document`, indented, and a line end. It is written while it is made, as it may be long.
pub(crate) fn json(document: &impl Serialize, context: &mut Context) -> anyhow::Result<()> {
    let mut out = BufWriter::new(&mut context.out);
    // The error of a stream is given as such.
    serde_json::to_writer_pretty(&mut out, document).map_err(io::Error::from)?;
    out.write_all(b"\n")?;
    Ok(out.flush()?)
}

/// What came of showing a change that is made. A cause alone, such as a full disk, would have the
/// change made again; an error that has a hint says itself what is so.
pub(super) fn made(shown: Result<(), impl Into<anyhow::Error>>) -> anyhow::Result<()> {
    shown.map_err(Into::into).map_err(|error| {
        if error.is::<Hinted>() {
            return error;
        }
        error.context("the change is made, but could not be shown")
    })
}
