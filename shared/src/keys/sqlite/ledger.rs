//! What is charged to each quota, in the file that also holds the quotas.
//!
//! A commit waits for the disk several times, and a query waits for a running change. So the
//! requests that arrive meanwhile run next, all together: many subscriptions cost hardly more than
//! one.

use std::mem;
use std::path::PathBuf;
use std::sync::Arc;

use parking_lot::Mutex;

use crate::keys::ledger::{Lease, QuotaLedger};
use crate::keys::quota::Period;
use crate::keys::sqlite::database::{Database, LockTimeout};
use crate::keys::sqlite::failure::failed;
use crate::keys::statements;
use crate::keys::store::{CHANGE, KeyStoreError};
use crate::keys::subscription::SubscriptionId;
use crate::keys::transaction::{Access, Transaction};

/// The quota ledger in the SQLite file at a path.
#[derive(Debug)]
pub struct SqliteLedger {
    path: PathBuf,
    /// Requests that are not in a transaction yet.
    pending: Mutex<Vec<Pending>>,
    /// Its holder runs all that are pending.
    turn: Mutex<()>,
}

#[derive(Debug)]
struct Pending {
    request: Request,
    reply: Reply,
}

type Outcome = Result<Lease, KeyStoreError>;

/// The outcome of what takes nothing.
const NOTHING: Lease = Lease {
    granted: 0,
    charged: 0,
};

/// Where the holder of the turn puts the outcome.
type Reply = Arc<Mutex<Option<Outcome>>>;

#[derive(Clone, Copy, Debug)]
struct Request {
    subscription: SubscriptionId,
    period: Period,
    operation: Operation,
}

#[derive(Clone, Copy, Debug)]
enum Operation {
    Read,
    Lease { wanted: u64 },
    GiveBack { unused: u64 },
}

impl SqliteLedger {
    /// The ledger in the file at `path`.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            pending: Mutex::default(),
            turn: Mutex::default(),
        }
    }

    /// Runs a request, together with all others made at about the same time.
    fn request(&self, request: Request) -> Outcome {
        let reply = Reply::default();
        self.pending.lock().push(Pending {
            request,
            reply: Arc::clone(&reply),
        });
        let turn = self.turn.lock();
        if reply.lock().is_none() {
            let pending = mem::take(&mut *self.pending.lock());
            self.run_all(&pending);
        }
        drop(turn);
        let outcome = reply.lock().take();
        // Whoever took it into a transaction panicked, perhaps after the commit.
        outcome.unwrap_or_else(|| Err(failed(CHANGE, &self.path, "the transaction broke off")))
    }

    /// Runs the reads in one transaction and the changes in another, so that all changes happen
    /// or none.
    fn run_all(&self, pending: &[Pending]) {
        let is_read = |pending: &&Pending| matches!(pending.request.operation, Operation::Read);
        let (reads, changes): (Vec<_>, Vec<_>) = pending.iter().partition(is_read);
        self.run(&reads, Access::Read);
        // Charging must work on a full disk, as long as the reserve lasts.
        self.run(&changes, Access::UrgentChange);
    }

    /// Works on the file that is at the path now: a charge to a file that was moved away would be
    /// lost, and cached pages of an overwritten file would damage the new one. If the transaction
    /// fails, all of its requests do.
    fn run(&self, pending: &[&Pending], access: Access) {
        if pending.is_empty() {
            return;
        }
        let database = Database::open(&self.path, LockTimeout::LEASES);
        let outcomes = database.and_then(|mut database| {
            database.transact(access, |transaction| {
                let requests = pending.iter().map(|pending| pending.request);
                requests.map(|request| request.run(transaction)).collect()
            })
        });
        let outcomes = outcomes.unwrap_or_else(|error| vec![Err(error); pending.len()]);
        for (pending, outcome) in pending.iter().zip(outcomes) {
            *pending.reply.lock() = Some(outcome);
        }
    }
}

impl QuotaLedger for SqliteLedger {
    fn lease(
        &self,
        subscription: SubscriptionId,
        period: Period,
        wanted: u64,
    ) -> Result<Lease, KeyStoreError> {
        self.request(Request {
            subscription,
            period,
            operation: Operation::Lease { wanted },
        })
    }

    fn charged(&self, subscription: SubscriptionId, period: Period) -> Result<u64, KeyStoreError> {
        let read = self.request(Request {
            subscription,
            period,
            operation: Operation::Read,
        });
        read.map(|lease| lease.charged)
    }

    fn give_back(
        &self,
        subscription: SubscriptionId,
        period: Period,
        unused: u64,
    ) -> Result<(), KeyStoreError> {
        let given_back = self.request(Request {
            subscription,
            period,
            operation: Operation::GiveBack { unused },
        });
        given_back.map(drop)
    }
}

impl Request {
    /// The inner error is the outcome of this request; the outer one ends the transaction, and so
    /// is the outcome of all.
    fn run(self, transaction: &dyn Transaction) -> Result<Outcome, KeyStoreError> {
        let (subscription, period) = (self.subscription, self.period);
        Ok(match self.operation {
            Operation::Read => Ok(Lease {
                granted: 0,
                charged: statements::charged(transaction, subscription, period)?,
            }),
            Operation::Lease { wanted } => {
                let leased = statements::lease(transaction, subscription, period, wanted)?;
                leased.ok_or(KeyStoreError::NoSubscriptionId { id: subscription })
            }
            Operation::GiveBack { unused } => {
                statements::give_back(transaction, subscription, period, unused)?;
                Ok(NOTHING)
            }
        })
    }
}

#[cfg(test)]
mod tests;
