//! What a server remembers of charges, from the source of `shared`, and how it reports them after a
//! failover. The statements between are left out: a model takes their place.

#[rustfmt::skip]
#[path = "../../../../shared/src/keys/postgres/charges.rs"]
mod charges;
mod timeline;

use shared::keys::quota::Period;
use shared::keys::subscription::SubscriptionId;

use self::charges::{Charge, Charges};
use self::timeline::Timeline;

/// Most periods of one report.
const REPORTED_MAX: usize = 500;

/// What one server knows to be charged. Timelines are numbers.
#[derive(Debug, Default)]
pub struct KnownCharges(Charges);

impl KnownCharges {
    /// After a lease, whose response has what is charged in all.
    pub fn note(&self, id: SubscriptionId, period: Period, charged: u64, timeline: u32) {
        let timeline = Some(Timeline(timeline));
        self.0.note(id, period, charged, timeline);
    }

    /// Before units are given back; what is returned is to be called after it.
    pub fn give_back(
        &self,
        id: SubscriptionId,
        period: Period,
        units: u64,
    ) -> impl FnOnce(u32) + use<'_> {
        let began = self.0.begin();
        move |timeline| {
            let timeline = Some(Timeline(timeline));
            self.0.give_back(id, period, units, timeline, began);
        }
    }

    /// Whether nothing is left to report to a timeline.
    pub fn is_reported(&self, here: u32) -> bool {
        self.0.is_reported(Timeline(here))
    }

    /// Reports to a timeline. `report` makes one attempt, and returns what is charged of each
    /// period then. Its error is returned, and what was not reported stays.
    pub fn report<E>(
        &self,
        here: u32,
        report: impl FnOnce(Vec<(SubscriptionId, Period, u64)>) -> Result<Vec<u64>, E>,
    ) -> Result<(), E> {
        let timeline = Timeline(here);
        let known = self.0.unreported(timeline, REPORTED_MAX);
        let sent = known
            .iter()
            .map(|(id, charge)| (*id, charge.period, charge.charged));
        let totals = report(sent.collect())?;
        for ((id, charge), charged) in known.into_iter().zip(totals) {
            let now = Charge {
                charged,
                timeline,
                ..charge
            };
            self.0.settle(id, charge, Some(now));
        }
        self.0.all_reported(timeline);
        Ok(())
    }
}
