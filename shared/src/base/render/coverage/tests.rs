//! The lists of fields match the bodies, and what is observed is what a body holds.

mod records;
mod tree;

use self::records::{boat, manufacturer};
use self::tree::Tree;
use super::*;

type Make = fn(bool) -> (Vec<u8>, Coverage);
const KINDS: [(&LazyLock<Fields>, Make); 2] =
    [(&BOAT_FIELDS, boat), (&MANUFACTURER_FIELDS, manufacturer)];

#[test]
fn the_fields_are_those_of_a_body_with_everything_filled_in() {
    for (fields, make) in KINDS {
        let [(full, _), (empty, _)] = [true, false].map(make);
        assert_eq!(fields.paths(), Tree::of(&full).paths(&Tree::of(&empty)));
        assert!(fields.paths().len() <= 128, "each field is a bit");
    }
}

#[test]
fn what_is_seen_is_what_a_reader_of_the_body_finds() {
    for (fields, make) in KINDS {
        for is_full in [true, false] {
            let (body, coverage) = make(is_full);
            let tree = Tree::of(&body);
            let (mut present, mut fractional) = (Vec::new(), Vec::new());
            for (place, path) in fields.paths().iter().enumerate() {
                match tree.member(path) {
                    Tree::Null | Tree::List { is_empty: true } => continue,
                    Tree::Scalar { is_fraction: true } => fractional.push(place),
                    _ => {}
                }
                present.push(place);
            }
            assert_eq!(coverage.present().collect::<Vec<_>>(), present);
            assert_eq!(coverage.fractional().collect::<Vec<_>>(), fractional);
            assert_eq!(present.len() == fields.paths().len(), is_full);
        }
    }
}

#[test]
fn members_differ_from_names_that_only_begin_alike() {
    let table = [
        ("image.alt", "image", true),
        ("imageAlt", "image", false),
        ("image", "image", false),
        ("hull.type.id", "hull", true),
    ];
    for (path, of, expected) in table {
        assert_eq!(is_member(path, of), expected, "{path} {of}");
    }
}
