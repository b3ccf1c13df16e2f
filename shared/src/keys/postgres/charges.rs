//! What this process knows to be charged, by subscription and period, so that what a failover loses
//! can be charged again.
//!
//! An asynchronous standby that takes over may lack the last commits of its primary. The reply to
//! the last lease had what was charged in all, so the largest number that servers know is never
//! below what was used. It may be above, by what was given back since. Nothing here asks the
//! database.

use std::collections::HashMap;
use std::sync::Mutex;

use crate::base::threads::lock;
use crate::keys::postgres::timeline::Timeline;
use crate::keys::quota::Period;
use crate::keys::subscription::SubscriptionId;

/// Periods of a subscription that are remembered: the current one, the one before, whose last
/// charges may be lost too, and one that a wrong clock shows.
const PERIODS_MAX: usize = 3;

/// What is known.
#[derive(Debug, Default)]
pub(super) struct Charges(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    /// At most one for each period and timeline.
    charges: HashMap<SubscriptionId, Vec<Noted>>,
    /// How many were noted.
    notes: u64,
    /// The latest timeline to which all of it was reported.
    reported: Option<Timeline>,
}

/// A charge, and after how many others it was noted.
#[derive(Debug)]
struct Noted {
    charge: Charge,
    at: u64,
}

/// How many charges were noted when a call began.
#[derive(Clone, Copy, Debug)]
pub(super) struct Began(u64);

/// What is charged of a period, as a transaction on a timeline found it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Charge {
    pub(super) period: Period,
    pub(super) charged: u64,
    pub(super) timeline: Timeline,
}

impl Charges {
    /// Notes what is charged of a period. Without a timeline no loss can be found. What is known of
    /// earlier timelines stays until it is reported.
    pub(super) fn note(
        &self,
        subscription: SubscriptionId,
        period: Period,
        charged: u64,
        timeline: Option<Timeline>,
    ) {
        let Some(timeline) = timeline else {
            return;
        };
        let mut known = lock(&self.0);
        if known.reported.is_some_and(|reported| reported != timeline) {
            // This reply comes after the report, or before the next one.
            known.reported = None;
        }
        let noted = known.next(Charge {
            period,
            charged,
            timeline,
        });
        let of_all = known.charges.entry(subscription).or_default();
        of_all
            .retain(|Noted { charge, .. }| (charge.period, charge.timeline) != (period, timeline));
        of_all.push(noted);
        forget_old_periods(of_all);
    }

    /// For [`give_back`](Self::give_back), before the call.
    pub(super) fn begin(&self) -> Began {
        Began(lock(&self.0).notes)
    }

    /// Notes that units were given back on a timeline, by a call that `began` then. A charge that
    /// was noted since may have it already, so that one stays.
    pub(super) fn give_back(
        &self,
        subscription: SubscriptionId,
        period: Period,
        units: u64,
        timeline: Option<Timeline>,
        Began(notes): Began,
    ) {
        let mut known = lock(&self.0);
        let charges = known.charges.get_mut(&subscription).into_iter().flatten();
        for Noted { charge, at } in charges {
            if charge.period == period && Some(charge.timeline) == timeline && *at <= notes {
                charge.charged = charge.charged.saturating_sub(units);
            }
        }
    }

    /// Whether all of it is known to be counted on that timeline.
    pub(super) fn is_reported(&self, here: Timeline) -> bool {
        lock(&self.0).reported == Some(here)
    }

    /// What is known of earlier timelines of the same cluster, at most `max`, until it is settled.
    pub(super) fn unreported(&self, here: Timeline, max: usize) -> Vec<(SubscriptionId, Charge)> {
        let mut known = lock(&self.0);
        for charges in known.charges.values_mut() {
            charges.retain(|Noted { charge, .. }| {
                charge.timeline == here || charge.timeline.is_before(here)
            });
        }
        let all = known.charges.iter().flat_map(|(&id, charges)| {
            let charges = charges.iter().map(|noted| noted.charge);
            let earlier = charges.filter(|charge| charge.timeline != here);
            earlier.map(move |charge| (id, charge))
        });
        all.take(max).collect()
    }

    /// Notes what became of a reported charge, unless it was noted again meanwhile: nothing if its
    /// subscription is gone.
    pub(super) fn settle(
        &self,
        subscription: SubscriptionId,
        reported: Charge,
        now: Option<Charge>,
    ) {
        let mut known = lock(&self.0);
        let now = now.map(|now| known.next(now));
        let Some(charges) = known.charges.get_mut(&subscription) else {
            return;
        };
        charges.retain(|noted| noted.charge != reported);
        let Some(mut now) = now else {
            return;
        };
        let of_same = |Noted { charge, .. }: &mut Noted| {
            (charge.period, charge.timeline) == (now.charge.period, now.charge.timeline)
        };
        for noted in charges.extract_if(.., of_same) {
            // A lease may have come before the report or after it.
            now.charge.charged = now.charge.charged.max(noted.charge.charged);
        }
        charges.push(now);
    }

