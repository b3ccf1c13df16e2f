//! Tests of Parquet files, written here and then read intact, damaged and forged.

use std::io;
use std::sync::Arc;

use ::parquet::arrow::ArrowWriter;
use ::parquet::basic::{Compression, Encoding, GzipLevel, ZstdLevel};
use ::parquet::file::properties::{EnabledStatistics, WriterProperties, WriterPropertiesBuilder};
use arrow::array::{
    Array, ArrayRef, BinaryArray, BooleanArray, Date32Array, Decimal128Array, FixedSizeBinaryArray,
    Float32Array, Float64Array, Int64Array, ListArray, MapArray, NullArray, RecordBatch,
    StringArray, StructArray, Time64MicrosecondArray, TimestampMicrosecondArray,
    TimestampMillisecondArray, TimestampNanosecondArray, UInt64Array, new_null_array,
};
use arrow::buffer::OffsetBuffer;
use arrow::datatypes::{DataType, Field, Int32Type, Schema};

use super::*;
use crate::spool::Spool;

const PARQUET: Reads = |file, _, visit| {
    let directory = tempfile::tempdir().unwrap();
    let mut copy = Spool::new(directory.path());
    io::copy(file, &mut copy).unwrap();
    copy.finish().unwrap();
    crate::source::readers::parquet::read(copy, visit).map(|()| Vec::new())
};

/// A column that may have nulls.
fn column(name: &str, array: impl Array + 'static) -> (Field, ArrayRef) {
    let field = Field::new(name, array.data_type().clone(), true);
    (field, Arc::new(array))
}

/// A file with these columns.
fn written(columns: Vec<(Field, ArrayRef)>) -> Vec<u8> {
    written_as(columns, |properties| properties)
}

fn written_as(
    columns: Vec<(Field, ArrayRef)>,
    set: fn(WriterPropertiesBuilder) -> WriterPropertiesBuilder,
) -> Vec<u8> {
    let (fields, arrays): (Vec<_>, Vec<_>) = columns.into_iter().unzip();
    let schema = Arc::new(Schema::new(fields));
    let properties = WriterProperties::builder().set_statistics_enabled(EnabledStatistics::None);
    let mut file = Vec::new();
    let properties = Some(set(properties).build());
    let mut writer = ArrowWriter::try_new(&mut file, Arc::clone(&schema), properties).unwrap();
    writer
        .write(&RecordBatch::try_new(schema, arrays).unwrap())
        .unwrap();
    writer.close().unwrap();
    file
}

fn rows(file: &[u8]) -> Vec<String> {
    let (found, ended) = read(PARQUET, &mut Cursor::new(file), &[]);
    assert_eq!(ended.unwrap(), Vec::<usize>::new());
    found
}

#[track_caller]
fn check_rows(columns: Vec<(Field, ArrayRef)>, expected: &[&str]) {
    assert_eq!(rows(&written(columns)), expected);
}

#[track_caller]
fn check_refused(file: &[u8], count: usize, expected: (Code, u64, &str)) {
    check_broken(PARQUET, file, &[], count, expected);
}

#[test]
fn numbers_keep_every_digit() {
    let decimals = Decimal128Array::from(vec![
        Some(12_345_678_901_234_567_890_123_456_789_i128),
        Some(-5),
    ]);
    check_rows(
        vec![
            column("i", Int64Array::from(vec![Some(i64::MIN), None])),
            column("u", UInt64Array::from(vec![u64::MAX, 0])),
            column("f", Float32Array::from(vec![10.36, 1e20])),
            column("d", Float64Array::from(vec![0.1, -1e-300])),
            column("n", decimals.with_precision_and_scale(38, 3).unwrap()),
            column("b", BooleanArray::from(vec![true, false])),
        ],
        &[
            "1 {\"i\":-9223372036854775808,\"u\":18446744073709551615,\"f\":10.36,\"d\":0.1,\
             \"n\":12345678901234567890123456.789,\"b\":true}",
            "2 {\"i\":null,\"u\":0,\"f\":1e20,\"d\":-1e-300,\"n\":-0.005,\"b\":false}",
        ],
    );
}

