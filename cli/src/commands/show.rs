//! How commands show their results: with `--json` as one document on standard output; a change that
//! could not be shown is still reported as made.

use std::io::{self, BufWriter, Write};
use std::path::Path;

use serde::Serialize;

use crate::hints::Hinted;
use crate::process::context::Context;
use crate::report::facts::Facts;
use crate::report::{Report, text};
use crate::terminal::escape::escape_control;

/// Prints `document`, indented, and a line end. It is written while it is serialized, as it may be
/// long.
pub(crate) fn json(document: &impl Serialize, context: &mut Context) -> anyhow::Result<()> {
    let mut out = BufWriter::new(&mut context.out);
    // Converted so that an error of the stream is returned as such.
    serde_json::to_writer_pretty(&mut out, document).map_err(io::Error::from)?;
    out.write_all(b"\n")?;
    Ok(out.flush()?)
}

/// Shows a result: to programs one document, to people a report.
pub(super) fn result<'a>(
    as_json: bool,
    document: &impl Serialize,
    report: impl FnOnce() -> Report<'a>,
    context: &mut Context,
) -> anyhow::Result<()> {
    if as_json {
        return json(document, context);
    }
    self::report(&report(), context)
}

/// Shows the facts about one thing.
pub(super) fn facts(as_json: bool, facts: Facts, context: &mut Context) -> anyhow::Result<()> {
    if as_json {
        return json(&facts, context);
    }
    report(Report::new().facts(facts.lines()), context)
}

/// Shows a report to people.
pub(super) fn report(report: &Report<'_>, context: &mut Context) -> anyhow::Result<()> {
    let mut out = BufWriter::new(&mut context.out);
    text::write(report, &context.hints, context.terminal, &mut out)?;
    Ok(out.flush()?)
}

/// Says something beside the result, on standard error.
pub(super) fn aside(text: impl AsRef<str>, context: &mut Context) {
    let text = context.hints.paste(text.as_ref());
    // There is nowhere left to report that standard error is closed.
    _ = writeln!(context.err, "{}", escape_control(&text));
}

/// Names the files that were written, for people.
pub(super) fn written(
    files: impl IntoIterator<Item = impl AsRef<Path>>,
    context: &mut Context,
) -> anyhow::Result<()> {
    for file in files {
        let file = file.as_ref().display().to_string();
        writeln!(context.out, "Wrote {}.", escape_control(&file))?;
    }
    Ok(())
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

#[cfg(test)]
mod tests {
    use shared::keys::store::{KeyStoreError, Location};

    use super::*;
    use crate::hints::hint;

    #[test]
    fn of_what_is_made_nothing_says_that_it_is_not() {
        let location = || Location::Database("postgres://db/boats".to_owned());
        let attempt = "read";
        for error in [
            KeyStoreError::Unreachable {
                location: location(),
                source: "the connection broke".into(),
            },
            KeyStoreError::Refused {
                attempt,
                location: location(),
                source: "permission denied".into(),
            },
            KeyStoreError::Locked {
                attempt,
                location: location(),
                source: "the database is locked".into(),
            },
        ] {
            let error = made(Err::<(), _>(error)).unwrap_err();
            let said = format!("{error:#} {}", hint(&error).unwrap_or_default());
            let made = "the change is made, but could not be shown: could not re";
            assert!(said.starts_with(made), "{said}");
            assert!(!said.contains("nothing was changed"), "{said}");
        }
    }
}
