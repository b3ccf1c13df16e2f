//! The rules that compare fields of one boat. What a field may hold by itself stands in the table
//! of the native format.

use shared::base::units::{Length, Unit};

use super::checked::{Checked, Values};
use super::reporter::{Problem, Reporter};
use crate::finding::Code;
use crate::json::Node;

/// A rule.
pub(crate) struct Rule {
    /// What it asks for, for people.
    pub(crate) asks: &'static str,
    /// How a boat breaks it, if the fields that it compares can be used.
    broken: fn(&Values<'_>) -> Option<Broken>,
}

/// All rules, in the order in which they are checked.
pub(crate) const RULES: [Rule; 2] = [
    Rule {
        asks: "`lastYear` is not before `firstYear`",
        broken: years_reversed,
    },
    Rule {
        asks: "`dimensions.lengthOverall` equals `lengthOverall`",
        broken: lengths_differ,
    },
];

/// Reports each rule that a boat breaks.
pub(super) fn check(boat: &Values<'_>, record: &Node<'_>, reporter: &mut Reporter<'_>) {
    for (keys, problem) in RULES.iter().filter_map(|rule| (rule.broken)(boat)) {
        reporter.report_field(record, keys, problem);
    }
}

/// The keys that lead to the field that is wrong, and what is wrong with it.
type Broken = (&'static [&'static str], Problem);

fn years_reversed(boat: &Values<'_>) -> Option<Broken> {
    let [first, last] = ["firstYear", "lastYear"].map(|key| boat.at(&["production", key]));
    let (Checked::Integer(first), Checked::Integer(last)) = (first?, last?) else {
        return None;
    };
    let message = format!("the last year is before the first, {first}");
    let problem = Problem::new(Code::YearsReversed, message);
    (last < first).then_some((&["production", "lastYear"], problem))
}

fn lengths_differ(boat: &Values<'_>) -> Option<Broken> {
    let (Checked::Text(unit), Checked::Text(length), Checked::Text(again)) = (
        boat.at(&["unit"])?,
        boat.at(&["lengthOverall"])?,
        boat.at(&["dimensions", "lengthOverall"])?,
    ) else {
        return None;
    };
    let unit = Unit::parse(unit)?;
    // Most are spelled alike, and to parse a length takes long.
    if again == length || Length::parse(again, unit) == Length::parse(length, unit) {
        return None;
    }
    let message = "differs from the boat's `lengthOverall`";
    let problem = Problem::new(Code::LengthMismatch, message);
    let hint = "leave the key out: it is filled in";
    Some((&["dimensions", "lengthOverall"], problem.hint(hint)))
}
