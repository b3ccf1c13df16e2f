//! Files that cannot be created, written or synced, on any thread: no release comes of them, and an
//! error names the file.

use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;

use super::*;
use crate::base::data_dir::DataDir;
use crate::release::new_file::NewFile;
use crate::release::tests::records::{boat, maker, time};
use crate::release::{ReleaseStore, Releases};

/// Finishes a release once `break_file` was there, and looks for what was attempted on `name`.
fn check(name: FileName, attempted: &str, break_file: impl FnOnce(&mut ReleaseWriter, &Path)) {
    let directory = tempfile::tempdir().unwrap();
    let store = ReleaseStore::new(DataDir::new(directory.path()));
    let mut writer = store.begin().unwrap();
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
    assert!(store.begin().is_ok());
}

/// Finishes a release whose bodies `name` go to `file` instead.
fn check_bodies(name: FileName, file: File) {
    check(name, "write", |writer, path| {
        let bodies = BodyWriter::start(path.to_owned(), NewFile::of(name, file)).unwrap();
        match name {
            FileName::BoatBodies => writer.boat_bodies = bodies,
            _ => writer.manufacturer_bodies = bodies,
        }
    });
}

const BODIES: [FileName; 2] = [FileName::BoatBodies, FileName::ManufacturerBodies];

#[test]
fn bodies_that_cannot_be_written_are_no_release() {
    let source = tempfile::NamedTempFile::new().unwrap();
    for name in BODIES {
        check_bodies(name, File::open(source.path()).unwrap());
    }
}

#[test]
fn bodies_that_cannot_be_synced_are_no_release() {
    for name in BODIES {
        // A pipe takes bytes, but has no disk to bring them to.
        let (_reader, pipe) = io::pipe().unwrap();
        check_bodies(name, File::from(OwnedFd::from(pipe)));
    }
}

#[test]
fn tables_that_cannot_be_created_are_no_release() {
    let is_table = |name: &FileName| !BODIES.contains(name);
    for name in FileName::ALL.into_iter().filter(is_table) {
        check(name, "create", |_writer, path| {
            File::create_new(path).unwrap();
        });
    }
}