    /// Notes that nothing is left to report to that timeline.
    pub(super) fn all_reported(&self, here: Timeline) {
        let mut known = lock(&self.0);
        let mut charges = known.charges.values().flatten();
        if charges.all(|noted| noted.charge.timeline == here) {
            known.reported = Some(here);
        }
    }
}

impl Known {
    fn next(&mut self, charge: Charge) -> Noted {
        self.notes += 1;
        Noted {
            charge,
            at: self.notes,
        }
    }
}

/// Keeps what is known of the latest periods.
fn forget_old_periods(charges: &mut Vec<Noted>) {
    let starts = charges.iter().map(|noted| noted.charge.period.start);
    let mut starts: Vec<i64> = starts.collect();
    starts.sort_unstable();
    starts.dedup();
    if let Some(&oldest) = starts.iter().rev().nth(PERIODS_MAX - 1) {
        charges.retain(|noted| oldest <= noted.charge.period.start);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: SubscriptionId = SubscriptionId(1);
    const FORMER: &str = "7/0000000F";
    const HERE: &str = "7/00000010";
    const ELSEWHERE: &str = "8/00000001";

    fn timeline(name: &str) -> Timeline {
        Timeline::named(name).unwrap()
    }

    fn month(number: i64) -> Period {
        Period {
            start: number,
            end: number + 1,
        }
    }

    fn charge(charged: u64) -> Charge {
        Charge {
            period: month(1),
            charged,
            timeline: timeline(FORMER),
        }
    }

    #[test]
    fn what_is_known_of_earlier_timelines_is_reported_less_what_was_given_back_there() {
        let charges = Charges::default();
        charges.note(ID, month(1), 9, Some(timeline(FORMER)));
        let began = charges.begin();
        charges.give_back(ID, month(1), 2, Some(timeline(FORMER)), began);
        charges.give_back(ID, month(1), 1, Some(timeline(HERE)), began);
        charges.note(SubscriptionId(2), month(1), 5, Some(timeline(HERE)));
        charges.note(SubscriptionId(3), month(1), 5, Some(timeline(ELSEWHERE)));
        charges.note(SubscriptionId(4), month(1), 5, None);
        assert_eq!(charges.unreported(timeline(HERE), 10), [(ID, charge(7))]);
    }

    #[test]
    fn what_a_later_lease_may_have_counted_as_given_back_is_not_given_back_again() {
        let charges = Charges::default();
        charges.note(ID, month(1), 12, Some(timeline(FORMER)));
        let began = charges.begin();
        // It gives back 3 and leases 2; the response to the lease comes first.
        charges.note(ID, month(1), 11, Some(timeline(FORMER)));
        charges.give_back(ID, month(1), 3, Some(timeline(FORMER)), began);
        assert_eq!(charges.unreported(timeline(HERE), 10), [(ID, charge(11))]);
    }

    #[test]
    fn a_lease_before_the_report_hides_nothing_that_is_to_be_reported() {
        let charges = Charges::default();
        charges.note(ID, month(1), 9, Some(timeline(FORMER)));
        charges.note(ID, month(1), 6, Some(timeline(HERE)));
        assert_eq!(charges.unreported(timeline(HERE), 10), [(ID, charge(9))]);
        let now = |charged| Charge {
            timeline: timeline(HERE),
            ..charge(charged)
        };
        charges.settle(ID, charge(9), Some(now(10)));
        let later = Timeline::named("7/00000011").unwrap();
        assert_eq!(charges.unreported(later, 10), [(ID, now(10))]);
    }

    #[test]
    fn the_latest_three_periods_of_a_subscription_are_known() {
        let charges = Charges::default();
        for number in [3, 1, 4, 2] {
            charges.note(ID, month(number), 9, Some(timeline(FORMER)));
        }
        let mut starts: Vec<_> = charges
            .unreported(timeline(HERE), 10)
            .into_iter()
            .map(|(_id, charge)| charge.period.start)
            .collect();
        starts.sort_unstable();
        assert_eq!(starts, [2, 3, 4]);
        assert_eq!(charges.unreported(timeline(HERE), 1).len(), 1);
    }

    #[test]
    fn what_is_noted_while_it_is_reported_is_reported_again() {
        let charges = Charges::default();
        charges.note(ID, month(1), 9, Some(timeline(FORMER)));
        let now = Some(Charge {
            timeline: timeline(HERE),
            ..charge(9)
        });
        // A lease of before, whose answer comes late.
        charges.note(ID, month(1), 12, Some(timeline(FORMER)));
        charges.settle(ID, charge(9), now);
        charges.all_reported(timeline(HERE));
        assert!(!charges.is_reported(timeline(HERE)));
        charges.settle(ID, charge(12), now);
        charges.all_reported(timeline(HERE));
        assert!(charges.is_reported(timeline(HERE)));
        charges.note(ID, month(1), 12, Some(timeline(FORMER)));
        assert!(!charges.is_reported(timeline(HERE)));
        charges.settle(ID, charge(12), None);
        assert_eq!(charges.unreported(timeline(HERE), 10), []);
    }
}
