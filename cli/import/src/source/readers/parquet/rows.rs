//! Turns rows of columns into JSON texts of records.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use arrow::array::{
    Array, AsArray as _, BinaryViewArray, FixedSizeBinaryArray, ListArray, MapArray, RecordBatch,
    StringViewArray, StructArray,
};
use arrow::datatypes::{DataType, Field, Fields};
use arrow::util::display::{ArrayFormatter, FormatOptions};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::super::bounded::too_long;
use super::super::{BadRecord, FileError, RECORD_MAX, corrupt};
use crate::finding::{Code, cut};

/// The name of the extension type of UUIDs.
const UUID: &str = "arrow.uuid";

/// A batch of rows.
pub(super) struct RowBatch<'b>(Vec<Member<'b>>);

impl<'b> RowBatch<'b> {
    /// The rows of a batch, or why they cannot be read.
    pub(super) fn of(batch: &'b RecordBatch) -> Result<Self, String> {
        let schema = batch.schema_ref();
        members(schema.fields(), batch.columns()).map(Self)
    }

    /// The record of the row at a place in the batch; `row` is its number in the file.
    pub(super) fn record(
        &self,
        at: usize,
        row: u64,
    ) -> Result<Result<String, BadRecord>, FileError> {
        let mut text = Text::default();
        let written = text.object(&self.0, at);
        written.map_err(|TooLong| corrupt(row, too_long()))?;
        // Even the last value may exceed the limit.
        if RECORD_MAX < text.json.len() {
            return Err(corrupt(row, too_long()));
        }
        let Text { json, wrong } = text;
        let Some(message) = wrong else {
            return Ok(Ok(json));
        };
        Ok(Err(BadRecord {
            start: row.into(),
            code: Code::InvalidRow,
            message,
            raw: json,
        }))
    }
}

/// A column, or a part of one, with its name encoded as JSON.
struct Member<'b> {
    name: &'b str,
    key: String,
    column: Column<'b>,
}

/// A column of values, some of which may be null.
struct Column<'b> {
    array: &'b dyn Array,
    values: Values<'b>,
}

