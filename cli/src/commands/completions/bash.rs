//! How bash asks and is answered.
//!
//! clap's own script for bash leaves a name with a space as it is, which makes two words of it, and
//! takes `--data=DIR` for three words, as bash does. Here readline quotes names, and words that
//! belong together are put together again.

use std::ffi::{OsStr, OsString};
use std::io::{self, Write};
use std::path::Path;

use clap::Command;
use clap_complete::engine;
use clap_complete::env::EnvCompleter;

/// bash 3.2 has neither `compopt` nor the option `nosort`. A name is quoted as that of a file is.
const SCRIPT: &str = r#"_catalogue() {
    local candidate
    COMPREPLY=()
    while IFS= read -r candidate; do
        COMPREPLY+=("$candidate")
        case $candidate in
        *[!A-Za-z0-9._/:=@,+-]*) compopt -o filenames 2>/dev/null ;;
        */ | *=) compopt -o nospace 2>/dev/null ;;
        esac
    done < <(VARIABLE=bash catalogue -- "${COMP_WORDS[@]:0:COMP_CWORD}" "$2" 2>/dev/null)
}
complete -o bashdefault -o nosort -F _catalogue catalogue 2>/dev/null ||
    complete -o bashdefault -F _catalogue catalogue
"#;

pub(super) struct Bash;

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

    /// One candidate a line, each to be put in the place of bash's own last word.
    fn write_complete(
        &self,
        command: &mut Command,
        words: Vec<OsString>,
        directory: Option<&Path>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let last = words.last().map_or(OsStr::new(""), OsString::as_os_str);
        let last = last.to_string_lossy().into_owned();
        let kept = match last.split_once('=') {
            Some((option, _value)) if option.starts_with("--") => option.len() + 1,
            _ => 0,
        };
        let index = words.len().saturating_sub(1);
        for candidate in engine::complete(command, words, index, directory)? {
            let text = candidate.get_value().to_string_lossy();
            writeln!(out, "{}", text.get(kept..).unwrap_or_default())?;
        }
        Ok(())
    }
}

/// The words of a line that bash took apart: `=` is a word of its own to it, and what a person
/// quotes with `\` still is.
pub(super) fn rejoined(words: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut joined: Vec<OsString> = Vec::new();
    for word in words {
        let word = OsString::from(word.to_string_lossy().replace('\\', ""));
        match joined.last_mut() {
            Some(option) if word == "=" && is_option(option) => option.push(word),
            Some(option) if is_option(option) && ends_with_equals(option) => option.push(word),
            _ => joined.push(word),
        }
    }
    joined
}

fn is_option(word: &OsStr) -> bool {
    word.to_string_lossy().starts_with("--")
}

fn ends_with_equals(word: &OsStr) -> bool {
    word.to_string_lossy().ends_with('=')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_bash_took_apart_are_put_together_again() {
        for (words, expected) in [
            (&["keys", "list"][..], &["keys", "list"][..]),
            (&["--data", "=", "D", "keys"], &["--data=D", "keys"]),
            (
                &["list", "--subscription", "="],
                &["list", "--subscription="],
            ),
            (&["--subscription", "=", "a"], &["--subscription=a"]),
            (&["show", "Acme\\ B"], &["show", "Acme B"]),
            (&["show", "="], &["show", "="]),
        ] {
            let words = words.iter().map(OsString::from);
            assert_eq!(rejoined(words), expected);
        }
    }
}
