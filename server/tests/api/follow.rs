//! Following the active release: a new one is served without a restart, a damaged one is not
//! served.

#![expect(
    clippy::disallowed_methods,
    reason = "what is damaged on purpose need not be durable"
)]

use std::sync::Arc;

use server::catalogue::Catalogue;
use server::ops::follow::{FollowError, Follower, POLLS_PER_TRY, Step};
use shared::base::error_chain::chain;
use shared::release::manifest::MANIFEST;
use shared::release::{FileName, ReleaseId, ReleaseStore, Releases};
use tempfile::TempDir;

use crate::app::{TestApp, Unusual};
use crate::records::{self, PUBLISHED_AT};

fn open(store: &ReleaseStore, id: &ReleaseId) -> Arc<Catalogue> {
    let release = store.open(id).unwrap();
    Arc::new(Catalogue::open(&release, records::settings()).unwrap())
}

/// A store with a release of two boats.
fn first_release() -> (TempDir, ReleaseStore, ReleaseId) {
    let (directory, store) = records::empty_store();
    let first = records::publish(&store, 2, PUBLISHED_AT);
    (directory, store, first)
}

/// An app that serves this, and follows the store.
fn followed(store: &ReleaseStore, catalogue: Arc<Catalogue>) -> (TestApp, Follower) {
    let app = TestApp::with(Unusual {
        catalogue,
        ..Unusual::default()
    });
    let releases = Arc::new(store.clone());
    let follower = Follower::new(Arc::clone(&app.app), releases, records::settings());
    (app, follower)
}

#[tokio::test]
async fn an_activated_release_is_served_and_a_roll_back_too() {
    let (_directory, store, first) = first_release();
    let (app, mut follower) = followed(&store, open(&store, &first));
    assert_eq!(follower.step().unwrap(), Step::Unchanged);

    let second = records::publish(&store, 3, "2026-10-02T00:00:00Z");
    assert_eq!(follower.step().unwrap(), Step::Activated(second));
    assert_eq!(follower.step().unwrap(), Step::Unchanged);
    let list = app.get("/v1/boats").key("reader").send().await;
    assert_eq!(list.json()["pagination"]["total"], 3);

    records::activate(&store, &first, &store.lock().unwrap()).unwrap();
    assert_eq!(follower.step().unwrap(), Step::Activated(first));
    let list = app.get("/v1/boats").key("reader").send().await;
    assert_eq!(list.header("x-cache"), Some("MISS"));
    assert_eq!(list.json()["pagination"]["total"], 2);
}

#[tokio::test]
async fn the_follower_gives_back_what_was_served_before_not_the_last_request_that_uses_it() {
    let (_directory, store, first) = first_release();
    let catalogue = open(&store, &first);
    let served = Arc::downgrade(&catalogue);
    let (app, mut follower) = followed(&store, catalogue);
    let request = app.app.catalogue();
    let second = records::publish(&store, 3, "2026-10-02T00:00:00Z");
    assert_eq!(follower.step().unwrap(), Step::Activated(second));
    assert_eq!(follower.step().unwrap(), Step::Unchanged);
    drop(request);
    assert_eq!(served.strong_count(), 1);
    assert_eq!(follower.step().unwrap(), Step::Unchanged);
    assert_eq!(served.strong_count(), 0);
}

#[tokio::test]
async fn a_damaged_release_is_reported_once_and_the_former_is_served_on() {
    let (_directory, store, first) = first_release();
    let (app, mut follower) = followed(&store, open(&store, &first));

    let second = records::publish(&store, 3, "2026-10-02T00:00:00Z");
    let bodies = store.directory(&second).join(FileName::BoatLines.as_str());
    let file = std::fs::OpenOptions::new().append(true).open(&bodies);
    std::io::Write::write_all(&mut file.unwrap(), b"x").unwrap();
    let told = follower.step();
    assert!(matches!(&told, Err(FollowError::Open { release, .. }) if *release == second));
    assert_eq!(follower.step().unwrap(), Step::Unchanged);
    assert_eq!(
        app.get("/v1/boats/b3").key("reader").send().await.status,
        404
    );
    assert_eq!(
        app.get("/v1/boats/b2").key("reader").send().await.status,
        200
    );

    let third = records::publish(&store, 4, "2026-10-03T00:00:00Z");
    assert_eq!(follower.step().unwrap(), Step::Activated(third));
}

