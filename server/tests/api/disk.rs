//! Releases on disk: bodies that are not loaded into memory, and data directories with odd names.

#![expect(
    clippy::disallowed_methods,
    reason = "what is damaged on purpose need not be durable"
)]

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::channel;

use futures_util::FutureExt;
use server::catalogue::{Body, BodyError, Catalogue, OpenSettings};
use shared::base::data_dir::DataDir;
use shared::base::ids::IdOrSlug;
use shared::release::{FileName, Kind, ReleaseId, ReleaseStore, Releases};

use crate::admin::ask;
use crate::app::{TestApp, Unusual};
use crate::records::{self, PUBLISHED_AT};

const TARGETS: [&str; 5] = [
    "/v1/boats?sort=length&limit=3",
    "/v1/boats/b1",
    "/v1/manufacturers",
    "/v1/manufacturers/beneteau",
    "/v1/manufacturers/m1/boats",
];

fn open(store: &ReleaseStore, id: &ReleaseId, settings: OpenSettings) -> TestApp {
    let release = store.open(id).unwrap();
    TestApp::with(Unusual {
        catalogue: Arc::new(Catalogue::open(&release, settings).unwrap()),
        ..Unusual::default()
    })
}

fn on_disk() -> OpenSettings {
    OpenSettings {
        bodies_memory_max: 0,
        ..records::settings()
    }
}

async fn check_same_answers(app: &TestApp) {
    let usual = TestApp::new();
    for target in TARGETS {
        let found = app.get(target).key("reader").send().await;
        let expected = usual.get(target).key("reader").send().await;
        assert_eq!(found.text(), expected.text(), "{target}");
    }
}

#[tokio::test]
async fn bodies_on_disk_make_the_same_answers_even_when_the_release_is_pruned() {
    let (directory, store) = records::empty_store();
    let id = records::publish(&store, 7, PUBLISHED_AT);
    let app = open(&store, &id, on_disk());
    drop(directory);
    check_same_answers(&app).await;
}

/// Reads a body while no blocking thread is free, after the file of bodies was emptied. Returns
/// whether the read finished at once, and its result.
fn ask_while_no_thread_may_block(settings: OpenSettings) -> (bool, Result<Body, BodyError>) {
    let (_directory, store) = records::empty_store();
    let id = records::publish(&store, 7, PUBLISHED_AT);
    let catalogue = Catalogue::open(&store.open(&id).unwrap(), settings).unwrap();
    let catalogue = Arc::new(catalogue);
    let bodies = store.directory(&id).join(FileName::BoatLines.as_str());
    std::fs::write(bodies, "").unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .max_blocking_threads(1)
        .build()
        .unwrap();
    runtime.block_on(async {
        let (go, wait) = channel::<()>();
        let occupied = tokio::task::spawn_blocking(move || wait.recv());
        let name = IdOrSlug::parse("b1").unwrap();
        let boat = catalogue.find(Kind::Boats, &name).unwrap();
        let mut body = Box::pin(catalogue.body(boat));
        let at_once = body.as_mut().now_or_never();
        go.send(()).unwrap();
        occupied.await.unwrap().unwrap();
        match at_once {
            Some(body) => (true, body),
            None => (false, body.await),
        }
    })
}

#[test]
fn a_body_that_cannot_be_had_at_once_waits_for_a_thread_that_may_block() {
    let (is_at_once, body) = ask_while_no_thread_may_block(records::settings());
    assert!(is_at_once && body.is_ok(), "{body:?}");
    let (is_at_once, body) = ask_while_no_thread_may_block(on_disk());
    assert!(!is_at_once, "{body:?}");
    assert!(matches!(body, Err(BodyError::Read(_))), "{body:?}");
}

/// An app whose bodies changed on disk, which it noticed when this target was requested.
pub(crate) async fn damaged(target: &str) -> (tempfile::TempDir, ReleaseStore, TestApp) {
    let (directory, store) = records::empty_store();
    let id = records::publish(&store, 7, PUBLISHED_AT);
    let app = open(&store, &id, on_disk());
    let ready = ask(&app, "GET", "/ready").await;
    assert!(!ready.text().contains("damaged"), "{}", ready.text());
    let bodies = store.directory(&id).join(FileName::BoatLines.as_str());
    let changed = std::fs::read(&bodies).unwrap().to_ascii_uppercase();
    std::fs::write(&bodies, changed).unwrap();
    assert_eq!(app.get(target).key("reader").send().await.status, 500);
    (directory, store, app)
}

#[tokio::test]
async fn a_body_that_changed_on_disk_is_told_to_operators_until_another_release_is_served() {
    for target in ["/v1/boats/b1", "/v1/boats?limit=1"] {
        let (_directory, store, app) = damaged(target).await;
        let ready = ask(&app, "GET", "/ready").await;
        assert!(ready.text().contains("damaged"), "{}", ready.text());
        let maker = app.get("/v1/manufacturers/m1").key("reader").send().await;
        assert_eq!(maker.status, 200, "what is whole is answered");

        let other = records::publish(&store, 6, PUBLISHED_AT);
        let other = Catalogue::open(&store.open(&other).unwrap(), on_disk()).unwrap();
        app.app.activate(Arc::new(other));
        let ready = ask(&app, "GET", "/ready").await;
        assert!(!ready.text().contains("damaged"), "{}", ready.text());
    }
}

fn publish_in(directory: PathBuf) -> (ReleaseStore, ReleaseId) {
    let store = ReleaseStore::new(DataDir::new(directory));
    let id = records::publish(&store, 7, PUBLISHED_AT);
    (store, id)
}

#[tokio::test]
async fn a_data_directory_may_have_any_name() {
    let directory = tempfile::tempdir().unwrap();
    for name in [&b"a[b]*?'c"[..], b"length=5", b"a\xffb", br"a\b"] {
        let name = Path::new(OsStr::from_bytes(name));
        let (store, id) = publish_in(directory.path().join(name));
        check_same_answers(&open(&store, &id, records::settings())).await;
    }
}
