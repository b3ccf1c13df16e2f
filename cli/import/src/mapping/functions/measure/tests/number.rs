//! Tests of numbers without units as content spells them.

use super::*;

#[test]
fn numbers_without_a_unit_are_read_like_measures() {
    for (text, expected) in [
        ("12", "12"),
        (" 16,6 ", "16.6"),
        ("16.6", "16.6"),
        ("177.740", "177.74"),
        ("1,234.5", "1234.5"),
        ("1.234,5", "1234.5"),
        ("1 234", "1234"),
        ("1\u{a0}234,5", "1234.5"),
        ("1\u{202f}234 567", "1234567"),
        ("1'234", "1234"),
        ("1,234,567", "1234567"),
        ("177,737.5", "177737.5"),
        ("-3", "-3"),
        ("−3 ½", "-3.5"),
        ("~12", "12"),
        ("ca. 12", "12"),
        ("1e5", "100000"),
        ("1E+05", "100000"),
        ("-1.234e3", "-1234"),
        ("1,5e-1", "0.15"),
    ] {
        let read = number(text, None).unwrap().unwrap();
        assert_eq!(read.spelled, expected, "{text}");
    }
}

#[test]
fn what_is_no_single_number_is_refused() {
    for (text, expected) in [
        ("1,234", "it is 1234 or 1.234; write it without the mark"),
        ("177,740", "it is 177740 or 177.740"),
        ("1.2.3", "grouped in no known way"),
        ("12 m", "\"m\" is no part of a number such as `1234.5`"),
        ("€ 12", "\"€\" is no part of a number"),
        ("12, 5", "\",\" is no part of a number"),
        ("many", "\"many\" is no part of a number"),
        ("2-3", "it is a range"),
        ("-", "it ends where a number is missing"),
        ("1e", "\"e\" is no part of a number"),
        ("1e5.5", "\"e\" is no part of a number"),
        ("1e100", "\"e\" is no part of a number"),
        ("1.234.567e3", "grouped in no known way"),
        ("1 234e3", "grouped in no known way"),
        (&"1".repeat(201), "more than 200 bytes"),
    ] {
        let refused = number(text, None).expect_err(text);
        assert!(refused.starts_with("could not read "), "{refused}");
        assert!(refused.contains(expected), "{text}: {refused}");
    }
}

#[test]
fn blank_is_no_number() {
    for text in ["", " ", "\u{a0}\u{202f}\n"] {
        assert_eq!(number(text, None), Ok(None));
    }
}

#[test]
fn digits_before_an_exponent_have_no_thousands() {
    for (text, mark, expected) in [
        ("1.234e3", None, Some(Convention::Point)),
        ("1,234e3", None, Some(Convention::Comma)),
        ("1,234e3", Some(DecimalMark::COMMA), None),
    ] {
        let read = number(text, mark).unwrap().unwrap();
        assert_eq!(
            (&*read.spelled, read.convention),
            ("1234", expected),
            "{text}"
        );
    }
    let refused = number("1.234e3", Some(DecimalMark::COMMA)).unwrap_err();
    assert!(
        refused.contains("with a comma before its decimals"),
        "{refused}"
    );
}
