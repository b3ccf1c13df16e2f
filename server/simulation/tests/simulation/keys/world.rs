//! Servers that follow one key store, operators, requests and faults.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rand::Rng;
use shared::base::clock::Clock;
use shared::keys::environment::Environment;
use shared::keys::key::{Key, KeyId};
use shared::keys::limits::CHANGES_HOLD_WITHIN;
use shared::keys::name::Name;
use shared::keys::scope::{Scope, Scopes};
use shared::keys::secret::PlainKey;
use shared::keys::subscription::{Plan, Subscription, SubscriptionId, SubscriptionStatus};
use simulation::keyring::{Keyring, VerifyError, watch};
use simulation::periodic_task::PeriodicTask;
use simulation::turns::{self, Process, Ran, Turns};

use super::store::{Fault, Source, Store};
use crate::clock::{START, ServerClock};
use crate::seeds::Failure;
use crate::weather::Weather;

/// Servers at a time.
const SERVERS: usize = 3;
/// What happens in a run before all faults end.
const EVENTS: usize = 60;
/// Most keys of a run.
const KEYS_MAX: usize = 8;

/// A server from its start to its end.
struct Server {
    process: Process,
    keyring: Arc<Keyring>,
    clock: Arc<ServerClock>,
    /// Started on a thread of its process.
    _watch: Arc<Mutex<Option<PeriodicTask>>>,
}

struct World {
    store: Arc<Store>,
    secrets: Vec<PlainKey>,
    servers: Vec<Server>,
    processes: u32,
    /// Last, since what is dropped before ends threads.
    turns: Turns,
}

/// Runs one seed.
pub(super) fn run(seed: u64, fault: Fault) -> Result<Ran, Failure> {
    let mut world = World::new(seed, fault);
    let outcome = world.events().and_then(|()| world.settle());
    outcome.map_err(|promise| Failure::new(seed, &world.turns, promise))?;
    Ok(world.turns.ran())
}

fn subscription() -> Subscription {
    Subscription {
        id: SubscriptionId(1),
        name: Name::parse("Acme").unwrap(),
        plan: Plan::Pro,
        status: SubscriptionStatus::Active,
        quota: 9,
        started_at: START,
        created_at: START,
    }
}

fn draw_key() -> (PlainKey, Key) {
    let secret = turns::draw(|random| PlainKey::generate(Environment::Test, random));
    let id = turns::draw(|random| KeyId::generate(random));
    let key = Key {
        id: id.clone(),
        family: id,
        prefix: secret.prefix(),
        hash: secret.hash(),
        subscription: SubscriptionId(1),
        environment: Environment::Test,
        scopes: Scopes::from_iter([Scope::BoatsRead]),
        name: None,
        rate_limit: None,
        created_at: START,
        expires_at: None,
        revoked_at: None,
        disabled_at: None,
        replaced_by: None,
        grace_ends_at: None,
    };
    (secret, key)
}

impl World {
    fn new(seed: u64, fault: Fault) -> Self {
        let turns = Turns::new(seed);
        let mut world = Self {
            store: Store::new(subscription(), fault),
            secrets: Vec::new(),
            servers: Vec::new(),
            processes: 0,
            turns,
        };
        world.issue();
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
        let (keyring, clock) = (Arc::new(Keyring::new()), Arc::<ServerClock>::default());
        let watching = Arc::<Mutex<Option<PeriodicTask>>>::default();
        let source = Source {
            store: Arc::clone(&self.store),
            process,
            known: None,
            connection: None,
            wake: None,
        };
        let (keys, time, started) = (
            Arc::clone(&keyring),
            Arc::clone(&clock),
            Arc::clone(&watching),
        );
        turns::spawn_in(process, move || {
            let confirm = Box::new(|_: &_| Ok(()));
            let task = watch(keys, Box::new(source), time, confirm).unwrap();
            *started.lock().unwrap_or_else(PoisonError::into_inner) = Some(task);
        });
        Server {
            process,
            keyring,
            clock,
            _watch: watching,
        }
    }

    fn draw_server(&self) -> usize {
        turns::draw(|random| random.random_range(0..self.servers.len()))
    }

    fn events(&mut self) -> Result<(), String> {
        for _event in 0..EVENTS {
            self.event()?;
            let steps = turns::draw(|random| random.random_range(0..12));
            for _step in 0..steps {
                self.step()?;
            }
        }
        Ok(())
    }

    fn event(&mut self) -> Result<(), String> {
        let drawn = turns::draw(|random| random.random_range(0..100));
        match drawn {
            0..40 => self.pass(turns::some_time(Duration::from_millis(900)))?,
            40..50 => self.pass(turns::some_time(Duration::from_secs(3)))?,
            50..57 if self.secrets.len() < KEYS_MAX => self.issue(),
            50..75 => self.change(),
            75..79 => self.crash()?,
            79..90 => {
                let process = self.servers[self.draw_server()].process;
                self.store.set_weather(process, Weather::draw());
            }
            90..94 => {
                let process = self.servers[self.draw_server()].process;
                turns::pause(process, turns::some_time(Duration::from_secs(3)));
            }
            94..96 => {
                let ahead = turns::draw(|random| random.random_range(-100_000..100_000));
                self.servers[self.draw_server()].clock.set_ahead(ahead);
            }
            _ => self.store.calm(),
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

    fn issue(&mut self) {
        let (secret, key) = draw_key();
        self.secrets.push(secret);
        self.store.issue(key);
    }

    /// A key is revoked for good, or disabled or enabled.
    fn change(&self) {
        let index = turns::draw(|random| random.random_range(0..self.secrets.len()));
        if turns::happens(30) {
            self.store.change(index, |key| key.revoke(START));
        } else {
            self.store.change(index, |key| match key.disabled_at {
                None => key.disabled_at = Some(START),
                Some(_) => key.disabled_at = None,
            });
        }
    }

    /// A server is killed, and starts anew.
    fn crash(&mut self) -> Result<(), String> {
        let index = self.draw_server();
        self.turns.kill(self.servers[index].process)?;
        self.servers[index] = self.start();
        Ok(())
    }

    /// What holds after every step: a request with any key, on any server.
    fn check(&self) -> Result<(), String> {
        let state = self.store.state();
        for server in &self.servers {
            let now = server.clock.now();
            for (secret, issued) in self.secrets.iter().zip(&state.keys) {
                let verified = server.keyring.verify(secret, Environment::Test, now);
                let is_accepted = match verified {
                    Ok(_) => true,
                    Err(VerifyError::Unknown | VerifyError::Refused(_)) => false,
                    Err(VerifyError::NotCurrent) => break,
                };
                // What a server acts on was so a second ago, or later.
                let since = now.monotonic.saturating_sub(CHANGES_HOLD_WITHIN);
                // Before it was issued it did not work.
                let was_issued = issued.was_issued_before(since);
                if !issued.was(is_accepted, since) && (is_accepted || was_issued) {
                    let (who, id) = (server.process.0, &issued.key.id);
                    return Err(format!(
                        "server {who} accepts {id}: {is_accepted}, at {:?}; it worked {issued}",
                        now.monotonic
                    ));
                }
            }
        }
        Ok(())
    }

    /// All faults end: every server acts on the keys as they are.
    fn settle(&mut self) -> Result<(), String> {
        self.store.calm();
        self.pass(Duration::from_secs(5))?;
        for server in &self.servers {
            if !server.keyring.is_current(server.clock.now()) {
                return Err(format!("server {} knows no keys", server.process.0));
            }
        }
        Ok(())
    }
}
