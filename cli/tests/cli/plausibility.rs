//! Measures that do not fit each other: what is planted in the sample is found, and nothing else is.

use serde_json::{Value, json};

use crate::edited::Edited;
use crate::harness::TestCli;

/// A metric boat of the sample, the first published one, with every measure.
const BOAT: usize = 0;

/// The warnings about the sample after this edit.
fn warnings(edit: impl FnOnce(&mut Value)) -> Vec<String> {
    let mut cli = TestCli::new();
    Edited::sample()
        .boat(BOAT, edit)
        .write(&cli, "edited.ndjson");
    let outcome = cli.run(&["validate", "--json", "[dir]/edited.ndjson"]);
    let told = outcome.document();
    let findings = told["findings"].as_array().unwrap();
    let shown = findings.iter().map(|finding| {
        let [code, pointer, message] =
            ["code", "pointer", "message"].map(|key| finding[key].as_str().unwrap());
        format!("{code} {pointer}: {message}")
    });
    shown.collect()
}

/// The warnings about the sample with one measure multiplied.
fn planted(pointer: &str, factor: f64) -> Vec<String> {
    warnings(|boat| {
        let value = boat.pointer_mut(pointer).unwrap();
        let wrong = value.as_f64().unwrap() * factor;
        *value = json!((wrong * 1000.0).round() / 1000.0);
    })
}

const FEET: f64 = 1.0 / 0.3048;

