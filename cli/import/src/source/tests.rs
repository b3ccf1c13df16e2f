//! Tests of reading exports: containers, compression, lines, damage.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use shared::base::source_files::{SourceFile, SourceFiles};
use tempfile::TempDir;

use self::archives::archive;
use super::*;
use crate::finding::{Finding, Line};
use crate::spool::Spool;

mod archives;
mod beginnings;
mod links;
mod steps;

/// Everything received, one line each: places and texts, findings by code.
#[derive(Default)]
struct Visited(Vec<String>);

impl Visited {
    fn take(&mut self, incoming: Incoming<'_>) {
        match incoming {
            Incoming::Record(record) => self.line(record.line),
            Incoming::Oversized(piece) => self.oversized(piece),
            Incoming::Finding(finding) => self.0.push(shown(&finding)),
            other => panic!("{other:?}"),
        }
    }

    fn line(&mut self, line: Line<'_>) {
        let name = line.file.name.rsplit('/').next().unwrap();
        let text = String::from_utf8_lossy(&line.contents()[..line.contents().len().min(20)]);
        let end = if line.is_unterminated { "$" } else { "" };
        self.0
            .push(format!("{name}:{}: {text}{end}", line.start.line));
    }

    fn oversized(&mut self, piece: &[u8]) {
        match self
            .0
            .last_mut()
            .filter(|last| last.starts_with("oversized "))
        {
            Some(last) => {
                let before: usize = last["oversized ".len()..].parse().unwrap();
                *last = format!("oversized {}", before + piece.len());
            }
            None => self.0.push(format!("oversized {}", piece.len())),
        }
    }
}

/// A finding about a file as its name, line and code.
fn shown(finding: &Finding) -> String {
    let place = finding.place.as_ref().unwrap();
    let name = place.file.name.rsplit('/').next().unwrap();
    let line = place.line();
    let line = line.map_or_else(String::new, |line| format!(":{line}"));
    format!("{name}{line}: {}", finding.code)
}

fn visit(exports: &[PathBuf], input: &[u8]) -> Vec<String> {
    let exports: Vec<_> = exports.iter().cloned().map(Export::from).collect();
    visit_exports(&exports, input)
}

fn visit_exports(exports: &[Export], mut input: &[u8]) -> Vec<String> {
    let temp = tempfile::tempdir().unwrap();
    let mut visited = Visited::default();
    let context = ReadContext {
        temp_dir: temp.path(),
        progress: &(),
    };
    let take = &mut |incoming: Incoming<'_>| {
        visited.take(incoming);
        Ok(())
    };
    read(exports, &mut input, context, &Plan::native(), take).unwrap();
    assert_eq!(
        fs::read_dir(temp.path()).unwrap().count(),
        0,
        "nothing is left behind"
    );
    visited.0
}

/// Reads one file called `name` with these contents.
fn check(name: &str, contents: &[u8], expected: &[&str]) {
    let directory = tempfile::tempdir().unwrap();
    let path = write(&directory, name, contents);
    assert_eq!(visit(&[path], b""), expected, "{name}");
}

fn write(directory: &TempDir, name: &str, contents: &[u8]) -> PathBuf {
    let path = directory.path().join(name);
    File::create(&path).unwrap().write_all(contents).unwrap();
    path
}

#[test]
fn the_mark_that_old_programs_write_at_the_end_is_no_record() {
    check("a.ndjson", b"{}\r\n\x1a", &["a.ndjson:1: {}"]);
    check(
        "b.ndjson",
        b"{}\n\x1a\n{}\n",
        &["b.ndjson:1: {}", "b.ndjson:2: \u{1a}", "b.ndjson:3: {}"],
    );
}

fn gzip(contents: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(contents).unwrap();
    encoder.finish().unwrap()
}

fn zstandard(contents: &[u8]) -> Vec<u8> {
    zstd::encode_all(contents, 1).unwrap()
}

