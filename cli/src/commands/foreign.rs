//! The message about an export that is not native: what it looks like, and what to do next.

use std::io::{self, Write};

use import::mapping::{Form, Recognised};
use shared::base::hint::quoted;

use crate::hints::Hints;
use crate::remote::Source;
use crate::terminal::Terminal;
use crate::terminal::escape::escape_control;
use crate::terminal::wrap::fit;

/// Says what the export looks like, instead of what is wrong with each of its lines.
pub(super) fn write(
    recognised: &Recognised,
    exports: &[Source],
    hints: &Hints,
    terminal: Terminal,
    out: &mut dyn Write,
) -> io::Result<()> {
    let Recognised {
        file, form, sign, ..
    } = recognised;
    // A path may be longer than a line, so it has one of its own.
    let what = match form {
        Form::Unread(_) => format!("error: this is {form}, which is not read"),
        _ => format!("error: this is not a native export; it looks like {form}"),
    };
    writeln!(out, "{}", fit(&what, 2, terminal))?;
    writeln!(out, "--> {}", escape_control(file))?;
    writeln!(out, "  = {sign}")?;
    if matches!(form, Form::Unread(_)) {
        return Ok(());
    }
    writeln!(out)?;
    let exports = exports.iter().map(|source| quoted(&source.to_string()));
    let exports = exports.collect::<Vec<_>>().join(" ");
    writeln!(
        out,
        "A mapping makes native records of it. Write one, edit it, check it, use it:"
    )?;
    let init = match form {
        Form::Xml => "minimal mapping.toml".to_owned(),
        _ => format!("--from {exports} --to mapping.toml"),
    };
    if matches!(form, Form::Xml) {
        let how = "In [[sources]], `reader = \"xml\"` reads XML, and `records` names the path of its \
                   records, such as `records = [\"boats.boat\"]`.";
        writeln!(out, "{}", fit(how, 0, terminal))?;
    }
    for command in [
        format!("mapping init {init}"),
        format!("mapping check mapping.toml {exports}"),
        format!("import --mapping mapping.toml {exports}"),
    ] {
        writeln!(out, "{}", hints.paste(&format!("  catalogue {command}")))?;
    }
    Ok(())
}
