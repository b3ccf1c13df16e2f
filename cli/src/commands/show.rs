//! How commands show what came of them: with `--json` as one document on standard output, and a
//! change that is made even where it cannot be shown.

use std::io::Write;

use serde::Serialize;

use crate::hints::Hinted;
use crate::process::context::Context;

/// Prints `document`, indented, and a line end.
pub(crate) fn json(document: &impl Serialize, context: &mut Context) -> anyhow::Result<()> {
    let mut text = serde_json::to_string_pretty(document)?;
    text.push('\n');
    context.out.write_all(text.as_bytes())?;
    Ok(())
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
