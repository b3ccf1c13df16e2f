//! Tests of measures as content spells them, and of texts that are rejected rather than guessed.

mod number;

use super::*;

fn read_in(unit: &str, text: &str) -> Result<Option<String>, String> {
    let unit = Unit::parse(unit).expect("a unit");
    let read = measure(text, unit, None)?;
    Ok(read.map(|read| read.spelled))
}

fn check(unit: &str, table: &[(&str, &str)]) {
    for (text, expected) in table {
        let read = read_in(unit, text);
        assert_eq!(read, Ok(Some((*expected).to_owned())), "{text} in {unit}");
    }
}

fn check_refused(unit: &str, table: &[(&str, &str)]) {
    for (text, expected) in table {
        let refused = read_in(unit, text).expect_err(text);
        assert!(refused.starts_with("could not read "), "{refused}");
        assert!(refused.contains(expected), "{text}: {refused}");
    }
}

#[test]
fn a_value_in_the_wanted_unit_is_taken_as_it_stands() {
    check(
        "m",
        &[
            ("34.58' / 10.54m", "10.54"),
            ("10.543 m", "10.543"),
            ("10,54 m", "10.54"),
            ("10.50", "10.5"),
            ("34'7\" (10.54 m)", "10.54"),
            ("10.54 m [34 ft 7 in]", "10.54"),
            ("10.54 METRES", "10.54"),
            ("10.54 mts.", "10.54"),
            ("10.54 m.", "10.54"),
            ("10.54 m, 34'7\"", "10.54"),
            ("34'7\", 10.54 m", "10.54"),
            ("10 m 54 cm", "10.54"),
            ("10m54cm", "10.54"),
            ("34'7\" / 10 m 54 cm", "10.54"),
            ("0", "0"),
        ],
    );
    check(
        "ft",
        &[
            ("34.58' / 10.54m", "34.58"),
            ("34.583 ft", "34.583"),
            ("2 ½ ft", "2.5"),
        ],
    );
}

#[test]
fn a_length_has_three_decimals_as_formulas_make_many() {
    check(
        "m",
        &[
            ("10.3632", "10.363"),
            ("10,36350 m", "10.364"),
            ("10543.7 mm", "10.544"),
        ],
    );
    check(
        "ft",
        &[
            ("34.448818897637795", "34.449"),
            ("34.4484 ft / 10.5 m", "34.448"),
        ],
    );
    check("kg", &[("5443.108440000001", "5443.108440000001")]);
    for (number, unit, expected) in [
        ("10.3632", "m", Some("10.363")),
        ("1.03635e1", "m", Some("10.364")),
        ("10.363", "m", None),
        ("5443.10844", "kg", None),
        ("1e-999999999", "m", None),
    ] {
        let rounded = rounded(number, Unit::parse(unit).unwrap());
        assert_eq!(rounded.as_deref(), expected, "{number} {unit}");
    }
}

#[test]
fn a_mass_may_have_its_thousands_parted() {
    check(
        "kg",
        &[
            ("4.763 kg", "4.763"),
            ("10.500 kg", "10.5"),
            ("1.234 kg / 2.721 lb", "1.234"),
            ("10'500 kg", "10500"),
            ("10’500.5 kg", "10500.5"),
            ("10'500", "10500"),
            ("1'234'567 kg", "1234567"),
            ("1 234 kg", "1234"),
            ("1\u{a0}234,5 kg", "1234.5"),
            ("12\u{202f}345 kg", "12345"),
            ("1.5e3 kg", "1500"),
            ("1.234,5 kg", "1234.5"),
            ("1,234.5 kg", "1234.5"),
        ],
    );
    check(
        "lb",
        &[
            ("1,234.5 lbs", "1234.5"),
            ("12'000 lbs", "12000"),
            ("14,330 lbs", "14330"),
            ("14,330", "14330"),
        ],
    );
}

#[test]
fn units_have_many_spellings() {
    check(
        "m2",
        &[
            ("30 m²", "30"),
            ("30 sq. m", "30"),
            ("30 m2 / 323 sq ft", "30"),
        ],
    );
    check(
        "ft2",
        &[
            ("323 sq.ft.", "323"),
            ("323 ft^2", "323"),
            ("807 sf", "807"),
            ("323 square feet", "323"),
        ],
    );
    check("kn", &[("6 kn", "6"), ("6 knots", "6"), ("6.5 kts", "6.5")]);
    check(
        "deg",
        &[("15°", "15"), ("-7,5 deg", "-7.5"), ("− 3 degrees", "-3")],
    );
    check("l", &[("200 l", "200"), ("200 Litres / 52.8 gal", "200")]);
}

