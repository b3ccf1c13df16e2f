//! A hint: what to do next about an error. The error carries it as data; the command line shows it.

use std::borrow::Cow;

/// What to do next: a sentence without a full stop. A command of ours in it begins with
/// `catalogue `, which the command line completes with the options that were typed.
pub type Hint = Cow<'static, str>;

/// `word`, in single quotes where the shell would read it as anything but one word.
pub fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./:=,".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_the_shell_would_change_is_quoted() {
        let table = [
            ("Acme", "Acme"),
            ("Bénéteau", "Bénéteau"),
            ("", "''"),
            ("Acme Boats", "'Acme Boats'"),
            ("Acme's", r"'Acme'\''s'"),
            ("$(true)", "'$(true)'"),
        ];
        for (word, expected) in table {
            assert_eq!(quoted(word), expected);
        }
    }
}
