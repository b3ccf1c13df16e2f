//! When a lease is requested ahead.

use super::*;

#[test]
fn a_lease_is_asked_for_ahead_when_half_of_one_is_left_but_not_where_units_are_few() {
    let size = LeaseSize {
        share: 4,
        max: 1000,
        ahead_min: 64,
    };
    let table = [
        // Left in the ledger, unused here, requested ahead.
        (4000, 499, Some(1000)),
        (4000, 500, None),
        (400, 49, Some(100)),
        (400, 50, None),
        (256, 0, Some(64)),
        (255, 0, None),
        (4, 0, None),
        (0, 0, None),
    ];
    for (left, unused, expected) in table {
        let mut scene = Scene::new();
        let (charged, now) = (unused, scene.clock.now());
        scene.receive(unused, charged, charged + left);
        let ahead = scene.account.ahead(charged + left, size, now);
        assert_eq!(ahead, expected, "{left} left, {unused} here");
    }
}

#[test]
fn a_ledger_that_knows_nothing_yet_is_asked_by_a_charge_and_not_ahead() {
    let mut scene = Scene::new();
    let now = scene.clock.now();
    assert_eq!(
        scene.account.ahead(1_000_000, LeaseSize::default(), now),
        None
    );
}

#[test]
fn a_lease_ahead_that_brings_nothing_is_asked_for_again_after_a_pause() {
    let mut scene = Scene::new();
    scene.receive(0, 0, 1_000_000);
    let asked = [0, 99, 1, 50, 50].map(|milliseconds| {
        scene.clock.advance(Duration::from_millis(milliseconds));
        let now = scene.clock.now();
        let ahead = scene.account.ahead(1_000_000, LeaseSize::default(), now);
        ahead.is_some()
    });
    assert_eq!(asked, [true, false, true, false, true]);
}