#[test]
fn what_is_in_another_unit_or_a_thousand_times_as_much_is_found() {
    let mut found = Vec::new();
    for (pointer, factors) in [
        ("/dimensions/lengthWaterline", &[FEET, 1000.0, 0.001][..]),
        ("/dimensions/beamOverall", &[FEET, 1000.0, 0.001]),
        ("/dimensions/draftMax", &[FEET, 1000.0, 0.001]),
        ("/dimensions/draftMin", &[1000.0, 0.001]),
        ("/dimensions/displacement", &[1000.0, 0.001]),
        ("/dimensions/ballastWeight", &[1000.0, 0.001]),
        ("/sails/upwindArea", &[FEET * FEET, 1000.0, 0.001]),
        ("/sails/downwindArea", &[FEET * FEET, 1000.0, 0.001]),
        // In km/h, and in m/s.
        (
            "/performance/displacementHullSpeed",
            &[1.852, 0.514, 1000.0],
        ),
        ("/performance/topSpeed", &[1000.0, 0.001]),
    ] {
        for factor in factors {
            let warnings = planted(pointer, *factor);
            let is_about_it =
                |warning: &String| warning.starts_with(&format!("IMPLAUSIBLE_VALUE {pointer}: "));
            assert!(warnings.iter().any(is_about_it), "{pointer} {factor}");
            found.extend(warnings);
        }
    }
    insta::assert_snapshot!(found.join("\n"), @r"
    IMPLAUSIBLE_VALUE /dimensions/lengthWaterline: a waterline of 29.56 m is implausibly large for a length overall of 10.36 m
    IMPLAUSIBLE_VALUE /dimensions/lengthWaterline: a waterline of 9010 m is implausibly large for a length overall of 10.36 m
    IMPLAUSIBLE_VALUE /dimensions/lengthWaterline: a waterline of 0.009 m is implausibly small for a length overall of 10.36 m
    IMPLAUSIBLE_VALUE /dimensions/beamOverall: a beam of 12.566 m is implausibly large for a length overall of 10.36 m
    IMPLAUSIBLE_VALUE /dimensions/beamOverall: a beam of 3830 m is implausibly large for a length overall of 10.36 m
    IMPLAUSIBLE_VALUE /dimensions/beamOverall: a beam of 0.004 m is implausibly small for a length overall of 10.36 m
    IMPLAUSIBLE_VALUE /dimensions/draftMax: a greatest draft of 6.168 m is implausibly large for a length overall of 10.36 m
    IMPLAUSIBLE_VALUE /dimensions/draftMax: a greatest draft of 1880 m is implausibly large for a length overall of 10.36 m
    IMPLAUSIBLE_VALUE /dimensions/draftMax: a greatest draft of 0.002 m is implausibly small for a length overall of 10.36 m
    IMPLAUSIBLE_VALUE /dimensions/draftMin: a least draft of 1260 m is implausibly large for a length overall of 10.36 m
    IMPLAUSIBLE_VALUE /dimensions/draftMin: a least draft of 0.001 m is implausibly small for a length overall of 10.36 m
    IMPLAUSIBLE_VALUE /dimensions/displacement: a displacement of 6160000 kg is implausibly large for a length overall of 10.36 m
    IMPLAUSIBLE_VALUE /dimensions/displacement: a displacement of 6.16 kg is implausibly small for a length overall of 10.36 m
    IMPLAUSIBLE_VALUE /dimensions/ballastWeight: a ballast of 2280000 kg is implausibly large for a displacement of 6160 kg
    IMPLAUSIBLE_VALUE /dimensions/ballastWeight: a ballast of 2.28 kg is implausibly small for a displacement of 6160 kg
    IMPLAUSIBLE_VALUE /sails/upwindArea: an upwind sail area of 671.668 m² is implausibly large for a displacement of 6160 kg
    IMPLAUSIBLE_VALUE /sails/upwindArea: an upwind sail area of 62400 m² is implausibly large for a displacement of 6160 kg
    IMPLAUSIBLE_VALUE /sails/upwindArea: an upwind sail area of 0.062 m² is implausibly small for a displacement of 6160 kg
    IMPLAUSIBLE_VALUE /sails/downwindArea: a downwind sail area of 1270.141 m² is implausibly large for a displacement of 6160 kg
    IMPLAUSIBLE_VALUE /sails/downwindArea: a downwind sail area of 118000 m² is implausibly large for a displacement of 6160 kg
    IMPLAUSIBLE_VALUE /sails/downwindArea: a downwind sail area of 0.118 m² is implausibly small for a displacement of 6160 kg
    IMPLAUSIBLE_VALUE /performance/displacementHullSpeed: a hull speed of 14.075 kn is implausibly large for a waterline of 9.01 m
    IMPLAUSIBLE_VALUE /performance/displacementHullSpeed: a hull speed of 3.906 kn is implausibly small for a waterline of 9.01 m
    IMPLAUSIBLE_VALUE /performance/displacementHullSpeed: a hull speed of 7600 kn is implausibly large for a waterline of 9.01 m
    IMPLAUSIBLE_VALUE /performance/topSpeed: a top speed of 8200 kn is implausibly large for a waterline of 9.01 m
    IMPLAUSIBLE_VALUE /performance/topSpeed: a top speed of 0.008 kn is implausibly small for a waterline of 9.01 m
    ");
}

#[test]
fn a_whole_boat_in_the_other_system_is_found_by_what_has_no_unit_of_its_own() {
    let in_feet = warnings(|boat| {
        boat["lengthOverall"] = json!(33.99);
        boat["dimensions"]["lengthOverall"] = json!(null);
    });
    let imperial = warnings(|boat| boat["unit"] = json!("imperial"));
    insta::assert_snapshot!([in_feet, imperial].concat().join("\n"), @r"
    IMPLAUSIBLE_VALUE /dimensions/displacement: a displacement of 6160 kg is implausibly small for a length overall of 33.99 m
    IMPLAUSIBLE_VALUE /dimensions/lengthWaterline: a waterline of 9.01 m is implausibly small for a length overall of 33.99 m
    IMPLAUSIBLE_VALUE /dimensions/displacement: a displacement of 6160 lb is implausibly large for a length overall of 10.36 ft
    IMPLAUSIBLE_VALUE /performance/displacementHullSpeed: a hull speed of 7.6 kn is implausibly large for a waterline of 9.01 ft
    ");
}

#[test]
fn nothing_is_said_of_zeros_and_of_what_is_not_published() {
    let zeros = warnings(|boat| {
        for pointer in ["/dimensions/ballastWeight", "/dimensions/draftMin"] {
            *boat.pointer_mut(pointer).unwrap() = json!(0);
        }
    });
    assert_eq!(zeros, [""; 0]);
    let hidden = warnings(|boat| {
        boat["published"] = json!(false);
        boat["dimensions"]["beamOverall"] = json!(3830);
    });
    assert_eq!(hidden, [""; 0]);
}
