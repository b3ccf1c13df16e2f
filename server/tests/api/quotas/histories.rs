//! Thousands of generated histories of servers that share a ledger, crash, and lose the ledger's
//! replies.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use server::limits::{Demand, LeaseSize, QuotaError, Usage};
use shared::base::clock::{Clock, ManualClock};
use shared::keys::subscription::Subscription;

use super::ledger::{Durable, Trouble, Units, of, subscription};
use super::server::Server;
use crate::app::NOW;

const HISTORIES: u64 = 2_000;
const EVENTS_MAX: usize = 24;

/// The servers, the ledger, and what happened to its units.
struct World {
    durable: Arc<Mutex<Durable>>,
    clock: ManualClock,
    subscription: Subscription,
    size: LeaseSize,
    servers: Vec<Server>,
    /// Units charged by all servers, including those that crashed.
    answered: Units,
    /// Units that servers still held when they ended.
    lost: Units,
    has_faults: bool,
}

impl World {
    fn new(random: &mut StdRng) -> Self {
        let quota = random.random_range(0..60);
        let durable = Arc::new(Mutex::new(Durable {
            quota,
            ..Durable::default()
        }));
        let size = LeaseSize {
            share: random.random_range(1..5),
            max: random.random_range(1..20),
            ahead_min: random.random_range(1..9),
        };
        let count = random.random_range(1..=3);
        let started_at = NOW - random.random_range(0..1000) * 86_400;
        Self {
            servers: (0..count).map(|_| Server::new(&durable, size)).collect(),
            durable,
            clock: ManualClock::at(NOW),
            subscription: subscription(quota, started_at),
            size,
            answered: Units::new(),
            lost: Units::new(),
            has_faults: false,
        }
    }

    /// Most units that a server holds: the largest lease, and less than half of one, which is left
    /// when the server requests the next.
    fn held_max(&self) -> u64 {
        let share = self.subscription.quota / self.size.share;
        share.min(self.size.max).max(1) * 3 / 2
    }

    async fn happen(&mut self, random: &mut StdRng) {
        let index = random.random_range(0..self.servers.len());
        match random.random_range(0..60) {
            0..36 => self.request(index).await,
            36..40 => self.check_free_request(index).await,
            40..44 => self.clock.advance(Duration::from_millis(400)),
            44..48 => self.be_quiet(index).await,
            48..51 => self.end(index, true).await,
            51..54 => self.end(index, false).await,
            54 => self.begin_next_period(),
            55 => self.clock.jump_wall(-random.random_range(1..10_000_000)),
            56 => self.clock.jump_wall(random.random_range(1..10_000_000)),
            57 => self.cause(index, Trouble::Before),
            _ => self.cause(index, Trouble::After),
        }
        self.servers[index].be_at_rest().await;
        self.check();
    }

    fn cause(&mut self, index: usize, trouble: Trouble) {
        self.has_faults = true;
        self.servers[index].faults += 1;
        self.servers[index].access.seen().trouble = trouble;
    }

    /// Leaves a server idle for so long that it gives back the units that it holds.
    async fn be_quiet(&self, index: usize) {
        let quotas = &self.servers[index].quotas;
        for _look in 0..2 {
            quotas.give_back_idle(self.clock.now()).await;
            self.clock.advance(Duration::from_secs(1));
        }
    }

    fn begin_next_period(&self) {
        let now = self.clock.now().unix_seconds();
        self.clock
            .jump_wall(self.subscription.period(now).end - now);
    }

    /// A request that costs a unit.
    async fn request(&mut self, index: usize) {
        let server = &mut self.servers[index];
        let charge = server
            .quotas
            .demand(
                Demand::Charge,
                Duration::MAX,
                &self.subscription,
                self.clock.now(),
            )
            .await;
        if let Ok(usage) = &charge {
            let end = usage.reset_unix_seconds;
            *server.answered.entry(end).or_default() += 1;
            *self.answered.entry(end).or_default() += 1;
        }
        let is_granted = charge.is_ok();
        if let Some(usage) = self.usage(&charge) {
            self.check_exact(usage, is_granted);
        }
    }

    /// The end of the current period.
    fn end_of_period(&self) -> i64 {
        let now = self.clock.now().unix_seconds();
        self.subscription.period(now).end
    }

