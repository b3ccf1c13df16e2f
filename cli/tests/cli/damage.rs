//! Damaged exports, and paths that are not what they should be: each is reported clearly, and
//! changes nothing. Every kind of damage is tested where it is found, in the crate `import`.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use cli::ExitStatus;
use flate2::Compression;
use flate2::write::GzEncoder;

use crate::harness::{Outcome, TestCli};

const MAKER: &str = r#"{"kind":"manufacturer","id":"maker-1","slug":"maker","name":"Maker","updatedAt":"2026-10-01T12:00:00Z"}"#;
const TYPE: &str =
    r#"{"kind":"term","vocabulary":"type","id":"type-1","slug":"monohull","name":"Monohull"}"#;
const BOAT: &str = r#"{"kind":"boat","id":"boat-1","slug":"boat","model":"Boat","manufacturer":"maker-1","type":"type-1","production":{"firstYear":1990},"unit":"metric","lengthOverall":9.1}"#;

/// The unpacked size of a decompression bomb, in bytes, which any file may have; it is packed into a
/// few kilobytes.
const BOMB: u64 = 96 * 1024 * 1024;

fn good() -> String {
    format!("{MAKER}\n{TYPE}\n{BOAT}\n")
}

/// The good export with one text of its boat replaced.
fn with(from: &str, to: &str) -> Vec<u8> {
    assert!(BOAT.contains(from), "{from}");
    good().replace(from, to).into_bytes()
}

/// A directory whose data directory has an active release.
struct Place {
    cli: TestCli,
}

impl Place {
    fn new() -> Self {
        let mut cli = TestCli::new();
        let import = cli.run_with_input(&["import", "-"], good().as_bytes());
        assert_eq!(import.status, ExitStatus::Done, "{import}");
        Self { cli }
    }

    fn put(&self, name: &str, contents: &[u8]) -> String {
        self.cli.write(name, contents);
        format!("[dir]/{name}")
    }

    /// Every path below the test's directory, and the contents of the pointer to the active
    /// release.
    fn state(&self) -> (BTreeSet<PathBuf>, Vec<u8>) {
        let mut paths = BTreeSet::new();
        add_paths(&self.cli.path(""), &mut paths);
        let pointer = fs::read(self.cli.path("catalogue-data/current")).unwrap();
        (paths, pointer)
    }

    /// Runs a command that must end with `status`, print all of `said`, and change nothing.
    fn check(&mut self, what: &str, args: &[&str], status: ExitStatus, said: &[&str]) {
        self.check_run(what, status, said, |cli| cli.run(args));
    }

    fn check_run(
        &mut self,
        what: &str,
        status: ExitStatus,
        said: &[&str],
        run: impl FnOnce(&mut TestCli) -> Outcome,
    ) {
        let before = self.state();
        let outcome = run(&mut self.cli);
        assert_eq!(outcome.status, status, "{what}: {outcome}");
        for text in said {
            assert!(outcome.err.contains(text), "{what}: {text}: {outcome}");
        }
        assert_eq!(self.state(), before, "{what}");
    }
}

fn add_paths(directory: &Path, paths: &mut BTreeSet<PathBuf>) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            add_paths(&path, paths);
        }
        paths.insert(path);
    }
}

/// The damage, the export, and the code of the finding that must report it.
#[rustfmt::skip]
fn damages() -> Vec<(&'static str, Vec<u8>, &'static str)> {
    let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(good().as_bytes()).unwrap();
    let (packed, half) = (encoder.finish().unwrap(), good().len() - 30);
    let bomb = zstd::encode_all(io::repeat(0).take(BOMB), 1).unwrap();
    vec![
        ("a cut gzip file", packed[..packed.len() - 9].to_vec(), "FILE_TRUNCATED"),
        ("half a line", good().as_bytes()[..half].to_vec(), "FILE_TRUNCATED"),
        ("lists 10,000 deep", with("1990", &deep), "NESTED_TOO_DEEP"),
        ("objects 10,000 deep", with("1990", &r#"{"a":"#.repeat(10_000)), "NESTED_TOO_DEEP"),
        ("a bomb", bomb, "LINE_TOO_LONG"),
        ("zeros", vec![0; 5000], "INVALID_JSON"),
    ]
}

#[test]
fn every_damaged_export_is_refused_with_its_finding_and_changes_nothing() {
    let mut place = Place::new();
    for (what, contents, code) in damages() {
        let export = place.put("export", &contents);
        let code = format!("[{code}]");
        place.check(
            what,
            &["import", &export],
            ExitStatus::InvalidData,
            &[&code],
        );
    }
}

#[test]
fn a_byte_order_mark_and_other_line_breaks_are_no_damage() {
    let marked = format!("\u{feff}{}", good().replace('\n', "\r\n"));
    let mut place = Place::new();
    let run = |cli: &mut TestCli| cli.run_with_input(&["import", "-"], marked.as_bytes());
    place.check_run("mark and CRLF", ExitStatus::Done, &[], run);
}

#[test]
fn a_line_of_any_length_is_read_past_without_being_held() {
    let mut place = Place::new();
    let endless = io::repeat(b'x').take(BOMB);
    let rest = io::Cursor::new(format!("\n{}", good()));
    let run = |cli: &mut TestCli| {
        cli.run_in(&["import", "-"], |context| {
            context.input = Box::new(endless.chain(rest));
        })
    };
    let said = ["[LINE_TOO_LONG]", "<stdin>:1"];
    place.check_run("a huge line", ExitStatus::InvalidData, &said, run);
}

#[test]
fn places_that_are_not_what_they_should_be_are_distinguished_from_damage() {
    let mut place = Place::new();
    let export = place.put("export.ndjson", good().as_bytes());
    let file = place.put("file", b"");
    let below = format!("{file}/below");
    fs::create_dir(place.cli.path("folder")).unwrap();
    let folder = "[dir]/folder";
    let (failure, invalid) = (ExitStatus::Failure, ExitStatus::InvalidData);
    let (no_folder, is_folder) = ("Not a directory", "Is a directory");
    for (what, args, status, said) in [
        (
            "an empty folder",
            &["import", folder][..],
            invalid,
            &["[NO_EXPORT_FILES]"][..],
        ),
        (
            "an export below a file",
            &["import", &below],
            failure,
            &[&below, no_folder],
        ),
        (
            "a missing export",
            &["import", "[dir]/none"],
            failure,
            &["[dir]/none", "No such file"],
        ),
        (
            "a report that is a folder",
            &["import", &export, "--report", folder],
            failure,
            &[folder, is_folder],
        ),
        (
            "a report below a file",
            &["import", &export, "--report", &below],
            failure,
            &[&below, no_folder],
        ),
        (
            "rejects that are a folder",
            &["import", &export, "--rejects", folder],
            failure,
            &[folder, is_folder],
        ),
        (
            "rejects below a file",
            &["import", &export, "--rejects", &below],
            failure,
            &[&below, no_folder],
        ),
        (
            "data that are a file",
            &["import", &export, "--data", &file],
            failure,
            &[&file, "not a directory"],
        ),
        (
            "data below a file",
            &["import", &export, "--data", &below],
            failure,
            &[&below, no_folder],
        ),
    ] {
        place.check(what, args, status, said);
    }
}
