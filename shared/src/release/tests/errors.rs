//! Which errors are about a release, and which about the disk or the moment, and what to do.

use std::io;
use std::path::{Path, PathBuf};

use parquet::errors::ParquetError;

use crate::release::ReleaseError;

#[test]
fn damage_differs_from_a_disk_that_fails() {
    let io = |kind: io::ErrorKind| ReleaseError::Io {
        action: "read",
        path: PathBuf::from("manifest.json"),
        source: kind.into(),
    };
    let path = PathBuf::from("current");
    for (error, is_damage) in [
        (io(io::ErrorKind::NotFound), true),
        (io(io::ErrorKind::PermissionDenied), true),
        (io(io::ErrorKind::NotADirectory), true),
        (io(io::ErrorKind::IsADirectory), true),
        (io(io::ErrorKind::StorageFull), false),
        (io(io::ErrorKind::Other), false),
        (ReleaseError::damaged(&path, "cut"), true),
        (ReleaseError::DamagedPointer { path: path.clone() }, true),
        (ReleaseError::Unknown { id: String::new() }, true),
        (ReleaseError::Busy { data: path }, false),
    ] {
        assert_eq!(error.is_damage(), is_damage, "{error:?}");
    }
}

#[test]
fn a_full_disk_is_to_be_emptied_whatever_was_written_to_it() {
    let file = |kind: io::ErrorKind| ReleaseError::Io {
        action: "write",
        path: PathBuf::from("terms.json"),
        source: kind.into(),
    };
    let table = |kind: io::ErrorKind| {
        let source = ParquetError::External(io::Error::from(kind).into());
        ReleaseError::unwritten(Path::new("boats.parquet"), source)
    };
    for full in [io::ErrorKind::StorageFull, io::ErrorKind::QuotaExceeded] {
        for error in [file(full), table(full)] {
            let hint = error.hint().unwrap();
            assert!(hint.starts_with("free some space"), "{error:?}: {hint:?}");
        }
    }
    assert_eq!(file(io::ErrorKind::PermissionDenied).hint(), None);
}
