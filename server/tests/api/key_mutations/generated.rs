//! The mutations: lists of `Authorization` fields, each as bytes.

use std::collections::HashSet;

use percent_encoding::percent_encode_byte;

use super::{BASE62, checksum};

/// What comes before the key in forms that the contract permits.
pub(super) const PERMITTED: [&str; 6] = [
    "Bearer ",
    "bEaReR ",
    "BEARER ",
    "bEARER ",
    "Bearer  ",
    "bearer          ",
];

/// What comes before a valid key in forms that it does not permit.
const OTHER_SCHEMES: [&str; 34] = [
    "",
    " ",
    "Bearer",
    "Bearer\t",
    "Bearer\t ",
    "Bearer \t",
    "Bearer:",
    "Bearer: ",
    "Bearer=",
    "Bearer, ",
    "Bearer; ",
    "Bearer/",
    "Bearers ",
    "Beare ",
    "earer ",
    "Bearer Bearer ",
    "Basic ",
    "Digest ",
    "Token ",
    "token=",
    "ApiKey ",
    "Api-Key ",
    "Key ",
    "OAuth ",
    "OAuth2 ",
    "JWT ",
    "Negotiate ",
    "HOBA ",
    "Mutual ",
    "AWS4-HMAC-SHA256 ",
    "DPoP ",
    "Bearer token=",
    "Authorization: Bearer ",
    "B\u{435}arer ",
];

/// What follows a valid key.
const TAILS: [&str; 26] = [
    " ",
    "  ",
    "\t",
    ",",
    ", ",
    ";",
    "=",
    "==",
    ".",
    "/",
    "?",
    "#",
    "%00",
    "%20",
    "\"",
    "'",
    " x",
    " realm=\"x\"",
    ", Basic dTpw",
    "; q=1",
    "\\",
    "\u{a0}",
    "\u{200b}",
    "\u{feff}",
    "' OR '1'='1",
    "*",
];

/// Bytes other than printable ASCII that a field may contain.
const ODD: [u8; 6] = [b'\t', 0x80, 0xa0, 0xc2, 0xfe, 0xff];

/// All mutations, each once.
pub(super) fn mutations(valid: &str, live: &str) -> Vec<Vec<Vec<u8>>> {
    let header = format!("Bearer {valid}").into_bytes();
    let mut single: Vec<Vec<u8>> = Vec::new();
    edit_every_place(&header, &mut single);
    change_with_right_checksum(valid.as_bytes(), &mut single);
    for text in PERMITTED.iter().chain(&OTHER_SCHEMES) {
        single.push(format!("{text}{valid}").into_bytes());
    }
    for tail in TAILS {
        single.push(format!("Bearer {valid}{tail}").into_bytes());
    }
    single.extend(whole_key_in_another_form(valid, live));
    let mut seen = HashSet::from([header.clone()]);
    // The unchanged header is the first of the permitted forms.
    let is_new = |field: &Vec<u8>| seen.insert(field.clone()) || *field == header;
    let mut all: Vec<_> = single
        .into_iter()
        .filter(is_new)
        .map(|field| vec![field])
        .collect();
    all.extend(other_numbers_of_fields(&header, live));
    all
}

/// One character replaced, removed, doubled, swapped with the next, or inserted; and all
/// truncations.
fn edit_every_place(header: &[u8], all: &mut Vec<Vec<u8>>) {
    for place in 0..header.len() {
        let (before, rest) = header.split_at(place);
        let (here, after) = (rest[0], &rest[1..]);
        for other in (b' '..=b'~').chain(ODD) {
            if other != here {
                all.push([before, &[other], after].concat());
            }
        }
        for other in [b' ', b'0', b',', b'%'].into_iter().chain(ODD) {
            // A second space is permitted, and is already among the permitted forms.
            if !(other == b' ' && before.ends_with(b"Bearer")) {
                all.push([before, &[other], rest].concat());
            }
        }
        all.push([before, after].concat());
        all.push([before, &[here, here], after].concat());
        if let Some((&next, after)) = after.split_first() {
            all.push([before, &[next, here], after].concat());
        }
        all.push(before.to_vec());
        all.push(rest.to_vec());
    }
    all.retain(|field| !field.starts_with(b"Bearer  boat") && field != header);
}

/// Keys that are well formed but were never issued: each random character and the environment
/// changed.
fn change_with_right_checksum(valid: &[u8], all: &mut Vec<Vec<u8>>) {
    let mut add = |changed: &[u8]| {
        all.push([b"Bearer ", changed, &checksum(changed)].concat());
    };
    for place in 10..42 {
        for &other in BASE62 {
            if other != valid[place] {
                add(&[&valid[..place], &[other], &valid[place + 1..42]].concat());
            }
        }
    }
    for environment in ["live", "TEST", "prod", "tesT", "", "te_t"] {
        add(&[b"boat_", environment.as_bytes(), &valid[9..42]].concat());
    }
    for length in [0, 10, 41, 43] {
        let longer = [&valid[..42], b"00"].concat();
        add(&longer[..length]);
    }
}

fn whole_key_in_another_form(valid: &str, live: &str) -> Vec<Vec<u8>> {
    let random = &valid[10..];
    let swap_case = |letter: char| {
        if letter.is_ascii_lowercase() {
            letter.to_ascii_uppercase()
        } else {
            letter.to_ascii_lowercase()
        }
    };
    let swapped: String = valid.chars().map(swap_case).collect();
    let wide: String = valid
        .chars()
        .flat_map(|letter| [letter, '\u{301}'])
        .collect();
    let escaped: String = valid.bytes().map(percent_encode_byte).collect();
    let forms = [
        live.to_owned(),
        valid.to_uppercase(),
        valid.to_lowercase(),
        swapped,
        wide,
        escaped,
        valid.chars().rev().collect(),
        format!("\"{valid}\""),
        format!("<{valid}>"),
        format!("{valid}{valid}"),
        format!("{valid}, Bearer {valid}"),
        format!("{valid},Bearer {live}"),
        format!("{live}, Bearer {valid}"),
        format!(", {valid}"),
        format!("boat_live_{random}"),
        format!("boat_prod_{random}"),
        format!("boat-test-{random}"),
        format!("ship_test_{random}"),
        format!("boat_{random}"),
        random.to_owned(),
        valid.replace('_', "%5F"),
        valid.replace("boat", "\u{432}oat"),
        valid[..16].to_owned(),
        format!("{}*", &valid[..16]),
        "null".to_owned(),
        "undefined".to_owned(),
        "[object Object]".to_owned(),
        "{{api_key}}".to_owned(),
        "' OR 1=1 --".to_owned(),
        "../../etc/passwd".to_owned(),
        "0".repeat(48),
        "a".repeat(1000),
        "a".repeat(8000),
        "a".repeat(100_000),
        format!("{valid}{}", " ".repeat(20_000)),
    ];
    forms
        .map(|form| format!("Bearer {form}").into_bytes())
        .into()
}

/// No field, several fields, and so many that the head is too large.
fn other_numbers_of_fields(header: &[u8], live: &str) -> Vec<Vec<Vec<u8>>> {
    let valid = header.to_vec();
    let mut all = vec![vec![]];
    let others: [&[u8]; 5] = [header, b"", b"Basic dTpw", b"Bearer x", live.as_bytes()];
    for other in others {
        all.push(vec![valid.clone(), other.to_vec()]);
        all.push(vec![other.to_vec(), valid.clone()]);
        all.push(vec![other.to_vec(), valid.clone(), other.to_vec()]);
    }
    all.push(vec![valid.clone(); 63]);
    all.push(vec![valid; 64]);
    all
}
