//! The rules that compare fields of one boat. What a field may hold by itself stands in the table
//! of the native format.

use shared::base::units::{Length, Unit};

use super::checked::Values;
use super::reporter::{Problem, Reporter};
use crate::finding::Code;
use crate::json::Node;

/// Reports each rule that a boat breaks, as far as the fields that it compares can be used.
pub(super) fn check(boat: &Values<'_>, record: &Node<'_>, reporter: &mut Reporter<'_>) {
    let broken = [years_reversed(boat), lengths_differ(boat)];
    for (keys, problem) in broken.into_iter().flatten() {
        reporter.report_field(record, keys, problem);
    }
}

/// The keys that lead to the field that is wrong, and what is wrong with it.
type Broken = (&'static [&'static str], Problem);

fn years_reversed(boat: &Values<'_>) -> Option<Broken> {
    let first = boat.count_at(&["production", "firstYear"])?;
    let last = boat.count_at(&["production", "lastYear"])?;
    let message = format!("the last year is before the first, {first}");
    let problem = Problem::new(Code::YearsReversed, message);
    (last < first).then_some((&["production", "lastYear"], problem))
}

fn lengths_differ(boat: &Values<'_>) -> Option<Broken> {
    let unit = Unit::parse(boat.text_at(&["unit"])?)?;
    let length = boat.text_at(&["lengthOverall"])?;
    let again = boat.text_at(&["dimensions", "lengthOverall"])?;
    // Most are spelled alike, and to parse a length takes long.
    if again == length || Length::parse(again, unit) == Length::parse(length, unit) {
        return None;
    }
    let message = "differs from the boat's `lengthOverall`";
    let problem = Problem::new(Code::LengthMismatch, message);
    let hint = "leave the key out: it is filled in";
    Some((&["dimensions", "lengthOverall"], problem.hint(hint)))
}
