//! An export of any size, every value invented; the same number and seed give the same bytes.
//! Whatever may be absent is, one time in ten.

use std::io::{self, Write};
use std::ops::Range;

use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use serde::Serialize;
use serde_json::{Value, json};

const BOATS_PER_MANUFACTURER: u64 = 250;

/// Most designers that there are to name; no more than boats.
const DESIGNERS_MAX: u64 = 400;
/// One boat in so many is a draft.
const DRAFTS: u64 = 50;
const YARDS: [&str; 16] = [
    "Ångström",
    "Bénodet",
    "Łódź",
    "Þórsson",
    "Straßer",
    "Fjordglimt",
    "Đurđević",
    "Sant'Elmo",
    "Kaimana",
    "Two Rivers",
    "Halvorsen",
    "Van der Meer",
    "Kōwhai",
    "Miramar",
    "Skagerrak",
    "Ærø",
];
const TRADES: [&str; 8] = [
    "Båtar",
    "Yachts",
    "Marine",
    "Boat Works",
    "Jachty",
    "Bootsbau",
    "Cantieri",
    "Chantiers",
];
const SERIES: [&str; 12] = [
    "Mistral", "Océane", "First", "Cruiser", "Öland", "Swift", "Explorer", "Škoj", "Lagune",
    "Tern", "Nordic", "Racer",
];
const NAMES: [&str; 12] = [
    "Ylva Sjöström",
    "Gwenaël Le Bihan",
    "Ngaire Tāmihana",
    "Germán Ibarra",
    "Aoife Ní Bhriain",
    "Jörg Weiß",
    "Zofia Wójcik",
    "Luca Ferrante",
    "Sigrún Jónsdóttir",
    "Tomáš Dvořák",
    "Maëlle Kerguelen",
    "Håkon Bø",
];
const WORDS: [&str; 24] = [
    "short-handed",
    "cruiser",
    "with",
    "a",
    "deep",
    "cockpit",
    "and",
    "wide",
    "side decks",
    "built",
    "for",
    "the",
    "North Sea",
    "in",
    "short",
    "series",
    "by",
    "hand",
    "light",
    "below",
    "stiff",
    "under way",
    "easy to sail",
    "éprouvé",
];
/// Vocabulary and number of its terms.
const TERMS: [(&str, u64); 5] = [
    ("type", 12),
    ("category", 30),
    ("activity", 20),
    ("hullType", 10),
    ("hullMaterial", 15),
];

/// A line: its kind first, as exports write it.
#[derive(Serialize)]
struct Record {
    kind: &'static str,
    #[serde(flatten)]
    fields: Value,
}

/// Writes so many boats, and what they refer to.
pub(crate) fn write_export(boats: u64, seed: u64, out: &mut impl Write) -> io::Result<()> {
    let mut random = StdRng::seed_from_u64(seed);
    let manufacturers = boats.div_ceil(BOATS_PER_MANUFACTURER).max(1);
    let designers = boats.clamp(1, DESIGNERS_MAX);
    let terms: u64 = TERMS.iter().map(|(_, count)| count).sum();
    let counts = json!({
        "boat": boats, "manufacturer": manufacturers, "term": terms, "designer": designers,
    });
    let about = json!({"format": "boat-catalogue/1", "counts": counts});
    write_line("catalogue", about, out)?;
    for number in 0..boats {
        let boat = boat(number, manufacturers, designers, &mut random);
        write_line("boat", boat, out)?;
    }
    for number in 0..manufacturers {
        write_line("manufacturer", manufacturer(number, &mut random), out)?;
    }
    for (vocabulary, count) in TERMS {
        for number in 0..count {
            let id = format!("{vocabulary}-{number}");
            let name = format!("{} {number}", pick(&SERIES, &mut random));
            let term = json!({"vocabulary": vocabulary, "id": id, "slug": id, "name": name});
            write_line("term", term, out)?;
        }
    }
    for number in 0..designers {
        let website = maybe(&mut random, |_| {
            format!("https://designer-{number}.example")
        });
        let name = pick(&NAMES, &mut random);
        let id = format!("designer-{number}");
        let designer = json!({"id": id, "name": name, "website": website});
        write_line("designer", designer, out)?;
    }
    Ok(())
}

fn write_line(kind: &'static str, fields: Value, out: &mut impl Write) -> io::Result<()> {
    serde_json::to_writer(&mut *out, &Record { kind, fields })?;
    out.write_all(b"\n")
}

fn manufacturer(number: u64, random: &mut StdRng) -> Value {
    let name = format!("{} {}", pick(&YARDS, random), pick(&TRADES, random));
    json!({
        "id": format!("maker-{number}"),
        "slug": format!("yard-{number}"),
        "name": name,
        "website": maybe(random, |_| format!("https://yard-{number}.example")),
        "logo": maybe(random, |random| image("logo", number, random)),
        "description": maybe(random, |random| sentence(8..60, random)),
        "updatedAt": format!(
            "2026-{:02}-{:02}T{:02}:30:00Z",
            random.random_range(1..=12),
            random.random_range(1..=28),
            random.random_range(0..24)
        ),
    })
}

