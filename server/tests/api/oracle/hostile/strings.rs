//! The hostile strings, as they appear in an address: what breaks other services, alone and around
//! valid values.

use std::collections::HashSet;
use std::sync::OnceLock;

use percent_encoding::{NON_ALPHANUMERIC, percent_encode_byte, utf8_percent_encode};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};

pub(super) const COUNT: usize = 2000;

/// Decoded texts that mean something to an interpreter somewhere.
#[rustfmt::skip]
const HOSTILE: [&str; 134] = [
    // SQL.
    "'", "''", "\"", "`", "\\", "\\'", ";", "--", "#", "/*", "*/", "/**/", "' OR '1'='1", "' OR 1=1--",
    "\" OR \"\"=\"", "1 OR 1=1", "1; DROP TABLE boats", "'; DROP TABLE boats; --", "') OR ('1'='1",
    "' UNION SELECT NULL--", "' UNION SELECT * FROM read_text('/etc/passwd')--", "1' AND sleep(5)--",
    "'||(SELECT 1)||'", "$$", "$1", "?", ":x", "@x", "%", "_", "%%", "LIKE '%'", "NULL", "null", "DEFAULT",
    "x' COLLATE nocase", "1e308", "1/0", "CAST(1 AS INT)", "pg_sleep(9)", "ATTACH 'x'", "COPY boats TO 'x'",
    "E'\\x00'", "0x31", "1=1", "true", "TRUE", "0 OR TRUE",
    // Control and NUL.
    "\0", "a\0b", "\u{1}", "\u{7}", "\u{8}", "\t", "\n", "\r", "\r\n", "a\r\nSet-Cookie: x=1", "\u{b}", "\u{c}", "\u{1b}[31m",
    "\u{7f}", "\u{85}", "\u{9b}31m",
    // Unicode.
    "\u{202e}", "\u{200b}", "\u{200d}", "\u{feff}", "\u{2028}", "\u{2029}", "\u{a0}", "\u{3000}", "\u{ad}", "\u{301}",
    "\u{fffd}", "\u{ffff}", "\u{10ffff}", "\u{e000}", "\u{1f4a9}", "\u{1f468}\u{200d}\u{1f469}", "\u{ff11}\u{ff12}",
    "\u{661}\u{662}", "\u{2160}", "\u{b2}", "\u{bd}", "\u{ff07}", "\u{2019}", "\u{ff1c}", "\u{130}", "\u{131}", "\u{1e9e}",
    "\u{fb01}", "\u{1d7d8}", "\u{5d0}\u{5d1}", "\u{627}\u{644}", "\u{4e2d}\u{6587}", "Z\u{351}\u{36d}\u{489}\u{30a}", "\u{fdfa}",
    // Paths, templates, shells, markup, formats.
    "/", "//", ".", "..", "../", "../../etc/passwd", "..\\..\\", "/etc/passwd", "file:///etc/passwd", "C:\\", "~",
    "{{7*7}}", "${7*7}", "${jndi:ldap://x/a}", "#{7*7}", "<%= 7 %>", "$(id)", "`id`", "| id", "&& id", "*", "(*)(|",
    "<script>alert(1)</script>", "<!--", "]]>", "&lt;", "&", "=", "+", "%s", "%n", "%x", "{0}", "[]", "{}", "[$ne]",
];

/// Raw texts with invalid or deceptive percent-encoding.
const RAW: [&str; 44] = [
    "%",
    "%%",
    "%2",
    "%zz",
    "%0",
    "%g0",
    "%-1",
    "%+1",
    "% 1x",
    "a%",
    "a%4",
    "%u0041",
    "%00",
    "%0a",
    "%0d%0a",
    "%ff",
    "%fe%ff",
    "%c0%80",
    "%c0%af",
    "%c1%bf",
    "%e0%80%af",
    "%ed%a0%80",
    "%ed%bf%bf",
    "%f4%90%80%80",
    "%f8%88%80%80%80",
    "%c3",
    "%c3%28",
    "%80",
    "%e2%82",
    "%f0%9f%92",
    "%2525",
    "%2500",
    "%252e",
    "%25zz",
    "+",
    "++",
    "+20",
    "20+",
    "%2b20",
    "%5c",
    "%7f",
    "%C3%A9",
    "%c3%a9",
    "%EF%BB%BF20",
];