#[test]
fn units_have_names_in_other_languages() {
    check(
        "m",
        &[
            ("10,54 Meter", "10.54"),
            ("10,54 mètres", "10.54"),
            ("10,54 me\u{300}tres", "10.54"),
            ("10,54 metri", "10.54"),
            ("10 Fuß", "3.05"),
            ("33 pieds", "10.06"),
            ("150 Zoll", "3.81"),
        ],
    );
    check(
        "kg",
        &[
            ("7,5 Tonnen", "7500"),
            ("7,5 tonnellate", "7500"),
            ("4800 Kilo", "4800"),
        ],
    );
    check("kn", &[("6,5 Knoten", "6.5"), ("6,5 nœuds", "6.5")]);
    check("m2", &[("30 mètres carrés", "30"), ("30 mq", "30")]);
    check("l", &[("200 litri", "200")]);
}

#[test]
fn what_is_about_right_is_taken_as_it_stands() {
    check(
        "m",
        &[
            ("~10.5 m", "10.5"),
            ("≈ 10.5 m", "10.5"),
            ("ca. 10,5 m", "10.5"),
            ("approx. 10.5", "10.5"),
            ("circa 33 ft", "10.06"),
        ],
    );
}

#[test]
fn a_measure_may_have_its_decimals_after_what_the_mapping_says() {
    let (point, comma) = (DecimalMark::POINT, DecimalMark::COMMA);
    for (text, mark, expected) in [
        ("5.300 kg", comma, Ok("5300")),
        ("5.300 kg", point, Ok("5.3")),
        ("5,300 kg", point, Ok("5300")),
        ("8.750,5 kg", comma, Ok("8750.5")),
        (
            "9.45 kg",
            comma,
            Err("\"9.45\" is no number with a comma before its decimals, as the mapping has it"),
        ),
    ] {
        let read = measure(text, Unit::parse("kg").unwrap(), Some(mark));
        match (read, expected) {
            (Ok(Some(read)), Ok(expected)) => {
                assert_eq!((read.spelled.as_str(), read.convention), (expected, None));
            }
            (Err(refused), Err(expected)) => assert!(refused.contains(expected)),
            (read, _) => panic!("{text}: {read:?}"),
        }
    }
}

#[test]
fn a_measure_shows_how_its_number_is_written_unless_its_unit_or_another_spelling_does() {
    use Convention::{Comma, CommaOfThree, Point, PointOfThree};
    for (unit, text, expected) in [
        ("kg", "5.300 kg", Some(PointOfThree)),
        ("kg", "5.300", Some(PointOfThree)),
        ("kg", "5.300 t", Some(Point)),
        ("m", "10.363 m", Some(Point)),
        ("m", "10.500 mm", Some(PointOfThree)),
        ("kg", "8.750,5 kg", Some(Comma)),
        ("lb", "14,330 lbs", Some(CommaOfThree)),
        ("kg", "6,500 kg (14,330 lbs)", None),
        ("kg", "5300 kg", None),
        ("m", "12' 6.5\"", Some(Point)),
    ] {
        let read = measure(text, Unit::parse(unit).unwrap(), None);
        let read = read.unwrap().unwrap();
        assert_eq!(read.convention, expected, "{text} in {unit}");
    }
}

#[test]
fn other_units_are_converted_and_rounded_half_up_to_two_decimals() {
    check(
        "m",
        &[
            ("12'6\"", "3.81"),
            ("12' 6 1/2\"", "3.82"),
            ("12′ 6½″", "3.82"),
            ("12’-6”", "3.81"),
            ("12' 6''", "3.81"),
            ("12 ft 6 in", "3.81"),
            ("12' 6", "3.81"),
            ("12'6", "3.81"),
            ("12 ft 6", "3.81"),
            ("12' 6 1/2", "3.82"),
            ("12'-6-1/2\"", "3.82"),
            ("41' 6-1/2\"", "12.66"),
            ("12' 6 (3.81 m)", "3.81"),
            ("12ft. 6in.", "3.81"),
            ("34.58'", "10.54"),
            ("1/2 in", "0.01"),
            ("4.5 ft", "1.37"),
        ],
    );
    check(
        "ft",
        &[
            ("12' 6\"", "12.5"),
            ("12' 7\"", "12.58"),
            ("3.81 m", "12.5"),
            ("150 in", "12.5"),
        ],
    );
    check("kg", &[("10,500 lbs", "4762.72"), ("1 lb", "0.45")]);
    check("lb", &[("4.763 kg", "10.5"), ("1 t", "2204.62")]);
    check("m2", &[("323 sq ft", "30.01")]);
    check("kn", &[("10 km/h", "5.4"), ("10 mph", "8.69")]);
    check("l", &[("10 gal", "37.85"), ("10 imp gal", "45.46")]);
    check("cm", &[("1 in", "2.54")]);
}