#[test]
fn lines_have_numbers_and_no_line_breaks() {
    check(
        "a.ndjson",
        b"{1}\n\n  \r\n{2}\r\n{3}",
        &["a.ndjson:1: {1}", "a.ndjson:4: {2}", "a.ndjson:5: {3}$"],
    );
    check("a.ndjson", b"", &[]);
    check("a.ndjson", b"\n", &[]);
    check("a.ndjson", b"\xef\xbb\xbf{1}\n", &["a.ndjson:1: {1}"]);
    check(
        "a.ndjson",
        b"{1}\n\xef\xbb\xbf{2}\n",
        &["a.ndjson:1: {1}", "a.ndjson:2: \u{feff}{2}"],
    );
}

#[test]
fn a_line_may_have_a_mebibyte_and_no_byte_more() {
    let longest = "x".repeat(LINE_MAX);
    let too_long = format!("{longest}x");
    let read = format!("a.ndjson:1: {}", "x".repeat(20));
    check("a.ndjson", format!("{longest}\r\n").as_bytes(), &[&read]);
    let marked = format!("\u{feff}{longest}\r\n");
    check("a.ndjson", marked.as_bytes(), &[&read]);
    check(
        "a.ndjson",
        format!("{longest}\n{{2}}\n").as_bytes(),
        &[&read, "a.ndjson:2: {2}"],
    );
    let fault = "a.ndjson:1: LINE_TOO_LONG";
    let oversized = format!("oversized {}", LINE_MAX + 1);
    check(
        "a.ndjson",
        format!("{too_long}\n{{2}}\n").as_bytes(),
        &[&oversized, fault, "a.ndjson:2: {2}"],
    );
    check("a.ndjson", too_long.as_bytes(), &[&oversized, fault]);
    let huge = format!("{}\n{{2}}\n", "x".repeat(3 * LINE_MAX));
    let oversized = format!("oversized {}", 3 * LINE_MAX);
    check(
        "a.ndjson",
        huge.as_bytes(),
        &[&oversized, fault, "a.ndjson:2: {2}"],
    );
}

#[test]
fn compression_is_recognised_by_content_and_not_by_name() {
    let lines = ["export:1: {1}", "export:2: {2}"];
    check("export", &gzip(b"{1}\n{2}\n"), &lines);
    check("export", &zstandard(b"{1}\n{2}\n"), &lines);
    check("export", &[gzip(b"{1}\n"), gzip(b"{2}\n")].concat(), &lines);
    check(
        "export",
        &[zstandard(b"{1}\n"), zstandard(b"{2}\n")].concat(),
        &lines,
    );
    check("plain.ndjson.gz", b"{1}\n", &["plain.ndjson.gz:1: {1}"]);
}

#[test]
fn a_cut_compressed_file_is_a_fault_wherever_it_was_cut() {
    for whole in [gzip(b"{1}\n{2}\n"), zstandard(b"{1}\n{2}\n")] {
        for length in 4..whole.len() {
            let directory = tempfile::tempdir().unwrap();
            let path = write(&directory, "a", &whole[..length]);
            let visited = visit(&[path], b"");
            assert!(
                visited.last().unwrap().ends_with("FILE_TRUNCATED"),
                "{length}: {visited:?}"
            );
        }
    }
    check("a.ndjson.gz", b"", &["a.ndjson.gz: FILE_TRUNCATED"]);
}

#[test]
fn a_damaged_compressed_file_is_a_fault_and_the_next_file_is_read() {
    let directory = tempfile::tempdir().unwrap();
    let mut damaged = gzip(b"{1}\n");
    let checksum = damaged.len() - 8;
    damaged[checksum] ^= 1;
    let exports = [
        write(&directory, "a", &damaged),
        write(&directory, "b", b"{2}\n"),
    ];
    assert_eq!(
        visit(&exports, b""),
        ["a:1: {1}", "a:2: FILE_CORRUPT", "b:1: {2}"]
    );
}

