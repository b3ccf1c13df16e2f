//! Releases that earlier versions made, checked in as fixtures: each must pass verification and
//! give the same responses, byte for byte, however the format has changed since.

use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use server::catalogue::Catalogue;
use server::params::{BOATS, MANUFACTURERS};
use shared::base::etag::ETag;
use shared::release::{Record, Release, ReleaseId, ReleaseStore, Releases};

use crate::answer::check_text;
use crate::app::{TestApp, Unusual};
use crate::records;

/// Passes before every request, so the key's minute limit is never reached.
const MINUTE: Duration = Duration::from_mins(1);

/// Lists that contain all records, and some that filters find.
const LISTS: [&str; 12] = [
    "/v1/boats?limit=100",
    "/v1/boats?search=sun%20sail",
    "/v1/boats?type=sailing-monohull",
    "/v1/boats?category=cruising",
    "/v1/boats?activity=racing",
    "/v1/boats?manufacturer=angstrom-batar",
    "/v1/boats?yearFrom=1972&yearTo=1975",
    "/v1/boats?lengthMin=10.36&lengthMax=12.2&lengthUnit=m",
    "/v1/manufacturers?limit=100",
    "/v1/manufacturers?search=an",
    "/v1/manufacturers/maker-01/boats",
    "/v1/manufacturers/maker-13/boats",
];

/// Those lists; then every sort, and every other parameter with its example.
fn lists() -> Vec<String> {
    let lists = [("/v1/boats", &BOATS), ("/v1/manufacturers", &MANUFACTURERS)];
    let declared = lists.into_iter().flat_map(|(path, list)| {
        let sorts = list.sorts.iter().map(|sort| ("sort", sort.name));
        let others = list.parameters.iter().filter(|one| one.name != "sort");
        let others = others.map(|one| (one.name, one.example));
        let query = move |(name, value): (&str, &str)| {
            let limit = if name == "limit" { "" } else { "limit=100&" };
            format!("{path}?{limit}{name}={}", value.replace(' ', "+"))
        };
        sorts.chain(others).map(query)
    });
    LISTS
        .map(str::to_owned)
        .into_iter()
        .chain(declared)
        .collect()
}

/// Copies of the checked-in releases, in a new store.
fn checked_in() -> (tempfile::TempDir, ReleaseStore, Vec<ReleaseId>) {
    let (directory, store) = records::empty_store();
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/releases");
    for release in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let to = directory.path().join("releases").join(release.file_name());
        fs::create_dir_all(&to).unwrap();
        for file in fs::read_dir(release.path()).unwrap().map(Result::unwrap) {
            fs::copy(file.path(), to.join(file.file_name())).unwrap();
        }
    }
    let ids = store.list().unwrap();
    (directory, store, ids)
}

/// Checks the responses for records of one kind: each body must have the ETag from the release,
/// which never changes, since it is checked in.
async fn check_records(app: &TestApp, list: &str, records: &[Record]) {
    for Record { id, slug, etag, .. } in records {
        app.advance(MINUTE);
        let answer = app.get(&format!("{list}/{id}")).key("reader").send().await;
        assert_eq!(ETag::of(&answer.body), *etag, "{list}/{id}");
        assert_eq!(answer.json()["data"]["slug"], **slug, "{list}/{id}");
        assert_eq!(
            answer.header("etag"),
            Some(&*etag.to_string()),
            "{list}/{id}"
        );
    }
}

async fn answers(release: &Release) -> String {
    let catalogue = Catalogue::open(release, records::settings()).unwrap();
    let app = TestApp::with(Unusual {
        catalogue: Arc::new(catalogue),
        ..Unusual::default()
    });
    let (boats, makers) = (release.boats().unwrap(), release.manufacturers().unwrap());
    check_records(&app, "/v1/boats", &boats).await;
    check_records(&app, "/v1/manufacturers", &makers).await;
    app.advance(MINUTE);
    let terms = app.get("/v1/terms").key("reader").send().await;
    let mut told = String::new();
    writeln!(told, "/v1/terms {}", terms.header("etag").unwrap()).unwrap();
    for target in lists() {
        app.advance(MINUTE);
        let answer = app.get(&target).key("reader").send().await;
        let (code, total) = (answer.code(), &answer.json()["pagination"]["total"]);
        let etag = answer.header("etag").unwrap();
        writeln!(told, "{target} {code} total {total} {etag}").unwrap();
    }
    told
}

#[tokio::test]
async fn a_release_that_an_earlier_version_made_is_whole_and_answers_as_it_did() {
    let (_directory, store, ids) = checked_in();
    assert!(!ids.is_empty());
    for id in ids {
        records::activate(&store, &id, &store.lock().unwrap()).unwrap();
        let release = store.open(&id).unwrap();
        let about = "What a release is answered with that an earlier version made.";
        check_text(&format!("release_{id}"), about, &answers(&release).await);
    }
}