#[test]
fn halves_are_rounded_up() {
    check(
        "cm",
        &[
            ("0.25 in", "0.64"),
            ("0.05 in", "0.13"),
            ("-0.05 in", "-0.13"),
        ],
    );
}

#[test]
fn moving_the_decimal_point_loses_nothing() {
    check("m", &[("1054 cm", "10.54"), ("10543 mm", "10.543")]);
    check("kg", &[("7.5 t", "7500"), ("4.7635 tonnes", "4763.5")]);
    check("t", &[("4763.5 kg", "4.7635")]);
}

#[test]
fn a_comma_before_three_digits_is_settled_or_refused() {
    check(
        "kg",
        &[
            ("14,330 lbs / 6,500 kg", "6500"),
            ("6,500 kg (14,330 lbs)", "6500"),
            ("6,500 kg / 6.5 t", "6500"),
            ("4,763 t / 4763 kg", "4763"),
            ("1,234 kg / 1,234 t", "1234"),
            ("0,500 kg", "0.5"),
            ("1234,567 kg", "1234.567"),
        ],
    );
    check("m", &[("34,580 ft / 10540 m", "10540")]);
    check_refused(
        "kg",
        &[
            ("1,234 kg", "it is 1234 or 1.234; write it without the mark"),
            ("1,234", "it is 1234 or 1.234"),
            ("1,234 kg / 5,678 t", "not the same measure"),
        ],
    );
    check_refused("m", &[("10,540 m", "it is 10540 or 10.540")]);
}

#[test]
fn spellings_that_differ_by_more_than_rounding_are_refused_and_shown() {
    check_refused(
        "m",
        &[
            (
                "34.58' / 11.54m",
                "11.54 m and 34.58 ft are not the same measure: 34.58 ft is 10.54 m",
            ),
            ("11.54m (34.58')", "34.58 ft is 10.54 m"),
            ("34.58' / 10.56 m", "not the same measure"),
            ("34' / 12 m", "34 ft is 10.36 m"),
            ("12' 6\" / 4.0 m", "150 in is 3.81 m"),
            ("10.54 m / 1045 cm", "1045 cm is 10.45 m"),
            ("1.5 m / 2.1 m", "1.5 m and 2.1 m are not the same measure"),
            (
                "1,234 m / 5.6 cm",
                "1234 or 1.234 m and 5.6 cm are not the same measure",
            ),
            ("10 m / 34.4 ft / 31 ft", "31 ft and 34.4 ft are not"),
        ],
    );
    check_refused("ft", &[("34.58' / 11.54m", "not the same measure")]);
    check_refused(
        "kg",
        &[
            ("5,000 kg / 11,200 lbs", "not the same measure"),
            ("10.0 t / 9000 kg", "not the same measure"),
            ("500 kg / 1,000 lbs", "not the same measure"),
            ("8,000 lb / 3,400 kg", "not the same measure"),
            (
                "5.000 kg / 11,000 lb",
                "11000 lb are not the same measure: 11000 lb is 4989.52 kg",
            ),
        ],
    );
}

#[test]
fn what_is_rounded_or_cut_off_after_its_last_digit_agrees() {
    check(
        "m",
        &[
            ("34' / 10.4 m", "10.4"),
            ("34' / 10 m", "10"),
            ("10.54 m / 34.58 ft / 34.6 ft", "10.54"),
            ("34.58' / 10.55 m", "10.55"),
            ("34.6 ft (10.53 m)", "10.53"),
            ("12' 6 1/2\" / 3.83 m", "3.83"),
            ("12 1/2 ft / 3.9 m", "3.9"),
        ],
    );
    check(
        "kg",
        &[
            ("22,000 lbs / 10,000 kg", "10000"),
            ("10,000 lbs / 4,500 kg", "4500"),
            ("9.8 t / 21,600 lbs", "9800"),
            ("9000 kg / 20,000 lb", "9000"),
            ("8,000 lb / 3,600 kg", "3600"),
            ("7,000 lbs (3,200 kg)", "3200"),
            ("5,000 kg / 11,000 lb", "5000"),
        ],
    );
}

