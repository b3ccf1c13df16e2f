//! Any sequence of requests, restarts and changes, against a count of what was granted.

use std::collections::HashMap;

use proptest::prelude::*;

use super::ledger::Units;
use super::*;
use crate::limits::accounts::Entry;

const DAY: i64 = 86_400;

#[derive(Clone, Copy, Debug)]
enum Event {
    /// A request that will be a 200.
    Request,
    /// The same; the wall clock jumps by this many seconds while a lease may be under way.
    RequestAcross(i64),
    /// A request whose response turns out to be free.
    FreeRequest,
    /// A graceful restart.
    Restart,
    /// Units in memory are lost.
    Crash,
    /// The quota is set.
    Quota(u64),
    /// Less than a second passes.
    Moment,
    /// Idle units are given back.
    GiveBackIdle,
    /// The period ends.
    Renewal,
    /// The wall clock jumps by this many seconds, either way.
    Jump(i64),
    /// What befalls calls to the ledger from now on.
    Ledger(Trouble),
}

fn lease_size() -> impl Strategy<Value = LeaseSize> {
    (1_u64..5, 1_u64..20, 1_u64..9).prop_map(|(share, max, ahead_min)| LeaseSize {
        share,
        max,
        ahead_min,
    })
}

fn jump() -> std::ops::Range<i64> {
    -9_000_000..9_000_000
}

fn event_of_one_server() -> impl Strategy<Value = Event> {
    prop_oneof![
        30 => Just(Event::Request),
        5 => Just(Event::FreeRequest),
        3 => Just(Event::Restart),
        2 => (0_u64..30).prop_map(Event::Quota),
        3 => Just(Event::Moment),
        3 => Just(Event::GiveBackIdle),
        1 => Just(Event::Renewal),
        2 => jump().prop_map(Event::Jump),
    ]
}

fn event_of_several() -> impl Strategy<Value = Event> {
    prop_oneof![
        20 => Just(Event::Request),
        5 => Just(Event::FreeRequest),
        2 => Just(Event::Restart),
        2 => Just(Event::Crash),
        6 => Just(Event::Moment),
        6 => Just(Event::GiveBackIdle),
        1 => Just(Event::Renewal),
        1 => jump().prop_map(Event::Jump),
        2 => jump().prop_map(Event::RequestAcross),
        4 => prop_oneof![
            Just(Trouble::None),
            Just(Trouble::Fails),
            Just(Trouble::LosesReplies),
            Just(Trouble::Locked),
        ].prop_map(Event::Ledger),
    ]
}

fn run<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .unwrap()
        .block_on(future)
}

/// Waits for calls under way, such as leases ahead, which nobody waits for. The ledger may be in
/// trouble.
async fn at_rest(quotas: &Quotas) {
    for pending in quotas.pending() {
        _ = pending.await;
    }
}

/// Sets the wall clock to the end of the period.
fn renew(clock: &ManualClock, subscription: &Subscription) {
    let now = clock.now().unix_seconds();
    clock.jump_wall(subscription.period(now).end - now);
}

