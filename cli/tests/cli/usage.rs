//! `catalogue usage`.

use std::time::Duration;

use shared::keys::ledger::QuotaLedger;
use shared::keys::quota::Period;
use shared::keys::sqlite::SqliteLedger;
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
