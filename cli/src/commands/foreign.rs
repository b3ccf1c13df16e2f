//! The message about an export that is not native: what it looks like, and what to do next.

use std::io::Write;

use import::mapping::{Form, Recognised};
use shared::base::hint::quoted;

use crate::hints::Hints;
use crate::remote::Source;
use crate::report::{Report, text};
use crate::terminal::Terminal;

/// Says what the export looks like, instead of what is wrong with each of its lines.
pub(super) fn write(
    recognised: &Recognised,
    exports: &[Source],
    hints: &Hints,
    terminal: Terminal,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let Recognised {
        file, form, sign, ..
    } = recognised;
    let is_unread = matches!(form, Form::Unread(_));
    let mut report = Report::of(if is_unread {
        format!("error: this is {form}, which is not read")
    } else {
        format!("error: this is not a native export; it looks like {form}")
    });
    // A path may be longer than a line, so it has one of its own.
    report
        .verbatim(format!("--> {file}"))
        .verbatim(format!("  = {sign}"));
    if is_unread {
        return text::write(&report, hints, terminal, out);
    }
    let exports = exports.iter().map(|source| quoted(&source.to_string()));
    let exports = exports.collect::<Vec<_>>().join(" ");
    report.note("A mapping makes native records of it. Write one, edit it, check it, use it:");
    for command in [
        format!("mapping init --from {exports} --to mapping.toml"),
        format!("mapping check mapping.toml {exports}"),
        format!("import --mapping mapping.toml {exports}"),
    ] {
        report.verbatim(format!("  catalogue {command}"));
    }
    text::write(&report, hints, terminal, out)
}
