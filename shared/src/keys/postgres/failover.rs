//! What a server does when another primary has taken over: it reports what it knows to be charged,
//! so that what the failover lost is charged again.
//!
//! It runs in the background, on the ledger's connections, and goes on until all of it is reported.
//! Leases wait meanwhile: see `version_2.sql`.

use std::collections::HashMap;
use std::error::Error as _;
use std::sync::Weak;
use std::time::Duration;

use tokio::task::spawn_blocking;
use tokio_postgres::types::Type;
use tokio_postgres::{Error, Row};

use crate::keys::postgres::charges::{Charge, Charges};
use crate::keys::postgres::ledger::Ledger;
use crate::keys::postgres::once::Parameter;
use crate::keys::postgres::pool::Pool;
use crate::keys::postgres::timeline::Timeline;
use crate::keys::quota::Period;
use crate::keys::store::{CHANGE, KeyStoreError, Loss};
use crate::keys::subscription::SubscriptionId;

/// Pause between two looks whether there is anything to report.
const LOOK_PAUSE: Duration = Duration::from_millis(100);
/// Most periods of one report: few enough for one short transaction.
const REPORTED_MAX: usize = 500;

const REPORT: &str = "SELECT subscription, period_start, charged, again
    FROM catalogue.report($1, $2, $3, $4)";

/// A period of a subscription, and what is charged of it.
type Known = (SubscriptionId, Charge);

/// Reports through `ledger` to each primary that takes over, for as long as it exists.
pub(super) async fn report_after_failovers(ledger: Weak<Ledger>) {
    let mut has_failed = false;
    loop {
        tokio::time::sleep(LOOK_PAUSE).await;
        let Some(ledger) = ledger.upgrade() else {
            return;
        };
        if let Some(here) = ledger.pool.client().timelines().seen()
            && !ledger.charges.is_reported(here)
        {
            let reporting = spawn_blocking(move || try_to_report(&ledger, here, has_failed));
            // It is tried again at the next look.
            has_failed = !reporting.await.unwrap_or(false);
        }
    }
}

/// Whether all was reported. A failure is logged unless the attempt before `has_failed` too.
pub(super) fn try_to_report(ledger: &Ledger, here: Timeline, has_failed: bool) -> bool {
    let reported = report_all(&ledger.pool, &ledger.charges, here);
    if let Err(error) = &reported
        && !has_failed
    {
        let why = match error.source() {
            Some(cause) => format!("{error}: {cause}"),
            None => error.to_string(),
        };
        ledger.pool.client().note_loss(Loss::NotReported { why });
    }
    reported.is_ok()
}

/// Reports all that is known of earlier timelines.
pub(super) fn report_all(
    pool: &Pool,
    charges: &Charges,
    here: Timeline,
) -> Result<(), KeyStoreError> {
    loop {
        let known = charges.unreported(here, REPORTED_MAX);
        let rows = pool.run_all(CHANGE, REPORT, &Arrays::of(&known).parameters())?;
        let again = settle(charges, &known, &rows, here);
        let again = again.map_err(|error| pool.unreadable(CHANGE, error))?;
        if !again.is_empty() {
            pool.client().note_loss(Loss::Charges {
                requests: again.iter().sum(),
                subscriptions: again.len(),
            });
        }
        if known.len() < REPORTED_MAX {
            break;
        }
    }
    charges.all_reported(here);
    Ok(())
}

/// Notes what the reply to a report says. What had to be charged again, above 0, by period.
fn settle(
    charges: &Charges,
    known: &[Known],
    rows: &[Row],
    here: Timeline,
) -> Result<Vec<u64>, Error> {
    let mut again = Vec::new();
    let mut totals = HashMap::new();
    for row in rows {
        let period: (i64, i64) = (row.try_get(0)?, row.try_get(1)?);
        totals.insert(period, i64::unsigned_abs(row.try_get(2)?));
        again.push(i64::unsigned_abs(row.try_get(3)?));
    }
    for &(id, charge) in known {
        let total = totals.get(&(id.0, charge.period.start));
        let now = total.map(|&charged| Charge {
            charged,
            timeline: here,
            ..charge
        });
        charges.settle(id, charge, now);
    }
    again.retain(|&requests| requests != 0);
    Ok(again)
}

/// The columns of a report.
struct Arrays([Vec<i64>; 4]);

impl Arrays {
    fn of(known: &[Known]) -> Self {
        let column = |value: fn(&Known) -> i64| known.iter().map(value).collect();
        Self([
            column(|(id, _)| id.0),
            column(
                |(
                    _,
                    Charge {
                        period: Period { start, .. },
                        ..
                    },
                )| *start,
            ),
            column(
                |(
                    _,
                    Charge {
                        period: Period { end, .. },
                        ..
                    },
                )| *end,
            ),
            column(|(_, charge)| i64::try_from(charge.charged).unwrap_or(i64::MAX)),
        ])
    }

    fn parameters(&self) -> [Parameter<'_>; 4] {
        self.0
            .each_ref()
            .map(|column| (column as _, Type::INT8_ARRAY))
    }
}
