//! Servers that share one ledger, requests, operators and faults.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rand::Rng;
use shared::base::clock::Clock;
use shared::keys::name::Name;
use shared::keys::subscription::{Plan, Subscription, SubscriptionId, SubscriptionStatus};
use simulation::keys::postgres::KnownCharges;
use simulation::limits::{LeaseSize, QuotaError, Quotas};
use simulation::turns::{self, Process, Ran, ThreadId};

use super::ledger::{Fault, Ledger, Reached};
use super::postgres::Account;
use crate::clock::ServerClock;
use crate::seeds::Failure;
use crate::weather::Weather;
use crate::world::{self, Frame, Server, World};

/// Subscriptions, numbered from 1.
const SUBSCRIPTIONS: i64 = 2;
/// As often a server looks for idle units.
const GIVE_BACK_INTERVAL: Duration = Duration::from_millis(500);
/// By then every server knows of a changed quota.
const KNOWN_WITHIN: Duration = Duration::from_secs(1);
/// As often a server looks whether another primary has taken over.
const LOOK_INTERVAL: Duration = Duration::from_millis(500);
/// Most time that a standby receives nothing before it takes over.
const BEHIND: Duration = Duration::from_secs(2);
/// By then every server has reported what it knows to a new primary, once calls succeed.
const REPORTED_WITHIN: Duration = Duration::from_secs(10);
/// More units of a subscription than a server ever holds: a lease, and half as much ahead.
const HELD_MAX: i64 = 90;

/// The quotas that a server knows, by subscription.
type Known = Arc<Mutex<BTreeMap<i64, u64>>>;

/// What a server consists of.
struct Parts {
    quotas: Arc<Quotas>,
    clock: Arc<ServerClock>,
    known: Known,
    charges: Arc<KnownCharges>,
}

struct LeaseWorld {
    ledger: Arc<Ledger>,
    /// Servers that stop, and give back what they have.
    stopping: Vec<Server<Parts>>,
    requests: Vec<ThreadId>,
    /// By how much more may be charged than is leased, of each account: servers report what they
    /// know, and not what others gave back since.
    above_max: i64,
    frame: Frame<Parts>,
}

/// Runs one seed.
pub(super) fn run(seed: u64, fault: Fault) -> Result<Ran, Failure> {
    world::run(seed, |frame| LeaseWorld::new(frame, fault))
}

fn subscription(id: i64, quota: u64) -> Subscription {
    Subscription {
        id: SubscriptionId(id),
        name: Name::parse("Acme").unwrap(),
        plan: Plan::Pro,
        status: SubscriptionStatus::Active,
        quota,
        started_at: 0,
        created_at: 0,
    }
}

fn draw_quota() -> u64 {
    let most = [10, 100, 500];
    turns::draw(|random| {
        let most = most[random.random_range(0..most.len())];
        random.random_range(1..=most)
    })
}

fn draw_size() -> LeaseSize {
    turns::draw(|random| LeaseSize {
        share: random.random_range(1..8),
        max: random.random_range(1..60),
        ahead_min: random.random_range(1..20),
    })
}

impl World for LeaseWorld {
    type Parts = Parts;

    const SERVERS: usize = 3;
    const EVENTS: usize = 100;
    const STEPS: u32 = 8;
    /// By then every paused machine runs again, and every late call is over.
    const SETTLES_WITHIN: Duration = Duration::from_secs(20);

    fn frame(&mut self) -> &mut Frame<Parts> {
        &mut self.frame
    }

    fn start(&mut self, _place: usize) -> Server<Parts> {
        let process = self.frame.next_process();
        let charges = Arc::<KnownCharges>::default();
        let reached = Arc::new(Reached {
            ledger: Arc::clone(&self.ledger),
            server: process,
            known: Arc::clone(&charges),
        });
        let ledger = Arc::<Reached>::clone(&reached);
        let quotas = Arc::new(Quotas::with_lease_size(ledger, draw_size()));
        let clock = Arc::<ServerClock>::default();
        let known = self.ledger.books().quota.clone();
        let parts = Parts {
            quotas: Arc::clone(&quotas),
            clock: Arc::clone(&clock),
            known: Arc::new(Mutex::new(known)),
            charges,
        };
        turns::spawn_in(process, move || {
            loop {
                reached.report();
                turns::pass(LOOK_INTERVAL);
            }
        });
        turns::spawn_in(process, move || {
            loop {
                turns::block_on(quotas.give_back_idle(clock.now()));
                turns::pass(GIVE_BACK_INTERVAL);
            }
        });
        Server { process, parts }
    }

