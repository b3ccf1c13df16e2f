//! Files that cannot be created, written or read back, on any thread: no release comes of them, and an
//! error names the file.

use std::fs::File;

use super::*;
use crate::base::data_dir::DataDir;
use crate::release::tests::records::{boat, columns, maker, time};
use crate::release::{ReleaseStore, Releases};

/// Finishes a release once `break_file` was there, and looks for what was attempted on `name`.
fn check(name: FileName, attempted: &str, break_file: impl FnOnce(&mut ReleaseWriter, &Path)) {
    let directory = tempfile::tempdir().unwrap();
    let store = ReleaseStore::new(DataDir::new(directory.path()));
    let mut writer = store.begin(columns()).unwrap();
    let path = writer.staging.path().join(name.as_str());
    break_file(&mut writer, &path);
    writer.push_manufacturer(maker(1)).unwrap();
    writer.push_boat(boat("340", "340", "10.36")).unwrap();
    let error = store
        .finish(writer, &time("2026-11-21T10:00:00Z"))
        .unwrap_err();
    let expected = format!("could not {attempted} {}", path.display());
    assert_eq!(error.to_string(), expected);
    assert!(!path.parent().unwrap().exists());
    assert_eq!(store.list().unwrap(), []);
    assert!(store.begin(columns()).is_ok());
}

#[test]
fn lines_that_cannot_be_written_are_no_release() {
    let source = tempfile::NamedTempFile::new().unwrap();
    for kind in Kind::ALL {
        check(kind.lines(), "write", |writer, path| {
            let file = File::open(source.path()).unwrap();
            let lines = PushedLines::start(path.to_owned(), file).unwrap();
            match kind {
                Kind::Boats => writer.boat_lines = lines,
                Kind::Manufacturers => writer.manufacturer_lines = lines,
            }
        });
    }
}

#[test]
fn lines_that_cannot_be_read_back_are_no_release() {
    let attempted = "read what was written for";
    check(FileName::BoatLines, attempted, |writer, path| {
        let file = File::options().write(true).open("/dev/null").unwrap();
        writer.boat_lines = PushedLines::start(path.to_owned(), file).unwrap();
    });
}

#[test]
fn files_that_cannot_be_created_are_no_release() {
    for name in FileName::ALL {
        check(name, "create", |_writer, path| {
            File::create_new(path).unwrap();
        });
    }
}