/// One server: grants exactly up to the quota, whatever happens in between.
async fn one_server(size: LeaseSize, events: Vec<Event>, day: i64) {
    let ledger = MemoryLedger::with_quota(20);
    let clock = ManualClock::at(START);
    let new_quotas = || Quotas::with_lease_size(Arc::clone(&ledger) as _, size);
    let (mut quotas, mut subscription) = (new_quotas(), subscription(1, 20));
    subscription.started_at = day * DAY;
    let mut used_by_period = HashMap::new();
    for event in events {
        let period = subscription.period(clock.now().unix_seconds());
        let used = used_by_period.entry(period).or_default();
        match event {
            Event::Request => {
                let is_left = *used < subscription.quota;
                let check = quotas.check(&subscription, clock.now()).await;
                let charge = quotas.charge(&subscription, clock.now()).await;
                assert_eq!((check.is_ok(), charge.is_ok()), (is_left, is_left));
                *used += u64::from(is_left);
                let remaining = charge.map_or(0, |usage| usage.remaining);
                assert_eq!(remaining, subscription.quota.saturating_sub(*used));
            }
            Event::FreeRequest => {
                let check = quotas.check(&subscription, clock.now()).await;
                assert_eq!(check.is_ok(), *used < subscription.quota);
            }
            Event::Restart => {
                quotas.give_back_all().await;
                quotas = new_quotas();
            }
            Event::Quota(quota) => {
                ledger.lock().quota = quota;
                subscription.quota = quota;
            }
            Event::Moment => clock.advance(Duration::from_millis(400)),
            Event::GiveBackIdle => quotas.give_back_idle(clock.now()).await,
            Event::Renewal => renew(&clock, &subscription),
            Event::Jump(seconds) => clock.jump_wall(seconds),
            Event::RequestAcross(_) | Event::Crash | Event::Ledger(_) => {
                unreachable!("not among the events of one server")
            }
        }
        at_rest(&quotas).await;
    }
}

/// Several servers over one ledger, and a count of its units in each period.
struct Servers {
    ledger: Arc<MemoryLedger>,
    clock: ManualClock,
    sizes: Vec<LeaseSize>,
    running: Vec<Quotas>,
    subscription: Subscription,
    granted: Units,
    lost: Units,
}

fn of(units: &Units, start: i64) -> u64 {
    units.get(&start).copied().unwrap_or(0)
}

impl Servers {
    fn new(sizes: Vec<LeaseSize>, quota: u64, day: i64) -> Self {
        let ledger = MemoryLedger::with_quota(quota);
        let server = |size: &LeaseSize| Quotas::with_lease_size(Arc::clone(&ledger) as _, *size);
        Self {
            clock: ManualClock::at(START),
            running: sizes.iter().map(server).collect(),
            subscription: Subscription {
                started_at: day * DAY,
                ..subscription(1, quota)
            },
            ledger,
            sizes,
            granted: Units::new(),
            lost: Units::new(),
        }
    }

    /// The current period.
    fn period(&self) -> Period {
        self.subscription.period(self.clock.now().unix_seconds())
    }

    /// What nobody was granted in the current period and nobody lost.
    fn left(&self) -> u64 {
        self.subscription.quota - self.used(self.period().start)
    }

    fn used(&self, start: i64) -> u64 {
        of(&self.granted, start) + of(&self.lost, start) + of(&self.ledger.lock().lost, start)
    }

    fn restart(&mut self, index: usize) {
        let ledger = Arc::clone(&self.ledger) as _;
        self.running[index] = Quotas::with_lease_size(ledger, self.sizes[index]);
    }

    /// A request, and a wall clock that jumps while its lease, or the next one, is under way.
    async fn request(&mut self, index: usize, jump: i64) {
        let (period, now) = (self.period(), self.clock.now());
        let (open, gate) = channel();
        self.ledger.lock().gate = Some(gate);
        let jumped = async {
            self.clock.jump_wall(jump);
            drop(open);
        };
        let charge = self.running[index].charge(&self.subscription, now);
        let (charge, ()) = tokio::join!(charge, jumped);
        if let Ok(usage) = charge {
            assert_eq!(usage.reset_unix_seconds, period.end);
            *self.granted.entry(period.start).or_default() += 1;
        }
    }

