//! `catalogue usage`.

use std::time::Duration;

use shared::keys::ledger::QuotaLedger;
use shared::keys::quota::Period;
use shared::keys::sqlite::SqliteLedger;
use shared::keys::subscription::SubscriptionId;

use crate::client::ATTEMPTS_MAX;
use crate::harness::{START, TestCli, check};
use crate::process::catalogue_json;
use crate::sample::Sample;

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
fn what_a_running_server_does_not_use_comes_back() {
    let sample = Sample::start();
    for _ in 0..3 {
        let list = sample.server.get("/v1/boats?limit=1", &sample.key);
        assert_eq!(list.status, 200, "{}", list.body);
    }
    let usage = ["usage", "--subscription", "tests"];
    let mut used = (0..ATTEMPTS_MAX)
        .map(|_| catalogue_json(sample.data.path(), &usage)["usage"][0]["used"].clone());
    assert!(used.any(|used| used == 3), "what is unused came back");
}
