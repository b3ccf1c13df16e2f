//! Servers that share one ledger, requests, operators and faults.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rand::Rng;
use shared::base::clock::Clock;
use shared::keys::name::Name;
use shared::keys::subscription::{Plan, Subscription, SubscriptionId, SubscriptionStatus};
use simulation::limits::{LeaseSize, QuotaError, Quotas};
use simulation::turns::{self, Process, Ran, ThreadId, Turns};

use super::ledger::{Account, Fault, Ledger, Reached};
use crate::clock::ServerClock;
use crate::seeds::Failure;
use crate::weather::Weather;

/// Servers at a time.
const SERVERS: usize = 3;
/// Subscriptions, numbered from 1.
const SUBSCRIPTIONS: i64 = 2;
/// What happens in a run before all faults end.
const EVENTS: usize = 100;
/// As often a server looks for idle units.
const GIVE_BACK_INTERVAL: Duration = Duration::from_millis(500);
/// By then every server knows of a changed quota.
const KNOWN_WITHIN: Duration = Duration::from_secs(1);

/// The quotas that a server knows, by subscription.
type Known = Arc<Mutex<BTreeMap<i64, u64>>>;

/// A server from its start to its end.
struct Server {
    process: Process,
    quotas: Arc<Quotas>,
    clock: Arc<ServerClock>,
    known: Known,
}

struct World {
    turns: Turns,
    ledger: Arc<Ledger>,
    servers: Vec<Server>,
    /// Servers that stop, and give back what they have.
    stopping: Vec<Server>,
    requests: Vec<ThreadId>,
    processes: u32,
}