    fn event(&mut self, drawn: u32) -> Result<(), String> {
        match drawn {
            0..70 => self.requests(),
            70..78 => self.pass(turns::some_time(Duration::from_millis(2_500)))?,
            78..81 => self.crash()?,
            81..84 => self.stop(),
            84..91 => self.ledger.set_weather(Weather::draw()),
            91..94 => self.change_quota(),
            94..96 => self.jump(),
            96..97 => self.frame.pause(Duration::from_secs(2)),
            97..99 => self.go_away()?,
            _ => self.fail_over()?,
        }
        Ok(())
    }

    fn check(&self) -> Result<(), String> {
        let mut books = self.ledger.books();
        for server in self.frame.servers.iter().chain(&self.stopping) {
            for (id, period, unused) in server.parts.quotas.unused() {
                let account = (id.0, period.start);
                let booked = books.of(server.process, account);
                if booked.leased < booked.answered + unused.cast_signed() {
                    let who = server.process.0;
                    return Err(format!(
                        "server {who} has {unused} units of {account:?}, with {booked:?}"
                    ));
                }
            }
        }
        let mut leased: BTreeMap<Account, i64> = BTreeMap::new();
        for ((server, account), booked) in &books.booked {
            *leased.entry(*account).or_default() += booked.leased;
            if booked.leased < booked.answered {
                let who = server.0;
                return Err(format!(
                    "server {who} answered more of {account:?}: {booked:?}"
                ));
            }
        }
        drop(books);
        self.check_charges(&leased)
    }

    fn calm(&self) {
        self.ledger.set_weather(Weather::Calm);
    }

    /// Whatever is not answered went back, and can be leased again.
    fn settle(&mut self) -> Result<(), String> {
        let books = self.ledger.books();
        if books.late != 0 {
            return Err("a late call is not over".to_owned());
        }
        for server in &self.frame.servers {
            for ((process, account), booked) in &books.booked {
                let is_its = *process == server.process;
                if is_its && booked.leased != booked.answered + booked.lost {
                    let who = process.0;
                    return Err(format!(
                        "server {who} leaks units of {account:?}: {booked:?}"
                    ));
                }
            }
        }
        drop(books);
        self.use_up()
    }
}

impl LeaseWorld {
    fn new(frame: Frame<Parts>, fault: Fault) -> Self {
        let ledger = Ledger::new(fault);
        for id in 1..=SUBSCRIPTIONS {
            ledger.books().quota.insert(id, draw_quota());
        }
        Self {
            ledger,
            stopping: Vec::new(),
            requests: Vec::new(),
            above_max: 0,
            frame,
        }
    }

    /// What is charged is what is leased. After failovers it may be more, but never less once all
    /// servers have reported: but for what is lost, which nobody uses.
    fn check_charges(&self, leased: &BTreeMap<Account, i64>) -> Result<(), String> {
        if !self.is_reported() {
            return Ok(());
        }
        let books = self.ledger.books();
        for (account, leased) in leased {
            let booked = books.booked.iter().filter(|((_, of), _)| of == account);
            let lost: i64 = booked.map(|(_, booked)| booked.lost).sum();
            let charged = books.postgres.charged(*account).cast_signed();
            let least = if books.postgres.timeline == 1 {
                *leased
            } else {
                leased - lost
            };
            if charged < least || leased + self.above_max < charged {
                return Err(format!(
                    "{charged} of {account:?} are charged, {leased} are leased, {lost} of them lost"
                ));
            }
        }
        Ok(())
    }

    /// Whether no server knows anything of an earlier timeline, or will by a response under way.
    fn is_reported(&self) -> bool {
        let books = self.ledger.books();
        let here = books.postgres.timeline;
        let mut servers = self.frame.servers.iter().chain(&self.stopping);
        let is_reported = |server: &Server<Parts>| server.parts.charges.is_reported(here);
        here == 1 || books.under_way == 0 && servers.all(is_reported)
    }

    /// An asynchronous standby takes over, perhaps without the last commits. What a server alone
    /// knew stays lost if it ends before it reports, so none does.
    fn fail_over(&mut self) -> Result<(), String> {
        if turns::happens(80) {
            self.ledger.books().postgres.cut_off_standby();
            for _some in 0..turns::draw(|random| random.random_range(0..12)) {
                self.requests();
                self.pass(turns::some_time(BEHIND / 12))?;
            }
        }
        turns::note(|| "the standby takes over".to_owned());
        self.ledger.books().postgres.fail_over();
        let servers = self.frame.servers.len() + self.stopping.len();
        self.above_max += HELD_MAX * i64::try_from(servers).unwrap();
        for _some in 0..turns::draw(|random| random.random_range(0..8)) {
            self.requests();
            self.pass(turns::some_time(Duration::from_millis(500)))?;
        }
        self.ledger.set_weather(Weather::Calm);
        let until = turns::now() + REPORTED_WITHIN;
        while !self.is_reported() {
            if until < turns::now() {
                return Err("what is known of the former timeline is not reported".to_owned());
            }
            self.step()?;
        }
        Ok(())
    }

