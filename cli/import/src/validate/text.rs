//! The rules for texts: NFC, trimmed, blank counts as absent, no control characters, bounded
//! length.

use std::borrow::Cow;

use icu_properties::CodePointSetData;
use icu_properties::props::DefaultIgnorableCodePoint;
use shared::base::model::Text;
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

use super::read_result::{ReadResult, Unusable, wrong_type};
use super::reporter::{Problem, Reporter};
use crate::finding::Code;
use crate::format::{ROW_TEXT_MAX, TEXT_MAX};
use crate::json::{Node, Value};

/// Any text; `None` if blank.
pub(super) fn text<'n>(node: &'n Node<'n>, reporter: &mut Reporter<'n>) -> ReadResult<Text<'n>> {
    let Some(trimmed) = trimmed(node, reporter)? else {
        return Ok(None);
    };
    let text = normalised(trimmed);
    check_length(text.len(), node, reporter)?;
    Ok(Some(text))
}

/// A text shown in the rows of lists: names, models, URLs.
pub(super) fn row_text<'n>(
    node: &'n Node<'n>,
    reporter: &mut Reporter<'n>,
) -> ReadResult<Text<'n>> {
    let read = text(node, reporter)?;
    // Characters need no counting if even the bytes are within the limit.
    let length = match &read {
        Some(text) if ROW_TEXT_MAX < text.len() => text.chars().count(),
        _ => 0,
    };
    if ROW_TEXT_MAX < length {
        let message = format!(
            "a text that lists show has at most {ROW_TEXT_MAX} characters, this one {length}"
        );
        reporter.report_value(node, Problem::new(Code::TextTooLong, message));
        return Err(Unusable);
    }
    Ok(read)
}

/// A text as it is spelled, trimmed, for values whose grammar has nothing that normalisation would
/// change; `None` if blank.
pub(super) fn trimmed<'n>(node: &'n Node<'_>, reporter: &mut Reporter<'_>) -> ReadResult<&'n str> {
    let Value::Text(given) = &node.value else {
        return wrong_type(node, "a text", reporter);
    };
    check_length(given.len(), node, reporter)?;
    if is_plain(given) {
        return Ok(not_blank(given));
    }
    if let Some(control) = given.chars().find(|&c| is_refused(c)) {
        let message = format!(
            "the text has the control character U+{:04X}",
            u32::from(control)
        );
        reporter.report_value(node, Problem::new(Code::ControlCharacter, message));
        return Err(Unusable);
    }
    if given.contains(char::REPLACEMENT_CHARACTER) {
        let problem = Problem::new(Code::ReplacementCharacter, "the text has U+FFFD in it")
            .hint("a character was lost before the export; fix it where the text is kept");
        reporter.report_value(node, problem);
    }
    Ok(not_blank(given))
}

/// Whether a text consists only of allowed ASCII characters, as most do. Checking many bytes at a
/// time saves a fifteenth of the validation time.
fn is_plain(text: &str) -> bool {
    let refused = |byte: u8| !byte.is_ascii() || is_refused(char::from(byte));
    !text.bytes().fold(false, |any, byte| any | refused(byte))
}

/// The trimmed text, unless nobody can see anything in it.
fn not_blank(given: &str) -> Option<&str> {
    let is_visible = |c: char| !c.is_whitespace() && !is_invisible(c);
    given.contains(is_visible).then(|| given.trim())
}

/// Whether a character is one that is not shown by itself, such as a soft hyphen, a joiner, a byte
/// order mark, a variation selector or a Braille pattern without dots.
fn is_invisible(c: char) -> bool {
    c == '\u{2800}' || CodePointSetData::new::<DefaultIgnorableCodePoint>().contains(c)
}

/// Checks a length limit, for a text both as given and as served, which may be longer.
fn check_length(
    length: usize,
    node: &Node<'_>,
    reporter: &mut Reporter<'_>,
) -> Result<(), Unusable> {
    if length <= TEXT_MAX {
        return Ok(());
    }
    let message = format!("a text has at most {TEXT_MAX} bytes, this one {length}");
    reporter.report_value(node, Problem::new(Code::TextTooLong, message));
    Err(Unusable)
}

