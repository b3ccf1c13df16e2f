//! Drafts for sheets whose text is not UTF-8.

use super::*;

/// A dealer's sheet as Excel writes it in Germany.
const GERMAN: &str = "Nr.;Hersteller;Modellname;Baujahr;L\u{e4}nge \u{fc}.A.;Kategorie;Foto 1;Stand\n\
    D-1;B\u{e9}n\u{e9}teau;First 36;1990;9,05 m;Segelboot;https://img.example/d1.jpg;01.02.2026\n";

#[test]
fn a_sheet_in_another_encoding_is_read_in_it_and_the_mapping_names_it() {
    let encoded = encoding_rs::WINDOWS_1252.encode(GERMAN).0;
    let suggestion = suggested("haendler.csv", encoded).unwrap();
    assert_eq!(suggestion.errors, 0);
    assert!(suggestion.text.contains("encoding = \"windows-1252\"\n"));
    assert!(fields(&suggestion).contains(&"encoding"));
    let of_utf_8 = suggested("haendler.csv", GERMAN).unwrap();
    assert_eq!(boat_lines(&of_utf_8), boat_lines(&suggestion));
    insta::assert_snapshot!(boat_lines(&suggestion).join("\n"), @r##"
    slug = '[.Hersteller, .Modellname | values | text] | join(" ") | slugify'
    model = ".Modellname"
    manufacturer = ".Hersteller | slugify"
    type = ".Kategorie | slugify"
    production.firstYear = ".Baujahr | year"
    unit = '"metric"'
    lengthOverall = '."Länge ü.A." | distance'
    image.url = '."Foto 1"'
    "##);
}

#[test]
fn an_encoding_that_shows_late_in_a_file_is_still_found() {
    let mut sheet = String::from("id;model;maker\n");
    for number in 0..10_000 {
        _ = writeln!(sheet, "{number};Boat {number};Hanse");
    }
    sheet.push_str("last;Gr\u{f6}\u{df}e;Hanse\n");
    let encoded = encoding_rs::WINDOWS_1252.encode(&sheet).0;
    let suggestion = suggested("a.csv", encoded).unwrap();
    assert!(suggestion.text.contains("encoding = \"windows-1252\"\n"));
}

#[test]
fn a_sheet_in_utf_16_is_read_with_a_byte_order_mark_or_without() {
    for mark in [&b"\xff\xfe"[..], b""] {
        let mut encoded = mark.to_vec();
        encoded.extend(
            GERMAN
                .replace(';', "\t")
                .encode_utf16()
                .flat_map(u16::to_le_bytes),
        );
        let suggestion = suggested("haendler.csv", encoded).unwrap();
        assert_eq!(suggestion.errors, 0);
        assert!(suggestion.text.contains("encoding = \"utf-16le\"\n"));
    }
}
