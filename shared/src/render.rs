//! Rendering records once: the exact body of a single-record answer, whose head is the list row.
//!
//! A body is `{"data":` + summary + details + `}`, the two halves spliced into one object. So the
//! text of a list row is a part of the body, and a row cannot differ from the record it stands
//! for (specification section 2.2, section 4.5).

use std::ops::Range;

use serde::Serialize;

use crate::model::{BoatDetails, BoatSummary, ManufacturerDetails, ManufacturerSummary};

/// What precedes the record in a single-record body.
const OPENING: &[u8] = br#"{"data":"#;

/// Appends the body of a full boat to `out`; gives the length of its head, see [`row_head`].
pub fn boat(summary: &BoatSummary<'_>, details: &BoatDetails<'_>, out: &mut Vec<u8>) -> usize {
    body(summary, details, out)
}

/// Appends the body of a full manufacturer to `out`; gives the length of its head, see
/// [`row_head`].
pub fn manufacturer(
    summary: &ManufacturerSummary<'_>,
    details: &ManufacturerDetails<'_>,
    out: &mut Vec<u8>,
) -> usize {
    body(summary, details, out)
}

/// Where in a body its list row is, without the closing brace that a row needs.
///
/// `head_length` is what rendering returned: the bytes of the body up to the end of the summary.
pub const fn row_head(head_length: usize) -> Range<usize> {
    OPENING.len()..head_length
}

fn body(summary: &impl Serialize, details: &impl Serialize, out: &mut Vec<u8>) -> usize {
    let start = out.len();
    out.extend_from_slice(OPENING);
    append(summary, out);
    out.pop(); // The closing brace of the summary.
    let head_length = out.len() - start;
    let comma = out.len();
    append(details, out);
    out[comma] = b','; // In place of the opening brace of the details.
    out.push(b'}');
    head_length
}

fn append(half: &impl Serialize, out: &mut Vec<u8>) {
    let written = serde_json::to_writer(out, half);
    // Writing to memory cannot fail, and the shapes have neither maps nor failing members.
    written.unwrap_or_else(|error| unreachable!("a record half did not serialise: {error}"));
}
