//! Splits the text of a measure into numbers, words and signs.

use std::fmt;
use std::str::Chars;

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

/// A piece of a measure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Lexeme<'a> {
    /// Digits with points, commas, blanks and apostrophes between them, and perhaps an exponent.
    Number(&'a str),
    /// A fraction of an inch and the like: numerator and denominator.
    Fraction(u8, u8),
    /// A word or the sign of a unit, in lower case and without its full stop.
    Word(String),
    /// Any dash. It may mean minus.
    Dash,
    /// A separator between two spellings of the same measure.
    Slash,
    /// The same separator, if a blank follows; otherwise a comma belongs to a number.
    Comma,
    /// The beginning of a second spelling in parentheses.
    Open,
    /// Its end.
    Close,
    /// Anything else.
    Other(char),
}

impl fmt::Display for Lexeme<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(spelling) => f.write_str(spelling),
            Self::Fraction(above, below) => write!(f, "{above}/{below}"),
            Self::Word(word) => f.write_str(word),
            Self::Dash => f.write_str("-"),
            Self::Slash => f.write_str("/"),
            Self::Comma => f.write_str(","),
            Self::Open => f.write_str("("),
            Self::Close => f.write_str(")"),
            Self::Other(c) => write!(f, "{c}"),
        }
    }
}

/// The denominators accepted in fractions written with digits. Others have no exact decimal or are
/// not in use.
const DENOMINATORS: [u8; 6] = [2, 4, 8, 16, 32, 64];

/// The separators of thousands in Switzerland, which may also be the sign of feet.
pub(super) const APOSTROPHES: [char; 2] = ['\'', '’'];

/// The letters before an exponent.
pub(super) const EXPONENT: [char; 2] = ['e', 'E'];
/// The most digits of an exponent: far more than any measure needs.
const EXPONENT_DIGITS: usize = 2;

/// Splits `text`, which may be anything.
pub(super) fn lexemes(text: &str) -> Vec<Lexeme<'_>> {
    let mut rest = text.trim_start();
    let mut lexemes = Vec::new();
    while let Some(first) = rest.chars().next() {
        let (lexeme, length) = next(rest, first);
        lexemes.push(lexeme);
        rest = rest[length..].trim_start();
    }
    lexemes
}

/// The lexeme that `rest` begins with, and its length.
fn next(rest: &str, first: char) -> (Lexeme<'_>, usize) {
    if let Some(found) = fraction(rest).or_else(|| vulgar_fraction(first)) {
        return found;
    }
    let tail = &rest[first.len_utf8()..];
    let begins_decimals = matches!(first, '.' | ',') && tail.starts_with(|c: char| is_digit(c));
    if is_digit(first) || begins_decimals {
        let length = number_length(rest);
        let length = length + exponent_length(&rest[length..]);
        return (Lexeme::Number(&rest[..length]), length);
    }
    if first.is_alphabetic() {
        return word(rest);
    }
    if let Some(found) = sign(rest, first) {
        return found;
    }
    let lexeme = match first {
        '-' | '–' | '—' | '−' | '‐' | '‑' => Lexeme::Dash,
        '/' | '|' => Lexeme::Slash,
        ',' if tail.starts_with(char::is_whitespace) => Lexeme::Comma,
        '(' | '[' => Lexeme::Open,
        ')' | ']' => Lexeme::Close,
        other => Lexeme::Other(other),
    };
    (lexeme, first.len_utf8())
}

const fn is_digit(c: char) -> bool {
    c.is_ascii_digit()
}

/// A fraction such as `1/2`, without blanks. `34/10` is not a fraction, so its slash separates two
/// spellings of a measure.
fn fraction(rest: &str) -> Option<(Lexeme<'_>, usize)> {
    let (numerator, tail) = rest.split_once('/')?;
    let end = tail.find(|c| !is_digit(c)).unwrap_or(tail.len());
    let (denominator, after) = tail.split_at(end);
    let is_decimal = after.starts_with(['.', ',']) && after[1..].starts_with(is_digit);
    let is_number = numerator.bytes().all(|byte| byte.is_ascii_digit());
    let (above, below): (u8, u8) = (numerator.parse().ok()?, denominator.parse().ok()?);
    let is_fraction = is_number && !is_decimal && DENOMINATORS.contains(&below);
    (is_fraction && 0 < above && above < below).then_some((
        Lexeme::Fraction(above, below),
        numerator.len() + "/".len() + end,
    ))
}

fn vulgar_fraction(first: char) -> Option<(Lexeme<'static>, usize)> {
    let (above, below) = match first {
        '½' => (1, 2),
        '¼' => (1, 4),
        '¾' => (3, 4),
        '⅛' => (1, 8),
        '⅜' => (3, 8),
        '⅝' => (5, 8),
        '⅞' => (7, 8),
        _ => return None,
    };
    Some((Lexeme::Fraction(above, below), first.len_utf8()))
}

/// The length of the number at the beginning. A blank separates thousands if three digits follow,
/// and so does an apostrophe, as the Swiss write it.
fn number_length(rest: &str) -> usize {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let mut length = digits(rest);
    let mut groups_from = 0;
    loop {
        let tail = &rest[length..];
        let Some(mark) = tail.chars().next() else {
            return length;
        };
        let following = digits(&tail[mark.len_utf8()..]);
        let goes_on = match mark {
            '.' | ',' => 0 < following,
            _ if parts_thousands(mark) => {
                let group = &rest[groups_from..length];
                following == 3 && (1..=3).contains(&group.len()) && digits(group) == group.len()
            }
            _ => false,
        };
        if !goes_on {
            return length;
        }
        if parts_thousands(mark) {
            groups_from = length + mark.len_utf8();
        }
        length += mark.len_utf8() + following;
    }
}

