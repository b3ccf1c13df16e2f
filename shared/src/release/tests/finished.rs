//! A release that was just written: described as it lies on the disk, and made active.

use super::records::{attempt, publish, published};
use super::*;

#[test]
fn the_manifest_describes_the_files_as_they_lie_on_the_disk() {
    let (_directory, store, id) = published();
    let release = store.open(&id).unwrap();
    let names: Vec<FileName> = release
        .manifest()
        .files
        .iter()
        .map(|file| file.name)
        .collect();
    assert_eq!(names, FileName::ALL);
    release.verify().unwrap();
}

#[test]
fn a_finished_release_is_activated_unless_a_file_of_it_was_cut_since() {
    let (_directory, store, first) = published();
    let second = publish(&store, "2026-11-21T11:00:00Z", &["34"]);
    let bodies = store
        .directory(&second.id)
        .join(FileName::BoatLines.as_str());
    let whole = fs::read(&bodies).unwrap();
    fs::write(&bodies, &whole[1..]).unwrap();
    let before = ExpectedActive::Release(first.clone());
    let refused = store.activate_finished(&second, &before, &attempt());
    assert!(matches!(refused, Err(ReleaseError::Damaged { path, .. }) if path == bodies));
    assert_eq!(store.current().unwrap(), Some(first));
    fs::write(&bodies, whole).unwrap();
    store
        .activate_finished(&second, &before, &attempt())
        .unwrap();
    assert_eq!(store.current().unwrap(), Some(second.id));
}
