//! Words of a command line as they can be pasted into a shell.

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
