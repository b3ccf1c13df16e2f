//! Whether the measures of a boat fit each other: a beam in feet, a displacement in tonnes and a
//! sail area without its decimal point are numbers that every single field accepts.
//!
//! One table has all relations, with bounds so wide that hardly any boat that was ever built lies
//! outside. Outside of them is a warning: the boat may be an exception. A 0 is not judged, since it mostly stands for none or not known.

use shared::base::model::BoatDetails;
use shared::base::number::Number;
use shared::base::units::Unit;

use super::boat::Boat;
use super::reporter::{Problem, Reporter};
use crate::finding::Code;
use crate::json::Node;

/// A measure of a boat.
struct Measure {
    /// For messages, with its article.
    name: &'static str,
    /// The object that has it, and its key.
    place: [&'static str; 2],
    dimension: Dimension,
    of: fn(&BoatDetails<'_>) -> Option<Number>,
}

#[derive(Clone, Copy)]
enum Dimension {
    Length,
    Mass,
    Area,
    /// In knots, whatever the system of the boat.
    Speed,
}

impl Dimension {
    /// The unit in a system, and how many metres, kilograms, square metres or knots it is.
    const fn unit(self, system: Unit) -> (&'static str, f64) {
        match (self, system) {
            (Self::Length, Unit::Metric) => ("m", 1.0),
            (Self::Length, Unit::Imperial) => ("ft", 0.304_8),
            (Self::Mass, Unit::Metric) => ("kg", 1.0),
            (Self::Mass, Unit::Imperial) => ("lb", 0.453_592_37),
            (Self::Area, Unit::Metric) => ("m²", 1.0),
            (Self::Area, Unit::Imperial) => ("ft²", 0.092_903_04),
            (Self::Speed, Unit::Metric | Unit::Imperial) => ("kn", 1.0),
        }
    }
}

macro_rules! measures {
    ($($constant:ident $name:literal $dimension:ident $object:ident $key:literal $field:ident)+) => {
        $(const $constant: Measure = Measure {
            name: $name,
            place: [stringify!($object), $key],
            dimension: Dimension::$dimension,
            of: |boat| boat.$object.$field,
        };)+
    };
}

measures! {
    WATERLINE "a waterline" Length dimensions "lengthWaterline" length_waterline
    BEAM "a beam" Length dimensions "beamOverall" beam_overall
    DRAFT_MAX "a greatest draft" Length dimensions "draftMax" draft_max
    DRAFT_MIN "a least draft" Length dimensions "draftMin" draft_min
    DISPLACEMENT "a displacement" Mass dimensions "displacement" displacement
    BALLAST "a ballast" Mass dimensions "ballastWeight" ballast_weight
    UPWIND "an upwind sail area" Area sails "upwindArea" upwind_area
    DOWNWIND "a downwind sail area" Area sails "downwindArea" downwind_area
    HULL_SPEED "a hull speed" Speed performance "displacementHullSpeed" displacement_hull_speed
    TOP_SPEED "a top speed" Speed performance "topSpeed" top_speed
}

/// The one measure that every boat has.
const LENGTH: Measure = Measure {
    name: "a length overall",
    place: ["dimensions", "lengthOverall"],
    dimension: Dimension::Length,
    of: |boat| Some(boat.dimensions.length_overall),
};

/// A measure, divided by a power of another one, is within these bounds; all in metres, kilograms,
/// square metres and knots.
struct Relation {
    measure: Measure,
    beside: Measure,
    power: f64,
    least: f64,
    most: f64,
}

macro_rules! relations {
    ($($measure:ident / $beside:ident ^ $power:literal: $least:literal to $most:literal)+) => {
        [$(Relation {
            measure: $measure,
            beside: $beside,
            power: $power,
            least: $least,
            most: $most,
        },)+]
    };
}

/// Beside each line, the boats that come nearest to its bounds; `ORC` are the 1,583 classes of the
/// ORC certificates of 2025. `guides/findings.md` has the bounds too. What measures others comes
/// before them.
const RELATIONS: [Relation; 10] = relations! {
    // Overhangs of metre-class yachts 0.55, plumb bows 1.
    WATERLINE / LENGTH ^ 1.0: 0.4 to 1.1
    // Narrowboats 0.1; ORC 0.17 to 0.56; trimarans of the ORMA 60 rule 1.
    BEAM / LENGTH ^ 1.0: 0.08 to 1.1
    // Flat-bottomed barges 0.02; ORC 0.10 to 0.32; dinghies with their board down 0.36.
    DRAFT_MAX / LENGTH ^ 1.0: 0.01 to 0.45
    // The same, with the board up.
    DRAFT_MIN / LENGTH ^ 1.0: 0.005 to 0.45
    // Foiling catamarans 0.45; ORC 1.0 to 12.4; workboats 20.
    DISPLACEMENT / LENGTH ^ 3.0: 0.2 to 40.0
    // Multihulls 0.04; yachts of the America's Cup of 1992 to 2007 0.8.
    BALLAST / DISPLACEMENT ^ 1.0: 0.005 to 0.9
    // Motor sailers 0.08; ORC 0.09 to 0.93; skiffs 1.
    UPWIND / DISPLACEMENT ^ 0.667: 0.02 to 1.5
    // ORC 0.09 to 2.1; skiffs 3.2.
    DOWNWIND / DISPLACEMENT ^ 0.667: 0.02 to 3.5
    // Wave theory: 2.43, a Froude number of 0.4.
    HULL_SPEED / WATERLINE ^ 0.5: 1.6 to 4.0
    // Houseboats 1.2; racing powerboats 30.
    TOP_SPEED / WATERLINE ^ 0.5: 0.5 to 40.0
};

/// Warns of measures that do not fit each other; `record` is what the boat was read from. Nothing is
/// measured by what does not fit itself, so one mistake is one warning.
pub(super) fn check<'n>(boat: &Boat<'_>, record: &'n Node<'n>, reporter: &mut Reporter<'n>) {
    let unit = boat.summary.length.unit();
    let mut doubted = Vec::new();
    for relation in &RELATIONS {
        if doubted.contains(&relation.beside.place) {
            continue;
        }
        let measured = [&relation.measure, &relation.beside].map(|measure| {
            let value = (measure.of)(&boat.details)?.get();
            (value != 0.0).then_some(value)
        });
        let [Some(value), Some(beside)] = measured else {
            continue;
        };
        if let Some(what) = relation.fault([value, beside], unit) {
            let problem = relation.problem(what, [value, beside], unit);
            doubted.push(relation.measure.place);
            reporter.report_field(record, &relation.measure.place, problem);
        }
    }
}

impl Relation {
    /// What is wrong with a value beside another one, in the boat's own units.
    fn fault(&self, [value, beside]: [f64; 2], unit: Unit) -> Option<&'static str> {
        let factor = |measure: &Measure| measure.dimension.unit(unit).1;
        let (value, beside) = (value * factor(&self.measure), beside * factor(&self.beside));
        let ratio = value / beside.powf(self.power);
        if ratio < self.least {
            return Some("small");
        }
        (self.most < ratio).then_some("large")
    }

    fn problem(&self, what: &str, [value, beside]: [f64; 2], unit: Unit) -> Problem {
        let (measure, other) = (&self.measure, &self.beside);
        let [own, others] = [measure, other].map(|measure| measure.dimension.unit(unit).0);
        let message = format!(
            "{} of {value} {own} is implausibly {what} for {} of {beside} {others}",
            measure.name, other.name
        );
        let system = unit.as_str();
        let units = if own == others {
            format!("both are in {own}")
        } else {
            format!("they are in {own} and {others}")
        };
        let hint = format!("the boat is {system}, so {units}: convert what is in another unit");
        Problem::new(Code::ImplausibleValue, message).hint(hint)
    }
}

#[cfg(test)]
mod tests;
