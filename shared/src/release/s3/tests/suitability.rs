//! Stores that are not ones to rely on: found out before anything depends on them, and said.

use std::error::Error;
use std::fmt::Write;

use super::faults::with_cause;
use super::other_store::{Lack, OtherStore};
use super::proxy::{Fate, Proxy};
use super::*;
use crate::base::clock::SystemClock;
use crate::release::releases::TriedOut;

const NO_OBJECTS: &str = "HTTP/1.1 200 OK\r\ncontent-length: 37\r\nconnection: close\r\n\r\n\
                          <ListBucketResult></ListBucketResult>";

fn machine(store: &OtherStore) -> S3Releases {
    let data = tempfile::tempdir().unwrap();
    S3Releases::open(
        "s3://bucket/live".parse().unwrap(),
        &store.settings(),
        &DataDir::new(data.path()),
        "tests".to_owned(),
        Box::new(NoTransferListener),
        Arc::new(SystemClock::new()),
    )
    .unwrap()
}

#[test]
fn what_a_store_lacks_is_found_out_and_nothing_is_left_behind() {
    let lacks = [
        Lack::CreateCondition,
        Lack::ReplaceCondition,
        Lack::Conditions,
        Lack::HeldConditions,
        Lack::ETags,
        Lack::FreshReads,
    ];
    let mut told = String::new();
    for lack in lacks {
        let store = OtherStore::start(lack);
        let error = machine(&store).try_out().unwrap().unwrap_err();
        let cause = error.source().unwrap().to_string();
        let cause = cause.split("; use ").next().unwrap();
        writeln!(told, "{lack:?}: {cause}").unwrap();
        assert!(store.names().is_empty(), "{lack:?}");
    }
    assert_eq!(
        told,
        "\
CreateCondition: it ignores If-None-Match and writes over what is there
ReplaceCondition: it ignores If-Match and writes over what has changed
Conditions: it refuses to write on a condition that holds (501 Not Implemented)
HeldConditions: it refuses to write on a condition that holds (412 Precondition Failed)
ETags: it sends no ETag, so nothing can be replaced only as it was read
FreshReads: it does not read what was just written
"
    );
}

#[test]
fn a_store_that_lacks_nothing_is_suitable() {
    let store = OtherStore::start(Lack::Nothing);
    let tried = machine(&store).try_out().unwrap().unwrap();
    assert_eq!(tried, TriedOut::Suitable);
    assert!(store.names().is_empty());
}

#[test]
fn keys_that_may_only_read_are_no_fault_of_the_store() {
    let store = OtherStore::start(Lack::WritePermission);
    let tried = machine(&store).try_out().unwrap().unwrap();
    assert_eq!(tried, TriedOut::ReadOnly);
}

#[test]
fn what_fails_while_it_is_tried_out_is_no_lack_of_the_store() {
    let store = OtherStore::start(Lack::ReadPermission);
    let error = machine(&store).try_out().unwrap().unwrap_err();
    assert!(with_cause(&error).ends_with(": 403 Forbidden"), "{error}");
}

#[test]
#[ignore = "needs S3"]
fn the_store_of_these_tests_is_suitable() {
    let folder = Folder::new();
    let tried = folder.machine("here").try_out().unwrap().unwrap();
    assert_eq!(tried, TriedOut::Suitable);
    assert!(folder.list("probe/").is_empty());
}

#[test]
#[ignore = "needs S3"]
fn where_listings_lag_nothing_is_pruned_and_all_else_goes_on() {
    let folder = Folder::new();
    let ids = published_until(&folder.machine("here"), 2);
    activate(&folder.machine("here"), &ids[1]);
    let proxy = Proxy::start(|request| {
        if request.contains("list-type=2") {
            Fate::Answered(NO_OBJECTS)
        } else {
            Fate::Passed
        }
    });
    let machine = folder.machine_with("unlucky", &proxy.settings());
    let mut writer = machine.begin(columns()).unwrap();
    writer.push_manufacturer(maker(0)).unwrap();
    let published = machine.finish(writer, &time("2026-11-20T10:00:00Z"));
    let published = published.unwrap().id;
    activate(&machine, &ids[0]);
    let lock = machine.lock().unwrap();
    let tomorrow = time("2096-11-22T10:00:00Z").unix_seconds();
    let error = machine.prune(tomorrow, &lock).unwrap_err();
    let told = with_cause(&error);
    assert!(
        told.contains("it does not list what was just written; use"),
        "{told}"
    );
    assert!(!error.is_damage(), "{told}");
    let here = folder.machine("here");
    assert_eq!(here.current().unwrap(), Some(ids[0].clone()));
    for id in ids.iter().chain([&published]) {
        here.verify(id).unwrap();
    }
}

#[test]
#[ignore = "needs S3"]
fn a_file_of_several_pieces_is_the_same_when_it_is_fetched() {
    let folder = Folder::new();
    let here = folder.machine("here");
    let bucket = &here.published.bucket;
    let file = tempfile::NamedTempFile::new().unwrap();
    // Two pieces and a byte; no two of their pages are equal.
    let pages = (0..4096_u32).flat_map(|page| [page.to_le_bytes(); 1024].concat());
    let bytes: Vec<u8> = pages.chain([7]).collect();
    fs::write(file.path(), &bytes).unwrap();
    bucket
        .put_file("releases/large/file", file.path(), &|_written| {})
        .unwrap();
    let mut fetched = Vec::new();
    let take = |piece: &[u8]| {
        fetched.extend_from_slice(piece);
        Ok(())
    };
    bucket
        .get_file("releases/large/file", bytes.len() as u64, take)
        .unwrap();
    assert!(fetched == bytes, "{} bytes", fetched.len());
}
