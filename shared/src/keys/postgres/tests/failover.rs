//! A primary that has taken over without the last commits. `.ci/cluster outages` promotes a real
//! standby; here they are taken out by hand, and the former timeline is made up.

use super::*;
use crate::keys::contract::{NOW, issue, on_postgres, subscribe};
use crate::keys::postgres::charges::Charges;
use crate::keys::postgres::client::Timeout;
use crate::keys::postgres::failover::{report_all, try_to_report};
use crate::keys::postgres::ledger::Ledger;
use crate::keys::postgres::pool::Pool;
use crate::keys::postgres::timeline::Timeline;
use crate::keys::quota::Period;
use crate::keys::store::{KeyStoreError, Loss};
use crate::keys::subscription::SubscriptionId;

on_postgres!(what_a_failover_loses_is_charged_again_once_however_late_it_is_reported,);

/// The timeline of a database, and one before it.
fn timelines(database: &Database) -> (Timeline, Timeline) {
    database.source().poll().unwrap();
    let here = database.client().timelines().seen().unwrap();
    (here, here.predecessor())
}

/// What a server knows to be charged on a timeline.
fn known(timeline: Timeline, all: &[(SubscriptionId, Period, u64)]) -> Charges {
    let charges = Charges::default();
    for &(subscription, period, charged) in all {
        charges.note(subscription, period, charged, Some(timeline));
    }
    charges
}

/// Reports that, and returns what was found lost.
fn report(database: &Database, charges: &Charges, here: Timeline) -> Vec<Loss> {
    let client = database.client();
    let pool = Pool::new(client, Timeout::LEASES, 1);
    report_all(&pool, charges, here).unwrap();
    assert!(charges.is_reported(here));
    client.take_losses()
}

fn charges_lost(requests: u64) -> Vec<Loss> {
    vec![Loss::Charges {
        requests,
        subscriptions: 1,
    }]
}

/// Has the database begin its timeline with that much charged.
fn take_over_with(database: &Database, charged: u64, former: Timeline) {
    let former = former.name();
    let lose = format!(
        "UPDATE catalogue.usage SET charged = {charged}, carried = 0, timeline = '{former}';
        UPDATE catalogue.timeline SET name = '{former}', since = '-infinity'"
    );
    database.by_hand(&lose).unwrap();
}

fn has_taken_over(database: &Database, since: &str) {
    let sql = format!("UPDATE catalogue.timeline SET since = '{since}'");
    database.by_hand(&sql).unwrap();
}

fn what_a_failover_loses_is_charged_again_once_however_late_it_is_reported(database: &Database) {
    let (here, former) = timelines(database);
    let subscription = subscribe(&mut database.store(), "Acme", 100);
    let (id, period) = (subscription.id, subscription.period(NOW));
    let ledger = database.ledger();
    ledger.lease(id, period, 10).unwrap();
    ledger.lease(id, period, 5).unwrap();
    take_over_with(database, 6, former);
    let (early, late) = (
        known(former, &[(id, period, 10)]),
        known(former, &[(id, period, 15)]),
    );
    assert_eq!(report(database, &early, here), charges_lost(4));
    assert_eq!(ledger.charged(id, period).unwrap(), 10);
    has_taken_over(database, "-infinity");
    assert_eq!(ledger.lease(id, period, 3).unwrap().charged, 13);
    ledger.give_back(id, period, 1).unwrap();
    assert_eq!(report(database, &late, here), charges_lost(5));
    assert_eq!(ledger.charged(id, period).unwrap(), 15 + 3 - 1);
    for again in [&early, &late, &known(former, &[(id, period, 15)])] {
        assert_eq!(report(database, again, here), []);
    }
    assert_eq!(ledger.charged(id, period).unwrap(), 15 + 3 - 1);
}

#[test]
#[ignore = "needs PostgreSQL"]
fn nothing_is_leased_or_given_back_until_servers_have_had_time_to_report() {
    let database = Database::new();
    let (here, former) = timelines(&database);
    let subscription = subscribe(&mut database.store(), "Acme", 100);
    let (id, period) = (subscription.id, subscription.period(NOW));
    let ledger = database.ledger();
    ledger.lease(id, period, 10).unwrap();
    take_over_with(&database, 10, former);
    let refused = || {
        let refused = [
            ledger.lease(id, period, 1).map(drop),
            ledger.give_back(id, period, 1),
        ];
        for refused in refused {
            let refused = refused.unwrap_err();
            assert!(matches!(refused, KeyStoreError::Locked { .. }), "{refused}");
            assert!(refused.is_known_unchanged());
        }
    };
    refused();
    report(&database, &Charges::default(), here);
    let marked = format!(
        "DO $$ BEGIN ASSERT (SELECT name = '{}' AND since <= clock_timestamp()
            AND clock_timestamp() - since < interval '1 hour' FROM catalogue.timeline); END $$",
        here.name()
    );
    database.by_hand(&marked).unwrap();
    has_taken_over(&database, "infinity");
    refused();
    has_taken_over(&database, "-infinity");
    assert_eq!(ledger.lease(id, period, 1).unwrap().charged, 11);
}

