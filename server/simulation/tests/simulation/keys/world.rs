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
use simulation::turns::{self, Ran};

use super::store::{Fault, Source, Store};
use crate::clock::{START, ServerClock};
use crate::seeds::Failure;
use crate::weather::Weather;
use crate::world::{self, Frame, Server, World};

/// Most keys of a run.
const KEYS_MAX: usize = 8;

/// What a server consists of.
struct Parts {
    keyring: Arc<Keyring>,
    clock: Arc<ServerClock>,
    /// Started on a thread of its process.
    _watch: Arc<Mutex<Option<PeriodicTask>>>,
}

struct KeyWorld {
    store: Arc<Store>,
    secrets: Vec<PlainKey>,
    frame: Frame<Parts>,
}

/// Runs one seed.
pub(super) fn run(seed: u64, fault: Fault) -> Result<Ran, Failure> {
    world::run(seed, |frame| KeyWorld::new(frame, fault))
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

impl World for KeyWorld {
    type Parts = Parts;

    const SERVERS: usize = 3;
    const EVENTS: usize = 60;
    const STEPS: u32 = 12;
    const SETTLES_WITHIN: Duration = Duration::from_secs(5);

    fn frame(&mut self) -> &mut Frame<Parts> {
        &mut self.frame
    }

    fn start(&mut self, _place: usize) -> Server<Parts> {
        let process = self.frame.next_process();
        let watching = Arc::<Mutex<Option<PeriodicTask>>>::default();
        let parts = Parts {
            keyring: Arc::new(Keyring::new()),
            clock: Arc::default(),
            _watch: Arc::clone(&watching),
        };
        let source = Source {
            store: Arc::clone(&self.store),
            process,
            known: None,
            connection: None,
            wake: None,
        };
        let (keys, time) = (Arc::clone(&parts.keyring), Arc::clone(&parts.clock));
        turns::spawn_in(process, move || {
            let confirm = Box::new(|_: &_| Ok(()));
            let task = watch(keys, Box::new(source), time, confirm).unwrap();
            *watching.lock().unwrap_or_else(PoisonError::into_inner) = Some(task);
        });
        Server { process, parts }
    }

    fn event(&mut self, drawn: u32) -> Result<(), String> {
        match drawn {
            0..40 => self.pass(turns::some_time(Duration::from_millis(900)))?,
            40..50 => self.pass(turns::some_time(Duration::from_secs(3)))?,
            50..57 if self.secrets.len() < KEYS_MAX => self.issue(),
            50..75 => self.change(),
            75..79 => self.crash()?,
            79..90 => {
                let process = self.frame.draw_server().process;
                self.store.set_weather(process, Weather::draw());
            }
            90..94 => self.frame.pause(Duration::from_secs(3)),
            94..96 => {
                let ahead = turns::draw(|random| random.random_range(-100_000..100_000));
                self.frame.draw_server().parts.clock.set_ahead(ahead);
            }
            _ => self.store.calm(),
        }
        Ok(())
    }

    /// A request with any key, on any server.
    fn check(&self) -> Result<(), String> {
        let state = self.store.state();
        for server in &self.frame.servers {
            let now = server.parts.clock.now();
            for (secret, issued) in self.secrets.iter().zip(&state.keys) {
                let verified = server.parts.keyring.verify(secret, Environment::Test, now);
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

    fn calm(&self) {
        self.store.calm();
    }

    /// Every server acts on the keys as they are.
    fn settle(&mut self) -> Result<(), String> {
        for server in &self.frame.servers {
            if !server.parts.keyring.is_current(server.parts.clock.now()) {
                return Err(format!("server {} knows no keys", server.process.0));
            }
        }
        Ok(())
    }
}

impl KeyWorld {
    fn new(frame: Frame<Parts>, fault: Fault) -> Self {
        let mut world = Self {
            store: Store::new(subscription(), fault),
            secrets: Vec::new(),
            frame,
        };
        world.issue();
        world
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
}
