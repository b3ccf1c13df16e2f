//! Renewal on every day of the month, through 48 months including a leap year, with a wall clock
//! that jumps.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use server::limits::{Demand, LeaseSize, QuotaError, Quotas, Usage};
use shared::base::clock::{Clock, ManualClock};
use shared::keys::subscription::Subscription;

use super::ledger::{Access, Durable, subscription};

const DAY: i64 = 86_400;
/// 2027-01-01T00:00:00Z. The four years that follow contain the leap year 2028.
const FIRST: i64 = 1_798_761_600;
const MONTHS: i64 = 48;
const QUOTA: u64 = 2;
/// Jumps of the wall clock in each month.
const JUMPS: usize = 6;

/// The number of days in the `month`-th month after December 2026.
const fn days_in(month: i64) -> i64 {
    match (month % 12, (2027 + month / 12) % 4) {
        (1, 0) => 29,
        (1, _) => 28,
        (3 | 5 | 8 | 10, _) => 30,
        _ => 31,
    }
}

/// Midnight of the day of renewal in the `month`-th month, found by counting days.
fn renewal(month: i64, anchor: i64) -> i64 {
    let days_before: i64 = (0..month).map(days_in).sum();
    FIRST + (days_before + anchor.min(days_in(month)) - 1) * DAY
}

/// One subscription, the server that counts it, and a wall clock.
struct Scene {
    ledger: Arc<Access>,
    quotas: Quotas,
    clock: ManualClock,
    subscription: Subscription,
    anchor: i64,
}

impl Scene {
    fn new(anchor: i64, hour: i64) -> Self {
        let durable = Durable {
            quota: QUOTA,
            ..Durable::default()
        };
        let ledger = Access::new(&Arc::new(Mutex::new(durable)));
        Self {
            quotas: ledger.quotas(LeaseSize::default()),
            ledger,
            clock: ManualClock::at(FIRST),
            subscription: subscription(QUOTA, FIRST + (anchor - 1) * DAY + hour * 3600),
            anchor,
        }
    }

    /// Sets the wall clock, and lets a second pass, so the server asks the ledger again.
    fn jump_to(&self, wall: i64) {
        self.clock.jump_wall(wall - self.clock.now().unix_seconds());
        self.clock.advance(Duration::from_secs(1));
        self.clock.jump_wall(-1);
    }

    async fn ask(&self, quotas: &Quotas) -> Result<Usage, Usage> {
        let answer = quotas
            .demand(
                Demand::Charge,
                Duration::MAX,
                &self.subscription,
                self.clock.now(),
            )
            .await;
        answer.map_err(|refusal| match refusal {
            QuotaError::Exceeded(usage) => usage,
            other @ QuotaError::Unavailable(_) => panic!("{other:?}"),
        })
    }

    /// The end of the current period by the wall clock.
    fn end(&self) -> i64 {
        let now = self.clock.now().unix_seconds();
        let mut ends = (0..).map(|month| renewal(month, self.anchor));
        ends.find(|end| now < *end).unwrap()
    }

    /// Checks that nothing is left in the current period.
    async fn check_spent(&self) {
        let told = self.ask(&self.quotas).await;
        let end = self.end();
        let wait = end - self.clock.now().unix_seconds();
        let expected = Usage {
            limit: QUOTA,
            remaining: 0,
            reset_unix_seconds: end,
            retry_after_seconds: u64::try_from(wait).unwrap(),
        };
        assert_eq!(told, Err(expected));
    }

    /// Checks that a server that restarts after a jump grants nothing either.
    async fn check_spent_after_a_restart(&self) {
        let restarted = self.ledger.quotas(LeaseSize::default());
        assert!(self.ask(&restarted).await.is_err());
    }

    async fn spend(&self, end: i64) {
        for remaining in (0..QUOTA).rev() {
            let usage = self.ask(&self.quotas).await.unwrap();
            assert_eq!(
                (usage.remaining, usage.reset_unix_seconds),
                (remaining, end)
            );
        }
        self.check_spent().await;
    }
}

async fn check_anchor(anchor: i64, random: &mut StdRng) {
    let scene = Scene::new(anchor, random.random_range(0..24));
    for month in 0..MONTHS {
        let (begin, end) = (renewal(month, anchor), renewal(month + 1, anchor));
        if month != 0 {
            scene.jump_to(begin - 1);
            scene.check_spent().await;
        }
        scene.jump_to(begin);
        scene.spend(end).await;
        for _jump in 0..JUMPS {
            // To any time from the first month to the last second of this one.
            scene.jump_to(random.random_range(renewal(0, anchor)..end));
            scene.check_spent().await;
            scene.check_spent_after_a_restart().await;
        }
        scene.jump_to(end - 1);
        scene.check_spent().await;
    }
}

#[tokio::test]
async fn every_anchor_day_renews_for_48_months_and_no_jump_opens_a_spent_period() {
    let mut random = StdRng::seed_from_u64(4);
    for anchor in 1..=31 {
        check_anchor(anchor, &mut random).await;
    }
}

#[tokio::test]
async fn a_jump_ahead_spends_a_later_period_once_and_coming_back_opens_none_that_was_spent() {
    let mut random = StdRng::seed_from_u64(5);
    for anchor in 1..=31 {
        let scene = Scene::new(anchor, 0);
        scene.jump_to(renewal(0, anchor));
        scene.spend(renewal(1, anchor)).await;
        let ahead = random.random_range(1..MONTHS);
        scene.jump_to(renewal(ahead, anchor));
        scene.spend(renewal(ahead + 1, anchor)).await;
        for month in 0..=ahead {
            scene.jump_to(renewal(month, anchor));
            if (1..ahead).contains(&month) {
                scene.spend(renewal(month + 1, anchor)).await;
            }
            scene.check_spent().await;
            scene.check_spent_after_a_restart().await;
        }
        scene.jump_to(renewal(ahead + 1, anchor));
        scene.spend(renewal(ahead + 2, anchor)).await;
    }
}
