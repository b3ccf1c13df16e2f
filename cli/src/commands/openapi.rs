//! `catalogue openapi`: the OpenAPI document that servers of this version serve.

use std::io::Write;

use server::http::openapi;

use crate::exit_status::ExitStatus;
use crate::process::context::Context;

/// Prints the document; no data directory is needed.
pub fn run(context: &mut Context) -> anyhow::Result<ExitStatus> {
    context.out.write_all(openapi::text().as_bytes())?;
    Ok(ExitStatus::Done)
}
