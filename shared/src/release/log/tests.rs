//! The log of a directory: entries can be read back, whatever happened to the lines between them.

#![expect(
    clippy::disallowed_methods,
    reason = "the tests damage the log on purpose"
)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use super::*;
use crate::release::log_file::{self, LogFile};
use crate::release::tests::records::attempt;

fn log() -> (tempfile::TempDir, PathBuf, LogFile) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("releases.log");
    let file = LogFile::new(path.clone());
    (directory, path, file)
}

fn invalid(errors: u64) -> Entry {
    attempt().entry(Outcome::Invalid { errors })
}

fn read(file: &LogFile, last: usize) -> LogPart {
    let query = LogQuery {
        last,
        is_wanted: &|_entry| true,
    };
    file.read(query).unwrap()
}

fn errors(part: &LogPart) -> Vec<u64> {
    let errors = part
        .entries
        .iter()
        .map(|logged| match logged.entry.outcome {
            Outcome::Invalid { errors } => errors,
            _ => panic!("{logged:?}"),
        });
    errors.collect()
}

#[test]
fn the_latest_entries_are_read_and_it_is_known_that_there_are_earlier_ones() {
    let (_directory, path, file) = log();
    assert_eq!(read(&file, 5).entries.len(), 0);
    for number in 1..=3 {
        file.append(&invalid(number)).unwrap();
    }
    let all = read(&file, 3);
    assert_eq!((errors(&all), all.has_earlier), (vec![1, 2, 3], false));
    let two = read(&file, 2);
    assert_eq!((errors(&two), two.has_earlier), (vec![2, 3], true));
    let mode = fs::metadata(path).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn a_line_that_was_cut_off_keeps_none_from_being_read_or_added() {
    let (_directory, path, file) = log();
    file.append(&invalid(1)).unwrap();
    file.append(&invalid(2)).unwrap();
    let whole = fs::read(&path).unwrap();
    let first = invalid(1).to_line().len();
    for end in first + 1..whole.len() {
        fs::write(&path, &whole[..end]).unwrap();
        let part = read(&file, 9);
        // Without its line break it is whole.
        if end == whole.len() - 1 {
            assert_eq!((errors(&part), part.unreadable), (vec![1, 2], 0));
            continue;
        }
        let torn = "line 2 was cut off while it was written";
        assert_eq!((errors(&part), &*part.unreadable_last[0]), (vec![1], torn));
        file.append(&invalid(3)).unwrap();
        let part = read(&file, 9);
        let damaged = "line 2 is damaged";
        let read = (errors(&part), &*part.unreadable_last[0]);
        assert_eq!(read, (vec![1, 3], damaged), "cut at {end}");
    }
}

#[test]
fn every_changed_byte_of_an_entry_is_noticed() {
    let line = invalid(1).to_line().into_bytes();
    let line = line.strip_suffix(b"\n").unwrap();
    assert_eq!(Entry::parse(line), Ok(invalid(1)));
    for place in 0..line.len() {
        let mut damaged = line.to_owned();
        damaged[place] ^= 1;
        assert_eq!(
            Entry::parse(&damaged),
            Err(NoEntry::Damaged),
            "byte {place}"
        );
    }
}

#[test]
fn an_entry_of_a_later_version_is_not_called_damaged() {
    let json = r#"{"at":1,"outcome":"painted"}"#;
    let line = format!("{json} {}", sha256_hex(json.as_bytes()));
    assert_eq!(Entry::parse(line.as_bytes()), Err(NoEntry::Unknown));
}

#[test]
fn lines_without_an_end_and_lines_without_number_take_no_memory() {
    let (_directory, path, file) = log();
    let long = vec![b'x'; 3 * LINE_MAX];
    let many = b"x\n".repeat(1000);
    let text = [&long, &b"\n"[..], &many].concat();
    fs::write(&path, text).unwrap();
    file.append(&invalid(1)).unwrap();
    let part = read(&file, 9);
    assert_eq!((errors(&part), part.unreadable), (vec![1], 1001));
    assert_eq!(part.unreadable_last.len(), UNREADABLE_MAX);
    assert_eq!(
        part.unreadable_last[UNREADABLE_MAX - 1],
        "line 1001 is damaged"
    );
}

#[test]
fn of_a_long_log_the_end_is_read() {
    let (_directory, path, file) = log();
    for number in 1..=9 {
        file.append(&invalid(number)).unwrap();
    }
    let line = invalid(1).to_line().len() as u64;
    let query = LogQuery {
        last: 9,
        is_wanted: &|_entry| true,
    };
    for (bytes, expected) in [(3 * line, vec![8, 9]), (3 * line + 1, vec![7, 8, 9])] {
        let opened = fs::File::open(&path).unwrap();
        let part = log_file::read(opened, bytes, query).unwrap();
        assert_eq!((errors(&part), part.unreadable), (expected, 0));
        assert!(part.has_earlier);
    }
}

/// Control characters take the most bytes.
#[test]
fn the_longest_entry_fits_the_longest_line() {
    let text = "\u{1}".repeat(10_000);
    let file = SourceFile {
        name: text.clone(),
        bytes: u64::MAX / 1000,
        sha256: Some("f".repeat(64)),
        etag: Some(text.clone()),
        address_sha256: Some("f".repeat(64)),
    };
    let mut files = SourceFiles::default();
    (0..1000).for_each(|_| files.push(file.clone()));
    let objection = Objection {
        message: text,
        allowed_by: "--allow null-fields".to_owned(),
        is_allowed: false,
    };
    let attempt = Attempt {
        source: Some(Source::new(files, Some(file), u64::MAX)),
        ..attempt()
    };
    let release = ReleaseId::parse("20261121T101500Z-3f2a9c1b4d5e6f70").unwrap();
    let entry = attempt
        .with_objections(vec![objection; 1000])
        .entry(Outcome::removed(&vec![&release; 1000], u64::MAX));
    let line = entry.to_line();
    assert!(line.len() <= LINE_MAX, "{}", line.len());
    assert_eq!(Entry::parse(line.trim_end().as_bytes()), Ok(entry));
}

#[test]
fn what_is_no_file_is_neither_read_nor_added_to() {
    let (_directory, path, file) = log();
    fs::create_dir(&path).unwrap();
    assert!(file.append(&invalid(1)).is_err());
    let query = LogQuery {
        last: 1,
        is_wanted: &|_entry| true,
    };
    assert!(file.read(query).is_err());
}
