//! The quota ledger as a model: what PostgreSQL does, and what becomes of calls on the way to it
//! and back.
//!
//! It keeps what it committed, as PostgreSQL does that writes before it answers. It books beside
//! that for which server, so that each unit can be followed.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use shared::keys::ledger::{Lease, QuotaLedger};
use shared::keys::quota::Period;
use shared::keys::store::{CHANGE, KeyStoreError, Location};
use shared::keys::subscription::SubscriptionId;
use simulation::turns::{self, Process};

use crate::weather::{Fate, Weather};

/// A subscription and the start of a period.
pub(crate) type Account = (i64, i64);

/// A fault put in, to see that it is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    None,
    /// A lease whose answer was lost counts as granted, though it may never have been made.
    LeaseGivenAgain,
    /// What may have been given back is given back once more.
    GivenBackTwice,
    /// What may have been given back is told to be there still.
    GiveBackForgotten,
}

/// Units of one account that one server leased, by what became of them.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Booked {
    /// Leased, and not given back.
    pub(crate) leased: i64,
    /// Answered to clients.
    pub(crate) answered: i64,
    /// Lost: with an answer, or given back in vain.
    pub(crate) lost: i64,
}

#[derive(Default)]
pub(crate) struct Books {
    pub(crate) quota: BTreeMap<i64, u64>,
    pub(crate) charged: BTreeMap<Account, u64>,
    pub(crate) booked: BTreeMap<(Process, Account), Booked>,
    /// Calls that were given up and are still to be done.
    pub(crate) late: usize,
}

impl Books {
    pub(crate) fn of(&mut self, server: Process, account: Account) -> &mut Booked {
        self.booked.entry((server, account)).or_default()
    }

    /// What a lease does in PostgreSQL.
    fn lease(&mut self, server: Process, account: Account, wanted: u64) -> Lease {
        let quota = self.quota[&account.0];
        let charged = self.charged.entry(account).or_default();
        let granted = wanted.min(quota.saturating_sub(*charged));
        *charged += granted;
        let charged = *charged;
        self.of(server, account).leased += granted.cast_signed();
        Lease { granted, charged }
    }

    fn give_back(&mut self, server: Process, account: Account, unused: u64) {
        let charged = self.charged.entry(account).or_default();
        *charged = charged.saturating_sub(unused);
        self.of(server, account).leased -= unused.cast_signed();
    }
}

/// PostgreSQL.
pub(crate) struct Ledger {
    books: Mutex<Books>,
    weather: Mutex<Weather>,
    fault: Fault,
}

impl Ledger {
    pub(crate) fn new(fault: Fault) -> Arc<Self> {
        Arc::new(Self {
            books: Mutex::default(),
            weather: Mutex::new(Weather::Calm),
            fault,
        })
    }

    pub(crate) fn books(&self) -> MutexGuard<'_, Books> {
        self.books.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn set_weather(&self, weather: Weather) {
        *self.weather.lock().unwrap_or_else(PoisonError::into_inner) = weather;
    }

