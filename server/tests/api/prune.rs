//! Pruning next to a running server: a release is kept as long as a request may still use it.

use std::sync::Arc;

use server::catalogue::Catalogue;
use server::ops::follow::{Follower, Step};
use shared::release::prune::Kept;
use shared::release::{ReleaseStore, Releases};

use crate::app::{TestApp, Unusual};
use crate::records::{self, PUBLISHED_AT};

/// Long after every release of these tests.
const LATER: i64 = 4_000_000_000;

/// Why each release was kept, the oldest first.
fn prune(store: &ReleaseStore) -> Vec<Option<Kept>> {
    let pruned = store.prune(LATER, &store.lock().unwrap()).unwrap();
    pruned.releases.iter().rev().map(|one| one.kept).collect()
}

#[tokio::test]
async fn a_release_is_pruned_once_no_request_can_ask_it_any_more() {
    let (_directory, store) = records::empty_store();
    let first = records::publish(&store, 2, PUBLISHED_AT);
    let opened = Catalogue::open(&store.open(&first).unwrap(), records::settings()).unwrap();
    let app = TestApp::with(Unusual {
        catalogue: Arc::new(opened),
        ..Unusual::default()
    });
    // Like a request that began before the switch.
    let asked = app.app.catalogue();
    let mut follower = Follower::new(
        Arc::clone(&app.app),
        Arc::new(store.clone()),
        records::settings(),
    );
    let mut last = first;
    for (boats, day) in [(3, 2), (4, 3), (5, 4)] {
        last = records::publish(&store, boats, &format!("2026-10-{day:02}T00:00:00Z"));
    }
    assert_eq!(follower.step().unwrap(), Step::Activated(last));

    let (active, previous) = (Some(Kept::Active), Some(Kept::Previous));
    assert_eq!(
        prune(&store),
        [Some(Kept::InUse), previous, previous, active]
    );
    assert_eq!(asked.release_id()[..8], *"20261001");
    drop(asked);
    assert_eq!(follower.step().unwrap(), Step::Unchanged);
    assert_eq!(prune(&store), [None, previous, previous, active]);
    let boats = app.get("/v1/boats").key("reader").send().await;
    assert_eq!(boats.json()["pagination"]["total"], 5);
}