/// The kind of values.
enum Values<'b> {
    Null,
    /// Numbers and booleans, which are JSON except for NaN and infinity.
    Plain(ArrayFormatter<'b>),
    /// Dates and times, as texts.
    Quoted(ArrayFormatter<'b>),
    Texts(&'b StringViewArray),
    Bytes(&'b BinaryViewArray),
    FixedBytes(&'b FixedSizeBinaryArray),
    Uuids(&'b FixedSizeBinaryArray),
    Lists(&'b ListArray, Box<Column<'b>>),
    Objects(Vec<Member<'b>>),
    Maps(&'b MapArray, Box<[Column<'b>; 2]>),
}

fn members<'b>(
    fields: &'b Fields,
    arrays: &'b [Arc<dyn Array>],
) -> Result<Vec<Member<'b>>, String> {
    let named = fields.iter().zip(arrays);
    let member = |(field, array): (&'b Arc<Field>, &'b Arc<dyn Array>)| {
        Ok(Member {
            name: field.name(),
            key: quoted(field.name()),
            column: Column::new(field, array.as_ref())?,
        })
    };
    named.map(member).collect()
}

impl<'b> Column<'b> {
    fn new(field: &'b Field, array: &'b dyn Array) -> Result<Self, String> {
        let values = match array.data_type() {
            DataType::Null => Values::Null,
            DataType::Utf8View => Values::Texts(array.as_string_view()),
            DataType::BinaryView => Values::Bytes(array.as_binary_view()),
            DataType::FixedSizeBinary(16) if field.extension_type_name() == Some(UUID) => {
                Values::Uuids(array.as_fixed_size_binary())
            }
            DataType::FixedSizeBinary(_) => Values::FixedBytes(array.as_fixed_size_binary()),
            DataType::List(member) => {
                let lists = array.as_list();
                let members = Self::new(member, lists.values().as_ref())?;
                Values::Lists(lists, Box::new(members))
            }
            DataType::Struct(fields) => {
                let objects: &StructArray = array.as_struct();
                Values::Objects(members(fields, objects.columns())?)
            }
            DataType::Map(entries, _) => {
                let maps = array.as_map();
                let DataType::Struct(fields) = entries.data_type() else {
                    return Err(not_read(field));
                };
                let [key, value] = fields.as_ref() else {
                    return Err(not_read(field));
                };
                let key = Self::new(key, maps.keys().as_ref())?;
                let value = Self::new(value, maps.values().as_ref())?;
                Values::Maps(maps, Box::new([key, value]))
            }
            kind if *kind == DataType::Boolean || kind.is_numeric() => {
                Values::Plain(formatter(field, array)?)
            }
            kind if kind.is_temporal() => Values::Quoted(formatter(field, array)?),
            _ => return Err(not_read(field)),
        };
        Ok(Self { array, values })
    }
}

fn formatter<'b>(field: &Field, array: &'b dyn Array) -> Result<ArrayFormatter<'b>, String> {
    let options = FormatOptions::new().with_display_error(false);
    ArrayFormatter::try_new(array, &options).map_err(|_unshown| not_read(field))
}

fn not_read(field: &Field) -> String {
    let (name, kind) = (cut(field.name()), field.data_type());
    format!("the column {name:?} is of the type {kind}, which is not read")
}

/// The JSON of a record, written so far.
#[derive(Default)]
struct Text {
    json: String,
    /// A problem that does not stop the writing.
    wrong: Option<String>,
}

/// The record exceeds the maximum length.
struct TooLong;

impl Text {
    fn object(&mut self, members: &[Member<'_>], at: usize) -> Result<(), TooLong> {
        self.json.push('{');
        for (place, member) in members.iter().enumerate() {
            self.part(place)?;
            self.json.push_str(&member.key);
            self.json.push(':');
            let was_right = self.wrong.is_none();
            self.value(&member.column, at)?;
            if let Some(wrong) = self.wrong.as_mut().filter(|_| was_right) {
                *wrong = format!("{}: {wrong}", cut(member.name));
            }
        }
        self.json.push('}');
        Ok(())
    }

    fn value(&mut self, column: &Column<'_>, at: usize) -> Result<(), TooLong> {
        if column.array.is_null(at) {
            self.json.push_str("null");
            return Ok(());
        }
        match &column.values {
            Values::Null => self.json.push_str("null"),
            Values::Plain(values) => self.plain(values, at),
            Values::Quoted(values) => match values.value(at).try_to_string() {
                Ok(shown) => self.json.push_str(&quoted(&shown)),
                Err(_range) => {
                    self.json.push_str("null");
                    self.note("a date or time is out of range".to_owned());
                }
            },
            Values::Texts(values) => self.json.push_str(&quoted(values.value(at))),
            Values::Bytes(values) => self.bytes(values.value(at)),
            Values::FixedBytes(values) => self.bytes(values.value(at)),
            Values::Uuids(values) => self.json.push_str(&quoted(&uuid(values.value(at)))),
            Values::Lists(lists, members) => {
                self.json.push('[');
                for (place, at) in ends(lists.value_offsets(), at).enumerate() {
                    self.part(place)?;
                    self.value(members, at)?;
                }
                self.json.push(']');
            }
            Values::Objects(members) => self.object(members, at)?,
            Values::Maps(maps, entries) => self.map(maps, entries, at)?,
        }
        Ok(())
    }

    fn plain(&mut self, values: &ArrayFormatter<'_>, at: usize) {
        let shown = values.value(at).to_string();
        // Numbers end with a digit and booleans with an `e`; NaN and infinity with neither.
        if shown.ends_with(|end: char| end.is_ascii_digit() || end == 'e') {
            self.json.push_str(&shown);
            return;
        }
        self.json.push_str(&quoted(&shown));
        self.note(format!("{shown} is no number in JSON"));
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.json.push('"');
        STANDARD.encode_string(bytes, &mut self.json);
        self.json.push('"');
    }

    fn map(
        &mut self,
        maps: &MapArray,
        entries: &[Column<'_>; 2],
        at: usize,
    ) -> Result<(), TooLong> {
        let [keys, values] = entries;
        let mut known = HashSet::new();
        self.json.push('{');
        for (place, at) in ends(maps.value_offsets(), at).enumerate() {
            self.part(place)?;
            let mut key = Self::default();
            key.value(keys, at)?;
            let Self { json, wrong } = key;
            let key = if json.starts_with('"') {
                json
            } else {
                quoted(&json)
            };
            self.json.push_str(&key);
            self.json.push(':');
            self.value(values, at)?;
            if let Some(wrong) = wrong {
                self.note(wrong);
            }
            if known.contains(&key) {
                self.note(format!("a map has the key {} twice", cut(&key)));
            }
            known.insert(key);
        }
        self.json.push('}');
        Ok(())
    }

    /// Begins the next part of a list or an object.
    fn part(&mut self, place: usize) -> Result<(), TooLong> {
        if 0 < place {
            self.json.push(',');
        }
        if RECORD_MAX < self.json.len() {
            return Err(TooLong);
        }
        Ok(())
    }

    fn note(&mut self, wrong: String) {
        self.wrong.get_or_insert(wrong);
    }
}

/// The range of the members of a list.
fn ends(offsets: &[i32], at: usize) -> Range<usize> {
    let [start, end] = [at, at + 1].map(|at| usize::try_from(offsets[at]).unwrap_or(0));
    start..end
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// `f81d4fae-7dec-11d0-a765-00a0c91e6bf6`
fn uuid(bytes: &[u8]) -> String {
    let number = bytes
        .iter()
        .fold(0, |number: u128, byte| number << 8 | u128::from(*byte));
    let digits = format!("{number:032x}");
    let groups = [0..8, 8..12, 12..16, 16..20, 20..32];
    groups.map(|group| &digits[group]).join("-")
}
