//! The protocol of completions in bash.
//!
//! clap's own script for bash does not quote a name with a space, so it becomes two words, and it
//! gets words that bash has split at `=` and `:`. Here readline quotes names, and the program
//! splits the line itself, by the shell's rules for quotes.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;

use clap::Command;
use clap_complete::engine;
use clap_complete::env::EnvCompleter;

/// bash 3.2 has neither `compopt` nor the option `nosort`. Names are quoted like file names. The
/// program gets the line up to the cursor, the word that bash considers the last one, and the home
/// directory, which only bash knows.
const SCRIPT: &str = r#"_catalogue() {
    local candidate
    COMPREPLY=()
    while IFS= read -r candidate; do
        COMPREPLY+=("$candidate")
        case $candidate in
        *[!A-Za-z0-9._/:=@,+-]*) compopt -o filenames 2>/dev/null ;;
        */ | *=) compopt -o nospace 2>/dev/null ;;
        esac
    done < <(VARIABLE=bash catalogue -- "${COMP_LINE:0:COMP_POINT}" "$2" ~ 2>/dev/null)
}
complete -o bashdefault -o nosort -F _catalogue catalogue 2>/dev/null ||
    complete -o bashdefault -F _catalogue catalogue
"#;

/// Added to the end of a line while it is split, so that an empty last word still counts.
const CURSOR: char = '^';

/// The default value is enough to write the script.
#[derive(Default)]
pub(super) struct Bash {
    /// How many bytes of the last word bash keeps: it completes only what follows a `=` or a `:`.
    kept: usize,
}

impl Bash {
    /// Reads what the script passes about a line, and returns its words; the last one is the one to
    /// complete.
    pub(super) fn told(told: impl IntoIterator<Item = OsString>) -> (Self, Vec<OsString>) {
        let mut told = told.into_iter();
        let mut next = || {
            told.next()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned()
        };
        let (line, of_bash, home) = (next(), next(), next());
        let mut words = split(&line);
        for word in &mut words {
            if let Some(below) = word.strip_prefix("~/") {
                *word = format!("{home}/{below}");
            }
        }
        let last = words.last().map_or("", String::as_str);
        // Within quotes it is their contents, elsewhere the text as typed.
        let held = split(&of_bash).pop().unwrap_or_default();
        let of_bash = [of_bash, held];
        let mut before = of_bash.iter().filter_map(|end| last.strip_suffix(&**end));
        let kept = before.next().map_or(0, str::len);
        (
            Self { kept },
            words.into_iter().map(OsString::from).collect(),
        )
    }
}

impl EnvCompleter for Bash {
    fn name(&self) -> &'static str {
        "bash"
    }

    fn is(&self, name: &str) -> bool {
        name == self.name()
    }

    fn write_registration(
        &self,
        variable: &str,
        _name: &str,
        _program: &str,
        _completer: &str,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        out.write_all(SCRIPT.replace("VARIABLE", variable).as_bytes())
    }

    /// Writes one candidate per line, each a replacement for what bash considers the last word.
    fn write_complete(
        &self,
        command: &mut Command,
        words: Vec<OsString>,
        directory: Option<&Path>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let index = words.len().saturating_sub(1);
        for candidate in engine::complete(command, words, index, directory)? {
            let text = candidate.get_value().to_string_lossy();
            writeln!(out, "{}", text.get(self.kept..).unwrap_or_default())?;
        }
        Ok(())
    }
}

/// The words of a line that may end within quotes; the last one is empty if no word has begun.
fn split(line: &str) -> Vec<String> {
    let ends = ["", "\"", "'"].map(|quote| format!("{line}{quote}{CURSOR}"));
    let words = ends.iter().find_map(|line| shlex::split(line));
    let mut words = words.unwrap_or_default();
    match words.last_mut().and_then(String::pop) {
        Some(CURSOR) => words,
        // The cursor is in a comment, which nothing completes.
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_read_as_bash_reads_it() {
        for (line, of_bash, words, kept) in [
            (
                "catalogue keys li",
                "li",
                &["catalogue", "keys", "li"][..],
                0,
            ),
            ("catalogue keys ", "", &["catalogue", "keys", ""], 0),
            ("c --data=D keys", "keys", &["c", "--data=D", "keys"], 0),
            (
                "c --store=postgres://h/d",
                "//h/d",
                &["c", "--store=postgres://h/d"],
                17,
            ),
            (
                "c --store=postgres://h/d l",
                "l",
                &["c", "--store=postgres://h/d", "l"],
                0,
            ),
            ("c --subscription=", "", &["c", "--subscription="], 15),
            ("c --subscription=a", "a", &["c", "--subscription=a"], 15),
            ("c show Acme\\ B", "Acme\\ B", &["c", "show", "Acme B"], 0),
            ("c show \"Acme B", "Acme B", &["c", "show", "Acme B"], 0),
            ("c show 'Acme B", "Acme B", &["c", "show", "Acme B"], 0),
            (
                "c --data 'my d' ~/b",
                "~/b",
                &["c", "--data", "my d", "/home/ann/b"],
                0,
            ),
            ("c show = ", "", &["c", "show", "=", ""], 0),
            ("c # told", "told", &[], 0),
            ("", "", &[""], 0),
        ] {
            let told = [line, of_bash, "/home/ann"].map(OsString::from);
            let (bash, read) = Bash::told(told);
            assert_eq!(
                (read, bash.kept),
                (words.iter().map(OsString::from).collect(), kept),
                "{line}"
            );
        }
    }
}
