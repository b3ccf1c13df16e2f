//! How `--json` answers: one document on standard output.

use std::io::Write;

use serde::Serialize;

use crate::process::context::Context;

/// Prints `document`, indented, and a line end.
pub(crate) fn print(document: &impl Serialize, context: &mut Context) -> anyhow::Result<()> {
    let mut text = serde_json::to_string_pretty(document)?;
    text.push('\n');
    context.out.write_all(text.as_bytes())?;
    Ok(())
}