    /// The usage of the current period that a server reported.
    fn usage(&self, told: &Result<Usage, QuotaError>) -> Option<Usage> {
        let usage = match told {
            Ok(usage) | Err(QuotaError::Exceeded(usage)) => *usage,
            Err(QuotaError::Unavailable(_)) => {
                assert!(self.has_faults);
                return None;
            }
        };
        assert_eq!(usage.reset_unix_seconds, self.end_of_period());
        Some(usage)
    }

    /// Checks that a server that is alone and without faults knows exactly how many units are left.
    fn check_exact(&self, usage: Usage, is_granted: bool) {
        if self.has_faults || self.servers.len() != 1 {
            return;
        }
        let end = usage.reset_unix_seconds;
        let used = of(&self.answered, end) + of(&self.lost, end);
        let left = self.subscription.quota - used;
        assert_eq!(usage.remaining, left);
        assert!(is_granted || left == 0, "refused with {left} left");
    }

    /// A request that turns out to be free.
    async fn check_free_request(&mut self, index: usize) {
        let before = self.durable.lock().unwrap().charged.clone();
        let quotas = &self.servers[index].quotas;
        let told = quotas
            .demand(
                Demand::Check,
                Duration::MAX,
                &self.subscription,
                self.clock.now(),
            )
            .await;
        assert_eq!(self.durable.lock().unwrap().charged, before);
        let _usage = self.usage(&told);
    }

    /// Stops a server cleanly or kills it, and starts another in its place.
    async fn end(&mut self, index: usize, in_peace: bool) {
        let next = Server::new(&self.durable, self.size);
        let ended = std::mem::replace(&mut self.servers[index], next);
        if in_peace {
            ended.quotas.give_back_all().await;
        }
        for (end, held) in ended.held() {
            let times = ended.faults + u64::from(!in_peace);
            assert!(
                held <= times * self.held_max(),
                "{held} units were lost {times} times"
            );
            *self.lost.entry(end).or_default() += held;
        }
    }

    /// Checks that the ledger is above the charged requests by exactly what servers hold or lost.
    fn check(&self) {
        let charged = self.durable.lock().unwrap().charged.clone();
        let mut explained = self.answered.clone();
        let held = self.servers.iter().flat_map(Server::held);
        for (end, units) in self.lost.clone().into_iter().chain(held) {
            *explained.entry(end).or_default() += units;
        }
        for (end, charged) in charged {
            assert_eq!(charged, of(&explained, end));
            assert!(charged <= self.subscription.quota);
        }
    }

    /// Checks that, once all servers are idle, exactly the units that nobody used or lost are left.
    async fn check_rest(&mut self) {
        for server in &self.servers {
            server.access.seen().trouble = Trouble::None;
        }
        for index in 0..self.servers.len() {
            self.be_quiet(index).await;
        }
        let all = self.durable.lock().unwrap().charged.clone();
        for (end, charged) in &all {
            let used = of(&self.answered, *end) + of(&self.lost, *end);
            assert!(
                *charged == used || self.has_faults,
                "{charged} charged, {used} used"
            );
        }
        let charged = of(&all, self.end_of_period());
        let mut granted = 0;
        let charge = || {
            self.servers[0].quotas.demand(
                Demand::Charge,
                Duration::MAX,
                &self.subscription,
                self.clock.now(),
            )
        };
        while granted <= self.subscription.quota && charge().await.is_ok() {
            granted += 1;
        }
        assert_eq!(granted, self.subscription.quota - charged);
    }
}

/// The runtime's clock stands still, so no stall of the machine makes a lease late.
#[tokio::test(start_paused = true)]
async fn thousands_of_histories_never_count_too_little_nor_more_than_a_crash_may_lose_too_much() {
    let (mut answered, mut lost) = (0, 0);
    for history in 0..HISTORIES {
        let mut random = StdRng::seed_from_u64(history);
        let mut world = World::new(&mut random);
        for _event in 0..random.random_range(1..=EVENTS_MAX) {
            world.happen(&mut random).await;
        }
        world.check_rest().await;
        answered += world.answered.values().sum::<u64>();
        lost += world.lost.values().sum::<u64>();
    }
    // Histories without charged requests, or whose crashes lose no units, would prove nothing.
    assert!(
        HISTORIES < answered && HISTORIES / 10 < lost,
        "{answered} {lost}"
    );
}