#[test]
fn a_folder_is_its_files_of_lines_sorted_by_name() {
    let directory = tempfile::tempdir().unwrap();
    for name in ["b.jsonl", "a.ndjson", "c.txt", ".hidden.ndjson", "d.json"] {
        write(&directory, name, b"{}\n");
    }
    write(&directory, "aa.ndjson.gz", &gzip(b"{}\n"));
    write(&directory, "z.jsonl.zst", &zstandard(b"{}\n"));
    fs::create_dir(directory.path().join("folder.ndjson")).unwrap();
    fs::create_dir_all(directory.path().join("old/2025")).unwrap();
    write(&directory, "old/2025/a.ndjson", b"{}\n");
    fs::create_dir(directory.path().join(".hidden")).unwrap();
    write(&directory, ".hidden/a.ndjson", b"{}\n");
    std::os::unix::fs::symlink(directory.path(), directory.path().join("circle")).unwrap();
    let visited = visit(&[directory.path().to_owned()], b"");
    let expected = [
        "circle: FOLDER_SKIPPED",
        "old: FOLDER_SKIPPED",
        "a.ndjson:1: {}",
        "aa.ndjson.gz:1: {}",
        "b.jsonl:1: {}",
        "z.jsonl.zst:1: {}",
    ];
    assert_eq!(visited, expected);
}

#[test]
fn a_file_that_is_named_is_read_by_the_only_group_or_by_the_one_that_it_is_called_like() {
    let directory = TempDir::new().unwrap();
    let exports = [write(&directory, "export.txt", b"{}\n").into()];
    let context = ReadContext {
        temp_dir: directory.path(),
        progress: &(),
    };
    let mut plan = Plan::native();
    let read_by = |plan: &Plan| {
        let mut came = Vec::new();
        let take = &mut |incoming: Incoming<'_>| {
            came.push(match incoming {
                Incoming::Record(record) => format!("{:?}", record.groups),
                Incoming::Finding(finding) => finding.message,
                other => panic!("{other:?}"),
            });
            Ok(())
        };
        read(&exports, &mut io::empty(), context, plan, take).unwrap();
        came
    };
    assert_eq!(read_by(&plan), ["[0]"]);
    plan.groups.extend(Plan::native().groups);
    plan.groups[0].names = FileNames::Endings(&[".csv"]);
    let names = "it is not called like a file that is read: .csv or .ndjson or .jsonl";
    assert_eq!(read_by(&plan), [names]);
    plan.groups[1].names = FileNames::Endings(&[".txt"]);
    assert_eq!(read_by(&plan), ["[1]"]);
}

#[test]
fn a_folder_or_archive_without_files_of_lines_is_a_fault() {
    let directory = tempfile::tempdir().unwrap();
    write(&directory, "readme.txt", b"");
    let visited = visit(&[directory.path().to_owned()], b"");
    assert!(visited[0].ends_with(": NO_EXPORT_FILES"), "{visited:?}");
    check(
        "a.tar",
        &archive(&[("readme.txt", b"")]),
        &["a.tar: NO_EXPORT_FILES"],
    );
    check("a.tar", &[0; 1024], &["a.tar: NO_EXPORT_FILES"]);
}

#[test]
fn several_exports_and_standard_input_are_one_stream() {
    let directory = tempfile::tempdir().unwrap();
    let exports = [
        write(&directory, "b", b"{1}\n"),
        PathBuf::from("-"),
        write(&directory, "a", b"{3}\n"),
    ];
    let expected = ["b:1: {1}", "<stdin>:1: {2}", "a:1: {3}"];
    assert_eq!(visit(&exports, b"{2}\n"), expected);
    assert_eq!(visit(&exports, &gzip(b"{2}\n")), expected);
}

#[test]
fn a_missing_file_is_an_error() {
    let context = ReadContext {
        temp_dir: Path::new("/"),
        progress: &(),
    };
    let exports = [PathBuf::from("/missing.ndjson").into()];
    let take = &mut |_incoming: Incoming<'_>| Ok(());
    let error = read(&exports, &mut io::empty(), context, &Plan::native(), take).unwrap_err();
    assert_eq!(
        error.to_string(),
        "could not open the export /missing.ndjson"
    );
}

