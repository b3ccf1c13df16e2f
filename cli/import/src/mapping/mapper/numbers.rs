//! How the numbers of a column are written: one column has one convention. Where its numbers leave
//! open whether a mark parts thousands, or contradict each other, a finding says so, and also where
//! some are in another unit than that in which those without one are read.
//!
//! A column is what one expression of the mapping reads. Nothing here reads numbers.

use std::collections::BTreeMap;

use crate::finding::{Code, CountAndFirst, Finding, Place, cut};
use crate::mapping::definition::{Definition, ExpressionId, Rule};
use crate::mapping::functions::measure::Convention;

/// Fields of boats whose values may have thousands. In others, a thousand times the value is refused
/// anyway.
const WITH_THOUSANDS: [&str; 7] = [
    "amount",
    "ballastWeight",
    "displacement",
    "downwindArea",
    "tonnageGross",
    "tonnageNet",
    "upwindArea",
];

/// How the numbers that an expression reads are written: how many show each convention, and the first
/// of these.
#[derive(Default)]
pub(super) struct Written(BTreeMap<Convention, CountAndFirst<Shown>>);

/// A number that shows a convention.
struct Shown {
    text: String,
    /// The place of its record.
    place: usize,
}

/// A doubt about some numbers, the first of which is in the record at this place.
struct Doubt {
    code: Code,
    at: usize,
    why: String,
}

impl Written {
    /// Adds a number of the record at this place.
    pub(super) fn add(&mut self, convention: Convention, place: usize, text: &str) {
        let shown = self.0.entry(convention).or_default();
        shown.add(|| Shown {
            text: cut(text.trim()),
            place,
        });
    }

    /// Adds numbers of records that come after these.
    pub(super) fn merge(&mut self, later: Self) {
        for (convention, shown) in later.0 {
            self.0.entry(convention).or_default().merge(shown);
        }
    }

    /// The first number that shows a convention, and this with how many there are besides.
    fn first(&self, convention: Convention) -> Option<(&Shown, String)> {
        let shown = self.0.get(&convention)?;
        let first = shown.first.as_ref()?;
        let text = &first.text;
        let several = |count| format!("{text}, like {} more,", count - 1);
        shown.told(text, several)
    }

    /// The findings about numbers of an expression, if they contradict each other or nothing tells
    /// what they mean; `place` knows where a record is.
    pub(super) fn findings(
        &self,
        id: ExpressionId,
        definition: &Definition,
        place: impl Fn(usize) -> Place,
    ) -> impl Iterator<Item = Finding> {
        let mut made = definition.rules.iter().flat_map(Rule::made);
        let field = made.find_map(|(field, by)| (by == id).then(|| field.to_string()));
        let (marks, units) = (self.marks(field.as_deref(), &place), self.units(&place));
        let doubts = [(marks, HINT), (units, HINT_OF_UNITS)];
        let expression = &definition.expressions[id.0];
        let origin = format!("the mapping makes the value by {expression}");
        let field = field.map_or_else(String::new, |field| format!("`{field}`: "));
        doubts.into_iter().filter_map(move |(doubt, hint)| {
            let Doubt { code, at, why } = doubt?;
            let mut finding = Finding::new(code, Some(place(at)), format!("{field}{why}"));
            finding.origin = Some(origin.clone());
            finding.hint = Some(hint.to_owned());
            Some(finding)
        })
    }

    /// The doubt about numbers without units, of which some are in another unit than the others.
    fn units(&self, place: impl Fn(usize) -> Place) -> Option<Doubt> {
        let (other, _) = self.first(Convention::OtherUnit)?;
        let (shown, all) = self.first(Convention::NoUnit)?;
        let why = format!(
            "{all} was read in the unit of the mapping for want of one, though {} ({}) has another",
            other.text,
            place(other.place)
        );
        Some(Doubt {
            code: Code::MixedNumbers,
            at: shown.place,
            why,
        })
    }

    /// The doubt about what stands before decimals.
    fn marks(&self, field: Option<&str>, place: impl Fn(usize) -> Place) -> Option<Doubt> {
        use Convention::{Comma, CommaOfThree, Guessed, Point, PointOfThree};
        let may_part = may_have_thousands(field);
        let point_of_three = self.first(PointOfThree).filter(|_| may_part);
        let comma = self.first(Comma).map(|(other, _)| other);
        let mixed = |taken_for: &str, (shown, all): (&Shown, String), other: &Shown| {
            let at = place(other.place);
            let why = format!(
                "{all} was read with {taken_for}, though {} ({at}) shows decimals after a comma",
                other.text
            );
            (Code::MixedNumbers, shown.place, why)
        };
        let (code, at, why) = match (point_of_three, self.first(CommaOfThree), comma) {
            (Some(shown), _, Some(other)) => mixed("a decimal point", shown, other),
            (_, Some(shown), Some(other)) => mixed("a comma between thousands", shown, other),
            _ if self.0.contains_key(&Point) => return None,
            (Some((shown, all)), ..) => {
                let thousands = shown.text.replacen('.', "", 1);
                let why = format!(
                    "{all} was read with a decimal point, but may be {thousands}, as no other number of the column shows which"
                );
                (Code::AmbiguousNumbers, shown.place, why)
            }
            (None, _, None) => {
                let (shown, all) = self.first(Guessed)?;
                let why = format!(
                    "{all} may have decimals or parted thousands, and was read by the guess that a draft made, as no other number tells which"
                );
                (Code::AmbiguousNumbers, shown.place, why)
            }
            _ => return None,
        };
        Some(Doubt { code, at, why })
    }
}

/// How a mapping settles what the marks in a column mean.
const HINT: &str = "say in the mapping what stands before decimals: `number(\",\")` and \
    `measure(\"kg\"; \",\")` take 5.300 for 5300, `number(\".\")` and `measure(\"kg\"; \".\")` for 5.3, and \
    refuse what is written otherwise; a `?` behind the mark is a guess";

/// How a mapping settles what a number without a unit is in.
const HINT_OF_UNITS: &str = "write each with its unit where they are kept, or say in the mapping what \
    those without one are in: `if tostring | test(\"^[0-9.,]+$\") then \"\\(.) ft\" else . end | \
    measure(\"m\")`";

fn may_have_thousands(field: Option<&str>) -> bool {
    field.is_none_or(|field| {
        let last = field.rsplit('.').next().unwrap_or(field);
        WITH_THOUSANDS.contains(&last)
    })
}