    pub(crate) fn weather(&self) -> Weather {
        *self.weather.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The ledger as one server reaches it.
pub(crate) struct Reached {
    pub(crate) ledger: Arc<Ledger>,
    pub(crate) server: Process,
}

fn location() -> Location {
    Location::Database("the model".to_owned())
}

fn unreached() -> KeyStoreError {
    KeyStoreError::Unreachable {
        location: location(),
        source: "it is away".into(),
    }
}

fn failed(attempt: &'static str) -> KeyStoreError {
    KeyStoreError::Failed {
        attempt,
        location: location(),
        source: "the connection broke".into(),
    }
}

impl Reached {
    /// One call: `work` is what the ledger does, and `lost` what it means that its answer does not
    /// come.
    fn call<T: Send + 'static>(
        &self,
        attempt: &'static str,
        work: impl FnOnce(&mut Books) -> T + Send + 'static,
        lost: impl FnOnce(&mut Books, Option<&T>) + Send + 'static,
    ) -> Result<T, KeyStoreError> {
        if turns::is_gone() {
            return Err(unreached());
        }
        let weather = self.ledger.weather();
        let fate = weather.fate();
        turns::pass(weather.way());
        turns::note(|| format!("{attempt}: {fate:?}"));
        match fate {
            Fate::Answered => {
                let done = work(&mut self.ledger.books());
                let on_its_way = OnItsWay {
                    ledger: &self.ledger,
                    lost: Some((done, lost)),
                };
                turns::pass(weather.way());
                Ok(on_its_way.arrives())
            }
            Fate::Refused => Err(KeyStoreError::Refused {
                attempt,
                location: location(),
                source: "too many connections".into(),
            }),
            Fate::Unreached => Err(unreached()),
            Fate::LostBefore => {
                lost(&mut self.ledger.books(), None);
                Err(failed(attempt))
            }
            Fate::LostAfter => {
                let mut books = self.ledger.books();
                let done = work(&mut books);
                lost(&mut books, Some(&done));
                Err(failed(attempt))
            }
            Fate::Late => {
                self.ledger.books().late += 1;
                let (ledger, after) = (Arc::clone(&self.ledger), weather.way() * 10);
                turns::spawn_in(Process::OUTSIDE, move || {
                    turns::pass(after);
                    let mut books = ledger.books();
                    let done = work(&mut books);
                    lost(&mut books, Some(&done));
                    books.late -= 1;
                });
                Err(failed(attempt))
            }
        }
    }
}

/// An answer under way to a server, which may be gone before it arrives.
struct OnItsWay<'a, T, L: FnOnce(&mut Books, Option<&T>)> {
    ledger: &'a Ledger,
    lost: Option<(T, L)>,
}

impl<T, L: FnOnce(&mut Books, Option<&T>)> OnItsWay<'_, T, L> {
    fn arrives(mut self) -> T {
        let (done, _lost) = self.lost.take().unwrap();
        done
    }
}

impl<T, L: FnOnce(&mut Books, Option<&T>)> Drop for OnItsWay<'_, T, L> {
    fn drop(&mut self) {
        if let Some((done, lost)) = self.lost.take() {
            lost(&mut self.ledger.books(), Some(&done));
        }
    }
}

impl QuotaLedger for Reached {
    fn lease(
        &self,
        subscription: SubscriptionId,
        period: Period,
        wanted: u64,
    ) -> Result<Lease, KeyStoreError> {
        let (server, account) = (self.server, (subscription.0, period.start));
        let leased = self.call(
            CHANGE,
            move |books| books.lease(server, account, wanted),
            move |books, lease| {
                let granted = lease.map_or(0, |lease| lease.granted.cast_signed());
                books.of(server, account).lost += granted;
            },
        );
        match leased {
            Err(error) if self.ledger.fault == Fault::LeaseGivenAgain => {
                let granted = Lease {
                    granted: wanted,
                    charged: wanted,
                };
                if error.is_known_unchanged() {
                    Err(error)
                } else {
                    Ok(granted)
                }
            }
            leased => leased,
        }
    }

    fn charged(&self, subscription: SubscriptionId, period: Period) -> Result<u64, KeyStoreError> {
        let account = (subscription.0, period.start);
        self.call(
            "read",
            move |books| books.charged.get(&account).copied().unwrap_or(0),
            |_, _| {},
        )
    }

    fn give_back(
        &self,
        subscription: SubscriptionId,
        period: Period,
        unused: u64,
    ) -> Result<(), KeyStoreError> {
        let (server, account) = (self.server, (subscription.0, period.start));
        let give_back = || {
            self.call(
                CHANGE,
                move |books| books.give_back(server, account, unused),
                move |books, given_back| {
                    let lost = if given_back.is_some() {
                        0
                    } else {
                        unused.cast_signed()
                    };
                    books.of(server, account).lost += lost;
                },
            )
        };
        match (give_back(), self.ledger.fault) {
            (Err(error), Fault::GivenBackTwice) if !error.is_known_unchanged() => give_back(),
            (Err(error), Fault::GiveBackForgotten) if !error.is_known_unchanged() => {
                Err(unreached())
            }
            (outcome, _) => outcome,
        }
    }
}
