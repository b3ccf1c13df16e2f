//! From the bytes of a line to its value, or to what is wrong with the line as a whole.

use std::ops::Range;

use super::{InvalidJson, Node};
use crate::finding::{Code, Excerpt, Finding, Line, Place, Start};

/// The text and the value of a line, nested no deeper than `depth_max`.
///
/// It may be a record of several lines; `line` then has the number of its first one.
pub(crate) fn parse_line(
    line: Line<'_>,
    depth_max: usize,
) -> Result<(&str, Node<'_>), Box<Finding>> {
    let text = match std::str::from_utf8(line.contents()) {
        Ok(text) => text,
        Err(invalid) => return Err(invalid_utf8(line, invalid.valid_up_to())),
    };
    match super::parse(text, depth_max) {
        Ok(node) => Ok((text, node)),
        Err(invalid) => Err(invalid_json(line, text, &invalid)),
    }
}

fn invalid_utf8(line: Line<'_>, valid_up_to: usize) -> Box<Finding> {
    let shown = String::from_utf8_lossy(line.contents());
    let span = valid_up_to..valid_up_to + char::REPLACEMENT_CHARACTER.len_utf8();
    let message = "the line is not UTF-8 from this byte on";
    at(line, &shown, &span, Code::InvalidUtf8, message.to_owned())
}

fn invalid_json(line: Line<'_>, text: &str, invalid: &InvalidJson) -> Box<Finding> {
    let (code, offset) = match invalid {
        // The file was cut off, which is worse than one record that cannot be read.
        InvalidJson::Syntax {
            at,
            ends_early: true,
            ..
        } if line.is_unterminated => (Code::FileTruncated, *at),
        InvalidJson::Syntax { at, .. } => (Code::InvalidJson, *at),
        InvalidJson::TooDeep { at, .. } => (Code::NestedTooDeep, *at),
        InvalidJson::TooManyValues { at } => (Code::TooManyValues, *at),
    };
    let message = match (code, invalid) {
        (Code::FileTruncated, _) => "the file ends in the middle of a record".to_owned(),
        (_, InvalidJson::Syntax { reason, .. }) if text.contains('\n') => {
            format!("the record is not valid JSON: {reason}")
        }
        _ => invalid.to_string(),
    };
    let start = text.floor_char_boundary(offset);
    let end = text[start..]
        .chars()
        .next()
        .map_or(start, |c| start + c.len_utf8());
    at(line, text, &(start..end), code, message)
}

fn at(
    line: Line<'_>,
    text: &str,
    span: &Range<usize>,
    code: Code,
    message: String,
) -> Box<Finding> {
    let before = &text[..span.start];
    let above = before.matches('\n').count() as u64;
    let start = before.rfind('\n').map_or(0, |end| end + 1);
    let end = text[span.start..]
        .find('\n')
        .map_or(text.len(), |length| span.start + length);
    let marked_line = Start {
        line: line.start.line + above,
        ..line.start
    };
    let place = Place::at(line.file, marked_line);
    let mut finding = Finding::new(code, Some(place), message);
    // A record of several lines may begin anywhere in its first one, so a column there is unknown.
    let is_known = 0 < above || end == text.len();
    finding.column = is_known.then(|| text[start..span.start].chars().count() + 1);
    let marked = span.start - start..span.end.min(end) - start;
    finding.excerpt = Some(Excerpt::new(&text[start..end], &marked));
    Box::new(finding)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::finding::ExportFile;
    use crate::json::NATIVE_DEPTH_MAX;

    #[track_caller]
    fn check(text: &str, place: (u64, Option<usize>), message: &str, marked: &str) {
        let file = Arc::new(ExportFile {
            ordinal: 0,
            name: "a.json".to_owned(),
            path: String::new(),
        });
        let line = Line {
            file: &file,
            start: 4.into(),
            raw: text.as_bytes(),
            is_unterminated: false,
            made: None,
        };
        let finding = parse_line(line, NATIVE_DEPTH_MAX).unwrap_err();
        let line = finding.place.as_ref().and_then(Place::line);
        assert_eq!((line, finding.column), (Some(place.0), place.1), "{text}");
        assert!(finding.message.starts_with(message), "{finding:?}");
        let excerpt = finding.excerpt.as_ref().unwrap();
        assert_eq!(&excerpt.text[excerpt.marked.clone()], marked, "{excerpt:?}");
    }

    #[test]
    fn what_is_wrong_stands_at_a_line_and_a_column_of_the_file() {
        let line = "the line is not valid JSON: ";
        check(r#"{"é": tru}"#, (4, Some(10)), line, "}");
        let record = "the record is not valid JSON: ";
        check("{\"a\": 1,\n\"é\":\n  [1, x]}", (6, Some(7)), record, "x");
        check("{\"a\": x,\n\"b\": 2}", (4, None), record, "x");
    }
}