    /// A few requests at once.
    fn requests(&mut self) {
        let server = self.frame.draw_server();
        let id = turns::draw(|random| random.random_range(1..=SUBSCRIPTIONS));
        let count = turns::draw(|random| random.random_range(1..12));
        for _request in 0..count {
            let (quotas, clock) = (
                Arc::clone(&server.parts.quotas),
                Arc::clone(&server.parts.clock),
            );
            let (ledger, known) = (Arc::clone(&self.ledger), Arc::clone(&server.parts.known));
            let process = server.process;
            let request = turns::spawn_in(process, move || {
                let quota = known.lock().unwrap_or_else(PoisonError::into_inner)[&id];
                answer(process, &quotas, &clock, &subscription(id, quota), &ledger);
            });
            self.requests.push(request);
        }
    }

    /// A server stops once its requests are answered, while another one takes its place.
    fn stop(&mut self) {
        let place = self.frame.draw_place();
        let stopped = self.replace(place);
        turns::note(|| format!("server {} stops", stopped.process.0));
        let quotas = Arc::clone(&stopped.parts.quotas);
        turns::spawn_in(stopped.process, move || {
            // Longer than any request waits.
            turns::pass(Duration::from_secs(2));
            turns::block_on(quotas.give_back_all());
        });
        self.stopping.push(stopped);
    }

    fn change_quota(&mut self) {
        let id = turns::draw(|random| random.random_range(1..=SUBSCRIPTIONS));
        let quota = draw_quota();
        turns::note(|| format!("the quota of {id} is {quota}"));
        self.ledger.books().quota.insert(id, quota);
        for server in &self.frame.servers {
            let known = Arc::clone(&server.parts.known);
            turns::spawn_in(server.process, move || {
                turns::pass(turns::some_time(KNOWN_WITHIN));
                known
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .insert(id, quota);
            });
        }
    }

    /// The wall clock of a server goes wrong, or is put right.
    fn jump(&mut self) {
        let seconds = [0, 0, 40 * 86_400, -40 * 86_400];
        let ahead = seconds[turns::draw(|random| random.random_range(0..seconds.len()))];
        self.frame.draw_server().parts.clock.set_ahead(ahead);
    }

    /// A client goes away while its request waits.
    fn go_away(&mut self) -> Result<(), String> {
        let count = self.requests.len();
        if count == 0 {
            return Ok(());
        }
        let place = turns::draw(|random| random.random_range(0..count));
        let request = self.requests.swap_remove(place);
        self.frame.turns.end(request)
    }

    /// What is left of each quota is answered, to the last unit.
    fn use_up(&mut self) -> Result<(), String> {
        let server = self.start(0);
        self.frame.servers = vec![server];
        for id in 1..=SUBSCRIPTIONS {
            let server = &self.frame.servers[0];
            let quota = self.ledger.books().quota[&id];
            let period = subscription(id, quota).period(server.parts.clock.now().unix_seconds());
            let account = (id, period.start);
            let left = |ledger: &Ledger| {
                let charged = ledger.books().postgres.charged(account);
                quota.saturating_sub(charged)
            };
            let before = left(&self.ledger);
            let (quotas, clock) = (
                Arc::clone(&server.parts.quotas),
                Arc::clone(&server.parts.clock),
            );
            let (process, ledger) = (server.process, Arc::clone(&self.ledger));
            let is_over = Arc::<AtomicBool>::default();
            let over = Arc::clone(&is_over);
            turns::spawn_in(process, move || {
                let subscription = subscription(id, quota);
                while answer(process, &quotas, &clock, &subscription, &ledger) {}
                over.store(true, Ordering::Relaxed);
            });
            while !is_over.load(Ordering::Relaxed) {
                self.step()?;
            }
            let answered = self.ledger.books().of(process, account).answered;
            if answered != before.cast_signed() || left(&self.ledger) != 0 {
                return Err(format!(
                    "{answered} of {before} units of {account:?} are answered"
                ));
            }
        }
        Ok(())
    }
}

/// Answers a request as a server does: checks, works, charges. Whether it was a 200.
fn answer(
    process: Process,
    quotas: &Quotas,
    clock: &ServerClock,
    subscription: &Subscription,
    ledger: &Ledger,
) -> bool {
    let now = clock.now();
    let checked = turns::block_on(quotas.check(subscription, now));
    if checked.is_err() {
        return false;
    }
    if turns::happens(30) {
        turns::pass(turns::some_time(Duration::from_millis(20)));
    }
    match turns::block_on(quotas.charge(subscription, now)) {
        Ok(_usage) => {
            let account = (
                subscription.id.0,
                subscription.period(now.unix_seconds()).start,
            );
            ledger.books().of(process, account).answered += 1;
            true
        }
        Err(QuotaError::Exceeded(_) | QuotaError::Unavailable(_)) => false,
    }
}
