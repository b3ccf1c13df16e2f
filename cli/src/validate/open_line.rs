//! From the bytes of a line to its value, or to what is wrong with the line as a whole.

use std::ops::Range;
use std::sync::Arc;

use super::reporter::LineText;
use crate::export::Line;
use crate::export::json::{self, DEPTH_MAX, InvalidJson, Node};
use crate::findings::{Code, Excerpt, Finding, Place};

/// The text and the value of a line of the native format.
pub(super) fn open(line: Line<'_>) -> Result<(LineText<'_>, Node<'_>), Box<Finding>> {
    let (text, node) = parse(line, DEPTH_MAX)?;
    let text = LineText {
        file: line.file,
        number: line.number,
        text,
    };
    Ok((text, node))
}

/// The text and the value of a line, nested no deeper than `depth_max`.
pub fn parse(line: Line<'_>, depth_max: usize) -> Result<(&str, Node<'_>), Box<Finding>> {
    let text = match std::str::from_utf8(line.contents()) {
        Ok(text) => text,
        Err(invalid) => return Err(invalid_utf8(line, invalid.valid_up_to())),
    };
    match json::parse_nested(text, depth_max) {
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
        // A file that was cut, which is worse than one record that cannot be read.
        InvalidJson::Syntax {
            at,
            ends_early: true,
            ..
        } if line.is_unterminated => (Code::FileTruncated, *at),
        InvalidJson::Syntax { at, .. } => (Code::InvalidJson, *at),
        InvalidJson::TooDeep { at, .. } => (Code::NestedTooDeep, *at),
    };
    let message = match code {
        Code::FileTruncated => "the file ends in the middle of a record".to_owned(),
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
    let place = Place {
        file: Arc::clone(line.file),
        line: Some(line.number),
    };
    let mut finding = Finding::new(code, Some(place), message);
    finding.column = Some(text[..span.start].chars().count() + 1);
    finding.excerpt = Some(Excerpt::new(text, span));
    Box::new(finding)
}