#[test]
#[ignore = "needs PostgreSQL"]
fn a_report_makes_a_lost_period_again_and_leaves_out_a_lost_subscription() {
    let database = Database::new();
    let (here, former) = timelines(&database);
    let subscription = subscribe(&mut database.store(), "Acme", 100);
    let (id, period) = (subscription.id, subscription.period(NOW));
    let gone = SubscriptionId(id.0 + 1);
    let charges = known(former, &[(id, period, 7), (gone, period, 8)]);
    let losses = report(&database, &charges, here);
    assert_eq!(losses, charges_lost(7));
    let text = "the key store lost charges, which are charged again: 7 of 1 subscription";
    assert_eq!(losses[0].to_string(), text);
    assert_eq!(database.ledger().charged(id, period).unwrap(), 7);
    assert_eq!(database.ledger().charged(gone, period).unwrap(), 0);
}

#[test]
#[ignore = "needs PostgreSQL"]
fn a_report_that_fails_is_logged_once_and_made_later() {
    let database = Database::new();
    let (here, former) = timelines(&database);
    let subscription = subscribe(&mut database.store(), "Acme", 100);
    let ledger = Ledger::new(database.client());
    let period = subscription.period(NOW);
    ledger
        .charges
        .note(subscription.id, period, 7, Some(former));
    let rename = |from: &str, to: &str| {
        let sql = format!("ALTER FUNCTION catalogue.{from} RENAME TO {to}");
        database.by_hand(&sql).unwrap();
    };
    rename("report", "away");
    assert!(!try_to_report(&ledger, here, false));
    let losses = database.client().take_losses();
    assert!(
        matches!(losses[..], [Loss::NotReported { .. }]),
        "{losses:?}"
    );
    assert!(!try_to_report(&ledger, here, true));
    assert_eq!(database.client().take_losses(), []);
    rename("away", "report");
    assert!(try_to_report(&ledger, here, true));
    assert_eq!(database.client().take_losses(), charges_lost(7));
}

#[test]
#[ignore = "needs PostgreSQL"]
fn a_server_refuses_what_it_saw_revoked_and_says_which_changes_are_lost() {
    let database = Database::new();
    let mut store = database.store();
    subscribe(&mut store, "Acme", 100);
    let (key, other) = (issue(&mut store, 1).key, issue(&mut store, 2).key);
    store.revoke_key(&key.id, NOW).unwrap();
    let mut source = database.source();
    source.poll().unwrap();
    let lost = "UPDATE catalogue.keys SET revoked_at = NULL;
        UPDATE catalogue.revision SET number = 3, token = gen_random_uuid()";
    database.by_hand(lost).unwrap();
    // A failed poll makes nothing forget what was known.
    let column = "ALTER TABLE catalogue.revision RENAME COLUMN";
    database
        .by_hand(&format!("{column} token TO away"))
        .unwrap();
    source.poll().unwrap_err();
    database
        .by_hand(&format!("{column} away TO token"))
        .unwrap();
    let revoked = |source: &mut dyn KeySource| {
        let snapshot = source.poll().unwrap().unwrap();
        let revoked = snapshot.keys.iter().map(|key| key.revoked_at);
        revoked.collect::<Vec<_>>()
    };
    assert_eq!(revoked(&mut *source), [Some(NOW), None]);
    let losses = source.take_losses();
    let texts: Vec<_> = losses.iter().map(Loss::to_string).collect();
    let expected = [
        "the key store lost changes: it was at revision 5, and is at 3; look at its log for what is \
         missing: catalogue keys log"
            .to_owned(),
        format!(
            "the key store lost that keys were revoked; this server refuses them until it stops, so \
             revoke them again: {}",
            key.prefix.as_str()
        ),
    ];
    assert_eq!(texts, expected);
    store.revoke_key(&other.id, NOW).unwrap();
    assert_eq!(revoked(&mut *source), [Some(NOW), Some(NOW)]);
    assert_eq!(source.take_losses(), []);
}