#[test]
fn dates_and_times_are_texts_and_name_utc_where_the_file_does() {
    let micros = TimestampMicrosecondArray::from(vec![1_790_856_000_250_000, -1]);
    check_rows(
        vec![
            column("date", Date32Array::from(vec![20_000, -1])),
            column(
                "time",
                Time64MicrosecondArray::from(vec![43_200_000_000, 1]),
            ),
            column("utc", micros.with_timezone("Europe/Berlin")),
            column("local", TimestampMillisecondArray::from(vec![0, 1_500])),
            column("nanos", TimestampNanosecondArray::from(vec![1, 0])),
        ],
        &[
            "1 {\"date\":\"2024-10-04\",\"time\":\"12:00:00\",\
             \"utc\":\"2026-10-01T12:00:00.250Z\",\"local\":\"1970-01-01T00:00:00\",\
             \"nanos\":\"1970-01-01T00:00:00.000000001\"}",
            "2 {\"date\":\"1969-12-31\",\"time\":\"00:00:00.000001\",\
             \"utc\":\"1969-12-31T23:59:59.999999Z\",\"local\":\"1970-01-01T00:00:01.500\",\
             \"nanos\":\"1970-01-01T00:00:00\"}",
        ],
    );
}

#[test]
fn texts_and_bytes_are_texts() {
    let id = [0xf8; 16];
    let ids = FixedSizeBinaryArray::try_from_iter([id, id].into_iter()).unwrap();
    let field = Field::new("uuid", DataType::FixedSizeBinary(16), true);
    let uuid = ("ARROW:extension:name".to_owned(), "arrow.uuid".to_owned());
    let field = field.with_metadata([uuid].into());
    check_rows(
        vec![
            column("text", StringArray::from(vec![Some("Å \"34\"\n"), None])),
            column(
                "bytes",
                BinaryArray::from(vec![b"\xff\x00".as_slice(), b""]),
            ),
            column("fixed", ids.clone()),
            (field, Arc::new(ids)),
            column("none", NullArray::new(2)),
        ],
        &[
            "1 {\"text\":\"Å \\\"34\\\"\\n\",\"bytes\":\"/wA=\",\"fixed\":\"+Pj4+Pj4+Pj4+Pj4+Pj4+A==\",\
             \"uuid\":\"f8f8f8f8-f8f8-f8f8-f8f8-f8f8f8f8f8f8\",\"none\":null}",
            "2 {\"text\":null,\"bytes\":\"\",\"fixed\":\"+Pj4+Pj4+Pj4+Pj4+Pj4+A==\",\
             \"uuid\":\"f8f8f8f8-f8f8-f8f8-f8f8-f8f8f8f8f8f8\",\"none\":null}",
        ],
    );
}

/// `[[1, null], [], null]`
fn lists() -> ListArray {
    ListArray::from_iter_primitive::<Int32Type, _, _>([
        Some(vec![Some(1), None]),
        Some(vec![]),
        None,
    ])
}

/// Objects with one text each.
fn objects(texts: &[&str]) -> StructArray {
    let texts: ArrayRef = Arc::new(StringArray::from(texts.to_vec()));
    StructArray::from(vec![(
        Arc::new(Field::new("text", DataType::Utf8, true)),
        texts,
    )])
}

/// One map from these keys to 1.
fn map(keys: &[&str]) -> MapArray {
    let keys: ArrayRef = Arc::new(StringArray::from(keys.to_vec()));
    let values: ArrayRef = Arc::new(Int64Array::from(vec![1; keys.len()]));
    let entries = StructArray::from(vec![
        (Arc::new(Field::new("keys", DataType::Utf8, false)), keys),
        (
            Arc::new(Field::new("values", DataType::Int64, true)),
            values,
        ),
    ]);
    let field = Arc::new(Field::new("entries", entries.data_type().clone(), false));
    let offsets = OffsetBuffer::from_lengths([entries.len()]);
    MapArray::new(field, offsets, entries, None, false)
}