/// The boat of that number.
fn boat(number: u64, manufacturers: u64, designers: u64, random: &mut StdRng) -> Value {
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
        ("dimensions", dimensions(length, is_metric, random)),
        ("accommodation", accommodation(random)),
        ("steering", steering(random)),
        ("performance", performance(length, is_metric, random)),
        ("rig", rig(random)),
        ("sails", sails(length, random)),
        ("tanks", tanks(random)),
        ("engines", json!(list(0..3, random, engine))),
        ("designers", designed(designers, random)),
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

/// The kilograms of a cubic metre as pounds of a cubic foot.
const POUNDS: f64 = 0.062_428;
/// The metres of a foot.
const FOOT: f64 = 0.3048;

/// So many per cent of a number, with two decimals.
fn percent(range: Range<u32>, of: f64, random: &mut StdRng) -> f64 {
    (of * f64::from(random.random_range(range))).round() / 100.0
}

fn dimensions(length: f64, is_metric: bool, random: &mut StdRng) -> Value {
    let mut dimensions = json!({
        "lengthOverall": length,
        "ballastType": maybe(random, |random| pick(&["Lead", "Cast iron", "Water"], random)),
    });
    for name in [
        "headroom",
        "bridgedeckClearance",
        "nominalBridgedeckClearance",
        "tonnageGross",
        "tonnageNet",
    ] {
        dimensions[name] = json!(maybe(random, number));
    }
    let cube = length.powi(3) * if is_metric { 1.0 } else { POUNDS };
    let displacement = percent(200..800, cube, random);
    let least = percent(4..15, length, random);
    for (name, range, of) in [
        ("lengthWaterline", 70..98, length),
        ("beamOverall", 25..50, length),
        ("beamCabinLine", 20..40, length),
        ("beamHull", 20..50, length),
        ("draftMin", 100..101, least),
        ("draftMax", 100..200, least),
        ("displacement", 100..101, displacement),
        ("ballastWeight", 20..50, displacement),
    ] {
        dimensions[name] = json!(maybe(random, |random| percent(range, of, random)));
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

fn performance(length: f64, is_metric: bool, random: &mut StdRng) -> Value {
    let root = (length * if is_metric { 1.0 } else { FOOT }).sqrt();
    let mut speed = |range| maybe(random, |random| percent(range, root, random));
    json!({
        "cruisingSpeed": speed(150..220),
        "topSpeed": speed(220..800),
        "displacementHullSpeed": speed(200..250),
    })
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

fn sails(length: f64, random: &mut StdRng) -> Value {
    let square = length * length;
    json!({
        "upwindArea": maybe(random, |random| percent(50..80, square, random)),
        "downwindArea": maybe(random, |random| percent(100..150, square, random)),
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

fn designed(designers: u64, random: &mut StdRng) -> Value {
    let mut some = || {
        list(0..3, random, |random| {
            format!("designer-{}", random.random_range(0..designers))
        })
    };
    json!({"naval": some(), "interior": some(), "exterior": some()})
}

fn classification(random: &mut StdRng) -> Value {
    let mut people = || maybe(random, |random| random.random_range(1..30));
    json!({"a": people(), "b": people(), "c": people(), "d": people()})
}

fn image(name: &str, number: u64, random: &mut StdRng) -> Value {
    json!({
        "url": format!("https://images.boats.example/{number}/{name}-{}.jpg", random.random_range(0..99)),
        "alt": maybe(random, |random| sentence(3..10, random)),
        "width": 1600,
        "height": 1067,
        "format": "jpg",
    })
}

fn named_values(random: &mut StdRng) -> Vec<Value> {
    list(
        0..3,
        random,
        |random| json!({"name": pick(&SERIES, random), "value": format!("{} m²", number(random))}),
    )
}

fn term(vocabulary: &str, random: &mut StdRng) -> String {
    let count = TERMS.iter().find(|(name, _)| *name == vocabulary);
    let count = count.map_or(1, |(_, count)| *count);
    format!("{vocabulary}-{}", random.random_range(0..count))
}

fn terms(vocabulary: &str, random: &mut StdRng) -> Vec<String> {
    list(0..4, random, |random| term(vocabulary, random))
}

fn sentence(words: Range<usize>, random: &mut StdRng) -> String {
    let words = list(words, random, |random| pick(&WORDS, random));
    format!("A {}.", words.join(" "))
}

fn number(random: &mut StdRng) -> f64 {
    decimal(random.random_range(5..20_000), 100)
}

fn decimal(digits: i32, divisor: i32) -> f64 {
    f64::from(digits) / f64::from(divisor)
}

fn pick<T: Copy>(from: &[T], random: &mut StdRng) -> T {
    *from.choose(random).unwrap_or(&from[0])
}

/// Nine times in ten a value.
fn maybe<T>(random: &mut StdRng, value: impl FnOnce(&mut StdRng) -> T) -> Option<T> {
    random.random_bool(0.9).then(|| value(random))
}

fn list<T>(
    lengths: Range<usize>,
    random: &mut StdRng,
    mut value: impl FnMut(&mut StdRng) -> T,
) -> Vec<T> {
    let length = random.random_range(lengths);
    (0..length).map(|_| value(random)).collect()
}
