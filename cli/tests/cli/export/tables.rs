//! `catalogue export` as tables: responses in typed columns.

use std::fmt::Write as _;
use std::fs::File;

use arrow::array::{AsArray, RecordBatch};
use arrow::datatypes::{DataType, Field, Fields, SchemaRef, TimestampMicrosecondType};
use arrow::json::WriterBuilder;
use arrow::json::writer::LineDelimited;
use cli::ExitStatus;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use serde_json::Value;
use shared::base::data_dir::DataDir;
use shared::release::diff::Kind;
use shared::release::{ReleaseError, ReleaseStore, Releases};

use super::{FULL, SAMPLE, SMALL, names};
use crate::edited::import;
use crate::harness::{TestCli, assert_snapshot};

/// An active catalogue, exported into the folder `tables`.
fn exported(export: &str, format: &str) -> TestCli {
    let mut cli = TestCli::new();
    cli.write("small.ndjson", SMALL);
    import(&mut cli, export, &[]);
    for to in [&format!("[dir]/boats.{format}"), "[dir]/tables/"] {
        let outcome = cli.run(&["export", "--to", to, "--format", format]);
        assert_eq!(outcome.status, ExitStatus::Done, "{outcome}");
    }
    let expected = ["boats", "manufacturers"].map(|name| format!("{name}.{format}"));
    assert_eq!(names(&cli.path("tables")), expected);
    cli
}

fn parquet(cli: &TestCli, name: &str) -> (SchemaRef, Vec<RecordBatch>) {
    let file = File::open(cli.path(name)).unwrap();
    let reader = ParquetRecordBatchReaderBuilder::try_new(file).unwrap();
    let schema = SchemaRef::clone(reader.schema());
    let batches: Result<Vec<_>, _> = reader.build().unwrap().collect();
    (schema, batches.unwrap())
}

/// The rows as JSON, as a Parquet reader returns them.
fn rows(batches: &[RecordBatch]) -> Vec<Value> {
    let builder = WriterBuilder::new().with_explicit_nulls(true);
    let mut writer = builder.build::<_, LineDelimited>(Vec::new());
    writer
        .write_batches(&batches.iter().collect::<Vec<_>>())
        .unwrap();
    writer.finish().unwrap();
    let text = String::from_utf8(writer.into_inner()).unwrap();
    text.lines()
        .map(|line| number(serde_json::from_str(line).unwrap()))
        .collect()
}

/// What is published under `data`.
fn published(cli: &TestCli, kind: Kind) -> Vec<Value> {
    let store = ReleaseStore::new(DataDir::new(cli.path("catalogue-data")));
    let release = store.open(&store.current().unwrap().unwrap()).unwrap();
    let mut all = Vec::new();
    let read = release.each_record::<ReleaseError>(kind, |record| {
        all.push(number(serde_json::from_slice(record).unwrap()));
        Ok(())
    });
    read.unwrap();
    all
}

/// The value with every number as a double: `12` becomes `12.0`.
fn number(value: Value) -> Value {
    match value {
        Value::Number(number) => number.as_f64().into(),
        Value::Array(values) => values.into_iter().map(number).collect(),
        Value::Object(members) => members
            .into_iter()
            .map(|(key, value)| (key, number(value)))
            .collect(),
        value => value,
    }
}

/// A line for each column and member: its name, type, unit and description.
fn outline(fields: &Fields, depth: usize, text: &mut String) {
    for field in fields {
        let (data_type, members) = match field.data_type() {
            DataType::List(member) => (format!("list of {}", named(member)), members(member)),
            _ => (named(field), members(field)),
        };
        let about = |key| field.metadata().get(key).map_or("", String::as_str);
        let null = if field.is_nullable() { " or null" } else { "" };
        let unit = match about("unit") {
            "" => String::new(),
            unit => format!(" [{unit}]"),
        };
        let indent = "  ".repeat(depth);
        let (name, description) = (field.name(), about("description"));
        writeln!(
            text,
            "{indent}{name}: {data_type}{null}{unit} {description}"
        )
        .unwrap();
        if let Some(members) = members {
            outline(members, depth + 1, text);
        }
    }
}

fn named(field: &Field) -> String {
    match field.data_type() {
        DataType::Struct(_) => "struct".to_owned(),
        other => other.to_string(),
    }
}

