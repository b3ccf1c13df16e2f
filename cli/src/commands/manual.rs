//! `catalogue manual`: the manual pages, one for each command, made of what help says.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::{Command, CommandFactory};
use clap_mangen::Man;

use crate::args::Args;
use crate::context::Context;
use crate::exit_status::ExitStatus;

/// What the page of `catalogue` itself says beyond help, in the language of manual pages.
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
    /// Folder to write them into, made if need be; earlier pages are replaced
    pub folder: PathBuf,
}

/// Writes the pages.
pub fn run(args: &ManualArgs, context: &mut Context) -> anyhow::Result<ExitStatus> {
    let folder = &args.folder;
    let made = fs::create_dir_all(folder);
    made.with_context(|| format!("could not make the folder {}", folder.display()))?;
    let mut root = Args::command().disable_help_subcommand(true);
    root.build();
    let written = write_pages(&root, folder, MORE)?;
    writeln!(
        context.out,
        "Wrote {written} manual pages into {}.",
        folder.display()
    )?;
    Ok(ExitStatus::Done)
}

/// Writes the page of a command, which ends with `more`, and those of the commands below it; their
/// number.
fn write_pages(command: &Command, folder: &Path, more: &str) -> anyhow::Result<usize> {
    let man = Man::new(command.clone());
    let path = folder.join(man.get_filename());
    let written = File::create(&path).and_then(|file| write_page(&man, more, file));
    written.with_context(|| format!("could not write {}", path.display()))?;
    let below = command.get_subcommands();
    below
        .map(|below| write_pages(below, folder, ""))
        .try_fold(1, |sum, pages| Ok(sum + pages?))
}

fn write_page(man: &Man, more: &str, mut file: File) -> io::Result<()> {
    let mut page = Vec::new();
    man.render(&mut page)?;
    page.extend_from_slice(more.as_bytes());
    file.write_all(&page)
}
