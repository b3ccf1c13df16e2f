//! Tests of images whose size is unknown, and of images whose files are in the export.

use std::cell::RefCell;

use super::*;
use crate::image::{ImageSize, ImageTally, MeasuredImages, Unmeasured};

#[test]
fn images_without_a_size_are_left_out_and_counted() {
    check(
        r#"
        [[emit]]
        kind = "boat"
        type = "b"
        [emit.fields]
        image = ".image"
        gallery = { each = ".gallery", fields = { url = ".u", width = ".w", height = ".h" } }
        [[emit]]
        kind = "manufacturer"
        type = "m"
        fields.logo = { url = ".u", width = ".w", height = ".h" }
        [[emit]]
        kind = "designer"
        type = "d"
        fields.website = ".u"
        "#,
        r#"{"key":"1","type":"b","image":{"url":"a","width":1.0,"height":null},"gallery":[{"u":"b","w":1},{"u":"c","w":1.50,"h":2},{"u":"d"}]}
           {"key":"2","type":"b","image":{"alt":"of nothing"},"gallery":[{"u":"e","w":1},{"u":"f","h":1}]}
           {"key":"3","type":"b","image":"g","gallery":[{"w":1},{"u":7}]}
           {"key":"4","type":"m","u":"h","w":10}
           {"key":"5","type":"m","u":"i","w":10,"h":0}
           {"key":"6","type":"d","u":"j"}"#,
        &[
            "1: IMAGE_WITHOUT_SIZE an image without a width or a height is left out /image a",
            "1: IMAGE_WITHOUT_SIZE an image without a width or a height is left out /gallery/0 b",
            "1: IMAGE_WITHOUT_SIZE an image without a width or a height is left out /gallery/2 d",
            r#"1: {"kind":"boat","id":"1","gallery":[{"url":"c","width":1.50,"height":2}]}"#,
            "2: IMAGE_WITHOUT_SIZE an image without a width or a height is left out /gallery/0 e",
            "2: IMAGE_WITHOUT_SIZE an image without a width or a height is left out /gallery/1 f",
            r#"2: {"kind":"boat","id":"2","image":{"alt":"of nothing"}}"#,
            r#"3: {"kind":"boat","id":"3","image":"g","gallery":[{"width":1},{"url":7}]}"#,
            "4: IMAGE_WITHOUT_SIZE an image without a width or a height is left out /logo h",
            r#"4: {"kind":"manufacturer","id":"4"}"#,
            r#"5: {"kind":"manufacturer","id":"5","logo":{"url":"i","width":10,"height":0}}"#,
            r#"6: {"kind":"designer","id":"6","website":"j"}"#,
        ],
    );
}

/// A mapping that asks for the size of image files.
const MEASURED: &str = r#"
[[emit]]
kind = "manufacturer"
type = "m"
fields.logo = '{url: .u} + image_size(.u)'
"#;

/// The beginning of a GIF.
const GIF: &str = "GIF89a\u{7}\0\u{9}\0\0\0\0";

#[test]
fn the_size_of_an_image_is_that_of_its_file_in_the_export() {
    let lines = r#"{"key":"1","type":"m","u":"up/a.gif"}
        {"key":"2","type":"m","u":"up/b.gif"}
        {"key":"3","type":"m","u":"c.gif"}
        {"key":"4","type":"m"}"#;
    let files = [
        ("a.ndjson", lines),
        ("x/up/a.gif", GIF),
        ("x/up/b.gif", "no image"),
        ("x/c.gif", GIF),
        ("y/c.gif", GIF),
    ];
    let expected = [
        r#"1: {"kind":"manufacturer","id":"1","logo":{"url":"up/a.gif","width":7,"height":9,"format":"gif"}}"#,
        "2: IMAGE_WITHOUT_SIZE an image without a width or a height is left out /logo up/b.gif",
        r#"2: {"kind":"manufacturer","id":"2"}"#,
        "3: manufacturer MAPPING_FAILED /logo several images of the export are called c.gif; name more folders of the one that is meant",
        r#"4: {"kind":"manufacturer","id":"4","logo":{"url":null}}"#,
    ];
    let mapping = format!("{BEGINNING}{MEASURED}");
    assert_eq!(mapped(&mapping, &files), expected);
}

#[test]
fn of_an_image_in_an_archive_no_more_than_its_beginning_is_copied() {
    let mapping = |rule: &str| Mapping::parse("a.toml".to_owned(), format!("{BEGINNING}{rule}"));
    let measured = mapping(MEASURED).unwrap();
    for (path, bytes) in [
        ("x/a.JPG", Some(256 * 1024)),
        ("./x/a.jpg", Some(256 * 1024)),
        ("./a.ndjson", Some(u64::MAX)),
        (".x/a.jpg", None),
        ("x/a.mp4", None),
    ] {
        assert_eq!(measured.plan().bytes_of(path), bytes, "{path}");
    }
    let other = mapping(&MEASURED.replace("image_size(.u)", "{}")).unwrap();
    assert_eq!(other.plan().bytes_of("x/a.jpg"), None);
}

