//! The key store as a model: what PostgreSQL tells servers that follow it, and what becomes of
//! their questions.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use shared::keys::key::Key;
use shared::keys::store::{KeySnapshot, KeySource, KeyStoreError, Location, Revision, Wake};
use shared::keys::subscription::Subscription;
use simulation::turns::{self, Process};

use crate::weather::{Fate, Weather};

/// A fault put in, to see that it is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    None,
    /// A poll that fails confirms what was known.
    FailureConfirms,
    /// The revision is asked for after the keys, when it may be that of other keys.
    RevisionReadLater,
}

/// One key, and since when it works or does not.
#[derive(Clone, Debug)]
pub(crate) struct Issued {
    pub(crate) key: Key,
    history: Vec<(Duration, bool)>,
}

impl fmt::Display for Issued {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut since = f.debug_list();
        since.entries(&self.history).finish()
    }
}

impl Issued {
    fn works(&self) -> bool {
        self.key.disabled_at.is_none() && self.key.revoked_at.is_none()
    }

    /// Whether it was there by then.
    pub(crate) fn was_issued_before(&self, time: Duration) -> bool {
        self.history.first().is_some_and(|(at, _)| *at < time)
    }

    /// Whether it worked, or did not, at any time from `since` to now.
    pub(crate) fn was(&self, works: bool, since: Duration) -> bool {
        let ends = self.history.iter().skip(1).map(|(at, _)| *at);
        let ends = ends.chain([Duration::MAX]);
        let spans = self.history.iter().zip(ends);
        spans
            .into_iter()
            .any(|((_, of), end)| *of == works && since <= end)
    }
}

pub(crate) struct State {
    revision: u64,
    pub(crate) keys: Vec<Issued>,
    subscription: Subscription,
    weather: BTreeMap<Process, Weather>,
    /// Who is told of changes, by connection.
    listeners: BTreeMap<u64, (Process, Wake)>,
    connections: u64,
}

/// PostgreSQL.
pub(crate) struct Store {
    state: Mutex<State>,
    fault: Fault,
}

impl Store {
    pub(crate) fn new(subscription: Subscription, fault: Fault) -> Arc<Self> {
        let state = Mutex::new(State {
            revision: 1,
            keys: Vec::new(),
            subscription,
            weather: BTreeMap::new(),
            listeners: BTreeMap::new(),
            connections: 0,
        });
        Arc::new(Self { state, fault })
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn set_weather(&self, process: Process, weather: Weather) {
        self.state().weather.insert(process, weather);
    }

    pub(crate) fn calm(&self) {
        self.state().weather.clear();
    }

    fn weather(&self, process: Process) -> Weather {
        let weather = self.state().weather.get(&process).copied();
        weather.unwrap_or(Weather::Calm)
    }

    /// A command issues a key. What is told of changes may be lost.
    pub(crate) fn issue(&self, key: Key) {
        let history = vec![(turns::now(), true)];
        self.state().keys.push(Issued { key, history });
        self.changed();
    }

    /// A command changes a key.
    pub(crate) fn change(&self, index: usize, change: impl FnOnce(&mut Key)) {
        let mut state = self.state();
        let issued = &mut state.keys[index];
        change(&mut issued.key);
        let now = (turns::now(), issued.works());
        turns::note(|| format!("{} works: {}", issued.key.id, now.1));
        issued.history.push(now);
        drop(state);
        self.changed();
    }

    fn changed(&self) {
        let mut state = self.state();
        state.revision += 1;
        let listeners: Vec<_> = state.listeners.values().cloned().collect();
        drop(state);
        for (process, wake) in listeners {
            let weather = self.weather(process);
            if weather.fate() != Fate::Answered {
                continue;
            }
            turns::spawn_in(Process::OUTSIDE, move || {
                turns::pass(weather.way());
                wake();
            });
        }
    }
}

/// The keys as one server follows them.
pub(crate) struct Source {
    pub(crate) store: Arc<Store>,
    pub(crate) process: Process,
    pub(crate) known: Option<Revision>,
    pub(crate) connection: Option<u64>,
    pub(crate) wake: Option<Wake>,
}

fn away() -> KeyStoreError {
    KeyStoreError::Unreachable {
        location: Location::Database("the model".to_owned()),
        source: "it is away".into(),
    }
}

fn revision(state: &State) -> Revision {
    Revision(state.revision.to_string())
}

fn snapshot(state: &State) -> KeySnapshot {
    KeySnapshot {
        keys: state.keys.iter().map(|issued| issued.key.clone()).collect(),
        subscriptions: vec![state.subscription.clone()],
    }
}

impl Source {
    /// One question.
    fn ask<T>(&self, look: impl FnOnce(&mut State) -> T) -> Result<T, KeyStoreError> {
        let weather = self.store.weather(self.process);
        let fate = weather.fate();
        turns::pass(weather.way());
        if !matches!(fate, Fate::Answered | Fate::LostAfter) {
            return Err(away());
        }
        let looked = look(&mut self.store.state());
        turns::pass(weather.way());
        if fate == Fate::Answered {
            Ok(looked)
        } else {
            Err(away())
        }
    }

    fn connect(&mut self) -> Result<u64, KeyStoreError> {
        if let Some(connection) = self.connection.take() {
            return Ok(connection);
        }
        let (process, wake) = (self.process, self.wake.clone());
        self.ask(move |state| {
            state.connections += 1;
            let listener = wake.map(|wake| (process, wake));
            state
                .listeners
                .extend(listener.map(|listener| (state.connections, listener)));
            state.connections
        })
    }

    /// As PostgreSQL's does it.
    fn look(&mut self) -> Result<Option<KeySnapshot>, KeyStoreError> {
        let known = self.known.take();
        let connection = self.connect()?;
        let mut state = self.ask(|state| revision(state))?;
        let mut changed = None;
        if known.as_ref() != Some(&state) {
            let (keys, of_keys) = self.ask(|state| (snapshot(state), revision(state)))?;
            (changed, state) = (Some(keys), of_keys);
            if self.store.fault == Fault::RevisionReadLater {
                state = self.ask(|state| revision(state))?;
            }
        }
        (self.connection, self.known) = (Some(connection), Some(state));
        Ok(changed)
    }
}

impl KeySource for Source {
    fn poll(&mut self) -> Result<Option<KeySnapshot>, KeyStoreError> {
        match self.look() {
            Err(_away) if self.store.fault == Fault::FailureConfirms => Ok(None),
            looked => looked,
        }
    }

    fn revision(&self) -> Option<Revision> {
        self.known.clone()
    }

    fn wake_with(&mut self, wake: Wake) {
        self.wake = Some(wake);
    }
}