    async fn happen(&mut self, index: usize, event: Event) {
        let (server, now) = (&self.running[index], self.clock.now());
        match event {
            Event::Request => self.request(index, 0).await,
            Event::RequestAcross(jump) => self.request(index, jump).await,
            Event::FreeRequest => {
                let charged = self.ledger.charged_in_all();
                let check = server.check(&self.subscription, now).await;
                assert_eq!(self.ledger.charged_in_all(), charged, "a check took a unit");
                let lost = of(&self.ledger.lock().lost, self.period().start);
                let is_alone = self.running.len() == 1 && lost == 0;
                assert!(
                    check.is_err() || 0 < self.left() || !is_alone,
                    "nobody else could have taken what the check has seen"
                );
            }
            Event::Moment => self.clock.advance(Duration::from_millis(400)),
            Event::GiveBackIdle => server.give_back_idle(now).await,
            Event::Ledger(trouble) => self.ledger.lock().trouble = trouble,
            Event::Restart if self.ledger.lock().trouble != Trouble::Locked => {
                server.give_back_all().await;
                self.restart(index);
            }
            // A stop gives up on a ledger that stays locked, and loses what a crash would.
            Event::Crash | Event::Restart => {
                for (start, unused) in server.accounts.lock().unused() {
                    *self.lost.entry(start).or_default() += unused;
                }
                self.restart(index);
            }
            Event::Renewal => renew(&self.clock, &self.subscription),
            Event::Jump(seconds) => self.clock.jump_wall(seconds),
            Event::Quota(_) => unreachable!("not among the events of several servers"),
        }
    }

    /// Each unit of the ledger is granted, lost, or unused in a server: there are the largest lease at
    /// most, and less than half of one, which is left when the next is asked for.
    fn check_balance(&self) {
        let quota = self.subscription.quota;
        let mut held = Units::new();
        for (server, size) in self.running.iter().zip(&self.sizes) {
            let lease = (quota / size.share).min(size.max).max(1);
            for (start, unused) in server.accounts.lock().unused() {
                assert!(
                    unused <= lease * 3 / 2,
                    "{unused} units of leases of {lease}"
                );
                *held.entry(start).or_default() += unused;
            }
        }
        self.check_charged(&held);
    }

    /// Checks that in each period the ledger has what is used, and what servers hold.
    fn check_charged(&self, held: &Units) {
        let charged = self.ledger.charged_by_period();
        for start in charged.keys().chain(self.granted.keys()).copied() {
            let used = self.used(start);
            assert!(used <= self.subscription.quota);
            assert_eq!(of(&charged, start), used + of(held, start));
        }
    }

    /// Time passes without requests.
    async fn idle(&self) {
        for _look in 0..2 {
            for server in &self.running {
                server.give_back_idle(self.clock.now()).await;
            }
            self.clock.advance(Duration::from_secs(1));
        }
    }
}

/// Several servers: never more than the quota, whatever becomes of calls to the ledger, and in the
/// end all of it but what crashes and failed calls lost.
async fn several_servers(sizes: Vec<LeaseSize>, events: Vec<(usize, Event)>, quota: u64, day: i64) {
    let mut servers = Servers::new(sizes, quota, day);
    for (index, event) in events {
        let index = index % servers.running.len();
        servers.happen(index, event).await;
        at_rest(&servers.running[index]).await;
        servers.check_balance();
    }
    servers.ledger.lock().trouble = Trouble::None;
    servers.idle().await;
    servers.check_charged(&Units::new());
    for left in (0..servers.left()).rev() {
        let now = servers.clock.now();
        let server = &servers.running[0];
        let charge = server.charge(&servers.subscription, now).await;
        assert_eq!(charge.unwrap().remaining, left);
    }
    let now = servers.clock.now();
    let refused = servers.running[0].charge(&servers.subscription, now).await;
    assert!(is_exceeded(&refused));
}

impl Accounts {
    /// Units that a crash would lose.
    fn unused(&self) -> Units {
        let unused = |entry: &Entry| (entry.period().start, entry.account.unused());
        self.all().map(|(_, entry)| unused(entry)).collect()
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn one_server_grants_exactly_the_quota(
        size in lease_size(),
        events in prop::collection::vec(event_of_one_server(), 1..80),
        day in 0_i64..31,
    ) {
        run(one_server(size, events, day));
    }

    #[test]
    fn several_servers_share_one_quota(
        sizes in prop::collection::vec(lease_size(), 1..4),
        events in prop::collection::vec((0_usize..4, event_of_several()), 1..80),
        quota in 0_u64..60,
        day in 0_i64..31,
    ) {
        run(several_servers(sizes, events, quota, day));
    }
}
