//! The schema and validation agree: on every line of the fixtures, and on full records with every
//! kind of mistake in every field.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use jsonschema::Validator;
use serde_json::{Value, json};
use shared::base::field_path::{FieldPath, Step};
use shared::base::units::LENGTH_MAX;

use super::*;
use crate::finding::{Code, Severity};
use crate::validate::codes;

/// Whether a schema of one record can see what a code is about.
#[derive(Debug, PartialEq)]
enum Held {
    Always,
    /// Only the form of a text, its length in characters, or the bounds of a number.
    InPart,
    Never,
}

fn held(code: Code) -> Held {
    match code {
        Code::MissingField
        | Code::UnknownField
        | Code::DerivedField
        | Code::ExpandedReference
        | Code::WrongType
        | Code::UnknownValue
        | Code::UnknownKind
        | Code::UnsupportedFormat
        | Code::NotAnObject
        | Code::NotAnInteger
        | Code::OutOfRange
        | Code::ListTooLong
        | Code::ControlCharacter
        | Code::InvalidId
        | Code::InvalidSlug
        | Code::InvalidCurrency => Held::Always,
        Code::InvalidUrl | Code::InvalidTimestamp | Code::TextTooLong | Code::LengthMismatch => {
            Held::InPart
        }
        _ => Held::Never,
    }
}

/// What the schema must say to agree with validation; none where it may say either.
fn expected(codes: impl IntoIterator<Item = Code>) -> Option<bool> {
    let errors = codes
        .into_iter()
        .filter(|code| code.severity() == Severity::Error);
    let held: Vec<Held> = errors.map(held).collect();
    if held.contains(&Held::Always) {
        Some(false)
    } else {
        (!held.contains(&Held::InPart)).then_some(true)
    }
}

fn schema() -> Validator {
    jsonschema::draft202012::new(&native()).unwrap()
}

/// Checks that both say the same, and returns it.
fn agree(schema: &Validator, record: &Value) -> Option<bool> {
    let codes = codes(&record.to_string());
    let expected = expected(codes.iter().copied());
    if let Some(expected) = expected {
        let said = schema.is_valid(record);
        assert_eq!(said, expected, "validation finds {codes:?} in {record}");
    }
    expected
}

/// A field of a record, or the members of a list, with the way there.
struct Entry {
    path: FieldPath<'static>,
    shape: &'static Shape,
    /// The field; `None` for the members of a list.
    field: Option<&'static Field>,
}

/// Everything that a record has, each before what is within it.
fn entries(kind: Kind) -> Vec<Entry> {
    let mut all = Vec::new();
    add_fields(fields(kind), &FieldPath::record(), &mut all);
    all
}

fn add_fields(fields: &'static [Field], within: &FieldPath<'static>, all: &mut Vec<Entry>) {
    for field in fields {
        let path = within.clone().then(Step::key(field.key));
        add(path, &field.shape, Some(field), all);
    }
}

fn add(
    path: FieldPath<'static>,
    shape: &'static Shape,
    field: Option<&'static Field>,
    all: &mut Vec<Entry>,
) {
    let inner = path.clone();
    all.push(Entry { path, shape, field });
    match shape {
        Shape::Object(fields) | Shape::Part(fields) => add_fields(fields, &inner, all),
        Shape::List(member) => add(inner.then(Step::Each), member, None, all),
        _ => {}
    }
}

#[test]
fn every_field_says_what_it_means_and_says_it_once() {
    for kind in Kind::ALL {
        let about = descriptions::Descriptions::of(kind);
        for Entry { path, shape, field } in entries(kind) {
            let Some(field) = field.filter(|_| !shape.is_derived()) else {
                continue;
            };
            let said = about.at(&path);
            assert!(said.is_some() || field.about.is_some(), "{path}");
            assert_ne!(said.as_deref(), field.about, "{path}");
        }
    }
}

#[test]
fn both_schemas_are_of_their_dialect() {
    for schema in [native(), mapping()] {
        assert!(jsonschema::draft202012::meta::is_valid(&schema), "{schema}");
    }
}

#[test]
fn the_schema_and_validation_agree_on_the_lines_of_all_fixtures() {
    let schema = schema();
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    let mut said = Vec::new();
    for path in files(&fixtures) {
        let text = contents(&path);
        let records = text.lines().filter_map(|line| {
            // A schema cannot judge a line that is not JSON.
            serde_json::from_str::<Value>(line).ok()
        });
        said.extend(records.filter_map(|record| agree(&schema, &record)));
    }
    for answer in [true, false] {
        let count = said.iter().filter(|said| **said == answer).count();
        assert!(10 < count, "{count} lines of the fixtures are {answer}");
    }
}

/// The files of lines below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let ends = [".ndjson", ".ndjson.gz", ".ndjson.zst"];
    let entries = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let mut found = Vec::new();
    for path in entries {
        let name = path.to_string_lossy();
        if path.is_dir() {
            found.extend(files(&path));
        } else if ends.iter().any(|end| name.ends_with(end)) {
            found.push(path);
        }
    }
    found
}