fn members(field: &Field) -> Option<&Fields> {
    match field.data_type() {
        DataType::Struct(members) => Some(members),
        _ => None,
    }
}

#[test]
fn every_field_is_a_typed_column_with_its_unit_and_meaning() {
    let cli = exported("[dir]/small.ndjson", "parquet");
    let mut text = String::new();
    for name in ["tables/boats.parquet", "tables/manufacturers.parquet"] {
        let (schema, batches) = parquet(&cli, name);
        _ = writeln!(text, "{name}");
        outline(schema.fields(), 1, &mut text);
        assert_eq!(batches.iter().map(RecordBatch::num_rows).sum::<usize>(), 1);
    }
    assert_snapshot("export_columns", &text);
}

#[test]
fn rows_of_parquet_are_what_answers_show() {
    for fixture in [SAMPLE, FULL] {
        let cli = exported(fixture, "parquet");
        let boats = published(&cli, Kind::Boats);
        assert_eq!(rows(&parquet(&cli, "boats.parquet").1), boats);
        assert_eq!(rows(&parquet(&cli, "tables/boats.parquet").1), boats);
        let without_time = |mut rows: Vec<Value>| {
            let times: Vec<Value> = rows.iter_mut().map(|row| row["updatedAt"].take()).collect();
            (rows, times)
        };
        let read = rows(&parquet(&cli, "tables/manufacturers.parquet").1);
        let (read, read_times) = without_time(read);
        let (expected, times) = without_time(published(&cli, Kind::Manufacturers));
        assert_eq!(read, expected);
        for (read, time) in read_times.iter().zip(times) {
            let [read, time] = [read, &time].map(|time| time.as_str().unwrap());
            let parse = |text| shared::base::timestamp::Timestamp::parse(text).unwrap();
            assert_eq!(
                parse(read).unix_seconds(),
                parse(time).unix_seconds(),
                "{read} {time}"
            );
        }
    }
}

#[test]
fn values_at_their_limits_are_in_tables() {
    let boat = SMALL.lines().next().unwrap();
    let extreme = |number: &str| {
        let price = format!(
            r#""referencePrice":{{"amount":{number},"currency":{{"code":"EUR","symbol":"€"}}}},"kind""#
        );
        boat.replacen("\"kind\"", &price, 1)
    };
    for (number, time, micros) in [
        (
            "1e300",
            "9999-12-31T23:59:59.12345678901234567890Z",
            253_402_300_799_123_456,
        ),
        ("1e-300", "0000-01-01T00:00:00Z", -62_167_219_200_000_000),
        ("9007199254740993", "1969-12-31T23:59:59.5Z", -500_000),
    ] {
        let mut cli = TestCli::new();
        let rest = SMALL.split_once('\n').unwrap().1;
        let rest = rest.replace("2026-10-01T14:00:00.5+02:00", time);
        cli.write("small.ndjson", format!("{}\n{rest}", extreme(number)));
        import(&mut cli, "[dir]/small.ndjson", &["--skip-invalid"]);
        for format in ["parquet", "csv"] {
            let outcome = cli.run(&["export", "--to", "[dir]/tables/", "--format", format]);
            assert_eq!(outcome.status, ExitStatus::Done, "{outcome}");
        }
        let boats = published(&cli, Kind::Boats);
        assert_eq!(rows(&parquet(&cli, "tables/boats.parquet").1), boats);
        let (_, batches) = parquet(&cli, "tables/manufacturers.parquet");
        let times = batches[0].column_by_name("updatedAt").unwrap();
        assert_eq!(
            times.as_primitive::<TimestampMicrosecondType>().values(),
            &[micros]
        );
        let text = std::fs::read_to_string(cli.path("tables/manufacturers.csv")).unwrap();
        assert!(text.contains(time), "{text}");
    }
}

