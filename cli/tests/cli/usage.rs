//! `catalogue usage`.

use std::time::Duration;

use cli::process::context::Context;
use shared::keys::key::KeyId;
use shared::keys::last_use::{KeyUse, LastUses};
use shared::keys::ledger::QuotaLedger;
use shared::keys::quota::Period;
use shared::keys::sqlite::{SqliteLastUses, SqliteLedger};
use shared::keys::subscription::SubscriptionId;

use crate::harness::{START, TestCli, check};

#[test]
fn usage_is_that_of_the_current_month_of_each_subscription() {
    let mut cli = TestCli::new();
    let mut outcomes = vec![cli.run(&["usage"])];
    cli.run(&["subscriptions", "create", "Acme"]);
    cli.run(&["subscriptions", "create", "Small", "--quota", "3"]);
    let ledger = SqliteLedger::new(cli.path("catalogue-data/keys.sqlite"));
    let period = Period::containing(START, START);
    ledger.lease(SubscriptionId(1), period, 7).unwrap();
    ledger.lease(SubscriptionId(2), period, 7).unwrap();
    outcomes.push(cli.run(&["usage"]));
    outcomes.push(cli.run(&["usage", "--subscription", "Small", "--json"]));
    outcomes.push(cli.run(&["usage", "--subscription", "Smal"]));
    cli.advance(Duration::from_hours(31 * 24));
    outcomes.push(cli.run(&["usage"]));
    check("usage", &outcomes);
}

#[test]
fn usage_by_key_tells_the_requests_of_each_key_apart_month_by_month() {
    let mut cli = TestCli::new();
    let mut outcomes = vec![cli.run(&["usage", "--by", "key"])];
    cli.run(&["subscriptions", "create", "Acme"]);
    outcomes.push(cli.run(&["usage", "--by", "key"]));
    let mut issue = |name| {
        let typed = "keys issue --subscription Acme --scope boats.read --json --name";
        let issued = cli.run(&format!("{typed} {name}"));
        KeyId::parse(issued.document()["id"].as_str().unwrap()).unwrap()
    };
    let [little, much, _never, revoked, _gone] =
        ["little", "much", "never", "revoked", "gone"].map(&mut issue);
    for name in ["revoked", "gone"] {
        cli.run(&["keys", "revoke", name]);
    }
    let uses = SqliteLastUses::new(cli.path("catalogue-data/keys.sqlite"));
    let period_end = Period::containing(START, START).end;
    let batch = [(little, 2), (much, 7), (revoked, 3)].map(|(key, charged)| KeyUse {
        period_end,
        charged,
        ..KeyUse::free(key, START)
    });
    uses.record(&batch).unwrap();
    for args in [
        &[][..],
        &["--subscription", "Acme", "--json"],
        &["--month", "2026-09"],
    ] {
        outcomes.push(cli.run(&[&["usage", "--by", "key"], args].concat()));
    }
    cli.advance(Duration::from_hours(31 * 24));
    outcomes.push(cli.run(&["usage", "--by", "key"]));
    outcomes.push(cli.run(&["usage", "--by", "key", "--month", "2026-10"]));
    outcomes.push(cli.run(&["usage", "--by", "day"]));
    let at_a_terminal = |context: &mut Context| context.terminal.out = true;
    outcomes.push(cli.run_in(&["usage", "--by", "key"], at_a_terminal));
    check("usage_by_key", &outcomes);
}

/// Bills are for past months: one per subscription and month, whatever day it renews on.
#[test]
fn usage_of_a_month_is_that_of_the_quotas_that_renewed_in_it() {
    let mut cli = TestCli::new();
    cli.run(&["subscriptions", "create", "Acme", "--quota", "3k"]);
    cli.advance(Duration::from_hours(30 * 24));
    let late = START + 30 * 24 * 3600;
    cli.run("subscriptions create Late --quota 9007199254740991");
    let ledger = SqliteLedger::new(cli.path("catalogue-data/keys.sqlite"));
    for (subscription, started_at, at, used) in [
        (1, START, START, 7),
        (1, START, late + 2 * 24 * 3600, 8),
        (2, late, late, 9_007_199_254_740_991),
    ] {
        let period = Period::containing(started_at, at);
        let lease = ledger.lease(SubscriptionId(subscription), period, used);
        assert_eq!(lease.unwrap().granted, used);
    }
    cli.advance(Duration::from_hours(15 * 24));
    let outcomes = [
        &["--month", "2026-10"][..],
        &["--month", "2026-10", "--json"],
        &["--month", "2026-11", "--json"],
        &["--month", "2026-09"],
        &["--month", "2026-11", "--subscription", "Late"],
        &["--month", "2026-10", "--subscription", "Lat"],
        &["--month", "2026-12"],
        &["--month", "October"],
    ]
    .map(|args| cli.run(&[&["usage"], args].concat()));
    let at_a_terminal = |context: &mut Context| context.terminal.out = true;
    let shown = cli.run_in(&["usage", "--month", "2026-10"], at_a_terminal);
    check("usage_month", outcomes.iter().chain([&shown]));
}
