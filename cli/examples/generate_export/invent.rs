//! What an export is made of: names, texts, numbers, and how often they are absent.

use std::ops::Range;

use rand::Rng;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use serde_json::{Value, json};

pub(crate) const YARDS: [&str; 16] = [
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
pub(crate) const TRADES: [&str; 8] = [
    "Båtar",
    "Yachts",
    "Marine",
    "Boat Works",
    "Jachty",
    "Bootsbau",
    "Cantieri",
    "Chantiers",
];
pub(crate) const SERIES: [&str; 12] = [
    "Mistral", "Océane", "First", "Cruiser", "Öland", "Swift", "Explorer", "Škoj", "Lagune",
    "Tern", "Nordic", "Racer",
];
pub(crate) const NAMES: [&str; 12] = [
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
pub(crate) const TERMS: [(&str, u64); 5] = [
    ("type", 12),
    ("category", 30),
    ("activity", 20),
    ("hullType", 10),
    ("hullMaterial", 15),
];

pub(crate) fn image(name: &str, number: u64, random: &mut StdRng) -> Value {
    json!({
        "url": format!("https://images.boats.example/{number}/{name}-{}.jpg", random.random_range(0..99)),
        "alt": maybe(random, |random| sentence(3..10, random)),
        "width": 1600,
        "height": 1067,
        "format": "jpg",
    })
}

pub(crate) fn named_values(random: &mut StdRng) -> Vec<Value> {
    list(
        0..3,
        random,
        |random| json!({"name": pick(&SERIES, random), "value": format!("{} m²", number(random))}),
    )
}

pub(crate) fn term(vocabulary: &str, random: &mut StdRng) -> String {
    let count = TERMS.iter().find(|(name, _)| *name == vocabulary);
    let count = count.map_or(1, |(_, count)| *count);
    format!("{vocabulary}-{}", random.random_range(0..count))
}

pub(crate) fn terms(vocabulary: &str, random: &mut StdRng) -> Vec<String> {
    list(0..4, random, |random| term(vocabulary, random))
}

pub(crate) fn sentence(words: Range<usize>, random: &mut StdRng) -> String {
    let words = list(words, random, |random| pick(&WORDS, random));
    format!("A {}.", words.join(" "))
}

pub(crate) fn number(random: &mut StdRng) -> f64 {
    decimal(random.random_range(5..20_000), 100)
}

pub(crate) fn decimal(digits: i32, divisor: i32) -> f64 {
    f64::from(digits) / f64::from(divisor)
}

pub(crate) fn pick<T: Copy>(from: &[T], random: &mut StdRng) -> T {
    *from.choose(random).unwrap_or(&from[0])
}

/// Nine times in ten a value.
pub(crate) fn maybe<T>(random: &mut StdRng, value: impl FnOnce(&mut StdRng) -> T) -> Option<T> {
    random.random_bool(0.9).then(|| value(random))
}

pub(crate) fn list<T>(
    lengths: Range<usize>,
    random: &mut StdRng,
    mut value: impl FnMut(&mut StdRng) -> T,
) -> Vec<T> {
    let length = random.random_range(lengths);
    (0..length).map(|_| value(random)).collect()
}
