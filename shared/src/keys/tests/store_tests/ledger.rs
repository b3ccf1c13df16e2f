//! Leases: exact, in the right period, and never more than the quota.

use super::*;
use crate::keys::key_store::SubscriptionChange;
use crate::keys::ledger::Lease;
use crate::keys::quota::Period;
use crate::keys::store::KeyStoreError;
use crate::keys::subscription::SubscriptionId;

on_every_store!(
    leases_grant_what_is_left_and_no_more,
    a_changed_quota_holds_for_the_next_lease,
    periods_and_subscriptions_are_counted_apart,
    periods_that_are_leased_in_turn_keep_their_own_counts,
    an_unknown_subscription_is_an_error,
    requests_made_together_get_each_its_own_answer,
    concurrent_leases_of_several_servers_never_exceed_the_quota,
);

fn leases_grant_what_is_left_and_no_more(place: &dyn TestStore) {
    let mut store = place.store();
    let subscription = subscribe(&mut store, "Acme", 10);
    let period = subscription.period(NOW);
    let ledger = place.ledger();
    let lease = |wanted| ledger.lease(subscription.id, period, wanted).unwrap();
    assert_eq!(
        lease(0),
        Lease {
            granted: 0,
            charged: 0
        }
    );
    assert_eq!(
        lease(6),
        Lease {
            granted: 6,
            charged: 6
        }
    );
    assert_eq!(
        lease(6),
        Lease {
            granted: 4,
            charged: 10
        }
    );
    assert_eq!(
        lease(u64::MAX),
        Lease {
            granted: 0,
            charged: 10
        }
    );
    assert_eq!(store.usage(subscription.id, period).unwrap(), 10);
    assert_eq!(ledger.charged(subscription.id, period).unwrap(), 10);
    ledger.give_back(subscription.id, period, 3).unwrap();
    assert_eq!(store.usage(subscription.id, period).unwrap(), 7);
    ledger.give_back(subscription.id, period, u64::MAX).unwrap();
    assert_eq!(ledger.charged(subscription.id, period).unwrap(), 0);
    assert_eq!(store.usage(subscription.id, period).unwrap(), 0);
}

fn a_changed_quota_holds_for_the_next_lease(place: &dyn TestStore) {
    let mut store = place.store();
    let subscription = subscribe(&mut store, "Acme", 10);
    let period = subscription.period(NOW);
    let ledger = place.ledger();
    let lease = |wanted| ledger.lease(subscription.id, period, wanted).unwrap();
    lease(8);
    for (quota, expected) in [(5, (0, 8)), (9, (1, 9)), (20, (5, 14))] {
        let change = SubscriptionChange {
            status: None,
            quota: Some(quota),
        };
        store
            .update_subscription(&name("Acme"), change, NOW)
            .unwrap();
        assert_eq!(
            lease(5),
            Lease {
                granted: expected.0,
                charged: expected.1
            },
            "{quota}"
        );
    }
}

fn periods_and_subscriptions_are_counted_apart(place: &dyn TestStore) {
    let mut store = place.store();
    let (one, other) = (
        subscribe(&mut store, "Acme", 10),
        subscribe(&mut store, "Other", 10),
    );
    let period = one.period(NOW);
    let next = Period::containing(one.started_at, period.end);
    let ledger = place.ledger();
    ledger.lease(one.id, period, 10).unwrap();
    for (id, period) in [(one.id, next), (other.id, period)] {
        assert_eq!(
            ledger.lease(id, period, 1).unwrap(),
            Lease {
                granted: 1,
                charged: 1
            }
        );
    }
}

/// As if a server's wall clock jumps ahead and back.
fn periods_that_are_leased_in_turn_keep_their_own_counts(place: &dyn TestStore) {
    let mut store = place.store();
    let subscription = subscribe(&mut store, "Acme", 10);
    let (id, period) = (subscription.id, subscription.period(NOW));
    let next = Period::containing(subscription.started_at, period.end);
    let ledger = place.ledger();
    for (leased, wanted, granted, charged) in [
        (period, 4, 4, 4),
        (next, 7, 7, 7),
        (period, 4, 4, 8),
        (next, 7, 3, 10),
        (period, 4, 2, 10),
        (next, 7, 0, 10),
    ] {
        let lease = ledger.lease(id, leased, wanted).unwrap();
        assert_eq!(lease, Lease { granted, charged }, "{leased:?}");
    }
    for (given_back, unused, now, then) in [(next, 3, 10, 7), (period, 5, 5, 7), (next, 9, 5, 0)] {
        ledger.give_back(id, given_back, unused).unwrap();
        assert_eq!(ledger.charged(id, period).unwrap(), now);
        assert_eq!(ledger.charged(id, next).unwrap(), then);
    }
}

fn an_unknown_subscription_is_an_error(place: &dyn TestStore) {
    place.store();
    let ledger = place.ledger();
    let unknown = ledger.lease(SubscriptionId(9), Period::containing(0, NOW), 1);
    assert!(matches!(
        unknown,
        Err(KeyStoreError::NoSubscriptionId { .. })
    ));
}

fn requests_made_together_get_each_its_own_answer(place: &dyn TestStore) {
    let mut store = place.store();
    let names = ["Acme", "Bolt", "Crow"];
    let mut ids = names
        .map(|name| subscribe(&mut store, name, 100).id)
        .to_vec();
    let unknown = SubscriptionId(99);
    ids.push(unknown);
    let period = Period::containing(NOW, NOW);
    let ledger = place.ledger();
    std::thread::scope(|scope| {
        for thread in 0..16 {
            let (id, ledger) = (ids[thread % ids.len()], &ledger);
            scope.spawn(move || {
                for _round in 0..10 {
                    match ledger.lease(id, period, 2) {
                        Ok(lease) => {
                            assert_eq!(lease.granted, 2);
                            ledger.give_back(id, period, 1).unwrap();
                        }
                        Err(error) => assert!(
                            matches!(error, KeyStoreError::NoSubscriptionId { id } if id == unknown)
                        ),
                    }
                }
            });
        }
    });
    // Each of four threads leased two and gave one back, ten times.
    for id in &ids[..3] {
        assert_eq!(store.usage(*id, period).unwrap(), 40);
    }
}

/// Each takes as much as it can until nothing is left.
fn concurrent_leases_of_several_servers_never_exceed_the_quota(place: &dyn TestStore) {
    let subscription = subscribe(&mut place.store(), "Acme", 100);
    let period = subscription.period(NOW);
    let (id, granted) = (subscription.id, std::sync::atomic::AtomicU64::new(0));
    let servers = [place.ledger(), place.ledger()];
    std::thread::scope(|scope| {
        for (server, wanted) in [(0, 7), (1, 7), (0, 3), (1, 11)] {
            let (ledger, granted) = (&servers[server], &granted);
            scope.spawn(move || {
                loop {
                    match ledger.lease(id, period, wanted) {
                        Ok(Lease { granted: 0, .. }) => return,
                        Ok(lease) => {
                            granted.fetch_add(lease.granted, std::sync::atomic::Ordering::SeqCst);
                        }
                        // Others kept the store busy for too long.
                        Err(KeyStoreError::Locked { .. }) => {}
                        Err(error) => panic!("{error}"),
                    }
                }
            });
        }
    });
    assert_eq!(granted.into_inner(), 100);
    assert_eq!(place.ledger().charged(id, period).unwrap(), 100);
}
