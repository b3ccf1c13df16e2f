//! What is charged to each quota, in the file that also holds the quotas.
//!
//! A commit waits for the disk several times, and a look for whoever changes the file, so those who
//! ask meanwhile are answered next, all together: many subscriptions cost hardly more than one.

use std::mem;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rusqlite::Transaction;

use crate::keys::ledger::{Lease, QuotaLedger};
use crate::keys::quota::Period;
use crate::keys::sqlite::database::{Database, Stop};
use crate::keys::sqlite::patience::Patience;
use crate::keys::sqlite::rows;
use crate::keys::store::KeyStoreError;
use crate::keys::subscription::SubscriptionId;

/// The quota ledger in the SQLite file at a path.
#[derive(Debug)]
pub struct SqliteLedger {
    path: PathBuf,
    /// What was asked and belongs to no transaction yet.
    asked: Mutex<Vec<Asked>>,
    /// Whoever has it answers all that was asked.
    turn: Mutex<()>,
}

#[derive(Debug)]
struct Asked {
    question: Question,
    answer: Answer,
}

/// What is said to one question.
type Answered = Result<Lease, KeyStoreError>;

/// Where the answer is put by whoever has the turn.
type Answer = Arc<Mutex<Option<Answered>>>;

#[derive(Clone, Copy, Debug)]
struct Question {
    subscription: SubscriptionId,
    period: Period,
    what: What,
}

#[derive(Clone, Copy, Debug)]
enum What {
    Look,
    Lease { wanted: u64 },
    GiveBack { unused: u64 },
}

impl SqliteLedger {
    /// The ledger in the file at `path`.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            asked: Mutex::default(),
            turn: Mutex::default(),
        }
    }

    /// Asks, together with everybody who asks at about the same time.
    fn ask(&self, question: Question) -> Answered {
        let answer = Answer::default();
        lock(&self.asked).push(Asked {
            question,
            answer: Arc::clone(&answer),
        });
        let turn = lock(&self.turn);
        if lock(&answer).is_none() {
            let all = mem::take(&mut *lock(&self.asked));
            self.answer_all(&all);
        }
        drop(turn);
        let answered = lock(&answer).take();
        answered.unwrap_or_else(|| unreachable!("every question is answered in its turn"))
    }

    /// The looks in one transaction, and the changes in another, so that either all of those
    /// happened or none.
    fn answer_all(&self, all: &[Asked]) {
        let is_look = |asked: &&Asked| matches!(asked.question.what, What::Look);
        let (looks, changes): (Vec<_>, Vec<_>) = all.iter().partition(is_look);
        if !looks.is_empty() {
            let found = self.on_current(|database| database.read(|at| answer_each(&looks, at)));
            tell(&looks, found);
        }
        if !changes.is_empty() {
            let made = self.on_current(|database| database.change(|at| answer_each(&changes, at)));
            tell(&changes, made);
        }
    }

    /// Works on the file that is at the path now: a charge to one that was moved away would be
    /// lost, and pages remembered of one that was overwritten would damage the new one.
    fn on_current<T>(
        &self,
        work: impl FnOnce(&mut Database) -> Result<T, KeyStoreError>,
    ) -> Result<T, KeyStoreError> {
        work(&mut Database::open(&self.path, Patience::OF_LEASES)?)
    }
}

impl QuotaLedger for SqliteLedger {
    fn lease(
        &self,
        subscription: SubscriptionId,
        period: Period,
        wanted: u64,
    ) -> Result<Lease, KeyStoreError> {
        self.ask(Question {
            subscription,
            period,
            what: What::Lease { wanted },
        })
    }

    fn charged(&self, subscription: SubscriptionId, period: Period) -> Result<u64, KeyStoreError> {
        let looked = self.ask(Question {
            subscription,
            period,
            what: What::Look,
        });
        looked.map(|lease| lease.charged)
    }

    fn give_back(
        &self,
        subscription: SubscriptionId,
        period: Period,
        unused: u64,
    ) -> Result<(), KeyStoreError> {
        let given_back = self.ask(Question {
            subscription,
            period,
            what: What::GiveBack { unused },
        });
        given_back.map(drop)
    }
}

impl Question {
    /// The inner error is an answer to this question; the outer one ends the transaction, and so is
    /// the answer to all.
    fn answer(self, transaction: &Transaction<'_>) -> Result<Answered, Stop> {
        let Self {
            subscription,
            period,
            what,
        } = self;
        let before = rows::charged(transaction, subscription, period)?;
        let (granted, charged) = match what {
            What::Look => (0, before),
            What::GiveBack { unused } => (0, before.saturating_sub(unused)),
            What::Lease { wanted } => {
                let Some(found) = rows::subscription_numbered(transaction, subscription)? else {
                    return Ok(Err(KeyStoreError::NoSubscriptionId { id: subscription }));
                };
                let granted = wanted.min(found.quota.saturating_sub(before));
                (granted, before + granted)
            }
        };
        if charged != before {
            rows::set_charged(transaction, subscription, period, charged)?;
        }
        Ok(Ok(Lease { granted, charged }))
    }
}

fn answer_each(asked: &[&Asked], transaction: &Transaction<'_>) -> Result<Vec<Answered>, Stop> {
    let answers = asked.iter().map(|asked| asked.question.answer(transaction));
    answers.collect()
}

/// A transaction that failed is the answer to all that were asked in it.
fn tell(asked: &[&Asked], answers: Result<Vec<Answered>, KeyStoreError>) {
    let answers = answers.unwrap_or_else(|error| vec![Err(error); asked.len()]);
    for (asked, answer) in asked.iter().zip(answers) {
        *lock(&asked.answer) = Some(answer);
    }
}

/// What is locked here is whole at every moment, so a panic elsewhere does not spoil it.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
