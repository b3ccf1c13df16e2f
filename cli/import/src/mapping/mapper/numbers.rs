//! How the numbers of a column are written: one column has one convention. Where its numbers leave
//! open whether a mark parts thousands, or contradict each other, a finding says so.
//!
//! A column is what one expression of the mapping reads. Nothing here reads numbers.

use crate::finding::{Code, Finding, Place, cut};
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

/// How the numbers that an expression reads are written: what showed each convention first.
#[derive(Default)]
pub(super) struct Written {
    point: Option<Shown>,
    comma: Option<Shown>,
    point_of_three: Option<Shown>,
    comma_of_three: Option<Shown>,
    guessed: Option<Shown>,
}

/// Numbers that show the same convention.
struct Shown {
    count: u64,
    /// The text of the first.
    text: String,
    /// The place of its record.
    place: usize,
}

impl Written {
    /// Adds a number of the record at this place.
    pub(super) fn add(&mut self, convention: Convention, place: usize, text: &str) {
        match self.shown(convention) {
            Some(shown) => shown.count += 1,
            none => {
                *none = Some(Shown {
                    count: 1,
                    text: cut(text.trim()),
                    place,
                });
            }
        }
    }

    /// Adds numbers of records that come after these.
    pub(super) fn merge(&mut self, mut later: Self) {
        use Convention::{Comma, CommaOfThree, Guessed, Point, PointOfThree};
        for convention in [Point, Comma, PointOfThree, CommaOfThree, Guessed] {
            let Some(more) = later.shown(convention).take() else {
                continue;
            };
            match self.shown(convention) {
                Some(shown) => shown.count += more.count,
                none => *none = Some(more),
            }
        }
    }

    const fn shown(&mut self, convention: Convention) -> &mut Option<Shown> {
        match convention {
            Convention::Point => &mut self.point,
            Convention::Comma => &mut self.comma,
            Convention::PointOfThree => &mut self.point_of_three,
            Convention::CommaOfThree => &mut self.comma_of_three,
            Convention::Guessed => &mut self.guessed,
        }
    }

    /// The finding about numbers of an expression, if they contradict each other or nothing tells
    /// what they mean; `place` knows where a record is.
    pub(super) fn finding(
        &self,
        id: ExpressionId,
        definition: &Definition,
        place: impl Fn(usize) -> Place,
    ) -> Option<Finding> {
        let mut made = definition.rules.iter().flat_map(Rule::made);
        let field = made.find_map(|(field, by)| (by == id).then(|| field.to_string()));
        let may_part = may_have_thousands(field.as_deref());
        let (code, shown, why) = match self {
            Self {
                point_of_three: Some(shown),
                comma: Some(other),
                ..
            } if may_part => (
                Code::MixedNumbers,
                shown,
                contradicted(shown, "a decimal point", other, &place),
            ),
            Self {
                comma_of_three: Some(shown),
                comma: Some(other),
                ..
            } => (
                Code::MixedNumbers,
                shown,
                contradicted(shown, "a comma between thousands", other, &place),
            ),
            Self {
                point_of_three: Some(shown),
                point: None,
                ..
            } if may_part => (Code::AmbiguousNumbers, shown, doubtful(shown)),
            Self {
                guessed: Some(shown),
                point: None,
                comma: None,
                ..
            } => (Code::AmbiguousNumbers, shown, guessed(shown)),
            _ => return None,
        };
        let expression = &definition.expressions[id.0];
        let field = field.map_or_else(String::new, |field| format!("`{field}`: "));
        let mut finding = Finding::new(code, Some(place(shown.place)), format!("{field}{why}"));
        finding.origin = Some(format!("the mapping makes the value by {expression}"));
        finding.hint = Some(HINT.to_owned());
        Some(finding)
    }
}

/// How a mapping settles what the marks in a column mean.
const HINT: &str = "say in the mapping what stands before decimals: `number(\",\")` and \
    `measure(\"kg\"; \",\")` take 5.300 for 5300, `number(\".\")` and `measure(\"kg\"; \".\")` for 5.3, and \
    refuse what is written otherwise; a `?` behind the mark is a guess";

fn contradicted(
    shown: &Shown,
    taken_for: &str,
    other: &Shown,
    place: impl Fn(usize) -> Place,
) -> String {
    format!(
        "{} was read with {taken_for}, though {} ({}) shows decimals after a comma",
        and_others(shown),
        other.text,
        place(other.place)
    )
}

fn doubtful(shown: &Shown) -> String {
    let text = &shown.text;
    let thousands = text.replacen('.', "", 1);
    format!(
        "{} was read with a decimal point, but may be {thousands}, as no other number of the column shows which",
        and_others(shown)
    )
}

fn guessed(shown: &Shown) -> String {
    format!(
        "{} may have decimals or parted thousands, and was read by the guess that a draft made, as no other number tells which",
        and_others(shown)
    )
}

/// The first number, and how many there are besides.
fn and_others(shown: &Shown) -> String {
    match shown.count {
        1 => shown.text.clone(),
        count => format!("{}, like {} more,", shown.text, count - 1),
    }
}

fn may_have_thousands(field: Option<&str>) -> bool {
    field.is_none_or(|field| {
        let last = field.rsplit('.').next().unwrap_or(field);
        WITH_THOUSANDS.contains(&last)
    })
}