/// A plain text, in which markup is probably a mistake.
pub(super) fn description<'n>(
    node: &'n Node<'n>,
    reporter: &mut Reporter<'n>,
) -> ReadResult<Text<'n>> {
    let read = text(node, reporter)?;
    if read.as_deref().is_some_and(has_markup) {
        let problem = Problem::new(
            Code::MarkupInDescription,
            "the description has markup in it",
        )
        .hint("a description is plain text, and is shown with its markup");
        reporter.report_value(node, problem);
    }
    Ok(read)
}

fn is_refused(c: char) -> bool {
    c.is_control() && c != '\n' && c != '\t'
}

fn normalised(text: &str) -> Text<'_> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    match is_nfc_quick(text.chars()) {
        IsNormalized::Yes => Cow::Borrowed(text),
        _ => Cow::Owned(text.nfc().collect()),
    }
}

/// Whether a text has HTML tags, character references or Markdown links.
fn has_markup(text: &str) -> bool {
    memchr::memchr3(b'<', b'&', b']', text.as_bytes()).is_some() && has_marks(text)
}

fn has_marks(text: &str) -> bool {
    text.contains("](") || text.split('<').skip(1).any(begins_tag) || has_character_reference(text)
}

/// Whether a `<` followed by `rest` begins a tag: `5 < 6 > 4` has none.
fn begins_tag(rest: &str) -> bool {
    rest.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/' || c == '!')
        && rest.contains('>')
}

fn has_character_reference(text: &str) -> bool {
    text.split('&').skip(1).any(|rest| {
        let name = rest.split(';').next().unwrap_or_default();
        let is_terminated = name.len() < rest.len();
        let digits = name.strip_prefix('#').unwrap_or(name);
        is_terminated && !digits.is_empty() && digits.chars().all(|c| c.is_ascii_alphanumeric())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_references_and_links_are_markup_and_comparisons_are_not() {
        for text in [
            "<p>fast</p>",
            "a<br/>b",
            "<!-- x -->",
            "a &amp; b",
            "&#233;",
            "[a](http://b)",
        ] {
            assert!(has_markup(text), "{text}");
        }
        for text in [
            "5 < 6 > 4",
            "R&D; fast",
            "R & D;",
            "a <b",
            "[a] (b)",
            "< 3 t",
            "&;",
        ] {
            assert_eq!(has_markup(text), text == "R&D; fast", "{text}");
        }
    }

    #[test]
    fn a_text_is_plain_if_it_is_ascii_that_may_stand_in_it() {
        for c in '\0'..='\u{200}' {
            let text = format!("a long text with {c} somewhere between other letters");
            assert_eq!(is_plain(&text), c.is_ascii() && !is_refused(c), "{c:?}");
        }
    }

    #[test]
    fn a_text_in_which_nothing_can_be_seen_is_blank() {
        for text in [
            "",
            " \n",
            "\u{200b}",
            "\u{feff}\u{a0}\u{ad}",
            "\u{2060} \u{fe0f}",
        ] {
            assert_eq!(not_blank(text), None, "{text:?}");
        }
        for text in ["a", " a\u{200b}", "\u{200b}é", "☂\u{fe0f} "] {
            assert_eq!(not_blank(text), Some(text.trim()), "{text:?}");
        }
    }

    #[test]
    fn normalised_text_is_borrowed_and_other_text_is_composed() {
        assert!(matches!(normalised("Bénéteau"), Cow::Borrowed(_)));
        assert_eq!(normalised("Be\u{301}ne\u{301}teau"), "Bénéteau");
    }

    #[test]
    fn every_normalised_text_is_nfc() {
        proptest::proptest!(|(text in "\\PC{0,40}")| {
            proptest::prop_assert!(unicode_normalization::is_nfc(&normalised(&text)));
        });
    }
}