/// The beginning of a file, which is enough of a very long one.
fn contents(path: &Path) -> String {
    let file = fs::File::open(path).unwrap();
    let mut bytes = Vec::new();
    let reader: Box<dyn Read> = match path.extension().and_then(|end| end.to_str()) {
        Some("gz") => Box::new(flate2::read::MultiGzDecoder::new(file)),
        Some("zst") => Box::new(zstd::Decoder::new(file).unwrap()),
        _ => Box::new(file),
    };
    // Some fixtures are damaged on purpose: the part before the damage is read.
    _ = reader.take(3 << 20).read_to_end(&mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}

#[test]
fn the_schema_and_validation_agree_on_every_mistake_in_every_field() {
    let schema = schema();
    for kind in Kind::ALL {
        let full = full(kind);
        assert_eq!(agree(&schema, &full), Some(true), "{full}");
        for Entry { path, shape, field } in entries(kind) {
            let mut said = Vec::new();
            for value in values(shape) {
                let mut record = full.clone();
                *at(&mut record, path.steps()) = value;
                said.extend(agree(&schema, &record));
            }
            assert!(said.contains(&false), "no value is wrong at {path}");
            let Some((_, parents)) = path.steps().split_last() else {
                continue;
            };
            if let Some(field) = field {
                let mut record = full.clone();
                let parent = at(&mut record, parents).as_object_mut().unwrap();
                parent.remove(field.key);
                let absent = agree(&schema, &record);
                assert_eq!(absent, Some(!field.is_required()), "without {path}");
            }
            if matches!(shape, Shape::Object(_) | Shape::Part(_) | Shape::List(_)) {
                continue;
            }
            for (key, is_known) in [("other", false), ("x_other", true)] {
                let mut record = full.clone();
                if let Some(parent) = at(&mut record, parents).as_object_mut() {
                    parent.insert(key.to_owned(), json!({ "any": [1, null] }));
                    assert_eq!(agree(&schema, &record), Some(is_known), "{path} {key}");
                }
            }
        }
    }
}

/// A record in which every field has a value.
fn full(kind: Kind) -> Value {
    let mut record = json!({});
    for entry in entries(kind) {
        let value = match entry.shape {
            Shape::Object(_) | Shape::Part(_) => json!({}),
            Shape::List(_) => json!([]),
            Shape::Flag => json!(false),
            Shape::Text | Shape::Description | Shape::RowText => json!("text"),
            Shape::Word(_) | Shape::Format => json!(entry.shape.words()[0]),
            Shape::Currency => json!("EUR"),
            Shape::Id | Shape::BoatSlug | Shape::Slug | Shape::Reference(_) => json!("name"),
            Shape::Timestamp => json!("2026-10-01T12:00:00Z"),
            Shape::Address => json!("https://example.com"),
            Shape::Length | Shape::SameLength => json!(10.36),
            Shape::Number { .. } => json!(1.5),
            Shape::Integer { min, .. } => json!(min),
            Shape::Derived { .. } => Value::Null,
        };
        *at(&mut record, entry.path.steps()) = value;
    }
    record
}

/// The place of a field, which is made if it is missing.
fn at<'r>(record: &'r mut Value, path: &[Step<'_>]) -> &'r mut Value {
    path.iter()
        .fold(record, |within, step| match (within, step) {
            (Value::Array(list), _) => {
                if list.is_empty() {
                    list.push(Value::Null);
                }
                &mut list[0]
            }
            (within, Step::Key(key)) => &mut within[&**key],
            (within, _) => within,
        })
}

/// Values of all types, and those at the bounds of a shape.
fn values(shape: &Shape) -> Vec<Value> {
    let mut values = vec![
        json!(null),
        json!(true),
        json!(0),
        json!(-1),
        json!(1),
        json!(0.5),
        json!(-0.5),
        json!(1e300),
        json!(""),
        json!("  "),
        json!("a"),
        json!(" EUR "),
        json!("a b"),
        json!(".a"),
        json!("eur"),
        json!("é"),
        json!("bell \u{7}"),
        json!("two\nlines\tmore"),
        json!("\u{85}"),
        json!("example.com"),
        json!("ftp://example.com"),
        json!("HTTP://example.com/a?b=c#d"),
        json!("2026-10-01"),
        json!("2026-10-01T12:00:00+02:00"),
        json!("2026-10-01T12:00:00"),
        json!([]),
        json!([null]),
        json!({}),
        json!({ "id": "a" }),
    ];
    let around = |max: usize| [json!("a".repeat(max)), json!("a".repeat(max + 1))];
    if let Some(max) = shape.characters_max() {
        values.extend(around(max));
    }
    match shape {
        Shape::List(_) => values.push(json!(vec!["a"; LIST_MAX + 1])),
        Shape::Text | Shape::Description => values.extend(around(TEXT_MAX)),
        Shape::Integer { min, max, .. } => {
            values.extend([json!(min), json!(max), json!(max + 1)]);
            values.extend(min.checked_sub(1).map(|below| json!(below)));
        }
        Shape::Length | Shape::SameLength => {
            let max = LENGTH_MAX;
            values.extend([json!(0.001), json!(max), json!(max + 1), json!(-0.001)]);
        }
        _ => {}
    }
    values
}
