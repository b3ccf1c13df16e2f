//! The units of measures: their names, quantities and conversion factors.

use std::str::FromStr;

use bigdecimal::BigDecimal;

/// What a unit measures. Only units of the same quantity convert into each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Quantity {
    Length,
    Area,
    Mass,
    Speed,
    Angle,
    Volume,
}

impl Quantity {
    /// The word for people.
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Length => "a length",
            Self::Area => "an area",
            Self::Mass => "a mass",
            Self::Speed => "a speed",
            Self::Angle => "an angle",
            Self::Volume => "a volume",
        }
    }
}

/// The system a unit belongs to, which decides about rounding and the meaning of a comma.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum System {
    Metric,
    Imperial,
    Neither,
}

/// A unit of measurement.
#[derive(Clone, Copy, Debug)]
pub(in crate::mapping) struct Unit(&'static Definition);

#[derive(Debug)]
struct Definition {
    name: &'static str,
    quantity: Quantity,
    system: System,
    /// Exactly how many of the quantity's first unit it is.
    factor: &'static str,
    /// All spellings, including the name, in lower case and with one blank between words.
    spellings: &'static [&'static str],
}

const fn unit(
    name: &'static str,
    quantity: Quantity,
    system: System,
    factor: &'static str,
    spellings: &'static [&'static str],
) -> Definition {
    Definition {
        name,
        quantity,
        system,
        factor,
        spellings,
    }
}

use Quantity::{Angle, Area, Length, Mass, Speed, Volume};
use System::{Imperial, Metric, Neither};

/// "Ton" is left out because it may be a tonne, 2,000 or 2,240 pounds.
#[rustfmt::skip]
static UNITS: [Definition; 17] = [
    unit("m", Length, Metric, "1", &["m", "metre", "metres", "meter", "meters", "mtr", "mtrs", "mt", "mts", "mètre", "mètres", "metri", "metro", "metros"]),
    unit("cm", Length, Metric, "0.01", &["cm", "centimetre", "centimetres", "centimeter", "centimeters", "zentimeter", "centimètre", "centimètres", "centimetri", "centímetros"]),
    unit("mm", Length, Metric, "0.001", &["mm", "millimetre", "millimetres", "millimeter", "millimeters", "millimètre", "millimètres", "millimetri", "milímetros"]),
    unit("ft", Length, Imperial, "0.3048", &["ft", "'", "foot", "feet", "fuß", "fuss", "pied", "pieds", "piede", "piedi", "pies", "voet"]),
    unit("in", Length, Imperial, "0.0254", &["in", "\"", "inch", "inches", "zoll", "pouce", "pouces", "pollici", "pulgadas", "duim"]),
    unit("m2", Area, Metric, "1", &["m2", "sqm", "sq m", "square metre", "square metres", "square meter", "square meters", "qm", "mq", "quadratmeter", "mètres carrés", "metri quadrati", "metros cuadrados", "vierkante meter"]),
    unit("ft2", Area, Imperial, "0.09290304", &["ft2", "sf", "sqft", "sq ft", "square foot", "square feet"]),
    unit("kg", Mass, Metric, "1", &["kg", "kgs", "kilogram", "kilograms", "kilogramme", "kilogrammes", "kilogramm", "kilogrammi", "chilogrammi", "kilogramos", "kilo", "kilos"]),
    unit("t", Mass, Metric, "1000", &["t", "tonne", "tonnes", "metric ton", "metric tons", "tonnen", "tonnellate", "toneladas"]),
    unit("lb", Mass, Imperial, "0.45359237", &["lb", "lbs", "pound", "pounds"]),
    unit("kn", Speed, Neither, "1.852", &["kn", "kns", "kt", "kts", "knot", "knots", "knoten", "nœud", "nœuds", "noeud", "noeuds", "nodi", "nudos", "knopen"]),
    unit("km/h", Speed, Metric, "1", &["km/h", "kmh", "kph"]),
    unit("mph", Speed, Imperial, "1.609344", &["mph"]),
    unit("deg", Angle, Neither, "1", &["deg", "°", "degree", "degrees", "grad", "degré", "degrés", "gradi", "grados", "graden"]),
    unit("l", Volume, Metric, "1", &["l", "ltr", "ltrs", "litre", "litres", "liter", "liters", "litri", "litros"]),
    unit("gal", Volume, Imperial, "3.785411784", &["gal", "gals", "gallon", "gallons", "us gal", "us gallon", "us gallons"]),
    unit("imp gal", Volume, Imperial, "4.54609", &["imp gal", "imp gallons", "imperial gallon", "imperial gallons", "uk gal", "uk gallons"]),
];

