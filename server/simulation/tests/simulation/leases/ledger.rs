//! The quota ledger as a model: what becomes of calls on the way to PostgreSQL and back.
//!
//! It books beside what PostgreSQL does for which server, so that each unit can be followed: also
//! those that a failover loses.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use shared::keys::ledger::{Lease, QuotaLedger};
use shared::keys::quota::Period;
use shared::keys::store::{CHANGE, KeyStoreError, Location};
use shared::keys::subscription::SubscriptionId;
use simulation::keys::postgres::KnownCharges;
use simulation::turns::{self, Process};

use super::postgres::{Account, Postgres, ReportsAwaited};
use crate::weather::{Fate, Weather};

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
    /// No server reports after a failover what it knows.
    NotReported,
    /// What a timeline began with is not kept.
    CarriedForgotten,
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
    pub(crate) postgres: Postgres,
    pub(crate) booked: BTreeMap<(Process, Account), Booked>,
    /// Calls that were given up and are still to be done.
    pub(crate) late: usize,
    /// Responses that have not arrived yet.
    pub(crate) under_way: usize,
}

impl Books {
    pub(crate) fn of(&mut self, server: Process, account: Account) -> &mut Booked {
        self.booked.entry((server, account)).or_default()
    }

    fn lease(&mut self, server: Process, account: Account, wanted: u64) -> Reply<Lease> {
        let lease = self
            .postgres
            .lease(account, self.quota[&account.0], wanted)?;
        self.of(server, account).leased += lease.granted.cast_signed();
        Ok((lease, self.postgres.timeline))
    }

    fn give_back(&mut self, server: Process, account: Account, unused: u64) -> Reply<()> {
        self.postgres.give_back(account, unused)?;
        self.of(server, account).leased -= unused.cast_signed();
        Ok(((), self.postgres.timeline))
    }
}

/// PostgreSQL.
pub(crate) struct Ledger {
    books: Mutex<Books>,
    weather: Mutex<Weather>,
    fault: Fault,
}

/// What a call of PostgreSQL returns, and on which timeline it was made.
type Reply<T> = Result<(T, u32), ReportsAwaited>;

impl Ledger {
    pub(crate) fn new(fault: Fault) -> Arc<Self> {
        Arc::new(Self {
            books: Mutex::new(Books {
                postgres: Postgres::new(fault == Fault::CarriedForgotten),
                ..Books::default()
            }),
            weather: Mutex::new(Weather::Calm),
            fault,
        })
    }

    pub(crate) fn books(&self) -> MutexGuard<'_, Books> {
        self.books.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn timeline(&self) -> u32 {
        self.books().postgres.timeline
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
    /// What this server knows to be charged.
    pub(crate) known: Arc<KnownCharges>,
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

fn refused(attempt: &'static str) -> KeyStoreError {
    KeyStoreError::Refused {
        attempt,
        location: location(),
        source: "it says no".into(),
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
    /// come. What reaches PostgreSQL after a failover went to the one that is gone.
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
        let mut fate = weather.fate();
        let timeline = self.ledger.timeline();
        turns::pass(weather.way());
        if timeline != self.ledger.timeline() {
            fate = Fate::LostBefore;
        }
        turns::note(|| format!("{attempt}: {fate:?}"));
        match fate {
            Fate::Answered => {
                let mut books = self.ledger.books();
                let done = work(&mut books);
                books.under_way += 1;
                drop(books);
                let on_its_way = OnItsWay {
                    ledger: &self.ledger,
                    lost: Some((done, lost)),
                };
                turns::pass(weather.way());
                Ok(on_its_way.arrives())
            }
            Fate::Refused => Err(refused(attempt)),
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
                    let is_gone = timeline != books.postgres.timeline;
                    let done = (!is_gone).then(|| work(&mut books));
                    lost(&mut books, done.as_ref());
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
        let mut books = self.ledger.books();
        books.under_way -= 1;
        if let Some((done, lost)) = self.lost.take() {
            lost(&mut books, Some(&done));
        }
    }
}

impl Reached {
    /// Reports what is known of earlier timelines. Which one it is, the polls of the keyring see.
    pub(crate) fn report(&self) {
        let here = self.ledger.timeline();
        if self.known.is_reported(here) {
            return;
        }
        // What fails is tried again at the next look.
        _ = self
            .known
            .report(here, |known| -> Result<_, KeyStoreError> {
                let accounts = known
                    .into_iter()
                    .map(|(id, period, charged)| ((id.0, period.start), charged));
                let (mut sent, mut believed) = (accounts.collect::<Vec<_>>(), None);
                if self.ledger.fault == Fault::NotReported {
                    believed = Some(sent.drain(..).map(|(_account, charged)| charged).collect());
                }
                let totals = self.call(
                    CHANGE,
                    move |books| {
                        (books.postgres.timeline == here).then(|| books.postgres.report(&sent))
                    },
                    |_, _| {},
                )?;
                let totals = totals.ok_or_else(|| failed(CHANGE))?;
                Ok(believed.unwrap_or(totals))
            });
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
                if let Some(Ok((lease, _timeline))) = lease {
                    books.of(server, account).lost += lease.granted.cast_signed();
                }
            },
        );
        let leased = leased.and_then(|reply| {
            let (lease, timeline) = reply.map_err(|ReportsAwaited| refused(CHANGE))?;
            self.known
                .note(subscription, period, lease.charged, timeline);
            Ok(lease)
        });
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
            move |books| books.postgres.charged(account),
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
        let give_back = || -> Result<(), KeyStoreError> {
            let note = self.known.give_back(subscription, period, unused);
            let given_back = self.call(
                CHANGE,
                move |books| books.give_back(server, account, unused),
                move |books, given_back| {
                    if !matches!(given_back, Some(Ok(_))) {
                        books.of(server, account).lost += unused.cast_signed();
                    }
                },
            )?;
            let ((), timeline) = given_back.map_err(|ReportsAwaited| refused(CHANGE))?;
            note(timeline);
            Ok(())
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
