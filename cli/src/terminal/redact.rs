//! Removes keys and passwords that were typed in a wrong place from texts: output may be recorded,
//! and a key is shown only once.
//!
//! This guesses, for text that was not parsed: an extra argument, or an address in place of a file
//! name. A parsed address has a type that does not show its password.

use std::borrow::Cow;

use shared::keys::environment::Environment;
use shared::keys::secret::PREFIX_RANDOM_LENGTH as SHOWN;

/// The text with everything that looks like a key, valid or not, cut down to its prefix, and
/// without the passwords of addresses.
pub fn redact(text: &str) -> Cow<'_, str> {
    match without_passwords(text) {
        Cow::Borrowed(text) => without_keys(text),
        Cow::Owned(text) => Cow::Owned(without_keys(&text).into_owned()),
    }
}

/// Removes the passwords of addresses: between a name and an at sign, or as a parameter.
fn without_passwords(text: &str) -> Cow<'_, str> {
    if !text.contains("://") {
        return Cow::Borrowed(text);
    }
    let words = text.split_inclusive(char::is_whitespace).map(|word| {
        let Some((scheme, rest)) = word.split_once("://") else {
            return word.to_owned();
        };
        let rest = match rest.rsplit_once('@') {
            Some((owner, place)) => match owner.split_once(':') {
                Some((user, _password)) => format!("{user}:…@{place}"),
                None => rest.to_owned(),
            },
            None => rest.to_owned(),
        };
        format!("{scheme}://{}", without_setting(&rest, "password="))
    });
    Cow::Owned(words.collect())
}

fn without_setting(text: &str, setting: &str) -> String {
    let Some(at) = text.find(setting) else {
        return text.to_owned();
    };
    let (before, value) = text.split_at(at + setting.len());
    let is_end = |c: char| c == '&' || c.is_whitespace() || ['"', '\'', '`'].contains(&c);
    let end = value.find(is_end).unwrap_or(value.len());
    format!("{before}…{}", &value[end..])
}

fn without_keys(text: &str) -> Cow<'_, str> {
    let starts = Environment::ALL.map(|environment| format!("boat_{environment}_"));
    let mut shown = String::new();
    let mut rest = text;
    while let Some((at, start)) = next(rest, &starts) {
        let (before, key) = rest.split_at(at + start.len());
        let length = key.bytes().take_while(u8::is_ascii_alphanumeric).count();
        let (key, after) = key.split_at(length);
        shown.push_str(before);
        shown.push_str(&key[..length.min(SHOWN)]);
        if SHOWN < length {
            shown.push('…');
        }
        rest = after;
    }
    if shown.is_empty() {
        return Cow::Borrowed(text);
    }
    shown.push_str(rest);
    Cow::Owned(shown)
}

/// The first occurrence of one of the words.
fn next<'a>(text: &str, words: &'a [String]) -> Option<(usize, &'a str)> {
    let places = words
        .iter()
        .filter_map(|word| Some((text.find(word)?, word.as_str())));
    places.min()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_cut_down_to_their_prefix_and_other_text_stays() {
        for (text, expected) in [
            ("no key at all", "no key at all"),
            (
                "the prefix boat_live_789ABC is shown",
                "the prefix boat_live_789ABC is shown",
            ),
            (
                "'boat_test_789ABCDEFGHIJKLMNOPQRSTUVWXYZabc2uHPRw' is wrong",
                "'boat_test_789ABC…' is wrong",
            ),
            (
                "boat_live_1234567,boat_test_7654321é",
                "boat_live_123456…,boat_test_765432…é",
            ),
            ("boat_live_ boat_live_1", "boat_live_ boat_live_1"),
        ] {
            assert_eq!(redact(text), expected);
        }
    }

    #[test]
    fn addresses_are_shown_without_their_passwords() {
        for (text, expected) in [
            (
                "invalid value 'postgres://boats:s3cret@db/x' for '--store <URL>'",
                "invalid value 'postgres://boats:…@db/x' for '--store <URL>'",
            ),
            (
                "rediss://:s3cret@cache:6379/0 and https://boats.example/a:b",
                "rediss://:…@cache:6379/0 and https://boats.example/a:b",
            ),
            (
                "postgres://db/x?password=s3cret&sslmode=disable is it",
                "postgres://db/x?password=…&sslmode=disable is it",
            ),
            ("postgres://a:s3'cr@et@db/x", "postgres://a:…@db/x"),
            ("postgres://boats@db/x", "postgres://boats@db/x"),
            ("me:you@example", "me:you@example"),
            (
                "redis://cache.example:6379/0",
                "redis://cache.example:6379/0",
            ),
            (
                "see https://a.example/@ana:x",
                "see https://a.example/@ana:x",
            ),
            ("redis://ana@cache.example", "redis://ana@cache.example"),
            (
                "'redis://:pw@cache.example/x'",
                "'redis://:…@cache.example/x'",
            ),
            (
                "postgres://ana:p@w:d@db.example, s3://bucket, rediss://a:b@c",
                "postgres://ana:…@db.example, s3://bucket, rediss://a:…@c",
            ),
        ] {
            assert_eq!(redact(text), expected);
        }
    }
}