impl Unit {
    /// The most words in a spelling.
    pub(super) const WORDS_MAX: usize = 2;

    /// The unit with this name. Other spellings are not accepted.
    pub(in crate::mapping) fn parse(name: &str) -> Result<Self, String> {
        let unit = UNITS.iter().find(|unit| unit.name == name).map(Self);
        unit.ok_or_else(|| {
            let names: Vec<&str> = Self::names().collect();
            format!("{name:?} is not a unit; units are {}", names.join(", "))
        })
    }

    /// The names of all units, for messages.
    pub(super) fn names() -> impl Iterator<Item = &'static str> {
        UNITS.iter().map(|unit| unit.name)
    }

    /// The unit with this spelling, which must be in lower case.
    pub(super) fn spelled(spelling: &str) -> Option<Self> {
        let is_meant = |unit: &&Definition| unit.spellings.contains(&spelling);
        UNITS.iter().find(is_meant).map(Self)
    }

    pub(super) const fn name(self) -> &'static str {
        self.0.name
    }

    pub(super) const fn quantity(self) -> Quantity {
        self.0.quantity
    }

    /// Whether it is a unit of length.
    pub(super) fn is_length(self) -> bool {
        self.quantity() == Length
    }

    /// Whether it is a unit of mass.
    pub(super) fn is_mass(self) -> bool {
        self.quantity() == Mass
    }

    /// Whether so many of it that people part thousands are plausible of a boat, in a value with
    /// three digits after a mark.
    pub(super) fn reaches_thousands(self) -> bool {
        !matches!(self.name(), "m" | "ft" | "in" | "t")
            && matches!(self.quantity(), Length | Area | Mass | Volume)
    }

    /// Whether it is used only by people who write decimals with a point.
    pub(super) fn is_imperial(self) -> bool {
        self.0.system == Imperial
    }

    /// Whether people who write a number without a unit beside one in this unit mean `other`: feet
    /// are written with inches.
    pub(super) fn goes_with(self, other: Self) -> bool {
        self == other || self.is_imperial() && other.is_imperial()
    }

    /// Whether converting into `other` only moves the decimal point.
    pub(super) fn shifts_to(self, other: Self) -> bool {
        self.0.system == Metric && other.0.system == Metric
    }

    /// Exactly how many of its quantity's first unit it is.
    pub(super) fn factor(self) -> BigDecimal {
        BigDecimal::from_str(self.0.factor).unwrap_or_else(|_why| unreachable!("checked by a test"))
    }
}

impl PartialEq for Unit {
    fn eq(&self, other: &Self) -> bool {
        self.0.name == other.0.name
    }
}

impl Eq for Unit {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_unit_has_a_factor_and_spellings_of_its_own() {
        let mut seen = std::collections::BTreeSet::new();
        for unit in &UNITS {
            assert!(BigDecimal::from_str(unit.factor).is_ok(), "{}", unit.name);
            assert!(unit.spellings.contains(&unit.name), "{}", unit.name);
            for spelling in unit.spellings {
                assert!(seen.insert(*spelling), "{spelling} twice");
                assert_eq!(*spelling, spelling.to_lowercase());
                assert!(spelling.split(' ').count() <= Unit::WORDS_MAX);
            }
        }
    }
}
