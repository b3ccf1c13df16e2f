//! What spreadsheets show in place of a value, such as `#N/A`. It is never a value: records have
//! null there, and a warning counts them.

/// All, in English and German, in upper case.
const ERRORS: [&str; 19] = [
    "#BEZUG!",
    "#BLOCKED!",
    "#BUSY!",
    "#CALC!",
    "#CONNECT!",
    "#DIV/0!",
    "#ERROR!",
    "#FIELD!",
    "#GETTING_DATA",
    "#N/A",
    "#NAME?",
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

/// How many values of a record, given as JSON, are errors, and the first.
pub(super) fn errors_in(json: &str) -> Option<(u64, String)> {
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