#[test]
fn what_is_converted_and_rounded_agrees_and_what_is_a_tenth_more_does_not() {
    const UNITS: [(&str, &str); 5] = [
        ("m", "ft"),
        ("kg", "lb"),
        ("m2", "ft2"),
        ("l", "gal"),
        ("kn", "km/h"),
    ];
    proptest::proptest!(|(
        thousandths in 10_000_u32..100_000_000,
        decimals in 0_i64..4,
        (metric, other) in proptest::sample::select(&UNITS[..]),
        is_first: bool,
    )| {
        let exact = BigDecimal::new(thousandths.into(), 3);
        let [metric_unit, other_unit] = [metric, other].map(|name| Unit::parse(name).unwrap());
        let converted = &exact * metric_unit.factor() / other_unit.factor();
        let spelled = |number: &BigDecimal, unit: &str, rounding| {
            format!("{} {unit}", number.with_scale_round(decimals, rounding).to_plain_string())
        };
        let text = |value: &BigDecimal, rounding| {
            let (one, two) = (spelled(value, metric, rounding), spelled(&converted, other, rounding));
            if is_first { format!("{one} / {two}") } else { format!("{two} / {one}") }
        };
        let rounded = spelled(&exact, "", RoundingMode::HalfEven);
        let taken = number(&rounded, None).unwrap().map(|read| read.spelled);
        proptest::prop_assert_eq!(read_in(metric, &text(&exact, RoundingMode::HalfEven)), Ok(taken));
        proptest::prop_assert!(read_in(metric, &text(&exact, RoundingMode::Down)).is_ok());
        let more = &exact * BigDecimal::new(11.into(), 1);
        // With so few digits, even a tenth may be rounding.
        if 0 < decimals || exact.clone().min(converted.clone()) > 100 {
            let refused = read_in(metric, &text(&more, RoundingMode::HalfEven)).unwrap_err();
            proptest::prop_assert!(refused.contains("not the same measure"), "{}", refused);
        }
    });
}

#[test]
fn what_is_no_single_measure_is_refused() {
    check_refused(
        "m",
        &[
            ("10-12 m", "it is a range"),
            ("10 – 12 m", "it is a range"),
            ("10 m to 12 m", "it is a range"),
            ("10 to 12 m", "it is a range"),
            ("10…12 m", "it is a range"),
            ("12' - 14'", "it is a range"),
            ("1.5 m / 2.1 m", "not the same measure"),
            ("4' / 2.1 m", "not the same measure"),
            ("1.5 / 2.1 m", "a number without a unit"),
            ("30' 9.14", "\"9.14\" is no part of a measure"),
            ("30' 6 m", "\"6\" is no part of a measure"),
            ("10 m 54", "\"54\" is no part of a measure"),
            ("10 m 105 cm", "\"105\" is no part of a measure"),
            ("10.5 m 54 cm", "\"54\" is no part of a measure"),
            ("12' 14", "there are 12 inches in a foot"),
            ("10'500", "there are 12 inches in a foot"),
            ("10'500 m", "there are 12 inches in a foot"),
            ("12, 5 m", "a number without a unit"),
            ("10 m, 12 m", "not the same measure"),
            ("12' 14\"", "there are 12 inches in a foot"),
            ("5 t", "t is a mass and not a length"),
            ("10.54 m / 5 t", "t is a mass and not a length"),
            (
                "10 furlongs",
                "\"furlongs\" is not a unit; units are m, cm, mm, ft,",
            ),
            ("10.54 m LOA", "\"loa\" is no part of a measure"),
            ("from 10 m", "\"from\" is no part of a measure"),
            ("~10-12 m", "it is a range"),
            ("m", "\"m\" is no part of a measure"),
            ("10 m /", "it ends where a number is missing"),
            ("10 m (33 ft", "it ends where a number is missing"),
            ("1.2.3 m", "grouped in no known way"),
        ],
    );
    check_refused("kg", &[("5 tons", "\"tons\" is not a unit")]);
    check_refused("m", &[(&"1".repeat(201), "more than 200 bytes")]);
}

#[test]
fn blank_is_none() {
    for text in ["", " ", "\u{a0}\u{202f}\n"] {
        assert_eq!(read_in("m", text), Ok(None));
    }
}

#[test]
fn no_text_panics_and_every_plain_number_is_itself() {
    let alphabet = "[0-9 .,'\"/()\u{202f}½²mftkgins°–-]{0,24}";
    proptest::proptest!(|(text in alphabet, any in "\\PC{0,40}", whole: u32, cents in 0_u8..100)| {
        for unit in Unit::names() {
            let _ = read_in(unit, &text);
            let _ = read_in(unit, &any);
            let number = format!("{whole}.{cents:02}1");
            proptest::prop_assert_eq!(read_in(unit, &number), Ok(Some(number)));
        }
        for mark in [None, Some(DecimalMark::POINT), Some(DecimalMark::COMMA)] {
            let _ = (number(&text, mark), number(&any, mark));
        }
    });
}
