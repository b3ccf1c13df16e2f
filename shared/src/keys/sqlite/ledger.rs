//! What is charged to each quota, in the file that also holds the quotas.
//!
//! A commit waits for the disk several times, so those who ask while one is made are answered by
//! the next one, all together: many subscriptions cost hardly more than one.

use std::mem;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rusqlite::{Transaction, params};

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
    /// What was asked and belongs to no commit yet.
    asked: Mutex<Vec<Asked>>,
    /// Whoever has it answers all that was asked.
    turn: Mutex<()>,
}

#[derive(Debug)]
struct Asked {
    question: Question,
    answer: Answer,
}

/// Where the answer is put by whoever has the turn.
type Answer = Arc<Mutex<Option<Result<Lease, KeyStoreError>>>>;

#[derive(Clone, Copy, Debug)]
struct Question {
    subscription: SubscriptionId,
    period: Period,
    what: What,
}

#[derive(Clone, Copy, Debug)]
enum What {
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
    fn ask(&self, question: Question) -> Result<Lease, KeyStoreError> {
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

    /// In one transaction, so that either all of it happened or none.
    fn answer_all(&self, all: &[Asked]) {
        let answers = self.on_current(|database| {
            database.change(|transaction| {
                let answers = all.iter().map(|asked| asked.question.answer(transaction));
                answers.collect::<Result<Vec<_>, _>>()
            })
        });
        let answers = answers.unwrap_or_else(|error| vec![Err(error); all.len()]);
        for (asked, answer) in all.iter().zip(answers) {
            *lock(&asked.answer) = Some(answer);
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

    /// Waits for the turn, and not for SQLite's lock again and again.
    fn charged(&self, subscription: SubscriptionId, period: Period) -> Result<u64, KeyStoreError> {
        let _turn = lock(&self.turn);
        self.on_current(|database| {
            database.read(|transaction| Ok(rows::charged(transaction, subscription, period)?))
        })
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
    fn answer(self, transaction: &Transaction<'_>) -> Result<Result<Lease, KeyStoreError>, Stop> {
        let Self {
            subscription,
            period,
            what,
        } = self;
        let before = rows::charged(transaction, subscription, period)?;
        let (granted, charged) = match what {
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
            let sql = "INSERT INTO usage (subscription, period_start, period_end, charged)
                VALUES (?1, ?2, ?3, ?4)
                ON CONFLICT DO UPDATE SET charged = excluded.charged";
            let number = charged.cast_signed();
            transaction.execute(
                sql,
                params![subscription.0, period.start, period.end, number],
            )?;
        }
        Ok(Ok(Lease { granted, charged }))
    }
}

/// What is locked here is whole at every moment, so a panic elsewhere does not spoil it.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
