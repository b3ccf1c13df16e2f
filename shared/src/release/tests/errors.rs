//! Which errors are about a release, and which about the disk or the moment.

use std::io;
use std::path::PathBuf;

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