/// The length of the exponent that a number ends with, as programs write `1e5` and `1E+05`; 0 if it
/// has none.
fn exponent_length(rest: &str) -> usize {
    let Some(exponent) = rest.strip_prefix(EXPONENT) else {
        return 0;
    };
    let digits = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
    let count = digits.bytes().take_while(u8::is_ascii_digit).count();
    let goes_on = |c: char| c.is_alphanumeric() || matches!(c, '.' | ',');
    if (1..=EXPONENT_DIGITS).contains(&count) && !digits[count..].starts_with(goes_on) {
        rest.len() - digits.len() + count
    } else {
        0
    }
}

fn parts_thousands(mark: char) -> bool {
    mark.is_whitespace() || APOSTROPHES.contains(&mark)
}

/// A word with its suffix, as in `ft.`, `m²`, `m^2`, `ft2` and `km/h`.
fn word(rest: &str) -> (Lexeme<'_>, usize) {
    let letters = rest
        .find(|c: char| !c.is_alphabetic() && !is_combining_mark(c))
        .unwrap_or(rest.len());
    // Letters with accents may be spelled in two ways.
    let mut word: String = rest[..letters].nfc().collect::<String>().to_lowercase();
    let tail = &rest[letters..];
    let (suffix, length) = suffix(&word, tail);
    word.push_str(suffix);
    (Lexeme::Word(word), letters + length)
}

/// The suffix of a word in its normal form, and its length in `tail`.
fn suffix(word: &str, tail: &str) -> (&'static str, usize) {
    let ends = |length: usize| !tail[length..].starts_with(|c: char| c.is_alphanumeric());
    // In `6ft2"` the digit is a number of inches.
    let is_apart = |length: usize| {
        let mut after = tail[length..].chars();
        after
            .next()
            .is_none_or(|c| c.is_whitespace() || matches!(c, '/' | '|' | ')' | ']'))
    };
    if tail.starts_with('²') {
        return ("2", '²'.len_utf8());
    }
    if tail.starts_with("^2") && ends(2) {
        return ("2", 2);
    }
    if tail.starts_with('2') && is_apart(1) {
        return ("2", 1);
    }
    if word == "km" && tail.starts_with("/h") && ends(2) {
        return ("/h", 2);
    }
    ("", usize::from(tail.starts_with('.')))
}

/// The signs of feet, inches and degrees, typographic or not.
fn sign(rest: &str, first: char) -> Option<(Lexeme<'static>, usize)> {
    let is_prime = |c: char| matches!(c, '\'' | '’' | '‘' | '′' | '´' | '`');
    let mut chars: Chars<'_> = rest.chars();
    let sign = match first {
        '"' | '”' | '“' | '″' => "\"",
        '°' | 'º' => "°",
        _ if is_prime(first) => {
            let second = chars.by_ref().nth(1).filter(|c| is_prime(*c));
            if let Some(second) = second {
                let length = first.len_utf8() + second.len_utf8();
                return Some((Lexeme::Word("\"".to_owned()), length));
            }
            "'"
        }
        _ => return None,
    };
    Some((Lexeme::Word(sign.to_owned()), first.len_utf8()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[Lexeme<'_>]) {
        assert_eq!(lexemes(text), expected, "{text}");
    }

    fn word(text: &str) -> Lexeme<'static> {
        Lexeme::Word(text.to_owned())
    }

    #[test]
    fn a_measure_falls_into_numbers_words_and_signs() {
        use Lexeme::{Close, Comma, Dash, Fraction, Number, Open, Other, Slash};
        check(
            "34.58' / 10.54m",
            &[
                Number("34.58"),
                word("'"),
                Slash,
                Number("10.54"),
                word("m"),
            ],
        );
        check(
            "12′-6 1/2″",
            &[
                Number("12"),
                word("'"),
                Dash,
                Number("6"),
                Fraction(1, 2),
                word("\""),
            ],
        );
        check("6½''", &[Number("6"), Fraction(1, 2), word("\"")]);
        check(
            "30 m² (sq. ft.)",
            &[
                Number("30"),
                word("m2"),
                Open,
                word("sq"),
                word("ft"),
                Close,
            ],
        );
        check(
            "6ft2\"",
            &[Number("6"), word("ft"), Number("2"), word("\"")],
        );
        check(
            "9 FT2/8 m^2",
            &[Number("9"), word("ft2"), Slash, Number("8"), word("m2")],
        );
        check("18 km/h", &[Number("18"), word("km/h")]);
        check("34/10 m", &[Number("34"), Slash, Number("10"), word("m")]);
        check("10,5, 3", &[Number("10,5"), Comma, Number("3")]);
        check("~5", &[Other('~'), Number("5")]);
    }

    #[test]
    fn blanks_and_apostrophes_part_thousands_and_nothing_else() {
        use Lexeme::Number;
        check("1 234\u{202f}567,5", &[Number("1 234\u{202f}567,5")]);
        check("1\u{a0}234", &[Number("1\u{a0}234")]);
        check("1234 567", &[Number("1234"), Number("567")]);
        check("1.5 234", &[Number("1.5"), Number("234")]);
        check("1 23", &[Number("1"), Number("23")]);
        check("1 2345", &[Number("1"), Number("2345")]);
        check("1'234’567.5", &[Number("1'234’567.5")]);
        check("1'2345", &[Number("1"), word("'"), Number("2345")]);
        check("1' 234", &[Number("1"), word("'"), Number("234")]);
    }
}
