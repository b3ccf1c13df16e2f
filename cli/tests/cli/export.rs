//! `catalogue export`: writes what is published, and importing that gives the same release.

mod tables;

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;
use std::time::Duration;

use cli::ExitStatus;
use cli::terminal::Terminal;
use flate2::read::MultiGzDecoder;

use crate::edited::{Edited, check, import};
use crate::harness::{SAMPLE, TestCli};
use crate::process::{after, command, import_sample, redirected};

const FULL: &str = fixture!("mapped/native/export.ndjson");
/// The formats that an import reads.
const LINES: [&str; 3] = ["ndjson", "ndjson.gz", "ndjson.zst"];

/// One boat of one manufacturer, and a draft.
const SMALL: &str = r#"{"kind":"boat","id":"boat-1","slug":"boat","model":"Boat \"1\"","manufacturer":"maker-1","type":"type-1","production":{"firstYear":1990},"unit":"imperial","lengthOverall":31.25,"categories":["c1"],"dimensions":{"draftMax":4.5},"designers":{"naval":["d1"]},"tanks":{"fuel":["25 gal","5 gal"]},"updatedAt":"2026-10-01T12:00:00Z"}
{"kind":"boat","id":"draft","slug":"draft","model":"Draft","manufacturer":"maker-1","type":"type-2","production":{"firstYear":1990},"unit":"metric","lengthOverall":9,"published":false}
{"kind":"manufacturer","id":"maker-1","slug":"maker","name":"Maker","updatedAt":"2026-10-01T14:00:00.5+02:00"}
{"kind":"term","vocabulary":"type","id":"type-1","slug":"monohull","name":"Monohull"}
{"kind":"term","vocabulary":"type","id":"type-2","slug":"trimaran","name":"Trimaran"}
{"kind":"term","vocabulary":"category","id":"c1","slug":"cruiser","name":"Cruiser"}
{"kind":"designer","id":"d1","name":"Designer"}
"#;

/// A small active catalogue.
fn small() -> TestCli {
    let mut cli = TestCli::new();
    cli.write("small.ndjson", SMALL);
    import(&mut cli, "[dir]/small.ndjson", &[]);
    cli
}

/// The names in a folder, sorted.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<_> = names.collect();
    names.sort();
    names
}

#[test]
fn what_is_exported_is_imported_as_the_same_release() {
    for fixture in [SAMPLE, FULL] {
        let mut cli = TestCli::new();
        let release = import(&mut cli, fixture, &[]);
        for ending in LINES {
            for to in [format!("[dir]/a.{ending}"), format!("[dir]/{ending}/")] {
                let outcome = cli.run(&["export", "--to", &to, "--format", ending]);
                assert_eq!(outcome.status, ExitStatus::Done, "{outcome}");
                cli.advance(Duration::from_mins(1));
                assert_eq!(import(&mut cli, &to, &[]), release, "{fixture} {to}");
            }
        }
    }
}

#[test]
fn the_same_release_is_exported_as_the_same_bytes_whenever_and_wherever() {
    let mut cli = small();
    let of = |cli: &mut TestCli, to: &str| {
        let to = format!("[dir]/{to}");
        let outcome = cli.run(&["export", "--to", &to]);
        assert_eq!(outcome.status, ExitStatus::Done, "{outcome}");
        cli.advance(Duration::from_mins(1));
    };
    for ending in [&LINES[..], &["parquet", "csv"]].concat() {
        let [one, other] = ["one", "other"].map(|name| format!("{name}.{ending}"));
        of(&mut cli, &one);
        of(&mut cli, &other);
        let bytes = |name| fs::read(cli.path(name)).unwrap();
        assert_eq!(bytes(one), bytes(other), "{ending}");
    }
    let plain = fs::read_to_string(cli.path("one.ndjson")).unwrap();
    let mut unpacked = String::new();
    let packed = File::open(cli.path("one.ndjson.gz")).unwrap();
    MultiGzDecoder::new(packed)
        .read_to_string(&mut unpacked)
        .unwrap();
    assert_eq!(unpacked, plain);
    let packed = File::open(cli.path("one.ndjson.zst")).unwrap();
    assert_eq!(zstd::decode_all(packed).unwrap(), plain.as_bytes());
    let printed = cli.run(&["export", "--to", "-"]);
    assert_eq!(printed.out, plain);
}