#[test]
fn one_image_of_a_record_that_is_made_once_is_one_image() {
    check(
        r#"
        [[emit]]
        kind = "manufacturer"
        type = "m"
        distinct = true
        [emit.fields]
        id = '"x"'
        logo = ".logo"
        "#,
        r#"{"key":"1","type":"m"}
           {"key":"2","type":"m","logo":{"url":"b"}}
           {"key":"3","type":"m","logo":{"url":"c"}}"#,
        &[r#"1: {"kind":"manufacturer","id":"x"}"#],
    );
    check(
        "[[emit]]\nkind = \"manufacturer\"\ntype = \"m\"\nfields.logo = \".logo\"",
        r#"{"key":"2","type":"m","logo":{"url":"b"}}"#,
        &[
            "1: IMAGE_WITHOUT_SIZE an image without a width or a height is left out /logo b",
            r#"1: {"kind":"manufacturer","id":"2"}"#,
        ],
    );
}

/// Knows the sizes of some images, and notes which it is asked for.
#[derive(Default)]
struct Measurer(RefCell<Vec<String>>);

impl ImageMeasurer for Measurer {
    fn measure(&self, addresses: Vec<String>) -> anyhow::Result<MeasuredImages> {
        self.0.borrow_mut().extend(addresses.iter().cloned());
        let measured = addresses.into_iter().map(|address| {
            let size = match address.rsplit('/').next() {
                Some("gone.jpg?sig=1") => Err(Unmeasured::Missing),
                Some("slow.jpg") => Err(Unmeasured::NoAnswer),
                _ => Ok(ImageSize {
                    width: 16,
                    height: 9,
                    format: "jpg",
                }),
            };
            (address, size)
        });
        Ok(measured.collect())
    }
}

const ADDRESSES: &str = r#"
images = "measure"
sources = [{ files = ["a.ndjson"], reader = "ndjson" }]
envelope = { key = ".key", type = ".type" }
[[emit]]
kind = "boat"
type = "b"
[emit.fields]
image = ".image"
gallery = { each = ".gallery", fields = { url = ".", alt = "$record.key" } }
[[emit]]
kind = "manufacturer"
type = "m"
distinct = true
fields = { id = '"m"', logo = ".logo" }
"#;

#[test]
fn images_without_a_size_are_measured_once_each_and_filled_in() {
    let lines = r#"{"key":"1","type":"b","image":{"url":"https://a/1.jpg","alt":"x","width":null,"height":7},"gallery":["https://a/1.jpg","https://a/gone.jpg?sig=1","https://b/2.jpg"]}
        {"key":"2","type":"b","image":{"url":"https://a/3.jpg","width":1.50,"height":2},"gallery":["https://a/slow.jpg"]}
        {"key":"3","type":"b","image":{"url":"https://a/sized.jpg","width":1,"height":2,"format":"png"}}
        {"key":"4","type":"m","logo":{"url":"https://c/logo.svg","format":"svg"}}
        {"key":"5","type":"m","logo":{"url":"https://c/logo.svg","format":"svg"}}"#;
    let directory = directory_of(&[("a.ndjson", lines)]);
    let text = format!("mapping = \"boat-catalogue-mapping/1\"{ADDRESSES}");
    let mapping = Mapping::parse("a.toml".to_owned(), text).unwrap();
    assert!(mapping.measures_images());
    let measurer = Measurer::default();
    let (lines, mapped) = mapped_measured(&mapping, directory.path(), 2, Some(&measurer));
    let directory = format!("{}/", directory.path().display());
    let lines: Vec<String> = lines.iter().map(|of| of.replace(&directory, "")).collect();
    assert_eq!(
        lines,
        [
            "1: IMAGE_WITHOUT_SIZE an image is left out, as its size is not known: not found /gallery/1 https://a/gone.jpg?…",
            r#"1: {"kind":"boat","id":"1","image":{"alt":"x","format":"jpg","height":9,"url":"https://a/1.jpg","width":16},"gallery":[{"alt":"1","format":"jpg","height":9,"url":"https://a/1.jpg","width":16},{"alt":"1","format":"jpg","height":9,"url":"https://b/2.jpg","width":16}]}"#,
            "2: IMAGE_WITHOUT_SIZE an image is left out, as its size is not known: without an answer /gallery/0 https://a/slow.jpg",
            r#"2: {"kind":"boat","id":"2","image":{"format":"jpg","height":2,"url":"https://a/3.jpg","width":1.50}}"#,
            r#"3: {"kind":"boat","id":"3","image":{"url":"https://a/sized.jpg","width":1,"height":2,"format":"png"}}"#,
            r#"4: {"kind":"manufacturer","id":"m","logo":{"format":"svg","height":9,"url":"https://c/logo.svg","width":16}}"#,
        ]
    );
    let tally = ImageTally {
        all: 8,
        left_out: 2,
        may_follow: 1,
    };
    assert_eq!(mapped.images, tally);
    let asked = [
        "https://a/1.jpg",
        "https://a/3.jpg",
        "https://a/gone.jpg?sig=1",
        "https://a/slow.jpg",
        "https://b/2.jpg",
        "https://c/logo.svg",
    ];
    assert_eq!(*measurer.0.borrow(), asked);
}
