//! `catalogue manual`: the manual pages, one for each command, made from the help texts.
//!
//! The library's generator would overwrite any file with the same name. Here, pages replace only
//! pages that this command wrote unless the operator allows more, and are never written into the
//! data directory.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::Command;
use clap_mangen::Man;

use crate::exit_status::ExitStatus;
use crate::process::context::Context;
use crate::process::output_file::{Kind, OutputFile, Permit};

/// What the page of `catalogue` itself says in addition to its help, in roff.
const MORE: &str = r#".SH "EXIT STATUS"
.TP
0
done
.TP
1
the data is invalid and nothing was activated
.TP
2
wrong usage, settings included
.TP
3
a file, disk, network or server problem
.TP
4
refused: a guard, or a change that the state of a key or a subscription does not allow
.SH FILES
.TP
\fIcatalogue.toml\fR
settings, in the folder where the command runs or where \fB\-\-config\fR says; see \fBcatalogue\-settings\fR(1)
.TP
\fIcatalogue\-data\fR
the data directory, or where \fB\-\-data\fR says: releases, keys, usage
"#;

/// Arguments of `manual`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
For example: catalogue manual ~/.local/share/man/man1
Then: man catalogue-keys-rotate")]
pub struct ManualArgs {
    /// Folder to write them into, created if missing; earlier pages are replaced
    pub folder: PathBuf,
    /// Replace any existing file, not only an earlier page
    #[arg(long)]
    pub overwrite: bool,
}

/// Writes the pages of `command`, the root of the command line.
pub fn run(
    args: &ManualArgs,
    command: Command,
    data: &Path,
    context: &mut Context,
) -> anyhow::Result<ExitStatus> {
    let folder = &args.folder;
    let permit = Permit::outside(data).overwriting(args.overwrite);
    permit.check(folder)?;
    let made = fs::create_dir_all(folder);
    made.with_context(|| format!("could not make the folder {}", folder.display()))?;
    let mut root = command.disable_help_subcommand(true);
    root.build();
    let written = write_pages(&root, folder, MORE, &permit)?;
    writeln!(
        context.out,
        "Wrote {written} manual pages into {}.",
        folder.display()
    )?;
    Ok(ExitStatus::Done)
}

/// Writes the page of a command, which ends with `more`, and those of the commands below it.
/// Returns their number.
fn write_pages(
    command: &Command,
    folder: &Path,
    more: &str,
    permit: &Permit,
) -> anyhow::Result<usize> {
    let after_help = command.get_after_help().map(ToString::to_string);
    let man = Man::new(command.clone().after_help(None));
    let path = folder.join(man.get_filename());
    let mut file = OutputFile::create(&path, Kind::ManualPage, permit)?;
    let written = write_page(&man, &after_help.unwrap_or_default(), &mut file);
    let written = written.and_then(|()| file.write_all(more.as_bytes()));
    written.with_context(|| format!("could not write {}", path.display()))?;
    file.publish()?;
    let below = command.get_subcommands();
    below
        .map(|below| write_pages(below, folder, "", permit))
        .try_fold(1, |sum, pages| Ok(sum + pages?))
}

/// Writes a page. The text below the options of help becomes separate sections, and lines of
/// examples are not wrapped.
fn write_page(man: &Man, after_help: &str, out: &mut dyn Write) -> io::Result<()> {
    man.render(out)?;
    let (examples, notes): (Vec<&str>, Vec<&str>) = after_help.lines().partition(is_example);
    let mut notes = notes.into_iter().filter(|note| !note.is_empty()).peekable();
    if notes.peek().is_some() {
        writeln!(out, ".SH NOTES")?;
    }
    for note in notes {
        writeln!(out, ".PP\n{}", roff(note))?;
    }
    let examples = examples.into_iter().map(without_heading);
    let mut examples = examples.filter(|line| !line.is_empty()).peekable();
    if examples.peek().is_none() {
        return Ok(());
    }
    writeln!(out, ".SH EXAMPLES\n.nf")?;
    for example in examples {
        writeln!(out, "{}", roff(example))?;
    }
    writeln!(out, ".fi")
}

/// Begins the examples of a command.
const EXAMPLE: &str = "For example:";

fn is_example(line: &&str) -> bool {
    line.starts_with(EXAMPLE) || line.starts_with("  ")
}

fn without_heading(line: &str) -> &str {
    line.strip_prefix(EXAMPLE).unwrap_or(line).trim()
}

/// A line of text, escaped for roff.
fn roff(text: &str) -> String {
    let text = text
        .replace('\\', "\\e")
        .replace('-', "\\-")
        .replace('\'', "\\(aq");
    if text.starts_with('.') {
        return format!("\\&{text}");
    }
    text
}
