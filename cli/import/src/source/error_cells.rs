//! What spreadsheets show in place of a value, such as `#N/A`. It is never a value: records have
//! null there, and a warning counts them. A text of these words stands behind an apostrophe in CSV for
//! spreadsheets, which stays until values are read, so that the text is told from the error.

/// What makes a text of a formula or an error.
pub(super) const MARK: char = '\'';

/// An error that is none of these.
pub(super) const OTHER: &str = "#ERROR!";
/// A formula whose value is not in the file.
pub(super) const NOT_CALCULATED: &str = "#NOT_CALCULATED!";

/// All, in English and German, in upper case.
const ERRORS: [&str; 21] = [
    "#BEZUG!",
    "#BLOCKED!",
    "#BUSY!",
    "#CALC!",
    "#CONNECT!",
    "#DATA!",
    "#DIV/0!",
    OTHER,
    "#FIELD!",
    "#GETTING_DATA",
    "#N/A",
    "#NAME?",
    NOT_CALCULATED,
    "#NULL!",
    "#NUM!",
    "#NV",
    "#REF!",
    "#SPILL!",
    "#VALUE!",
    "#WERT!",
    "#ZAHL!",
];

/// Whether a text is an error of a spreadsheet.
pub(crate) fn is_error(text: &str) -> bool {
    text.starts_with('#') && ERRORS.contains(&text.trim_end().to_ascii_uppercase().as_str())
}

/// The text without the apostrophe that makes a text of an error.
pub(crate) fn unmarked(text: &str) -> &str {
    let marked = text
        .strip_prefix(MARK)
        .filter(|text| looks_like_error(text));
    marked.unwrap_or(text)
}

/// Whether a text is an error, or would be without apostrophes before it.
pub(super) fn looks_like_error(text: &str) -> bool {
    is_error(text.trim_start_matches(MARK))
}

/// How many values of a record, given as JSON, are errors, and the first.
pub(crate) fn errors_in(json: &str) -> Option<(u64, String)> {
    let texts = json.match_indices("\"#").filter_map(|(at, _)| {
        let text = json[at + 1..].split('"').next()?.replace("\\/", "/");
        is_error(&text).then(|| text.trim_end().to_owned())
    });
    let mut texts = texts.peekable();
    let first = texts.peek()?.clone();
    Some((texts.count() as u64, first))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_told_from_texts() {
        for text in [
            "#N/A", "#NAME?", "#REF!", "#VALUE!", "#DIV/0!", "#n/a ", "#WERT!",
        ] {
            assert!(is_error(text), "{text}");
        }
        for text in ["N/A", "#1", "#REF", "# N/A", "see #N/A", ""] {
            assert!(!is_error(text), "{text}");
        }
        let json = r##"{"a":"#N/A","b":"#1","c":["#DIV\/0! ","no #REF!"]}"##;
        assert_eq!(errors_in(json), Some((2, "#N/A".to_owned())));
        assert_eq!(errors_in(r##"{"#":"#"}"##), None);
    }
}