#[test]
fn rows_of_csv_are_flat() {
    let cli = exported("[dir]/small.ndjson", "csv");
    let texts = ["tables/boats.csv", "tables/manufacturers.csv"].map(|name| {
        let text = std::fs::read_to_string(cli.path(name)).unwrap();
        format!("{name}\n{text}")
    });
    assert_snapshot("export_csv", &texts.concat());
    let cli = exported(SAMPLE, "csv");
    let mut reader = csv::Reader::from_path(cli.path("boats.csv")).unwrap();
    let header = reader.headers().unwrap().clone();
    let column = |name: &str| header.iter().position(|known| known == name).unwrap();
    let boats = published(&cli, Kind::Boats);
    let read: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    assert_eq!(read.len(), boats.len());
    for (row, boat) in read.iter().zip(boats) {
        assert_eq!(row[column("id")], boat["id"]);
        assert_eq!(
            row[column("description")],
            *boat["description"].as_str().unwrap_or("")
        );
        assert_eq!(
            row[column("manufacturer.name")],
            boat["manufacturer"]["name"]
        );
        let draft = match &boat["dimensions"]["draftMax"] {
            Value::Null => String::new(),
            number => number.to_string(),
        };
        assert_eq!(row[column("dimensions.draftMax")], draft);
        let categories = &row[column("categories")];
        let listed: Value = serde_json::from_str(categories).unwrap_or(serde_json::json!([]));
        assert_eq!(number(listed), boat["categories"]);
    }
}

/// The models of a CSV file.
fn models(cli: &TestCli, name: &str) -> Vec<String> {
    let mut reader = csv::Reader::from_path(cli.path(name)).unwrap();
    let header = reader.headers().unwrap().clone();
    let column = header.iter().position(|name| name == "model").unwrap();
    let rows = reader.records().map(Result::unwrap);
    rows.map(|row| row[column].to_owned()).collect()
}

#[test]
fn what_a_spreadsheet_would_run_is_escaped_and_comes_back_as_it_was() {
    const MODELS: [(&str, &str); 8] = [
        ("=1+1", "'=1+1"),
        ("+49", "'+49"),
        ("-5.2", "'-5.2"),
        ("@home", "'@home"),
        ("'=1", "''=1"),
        ("''-1", "'''-1"),
        ("'Anna'", "'Anna'"),
        ("a=1", "a=1"),
    ];
    let (boat, rest) = SMALL.split_once('\n').unwrap();
    let boats = MODELS.iter().enumerate().map(|(number, (model, _))| {
        let boat = boat.replacen("boat-1", &format!("boat-{number}"), 1);
        let boat = boat.replacen(
            "\"boat\",\"model\"",
            &format!("\"slug-{number}\",\"model\""),
            1,
        );
        boat.replacen(r#"Boat \"1\""#, model, 1) + "\n"
    });
    let mut cli = TestCli::new();
    cli.write("small.ndjson", boats.collect::<String>() + rest);
    import(&mut cli, "[dir]/small.ndjson", &[]);
    let mut run = |args: &[&str]| {
        let outcome = cli.run(args);
        assert_eq!(outcome.status, ExitStatus::Done, "{outcome}");
    };
    let csv = "[dir]/boats.csv";
    run(&["export", "--to", csv]);
    run(&["export", "--to", "[dir]/plain.csv", "--no-formula-escape"]);
    let (draft, other) = ("[dir]/boats.toml", "[dir]/other");
    run(&["mapping", "init", "--from", csv, "--to", draft]);
    run(&["import", "--mapping", draft, csv, "--data", other]);
    run(&["export", "--to", "[dir]/again.csv", "--data", other]);
    assert_eq!(models(&cli, "boats.csv"), MODELS.map(|(_, shown)| shown));
    assert_eq!(models(&cli, "plain.csv"), MODELS.map(|(model, _)| model));
    assert_eq!(models(&cli, "again.csv"), MODELS.map(|(_, shown)| shown));
}

#[test]
fn tables_of_a_catalogue_without_boats_have_their_columns() {
    let mut cli = TestCli::new();
    cli.write("small.ndjson", SMALL.lines().nth(2).unwrap());
    import(&mut cli, "[dir]/small.ndjson", &[]);
    for name in ["boats.parquet", "boats.csv"] {
        let to = format!("[dir]/{name}");
        let outcome = cli.run(&["export", "--to", &to]);
        assert_eq!(outcome.status, ExitStatus::Done, "{outcome}");
    }
    let (schema, batches) = parquet(&cli, "boats.parquet");
    assert_eq!((schema.fields().len(), batches.len()), (27, 0));
    let text = std::fs::read_to_string(cli.path("boats.csv")).unwrap();
    assert!(
        text.starts_with("id,slug,model,version,manufacturer.id,"),
        "{text}"
    );
    assert_eq!(text.lines().count(), 1);
}