#[test]
fn native_records_go_to_standard_output_a_file_or_a_folder() {
    let mut cli = small();
    let outcomes = [
        cli.run(&["export", "--to", "-", "--format", "ndjson"]),
        cli.run(&["export", "--to", "[dir]/small.ndjson.gz"]),
        cli.run(&["export", "--to", "[dir]/folder/", "--format", "ndjson"]),
    ];
    check(&cli, "export", &outcomes);
    let parts = names(&cli.path("folder"));
    let parts = parts.into_iter().map(|name| {
        let text = fs::read_to_string(cli.path("folder").join(&name)).unwrap();
        (name, text)
    });
    let (names, texts): (Vec<String>, Vec<String>) = parts.unzip();
    let expected = ["boats", "catalogue", "designers", "manufacturers", "terms"];
    assert_eq!(names, expected.map(|name| format!("{name}.ndjson")));
    let sorted = |text: &str| {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    assert_eq!(sorted(&texts.concat()), sorted(&outcomes[0].out));
}

#[test]
fn any_release_is_exported_by_the_names_that_it_has() {
    let mut cli = TestCli::new();
    Edited::sample().write(&cli, "first.ndjson");
    let first = import(&mut cli, "[dir]/first.ndjson", &[]);
    cli.advance(Duration::from_mins(1));
    Edited::sample()
        .without_boats(1)
        .write(&cli, "second.ndjson");
    let second = import(&mut cli, "[dir]/second.ndjson", &[]);
    for (name, release, boats) in [
        ("current", &second, 40),
        ("latest", &second, 40),
        ("previous", &first, 41),
        (&*first, &first, 41),
        (&first[..16], &first, 41),
    ] {
        let to = "[dir]/out.ndjson";
        let outcome = cli.run(&["export", name, "--to", to, "--overwrite"]);
        let expected =
            format!("Exported release {release}: {boats} boats and 14 manufacturers to {to}\n");
        assert!(outcome.out.ends_with(&expected), "{outcome}");
    }
}

#[test]
fn what_cannot_be_exported_or_written_is_refused_before_anything_is_written() {
    let mut cli = TestCli::new();
    let none = cli.run(&["export", "--to", "[dir]/a.ndjson"]);
    cli.write("small.ndjson", SMALL);
    import(&mut cli, "[dir]/small.ndjson", &[]);
    cli.write("there.ndjson", "mine");
    fs::create_dir(cli.path("folder")).unwrap();
    cli.write("folder/terms.ndjson", "mine");
    let before = names(&cli.path(""));
    let unknown = "20200101T000000Z-0000000000000000";
    let outcomes = [
        none,
        cli.run(&[
            "export",
            unknown,
            "--to",
            "[dir]/new/",
            "--format",
            "ndjson",
        ]),
        cli.run(&["export", "2020", "--to", "[dir]/a.ndjson"]),
        cli.run(&["export"]),
        cli.run(&["export", "--to", "[dir]/there.ndjson"]),
        cli.run(&["export", "--to", "[dir]/folder"]),
        cli.run(&["export", "--to", "[dir]/folder", "--format", "ndjson"]),
        cli.run(&["export", "--to", "[dir]/a.json"]),
        cli.run(&["export", "--to", "[dir]/a.ndjson.gz", "--format", "ndjson"]),
        cli.run(&["export", "--to", "[dir]/a.ndjson", "--format", "xml"]),
        cli.run(&["export", "--to", "[dir]/no/a.ndjson"]),
        cli.run(&["export", "--to", "[dir]/no/folder/", "--format", "ndjson"]),
        cli.run(&["export", "--to", "[dir]/catalogue-data/a.ndjson"]),
        cli.run("export --to [dir]/catalogue-data/a/ --format ndjson"),
        cli.run_in(
            &["export", "--to", "-", "--format", "ndjson.gz"],
            |context| {
                context.terminal = Terminal {
                    out: true,
                    ..Terminal::default()
                };
            },
        ),
    ];
    for outcome in &outcomes {
        assert_ne!(outcome.status, ExitStatus::Done, "{outcome}");
    }
    check(&cli, "export_refused", &outcomes);
    assert_eq!(names(&cli.path("")), before);
    assert_eq!(names(&cli.path("folder")), ["terms.ndjson"]);
    assert_eq!(fs::read(cli.path("there.ndjson")).unwrap(), b"mine");
    assert_eq!(fs::read(cli.path("folder/terms.ndjson")).unwrap(), b"mine");
}

#[test]
fn what_is_there_is_replaced_when_that_is_said() {
    let mut cli = small();
    cli.write("there.ndjson", "mine");
    let outcome = cli.run(&["export", "--to", "[dir]/there.ndjson", "--overwrite"]);
    assert_eq!(outcome.status, ExitStatus::Done, "{outcome}");
    let text = fs::read_to_string(cli.path("there.ndjson")).unwrap();
    assert_eq!(text.lines().count(), 6);
}

#[test]
fn a_release_that_is_damaged_is_not_exported() {
    for file in ["boats.ndjson", "manufacturers.ndjson"] {
        let mut cli = TestCli::new();
        let release = import(&mut cli, SAMPLE, &[]);
        let path = format!("catalogue-data/releases/{release}/{file}");
        let mut bytes = fs::read(cli.path(&path)).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        let before = names(&cli.path(""));
        cli.write(&path, bytes);
        let outcome = cli.run(&["export", "--to", "[dir]/a.ndjson"]);
        assert_eq!(outcome.status, ExitStatus::Failure, "{outcome}");
        let error = format!("{file} is damaged: its contents do not match its checksum");
        assert!(outcome.err.contains(&error), "{outcome}");
        assert_eq!(names(&cli.path("")), before);
        let printed = cli.run(&["export", "--to", "-", "--format", "ndjson"]);
        assert!(!printed.out.contains("\"kind\":\"boat\""), "{printed}");
    }
}

#[test]
fn a_full_disk_leaves_no_half_file() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name);
    let data = path("data");
    import_sample(&data);
    for name in [
        "a.ndjson",
        "a.ndjson.gz",
        "a.ndjson.zst",
        "a.parquet",
        "a.csv",
    ] {
        let mut binary = command(&data, &["export", "--to"]);
        binary.arg(path(name));
        // In blocks of 512 bytes; smaller than the export.
        let mut limited = after("trap '' XFSZ; ulimit -f 8", &binary);
        let ended = limited.output().unwrap();
        assert_eq!(ended.status.code(), Some(3), "{ended:?}");
        let said = String::from_utf8(ended.stderr).unwrap();
        let error = format!(
            "error: could not write {}: File too large",
            path(name).display()
        );
        assert!(said.starts_with(&error), "{said}");
        assert_eq!(names(directory.path()), ["data"]);
        let format = name.trim_start_matches("a.");
        let full = redirected(
            &data,
            &["export", "--to=-", "--format", format],
            ">/dev/full",
        );
        assert_eq!(full.status.code(), Some(3), "{full:?}");
        let said = String::from_utf8(full.stderr).unwrap();
        let error = "error: could not write to standard output: No space left on device";
        assert!(said.starts_with(error), "{said}");
    }
}

#[test]
fn a_reader_that_has_seen_enough_ends_it_well() {
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path().join("data");
    import_sample(&data);
    let ended = redirected(
        &data,
        &["export", "--to=-", "--format=ndjson"],
        "| head -n 1",
    );
    let said = String::from_utf8(ended.stderr).unwrap();
    assert_eq!((ended.status.code(), &*said), (Some(0), ""));
    assert_eq!(String::from_utf8(ended.stdout).unwrap().lines().count(), 1);
}
