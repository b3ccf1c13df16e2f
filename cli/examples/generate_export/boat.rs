//! A boat of an export, part by part. Whatever may be absent is, one time in ten.

use rand::Rng;
use rand::rngs::StdRng;
use serde_json::{Value, json};

use crate::invent::{
    SERIES, YARDS, decimal, image, list, maybe, named_values, number, pick, sentence, term, terms,
};

/// How many designers there are to name.
pub(crate) const DESIGNERS: u64 = 400;
/// One boat in so many is a draft.
const DRAFTS: u64 = 50;

/// The boat of that number.
pub(crate) fn boat(number: u64, manufacturers: u64, random: &mut StdRng) -> Value {
    let is_metric = random.random_bool(0.8);
    let hundredths = random.random_range(400..2500) * if is_metric { 1 } else { 3 };
    let length = decimal(hundredths, 100);
    let first_year = random.random_range(1950..=2026);
    let last_year = maybe(random, |random| first_year + random.random_range(0..25));
    let model = format!("{} {}", pick(&SERIES, random), hundredths / 10);
    let mut boat = json!({
        "id": format!("boat-{number}"),
        "slug": format!("model-{number}.{}", hundredths / 10),
        "model": model,
        "version": maybe(random, |random| pick(&["Performance", "Classic", "MkII"], random)),
        "manufacturer": format!("maker-{}", random.random_range(0..manufacturers)),
        "type": term("type", random),
        "categories": terms("category", random),
        "activities": terms("activity", random),
        "production": {"firstYear": first_year, "lastYear": last_year},
        "unit": if is_metric { "metric" } else { "imperial" },
        "lengthOverall": length,
        "description": maybe(random, |random| sentence(10..120, random)),
        "referencePrice": maybe(random, |random| json!({
            "amount": random.random_range(5_000..2_000_000),
            "currency": {"code": "EUR", "symbol": "€"},
        })),
        "image": maybe(random, |random| image("main", number, random)),
        "gallery": list(0..6, random, |random| image("gallery", number, random)),
        "published": !number.is_multiple_of(DRAFTS),
    });
    for (name, part) in [
        ("hull", hull(random)),
        ("dimensions", dimensions(length, random)),
        ("accommodation", accommodation(random)),
        ("steering", steering(random)),
        ("performance", performance(random)),
        ("rig", rig(random)),
        ("sails", sails(random)),
        ("tanks", tanks(random)),
        ("engines", json!(list(0..3, random, engine))),
        ("designers", designers(random)),
        ("ceClassification", classification(random)),
    ] {
        boat[name] = part;
    }
    boat
}

fn hull(random: &mut StdRng) -> Value {
    json!({
        "type": maybe(random, |random| term("hullType", random)),
        "material": maybe(random, |random| term("hullMaterial", random)),
        "keelType": maybe(random, |random| pick(&["Fin keel", "Deep T-keel", "Lifting keel"], random)),
        "unsinkable": maybe(random, Rng::random::<bool>),
        "trailerable": maybe(random, Rng::random::<bool>),
        "appendages": named_values(random),
    })
}

fn dimensions(length: f64, random: &mut StdRng) -> Value {
    let mut dimensions = json!({
        "lengthOverall": length,
        "ballastType": maybe(random, |random| pick(&["Lead", "Cast iron", "Water"], random)),
    });
    for name in [
        "lengthWaterline",
        "beamOverall",
        "beamCabinLine",
        "beamHull",
        "draftMax",
        "draftMin",
        "headroom",
        "bridgedeckClearance",
        "nominalBridgedeckClearance",
        "displacement",
        "ballastWeight",
        "tonnageGross",
        "tonnageNet",
    ] {
        dimensions[name] = json!(maybe(random, number));
    }
    dimensions
}

fn accommodation(random: &mut StdRng) -> Value {
    let mut few = || maybe(random, |random| random.random_range(0..9));
    json!({"cabins": few(), "berths": few(), "heads": few()})
}

fn steering(random: &mut StdRng) -> Value {
    json!({
        "helm": maybe(random, |random| pick(&["Tiller", "Wheel", "Twin wheels"], random)),
        "rudder": maybe(random, |random| pick(&["Single spade", "Twin spades", "Skeg"], random)),
        "cockpitType": maybe(random, |random| pick(&["Open transom", "Closed"], random)),
        "cockpitLocation": maybe(random, |random| pick(&["Aft", "Centre"], random)),
    })
}

fn performance(random: &mut StdRng) -> Value {
    let mut speed = || maybe(random, number);
    json!({"cruisingSpeed": speed(), "topSpeed": speed(), "displacementHullSpeed": speed()})
}

fn rig(random: &mut StdRng) -> Value {
    json!({
        "mastHeight": maybe(random, number),
        "mastConfiguration": maybe(random, |random| pick(&["Sloop", "Ketch", "Cutter"], random)),
        "riggingType": maybe(random, |random| pick(&["Masthead", "9/10 fractional"], random)),
        "standingRigging": maybe(random, |random| pick(&["1x19 wire", "Rod"], random)),
        "spars": maybe(random, |random| pick(&["Aluminium", "Carbon", "Spruce"], random)),
        "rotatingSpars": maybe(random, Rng::random::<bool>),
        "spreadersLevel": maybe(random, |random| random.random_range(0..5)),
        "spreadersAngle": maybe(random, |random| decimal(random.random_range(-50..250), 10)),
    })
}

fn sails(random: &mut StdRng) -> Value {
    json!({
        "upwindArea": maybe(random, number),
        "downwindArea": maybe(random, number),
        "mainsail": named_values(random),
        "headsail": named_values(random),
        "spinnaker": named_values(random),
    })
}

fn tanks(random: &mut StdRng) -> Value {
    let mut litres = || {
        list(0..3, random, |random| {
            format!("{} l", random.random_range(20..900))
        })
    };
    json!({"fuel": litres(), "water": litres(), "holding": litres(), "waterHeaters": litres()})
}

fn engine(random: &mut StdRng) -> Value {
    json!({
        "maker": pick(&YARDS, random),
        "model": format!("D{}-{}", random.random_range(1..9), random.random_range(10..500)),
        "type": maybe(random, |random| pick(&["Inboard", "Outboard"], random)),
        "drive": maybe(random, |random| pick(&["Saildrive", "Shaft", "Pod"], random)),
        "fuel": maybe(random, |random| pick(&["Diesel", "Petrol", "Electric"], random)),
        "power": format!("{} hp", random.random_range(5..900)),
        "powerType": maybe(random, |random| pick(&["Combustion", "Electric"], random)),
    })
}

fn designers(random: &mut StdRng) -> Value {
    let mut some = || {
        list(0..3, random, |random| {
            format!("designer-{}", random.random_range(0..DESIGNERS))
        })
    };
    json!({"naval": some(), "interior": some(), "exterior": some()})
}

fn classification(random: &mut StdRng) -> Value {
    let mut people = || maybe(random, |random| random.random_range(1..30));
    json!({"a": people(), "b": people(), "c": people(), "d": people()})
}