/// Runs one seed.
pub(super) fn run(seed: u64, fault: Fault) -> Result<Ran, Failure> {
    let mut world = World::new(seed, fault);
    let outcome = world.events().and_then(|()| world.settle());
    outcome.map_err(|promise| Failure::new(seed, &world.turns, promise))?;
    Ok(world.turns.ran())
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

impl World {
    fn new(seed: u64, fault: Fault) -> Self {
        let turns = Turns::new(seed);
        let ledger = Ledger::new(fault);
        for id in 1..=SUBSCRIPTIONS {
            ledger.books().quota.insert(id, draw_quota());
        }
        let mut world = Self {
            turns,
            ledger,
            servers: Vec::new(),
            stopping: Vec::new(),
            requests: Vec::new(),
            processes: 0,
        };
        for _server in 0..SERVERS {
            let server = world.start();
            world.servers.push(server);
        }
        world
    }

    /// Starts a server.
    fn start(&mut self) -> Server {
        self.processes += 1;
        let process = Process(self.processes);
        let reached = Reached {
            ledger: Arc::clone(&self.ledger),
            server: process,
        };
        let quotas = Arc::new(Quotas::with_lease_size(Arc::new(reached), draw_size()));
        let clock = Arc::<ServerClock>::default();
        let known = self.ledger.books().quota.clone();
        let server = Server {
            process,
            quotas: Arc::clone(&quotas),
            clock: Arc::clone(&clock),
            known: Arc::new(Mutex::new(known)),
        };
        turns::spawn_in(process, move || {
            loop {
                turns::block_on(quotas.give_back_idle(clock.now()));
                turns::pass(GIVE_BACK_INTERVAL);
            }
        });
        server
    }

    fn draw_server(&self) -> usize {
        turns::draw(|random| random.random_range(0..self.servers.len()))
    }

    fn events(&mut self) -> Result<(), String> {
        for _event in 0..EVENTS {
            self.event()?;
            let steps = turns::draw(|random| random.random_range(0..8));
            for _step in 0..steps {
                self.step()?;
            }
        }
        Ok(())
    }

    fn event(&mut self) -> Result<(), String> {
        let drawn = turns::draw(|random| random.random_range(0..100));
        match drawn {
            0..70 => self.requests(),
            70..78 => self.pass(turns::some_time(Duration::from_millis(2_500)))?,
            78..81 => self.crash()?,
            81..84 => self.stop(),
            84..91 => self.ledger.set_weather(Weather::draw()),
            91..94 => self.change_quota(),
            94..96 => self.jump(),
            96..98 => {
                let process = self.servers[self.draw_server()].process;
                turns::pause(process, turns::some_time(Duration::from_secs(2)));
            }
            _ => self.go_away()?,
        }
        Ok(())
    }

    fn step(&mut self) -> Result<(), String> {
        self.turns.step()?;
        self.check()
    }

    fn pass(&mut self, time: Duration) -> Result<(), String> {
        let until = turns::now() + time;
        while turns::now() < until {
            self.step()?;
        }
        Ok(())
    }

    /// A few requests at once.
    fn requests(&mut self) {
        let server = &self.servers[self.draw_server()];
        let id = turns::draw(|random| random.random_range(1..=SUBSCRIPTIONS));
        let count = turns::draw(|random| random.random_range(1..12));
        for _request in 0..count {
            let (quotas, clock) = (Arc::clone(&server.quotas), Arc::clone(&server.clock));
            let (ledger, known) = (Arc::clone(&self.ledger), Arc::clone(&server.known));
            let process = server.process;
            let request = turns::spawn_in(process, move || {
                let quota = known.lock().unwrap_or_else(PoisonError::into_inner)[&id];
                answer(process, &quotas, &clock, &subscription(id, quota), &ledger);
            });
            self.requests.push(request);
        }
    }

    /// A server is killed, and starts anew.
    fn crash(&mut self) -> Result<(), String> {
        let index = self.draw_server();
        let process = self.servers[index].process;
        turns::note(|| format!("server {} is killed", process.0));
        self.turns.kill(process)?;
        self.servers[index] = self.start();
        Ok(())
    }

    /// A server stops once its requests are answered, while another one takes its place.
    fn stop(&mut self) {
        let index = self.draw_server();
        let server = self.start();
        let stopped = std::mem::replace(&mut self.servers[index], server);
        turns::note(|| format!("server {} stops", stopped.process.0));
        let quotas = Arc::clone(&stopped.quotas);
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
        for server in &self.servers {
            let known = Arc::clone(&server.known);
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
        self.servers[self.draw_server()].clock.set_ahead(ahead);
    }

    /// A client goes away while its request waits.
    fn go_away(&mut self) -> Result<(), String> {
        let count = self.requests.len();
        if count == 0 {
            return Ok(());
        }
        let place = turns::draw(|random| random.random_range(0..count));
        let request = self.requests.swap_remove(place);
        self.turns.end(request)
    }

    /// What holds after every step.
    fn check(&self) -> Result<(), String> {
        let mut books = self.ledger.books();
        for server in self.servers.iter().chain(&self.stopping) {
            for (id, period, unused) in server.quotas.unused() {
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
        for (account, charged) in &books.charged {
            if leased.get(account) != Some(&charged.cast_signed()) {
                return Err(format!("{charged} of {account:?} are counted: {leased:?}"));
            }
        }
        Ok(())
    }

    /// All faults end: whatever is not answered goes back, and can be leased again.
    fn settle(&mut self) -> Result<(), String> {
        self.ledger.set_weather(Weather::Calm);
        // A machine that stands still, and a call that is late, take no longer.
        self.pass(Duration::from_secs(20))?;
        let books = self.ledger.books();
        if books.late != 0 {
            return Err("a late call is not over".to_owned());
        }
        for server in &self.servers {
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

    /// What is left of each quota is answered, to the last unit.
    fn use_up(&mut self) -> Result<(), String> {
        self.servers = vec![self.start()];
        for id in 1..=SUBSCRIPTIONS {
            let server = &self.servers[0];
            let quota = self.ledger.books().quota[&id];
            let period = subscription(id, quota).period(server.clock.now().unix_seconds());
            let account = (id, period.start);
            let left = |ledger: &Ledger| {
                let charged = ledger.books().charged.get(&account).copied();
                quota.saturating_sub(charged.unwrap_or(0))
            };
            let before = left(&self.ledger);
            let (quotas, clock) = (Arc::clone(&server.quotas), Arc::clone(&server.clock));
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