#[test]
fn lists_groups_and_maps_are_lists_and_objects() {
    check_rows(
        vec![column("l", lists()), column("o", objects(&["a", "b", "c"]))],
        &[
            r#"1 {"l":[1,null],"o":{"text":"a"}}"#,
            r#"2 {"l":[],"o":{"text":"b"}}"#,
            r#"3 {"l":null,"o":{"text":"c"}}"#,
        ],
    );
    check_rows(
        vec![column("m", map(&["hull", "keel"]))],
        &[r#"1 {"m":{"hull":1,"keel":1}}"#],
    );
}

#[test]
fn a_row_that_json_cannot_hold_is_blamed_and_the_next_one_read() {
    let lengths = Float64Array::from(vec![f64::NAN, 10.5, f64::NEG_INFINITY]);
    let dates = Date32Array::from(vec![i32::MAX, 0, 0]);
    check_rows(
        vec![column("length", lengths), column("built", dates)],
        &[
            "1 INVALID_ROW length: NaN is no number in JSON {\"length\":\"NaN\",\"built\":null}",
            "2 {\"length\":10.5,\"built\":\"1970-01-01\"}",
            "3 INVALID_ROW length: -inf is no number in JSON \
             {\"length\":\"-inf\",\"built\":\"1970-01-01\"}",
        ],
    );
    let dates = Date32Array::from(vec![i32::MAX]);
    check_rows(
        vec![column("built", dates)],
        &["1 INVALID_ROW built: a date or time is out of range {\"built\":null}"],
    );
    check_rows(
        vec![column("m", map(&["hull", "hull"]))],
        &["1 INVALID_ROW m: a map has the key \"hull\" twice {\"m\":{\"hull\":1,\"hull\":1}}"],
    );
}

#[test]
fn rows_are_read_however_they_are_packed() {
    let texts = || {
        column(
            "text",
            StringArray::from_iter_values(std::iter::repeat_n("a", 5000)),
        )
    };
    let plain = rows(&written(vec![texts()]));
    assert_eq!(plain.len(), 5000);
    assert_eq!(plain[4999], r#"5000 {"text":"a"}"#);
    let packed: [fn(WriterPropertiesBuilder) -> WriterPropertiesBuilder; 6] = [
        |p| p.set_compression(Compression::SNAPPY),
        |p| p.set_compression(Compression::GZIP(GzipLevel::default())),
        |p| p.set_compression(Compression::ZSTD(ZstdLevel::default())),
        |p| p.set_compression(Compression::LZ4_RAW),
        |p| p.set_max_row_group_row_count(Some(700)),
        |p| {
            p.set_dictionary_enabled(false)
                .set_encoding(Encoding::DELTA_BYTE_ARRAY)
        },
    ];
    for set in packed {
        assert_eq!(rows(&written_as(vec![texts()], set)), plain);
    }
    assert_eq!(
        rows(&written(vec![column("none", NullArray::new(0))])),
        [""; 0]
    );
}

/// A small file with most types of columns, compressed with this codec.
fn small(compression: Compression) -> Vec<u8> {
    let columns = vec![
        column("i", Int64Array::from(vec![Some(1), None, Some(3)])),
        column("l", lists()),
        column("o", objects(&["a", "b", "a"])),
    ];
    match compression {
        Compression::SNAPPY => written_as(columns, |p| p.set_compression(Compression::SNAPPY)),
        _ => written(columns),
    }
}

#[test]
fn a_file_that_ends_early_is_truncated_wherever_that_is() {
    let file = small(Compression::UNCOMPRESSED);
    for length in 0..file.len() {
        let (found, ended) = read(PARQUET, &mut Cursor::new(&file[..length]), &[]);
        assert_eq!(found, [""; 0], "{length}");
        assert!(
            matches!(
                ended,
                Err(FileError::Damaged {
                    code: Code::FileTruncated,
                    line: 1,
                    ..
                })
            ),
            "{length}: {ended:?}"
        );
    }
}

/// Panics of the library must be caught, or they would fail this test.
#[test]
fn a_file_with_any_bit_changed_is_read_or_refused() {
    for compression in [Compression::UNCOMPRESSED, Compression::SNAPPY] {
        let whole = small(compression);
        let mut refused = 0;
        for at in 0..whole.len() {
            for bit in 0..8 {
                let mut file = whole.clone();
                file[at] ^= 1 << bit;
                match read(PARQUET, &mut Cursor::new(&file), &[]).1 {
                    Ok(_) => {}
                    Err(FileError::Damaged { line: 1..=4, .. }) => refused += 1,
                    Err(other) => panic!("byte {at}, bit {bit}: {other:?}"),
                }
            }
        }
        // Changes in texts, numbers and column names are not noticed.
        assert!(whole.len() * 8 / 4 < refused, "{refused}");
    }
}

#[test]
fn what_is_no_parquet_is_called_so() {
    use Code::{FileCorrupt, FileTruncated};
    let file = small(Compression::UNCOMPRESSED);
    let mut encrypted = file.clone();
    let end = encrypted.len() - 1;
    encrypted[end] = b'E';
    let mut lying = file.clone();
    lying[end - 4] = 0x7f;
    let [most, more] = [1 << 24, (1 << 24) + 1_u32].map(|length| {
        let zeros = vec![0; length as usize];
        [b"PAR1", zeros.as_slice(), &length.to_le_bytes(), b"PAR1"].concat()
    });
    for (file, expected) in [
        (b"".as_slice(), (FileTruncated, 1, "too short")),
        (
            b"id,name\n1,Sum\n",
            (FileCorrupt, 1, "does not begin with `PAR1`"),
        ),
        (
            &file[..file.len() - 1],
            (FileTruncated, 1, "does not end with the footer"),
        ),
        (&encrypted, (FileCorrupt, 1, "is encrypted")),
        (&lying, (FileCorrupt, 1, "longer than the file")),
        (&more, (FileCorrupt, 1, "the footer has 16777217 bytes")),
        (&most, (FileCorrupt, 1, "cannot be read as Parquet")),
    ] {
        check_refused(file, 0, expected);
    }
}

#[test]
fn names_of_columns_are_there_once() {
    let twice = || column("name", Int64Array::from(vec![1]));
    check_refused(
        &written(vec![twice(), twice()]),
        0,
        (Code::FileCorrupt, 1, "two columns are called \"name\""),
    );
    let mut none = Vec::new();
    let schema = Arc::new(Schema::empty());
    let writer = ArrowWriter::try_new(&mut none, schema, None).unwrap();
    writer.close().unwrap();
    check_refused(&none, 0, (Code::FileCorrupt, 1, "the file has no columns"));
}

#[test]
fn columns_are_limited_in_number_and_depth() {
    use Code::FileCorrupt;
    let numbered = |count: usize| {
        let columns = (0..count).map(|n| column(&n.to_string(), NullArray::new(1)));
        written(columns.collect())
    };
    assert_eq!(rows(&numbered(16_383)).len(), 1);
    let message = "more than 16384 columns";
    check_refused(&numbered(16_384), 0, (FileCorrupt, 1, message));
    let nested = |depth: usize| {
        let mut array = objects(&["deep"]);
        for _ in 2..depth {
            let field = Arc::new(Field::new("o", array.data_type().clone(), true));
            array = StructArray::from(vec![(field, Arc::new(array) as ArrayRef)]);
        }
        // The writer needs more room than the reader.
        let write = move || written(vec![column("o", array)]);
        let writing = std::thread::Builder::new().stack_size(64 * 1024 * 1024);
        writing.spawn(write).unwrap().join().unwrap()
    };
    assert_eq!(rows(&nested(DEPTH_MAX)).len(), 1);
    let message = "nested more than 160 deep";
    check_refused(&nested(DEPTH_MAX + 1), 0, (FileCorrupt, 1, message));
}

#[test]
fn a_record_has_as_many_bytes_as_elsewhere() {
    let file = |length: usize| {
        let texts = StringArray::from(vec!["a".to_owned(), "x".repeat(length)]);
        written(vec![column("t", texts)])
    };
    // `{"t":""}`
    assert_eq!(rows(&file(RECORD_MAX - 8)).len(), 2);
    let message = "more than 16777216 bytes";
    check_refused(&file(RECORD_MAX - 7), 1, (Code::FileCorrupt, 2, message));
}

#[test]
fn a_list_cannot_take_all_memory() {
    let member = Arc::new(Field::new("m", DataType::FixedSizeBinary(65_536), true));
    let list = |length: usize| {
        let members = new_null_array(member.data_type(), length);
        let offsets = OffsetBuffer::from_lengths([length]);
        let lists = ListArray::new(Arc::clone(&member), offsets, members, None);
        written(vec![column("list", lists)])
    };
    assert_eq!(rows(&list(4096)).len(), 1);
    let message = "the lists of \"list.list.m\" have 4097 values";
    check_refused(&list(4097), 0, (Code::FileCorrupt, 1, message));
}

/// A number as encoded in page headers.
fn varint(number: u64) -> Vec<u8> {
    let mut left = number << 1;
    let mut bytes = Vec::new();
    while 0x80 <= left {
        bytes.push(u8::try_from(left & 0x7f).unwrap() | 0x80);
        left >>= 7;
    }
    bytes.push(u8::try_from(left).unwrap());
    bytes
}

/// A file with a number in its page headers replaced by another of the same encoded length.
fn forged(file: &[u8], real: u64, claimed: u64) -> Vec<u8> {
    let [real, claimed] = [real, claimed].map(varint);
    assert_eq!(real.len(), claimed.len());
    let mut forged = file.to_vec();
    let mut found = 0;
    for at in 0..forged.len() - real.len() {
        if forged[at..].starts_with(&real) {
            forged[at..at + real.len()].copy_from_slice(&claimed);
            found += 1;
        }
    }
    assert!(0 < found);
    forged
}

/// A page of 17 values of 64 KiB each.
fn wide() -> FixedSizeBinaryArray {
    let value = vec![0; 1 << 16];
    FixedSizeBinaryArray::try_from_iter(std::iter::repeat_n(value, 17)).unwrap()
}

#[test]
fn pages_cannot_claim_all_memory() {
    let columns = (0..20).map(|n| column(&n.to_string(), wide()));
    let file = written_as(columns.collect(), |properties| {
        properties
            .set_dictionary_enabled(false)
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
    });
    // The values are preceded by 6 bytes of levels.
    let real = 17 * (1 << 16) + 6;
    assert_eq!(rows(&file).len(), 17);
    let message = "take more than 1 GiB at once";
    let claiming = forged(&file, real, 60 * 1024 * 1024);
    check_refused(&claiming, 0, (Code::FileCorrupt, 1, message));
}

#[test]
fn a_page_of_gzip_is_no_longer_than_it_claims() {
    let file = written_as(vec![column("bytes", wide())], |properties| {
        properties
            .set_dictionary_enabled(false)
            .set_compression(Compression::GZIP(GzipLevel::default()))
    });
    assert_eq!(rows(&file).len(), 17);
    let lying = forged(&file, 17 * (1 << 16) + 6, 1 << 20);
    check_refused(&lying, 0, (Code::FileCorrupt, 1, "longer than it claims"));
}