#[test]
fn a_fetched_export_has_no_path_and_is_read_from_its_beginning_each_time() {
    let mut file = Spool::new(Path::new("/nowhere"));
    file.append(b"{1}\n{2}\n").unwrap();
    file.finish().unwrap();
    let origin = Origin {
        name: "https://cms.example/boats".to_owned(),
        file_name: "boats.ndjson".to_owned(),
        sha256: "abc".to_owned(),
        etag: None,
        address_sha256: None,
    };
    let exports = [Export::fetched(file, origin)];
    let plan = Plan::native();
    assert_eq!(files(&exports, &plan).unwrap(), Vec::<PathBuf>::new());
    assert_eq!(size(&exports, &plan), Some(8));
    for _time in 0..2 {
        let visited = visit_exports(&exports, b"");
        assert_eq!(visited, ["boats:1: {1}", "boats:2: {2}"]);
    }
}

#[test]
fn a_file_that_unpacks_to_more_than_it_may_is_no_finding_but_an_error() {
    let directory = tempfile::tempdir().unwrap();
    let lines = b"{1}\n".repeat(1000);
    // A line that is too long is not held.
    let long = vec![b'x'; 101 << 20];
    for (name, contents, most, expected) in [
        ("a.ndjson", lines.clone(), 1, None),
        ("b.ndjson.gz", gzip(&lines), 4000, None),
        ("c.ndjson.gz", gzip(&lines), 3999, Some("3999 bytes")),
        ("d.ndjson.zst", zstandard(&lines), 3999, Some("3999 bytes")),
        (
            "e.tar",
            archive(&[
                ("a.ndjson.gz", &gzip(&lines)),
                ("b.ndjson.gz", &gzip(&lines)),
            ]),
            7999,
            Some("7999 bytes"),
        ),
        (
            "f.ndjson.zst",
            zstandard(&long),
            1 << 30,
            Some("200 times its size"),
        ),
    ] {
        let path = write(&directory, name, &contents);
        let export = Export::from(path.clone()).unpacking_at_most(most);
        let context = ReadContext {
            temp_dir: directory.path(),
            progress: &(),
        };
        let take = &mut |_: Incoming<'_>| Ok(());
        let read = read(&[export], &mut io::empty(), context, &Plan::native(), take);
        let error = read.err().map(|error| format!("{error:#}"));
        let shown = path.display();
        let expected = expected.map(|most| {
            format!("could not read the export {shown}: it unpacks to more than {most}")
        });
        assert_eq!(error, expected);
    }
}

#[test]
fn the_size_is_that_on_disk_and_unknown_for_standard_input() {
    let directory = tempfile::tempdir().unwrap();
    let file = write(&directory, "a.ndjson", b"{}\n");
    assert_eq!(
        size(
            &[file.clone().into(), directory.path().to_owned().into()],
            &Plan::native()
        ),
        Some(6)
    );
    assert_eq!(
        size(&[file.into(), PathBuf::from("-").into()], &Plan::native()),
        None
    );
}

#[test]
fn each_file_is_described_by_the_bytes_that_it_has_on_the_disk() {
    let directory = tempfile::tempdir().unwrap();
    let packed = |text: &[u8]| {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    };
    let [plain, packed] = [b"{}\n{}\n".to_vec(), packed(b"{}\n")];
    let broken = packed[..packed.len() - 4].to_vec();
    let named = [
        ("a.ndjson", &plain),
        ("b.ndjson.gz", &packed),
        ("c.ndjson.gz", &broken),
    ];
    for (name, contents) in named {
        let mut file = File::create(directory.path().join(name)).unwrap();
        file.write_all(contents).unwrap();
    }
    let exports = [
        directory.path().to_owned().into(),
        PathBuf::from(STANDARD_INPUT).into(),
    ];
    let context = ReadContext {
        temp_dir: directory.path(),
        progress: &(),
    };
    let take = &mut |_: Incoming<'_>| Ok(());
    let read = read(&exports, &mut &plain[..], context, &Plan::native(), take).unwrap();
    let described = |name: &str, contents: &[u8]| {
        let path = directory.path().join(name);
        SourceFile::new(path.display().to_string(), contents)
    };
    let mut files = SourceFiles::default();
    for (name, contents) in named {
        files.push(described(name, contents));
    }
    files.push(SourceFile::new("<stdin>".to_owned(), &plain));
    assert_eq!(read.files, files);
}
