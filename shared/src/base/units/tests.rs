//! Lengths: what is shown, and which bounds find which boat.

use proptest::prelude::*;

use super::*;

fn metric(number: &str) -> Length {
    Length::parse(number, Unit::Metric).unwrap()
}

fn imperial(number: &str) -> Length {
    Length::parse(number, Unit::Imperial).unwrap()
}

fn finds(min: Option<&str>, max: Option<&str>, unit: LengthUnit, boat: Length) -> bool {
    let bound = |text: Option<&str>| text.map(|text| Bound::parse(text).unwrap());
    LengthRanges::new(bound(min).as_ref(), bound(max).as_ref(), unit).admits(boat)
}

fn shown(number: Number) -> String {
    serde_json::to_string(&number).unwrap()
}

#[test]
fn feet_are_shown_in_metres_with_two_decimals_halves_up() {
    for (feet, metres) in [
        ("31.25", "9.53"),
        ("34.59", "10.54"),
        ("40", "12.19"),
        ("1000", "304.8"),
        ("0.001", "0"),
    ] {
        assert_eq!(shown(imperial(feet).metres()), metres, "{feet} ft");
    }
    assert_eq!(shown(imperial("31.25").own()), "31.25");
}

#[test]
fn metres_are_shown_unchanged() {
    for (given, metres) in [
        ("10.360", "10.36"),
        ("12", "12"),
        ("9.178", "9.178"),
        ("1e3", "1000"),
    ] {
        assert_eq!(shown(metric(given).metres()), metres);
        assert_eq!(shown(metric(given).own()), metres);
    }
}

#[test]
fn a_length_is_above_0_at_most_1000_with_at_most_3_decimals() {
    for (number, error) in [
        ("0", InvalidLength::OutOfRange),
        ("-1", InvalidLength::OutOfRange),
        ("1000.001", InvalidLength::OutOfRange),
        ("1e999999999", InvalidLength::OutOfRange),
        ("1e99999999999999999999", InvalidLength::OutOfRange),
        ("12.3456", InvalidLength::TooPrecise),
        ("1e-4", InvalidLength::TooPrecise),
        ("twelve", InvalidLength::NotANumber),
        ("", InvalidLength::NotANumber),
    ] {
        assert_eq!(Length::parse(number, Unit::Metric), Err(error), "{number}");
    }
    let endless = format!("1.{}", "0".repeat(10_000));
    assert_eq!(
        Length::parse(&endless, Unit::Metric),
        Err(InvalidLength::TooLong)
    );
    assert!(Length::parse("12.3450000", Unit::Metric).is_ok());
}

#[test]
fn bounds_in_the_boats_own_unit_compare_exactly() {
    let boat = metric("12.192");
    assert!(finds(
        Some("12.192"),
        Some("12.192"),
        LengthUnit::Metres,
        boat
    ));
    assert!(!finds(
        Some("12.1920000000000000000000000001"),
        None,
        LengthUnit::Metres,
        boat
    ));
    assert!(!finds(
        None,
        Some("12.1919999999999999999999999999"),
        LengthUnit::Metres,
        boat
    ));
}

#[test]
fn bounds_in_the_other_unit_reach_5_millimetres_further() {
    assert!(finds(
        Some("40"),
        Some("40"),
        LengthUnit::Feet,
        metric("12.192")
    ));
    assert!(finds(
        Some("40"),
        Some("40"),
        LengthUnit::Feet,
        metric("12.197")
    ));
    assert!(!finds(None, Some("40"), LengthUnit::Feet, metric("12.198")));
    assert!(finds(Some("40"), None, LengthUnit::Feet, metric("12.187")));
    assert!(!finds(Some("40"), None, LengthUnit::Feet, metric("12.186")));
    // 34.59 ft is 10.543032 m and shows as 10.54.
    assert!(finds(
        Some("10.54"),
        Some("10.54"),
        LengthUnit::Metres,
        imperial("34.59")
    ));
}

#[test]
fn a_bound_prints_as_the_shortest_equal_number() {
    for (given, printed) in [
        ("1.50", "1.5"),
        ("0012", "12"),
        ("1000.000", "1000"),
        ("0.10", "0.1"),
    ] {
        assert_eq!(Bound::parse(given).unwrap().to_string(), printed);
    }
}

proptest! {
    #[test]
    fn every_boat_is_found_by_the_length_it_shows(thousandths in 1_i64..=1_000_000, is_metric: bool) {
        let unit = if is_metric { Unit::Metric } else { Unit::Imperial };
        let text = format!("{}.{:03}", thousandths / 1000, thousandths % 1000);
        let boat = Length::parse(&text, unit).unwrap();
        let metres = shown(boat.metres());
        prop_assume!(metres != "0");
        prop_assert!(finds(Some(&metres), Some(&metres), LengthUnit::Metres, boat));
        let own = shown(boat.own());
        let own_unit = if is_metric { LengthUnit::Metres } else { LengthUnit::Feet };
        prop_assert!(finds(Some(&own), Some(&own), own_unit, boat));
    }

    /// Rational arithmetic without the code under test: everything times ten million.
    #[test]
    fn bounds_agree_with_exact_fractions(
        boat in 1_i128..=1_000_000, is_metric: bool, bound in 1_i128..=1_000_000, in_metres: bool
    ) {
        let per_thousandth = |is_metric| if is_metric { 10_000 } else { 3_048 };
        let slack = if is_metric == in_metres { 0 } else { 50_000 };
        let boat_physical = boat * per_thousandth(is_metric);
        let bound_physical = bound * per_thousandth(in_metres);
        let unit = if is_metric { Unit::Metric } else { Unit::Imperial };
        let bound_unit = if in_metres { LengthUnit::Metres } else { LengthUnit::Feet };
        let text = |n: i128| format!("{}.{:03}", n / 1000, n % 1000);
        let length = Length::parse(&text(boat), unit).unwrap();
        let as_min = finds(Some(&text(bound)), None, bound_unit, length);
        let as_max = finds(None, Some(&text(bound)), bound_unit, length);
        prop_assert_eq!(as_min, bound_physical - slack <= boat_physical);
        prop_assert_eq!(as_max, boat_physical <= bound_physical + slack);
    }
}

#[test]
fn a_bound_is_rounded_inward_to_the_decimals_of_what_it_is_compared_with() {
    for (given, decimals, ceil, floor) in [
        ("1990", 0, 1990, 1990),
        ("1.75", 0, 2, 1),
        ("1.75", 2, 175, 175),
        ("1.75", METRE_DECIMALS, 17_500_000, 17_500_000),
        ("1.00000009", METRE_DECIMALS, 10_000_001, 10_000_000),
        ("0.000000000000000000001", METRE_DECIMALS, 1, 0),
    ] {
        let bound = Bound::parse(given).unwrap();
        let rounded = (bound.ceil(decimals), bound.floor(decimals));
        assert_eq!(rounded, (ceil, floor), "{given} with {decimals}");
    }
}