#[tokio::test]
async fn a_release_of_which_any_file_is_damaged_is_not_served_and_the_file_is_named() {
    let (_directory, store, first) = first_release();
    let second = records::publish(&store, 3, "2026-10-02T00:00:00Z");
    let files = FileName::ALL.map(FileName::as_str).into_iter();
    for name in files.chain([MANIFEST]) {
        let path = store.directory(&second).join(name);
        let whole = std::fs::read(&path).unwrap();
        let mut changed = whole.clone();
        changed[whole.len() / 2] ^= 1;
        for damaged in [changed, whole[1..].to_vec(), [&whole[..], b"x"].concat()] {
            std::fs::write(&path, damaged).unwrap();
            let (app, mut follower) = followed(&store, open(&store, &first));
            let told = chain(&follower.step().unwrap_err());
            assert!(told.contains(name), "{told}");
            assert_eq!(app.app.catalogue().release_id(), first.as_str());
        }
        std::fs::write(&path, whole).unwrap();
    }
    let (_app, mut follower) = followed(&store, open(&store, &first));
    assert_eq!(follower.step().unwrap(), Step::Activated(second));
}

#[tokio::test]
async fn a_release_whose_files_are_damaged_after_it_was_opened_is_served_on_from_memory() {
    let (_directory, store, first) = first_release();
    let (unharmed, _) = followed(&store, open(&store, &first));
    // Nothing was asked of it before, so it remembers no list.
    let (harmed, mut follower) = followed(&store, open(&store, &first));
    let targets = ["/v1/boats/b2", "/v1/manufacturers/m1", "/v1/boats"];
    let mut before = Vec::new();
    for target in targets {
        before.push(unharmed.get(target).key("reader").send().await.body);
    }
    let files = FileName::ALL.map(FileName::as_str).into_iter();
    for name in files.chain([MANIFEST]) {
        std::fs::write(store.directory(&first).join(name), "damaged").unwrap();
    }
    assert_eq!(follower.step().unwrap(), Step::Unchanged);
    for (target, before) in targets.into_iter().zip(before) {
        let answer = harmed.get(target).key("reader").send().await;
        assert_eq!((answer.status, answer.body), (200, before), "{target}");
    }
}

#[tokio::test]
async fn a_damaged_release_that_is_mended_is_served_before_long() {
    let (_directory, store, first) = first_release();
    let (_app, mut follower) = followed(&store, open(&store, &first));

    let second = records::publish(&store, 3, "2026-10-02T00:00:00Z");
    let bodies = store.directory(&second).join(FileName::BoatLines.as_str());
    let whole = std::fs::read(&bodies).unwrap();
    std::fs::write(&bodies, "damaged").unwrap();
    assert!(matches!(follower.step(), Err(FollowError::Open { .. })));
    for _ in 0..2 * POLLS_PER_TRY {
        assert_eq!(follower.step().unwrap(), Step::Unchanged);
    }
    std::fs::write(&bodies, whole).unwrap();
    for _ in 1..POLLS_PER_TRY {
        assert_eq!(follower.step().unwrap(), Step::Unchanged);
    }
    assert_eq!(follower.step().unwrap(), Step::Activated(second));
}

#[tokio::test]
async fn a_pointer_that_cannot_be_read_is_reported_once() {
    let (directory, store, first) = first_release();
    let (app, mut follower) = followed(&store, open(&store, &first));
    let pointer = shared::base::data_dir::DataDir::new(directory.path()).current();
    std::fs::remove_file(&pointer).unwrap();
    assert_eq!(follower.step().unwrap(), Step::Unchanged);
    std::fs::create_dir(&pointer).unwrap();
    assert!(matches!(follower.step(), Err(FollowError::Pointer(_))));
    assert_eq!(follower.step().unwrap(), Step::Unchanged);
    assert_eq!(
        app.get("/v1/boats/b1").key("reader").send().await.status,
        200
    );
}

#[tokio::test]
async fn a_former_tag_matches_no_other_release_and_matches_again_after_a_roll_back() {
    let (_directory, store, first) = first_release();
    let (app, mut follower) = followed(&store, open(&store, &first));
    let targets = ["/v1/boats", "/v1/boats/b1"];
    let mut tags = Vec::new();
    for target in targets {
        let answer = app.get(target).key("reader").send().await;
        tags.push(answer.header("etag").unwrap().to_owned());
    }
    let statuses = async || {
        let mut statuses = Vec::new();
        for (target, tag) in targets.iter().zip(&tags) {
            let ask = app.get(target).key("reader").header("if-none-match", tag);
            statuses.push(ask.send().await.status);
        }
        statuses
    };
    assert_eq!(statuses().await, [304, 304]);

    records::publish(&store, 3, "2026-10-02T00:00:00Z");
    follower.step().unwrap();
    // A boat that is the same in both releases keeps its `ETag`.
    assert_eq!(statuses().await, [200, 304]);

    records::activate(&store, &first, &store.lock().unwrap()).unwrap();
    follower.step().unwrap();
    assert_eq!(statuses().await, [304, 304]);
}