/// Values that are valid for some parameter, and unusual spellings of them.
const GOOD: [&str; 40] = [
    "sailing",
    "Sailing",
    "motor",
    "beneteau",
    "Beneteau",
    "oja",
    "racer",
    "Racer",
    "day_boat",
    "m",
    "ft",
    "M",
    "model",
    "year",
    "length",
    "manufacturer",
    "name",
    "updatedAt",
    "asc",
    "desc",
    "ASC",
    "20",
    "0",
    "1",
    "100",
    "101",
    "007",
    "1975",
    "01975",
    "2100",
    "2101",
    "12.192",
    "0012.1920",
    "34.59",
    "1000",
    "First 40",
    "first",
    "b0.0",
    "slug-b1.1",
    "m1",
];

/// Names of parameters and credentials.
const NAMES: [&str; 6] = [
    "limit",
    "offset",
    "key",
    "token",
    "constructor",
    "__proto__",
];
const LENGTHS: [usize; 12] = [
    99, 100, 101, 119, 120, 121, 199, 200, 201, 2000, 8000, 20_000,
];

/// Percent-encodes a text: either only the bytes that must be encoded, or all.
fn encode(random: &mut StdRng, text: &str) -> String {
    if random.random_bool(0.7) {
        return utf8_percent_encode(text, NON_ALPHANUMERIC).to_string();
    }
    text.bytes().map(percent_encode_byte).collect()
}

/// A few random characters of one kind: any at all, those of numbers, or those of identifiers.
fn gibberish(random: &mut StdRng) -> String {
    let length = random.random_range(1..12);
    match random.random_range(0..3) {
        0 => (0..length).map(|_| random.random::<char>()).collect(),
        1 => some_of(random, b"00112233456789...-+eE_, ", length),
        _ => some_of(random, b"abAB019__--.. ", length),
    }
}

fn some_of(random: &mut StdRng, letters: &[u8], length: usize) -> String {
    let letter = |_| char::from(*letters.choose(random).unwrap());
    (0..length).map(letter).collect()
}

fn combined(random: &mut StdRng) -> String {
    let (hostile, good) = (
        HOSTILE.choose(random).unwrap(),
        GOOD.choose(random).unwrap(),
    );
    match random.random_range(0..6) {
        0 => format!("{good}{hostile}"),
        1 => format!("{hostile}{good}"),
        2 => format!("{good}{hostile}{good}"),
        3 => format!("{hostile}{}", HOSTILE.choose(random).unwrap()),
        4 => hostile.repeat(random.random_range(2..40)),
        _ => gibberish(random),
    }
}

/// Texts of a single letter or digit repeated, around the length limits and far beyond.
fn long() -> impl Iterator<Item = String> {
    let letters = ["a", "0", "9", ".", "\u{e9}", "%"].into_iter();
    letters.flat_map(|letter| LENGTHS.map(|length| letter.repeat(length)))
}

/// Every string once.
pub(super) fn hostile_strings() -> &'static [String] {
    static STRINGS: OnceLock<Vec<String>> = OnceLock::new();
    STRINGS.get_or_init(|| {
        let mut random = StdRng::seed_from_u64(8);
        let fixed = HOSTILE.iter().chain(&GOOD).chain(&NAMES);
        let encoded = |text: &str| utf8_percent_encode(text, NON_ALPHANUMERIC).to_string();
        let mut all: Vec<String> = fixed.map(|text| encoded(text)).collect();
        all.extend(RAW.iter().map(|raw| (*raw).replace(' ', "%20")));
        all.extend(long().map(|text| encoded(&text)));
        all.extend(["0", "1.0", "0.", "12."].map(|head| format!("{head}{}1", "0".repeat(4000))));
        while all.len() < 2 * COUNT {
            let text = combined(&mut random);
            all.push(encode(&mut random, &text));
        }
        let mut seen = HashSet::new();
        all.retain(|text| !text.is_empty() && text.len() < 60_000 && seen.insert(text.clone()));
        all.truncate(COUNT);
        all
    })
}
