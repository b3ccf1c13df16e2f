//! Rendering records once: the exact body of a single-record response, which begins with the list
//! row.
//!
//! A body is `{"data":` + summary + details + `}`, the two halves spliced into one object. So the
//! text of a list row is a part of the body, and a row cannot differ from the record it stands
//! for (specification section 2.2, section 4.5).
//!
//! A line of an export is short, but each of its references brings in a whole name. So a body is
//! bounded while it is written.

pub mod coverage;

use std::io::{self, Write};

use serde::Serialize;
use serde_json::Serializer;

use self::coverage::{BOAT_FIELDS, Coverage, Fields, MANUFACTURER_FIELDS, Observer, Observing};
use crate::base::model::{
    BoatDetails, BoatSummary, ManufacturerDetails, ManufacturerSummary, Terms,
};

/// Longest body, in bytes.
pub const BODY_MAX: usize = 16 * 1024 * 1024;

/// What precedes the record in a single-record body.
pub const OPENING: &[u8] = br#"{"data":"#;
/// What follows it.
pub const CLOSING: u8 = b'}';

/// A record, with what it shows of others, is too large to be served.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the rendered record takes more than {} MiB", BODY_MAX >> 20)]
pub struct BodyTooLarge;

/// A body's layout and contents, known once it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rendered {
    /// Length of the record up to the end of the summary: its list row, but for a closing brace.
    pub head_length: usize,
    /// Which fields have a value.
    pub coverage: Coverage,
}

/// Appends the body of a full boat to `out`.
pub fn boat(
    summary: &BoatSummary<'_>,
    details: &BoatDetails<'_>,
    out: &mut Vec<u8>,
) -> Result<Rendered, BodyTooLarge> {
    body(&BOAT_FIELDS, summary, details, out)
}

/// Appends the body of a full manufacturer to `out`.
pub fn manufacturer(
    summary: &ManufacturerSummary<'_>,
    details: &ManufacturerDetails<'_>,
    out: &mut Vec<u8>,
) -> Result<Rendered, BodyTooLarge> {
    body(&MANUFACTURER_FIELDS, summary, details, out)
}

/// The body of all terms.
pub fn terms(terms: &Terms<'_>) -> Result<Vec<u8>, BodyTooLarge> {
    let mut out = OPENING.to_vec();
    let mut serializer = Serializer::new(Bounded {
        out: &mut out,
        end_max: BODY_MAX - 1,
    });
    match terms.serialize(&mut serializer) {
        Ok(()) => {}
        Err(error) if error.is_io() => return Err(BodyTooLarge),
        Err(error) => unreachable!("terms did not serialise: {error}"),
    }
    out.push(CLOSING);
    Ok(out)
}

/// The record in a body.
pub fn record(body: &[u8]) -> &[u8] {
    &body[OPENING.len()..body.len() - 1]
}

fn body(
    fields: &Fields,
    summary: &impl Serialize,
    details: &impl Serialize,
    out: &mut Vec<u8>,
) -> Result<Rendered, BodyTooLarge> {
    let (start, mut observer) = (out.len(), Observer::new(fields));
    out.extend_from_slice(OPENING);
    // The closing brace of the whole is written after the last check.
    let end_max = start + BODY_MAX - 1;
    append(summary, observer.half(), end_max, out)?;
    out.pop(); // The closing brace of the summary.
    let head_length = out.len() - start - OPENING.len();
    let comma = out.len();
    append(details, observer.half(), end_max, out)?;
    out[comma] = b','; // In place of the opening brace of the details.
    out.push(CLOSING);
    Ok(Rendered {
        head_length,
        coverage: observer.finish(),
    })
}

fn append(
    half: &impl Serialize,
    observing: Observing<'_, '_>,
    end_max: usize,
    out: &mut Vec<u8>,
) -> Result<(), BodyTooLarge> {
    let mut serializer = Serializer::with_formatter(Bounded { out, end_max }, observing);
    match half.serialize(&mut serializer) {
        Ok(()) => Ok(()),
        Err(error) if error.is_io() => Err(BodyTooLarge),
        // The shapes have neither maps nor failing members.
        Err(error) => unreachable!("a record half did not serialise: {error}"),
    }
}

/// Appends to a buffer that must not grow beyond `end_max`.
struct Bounded<'a> {
    out: &'a mut Vec<u8>,
    end_max: usize,
}

impl Write for Bounded<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.end_max.saturating_sub(self.out.len()) < bytes.len() {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.out.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.write(bytes).map(|_all| ())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Serialize)]
    struct Half {
        text: String,
    }

    /// The length of a body whose second half has a text of so many letters.
    fn rendered(letters: usize) -> Result<usize, BodyTooLarge> {
        let half = |text: String| Half { text };
        let mut out = b"before".to_vec();
        let (first, second) = (half("a".to_owned()), half("b".repeat(letters)));
        let rendered = body(&Fields::new(&["text", "text"]), &first, &second, &mut out)?;
        assert_eq!(&out[14..][..rendered.head_length], br#"{"text":"a""#);
        Ok(out.len() - 6)
    }

    #[test]
    fn the_longest_body_is_rendered_and_no_longer_one() {
        let around = rendered(0).unwrap();
        assert_eq!(rendered(BODY_MAX - around), Ok(BODY_MAX));
        assert_eq!(rendered(BODY_MAX - around + 1), Err(BodyTooLarge));
    }

    #[test]
    fn a_body_too_large_takes_no_more_memory_than_the_longest() {
        let texts = Half {
            text: "x".repeat(1 << 16),
        };
        let many: Vec<&Half> = std::iter::repeat_n(&texts, 10_000).collect();
        let mut out = Vec::new();
        let fields = Fields::new(&["text"]);
        assert_eq!(body(&fields, &texts, &many, &mut out), Err(BodyTooLarge));
        assert!(out.len() <= BODY_MAX && out.capacity() <= 2 * BODY_MAX);
    }
}
