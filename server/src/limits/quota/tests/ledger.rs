//! A ledger in memory that can be slow, fail and panic.

use std::collections::HashMap;
use std::sync::mpsc::Receiver;

use parking_lot::MutexGuard;
use shared::keys::ledger::Lease;
use shared::keys::store::{CHANGE, Location};

use super::*;

/// Units by the start of their period.
pub(super) type Units = HashMap<i64, u64>;

/// Counts leases as a store does; every subscription has the same quota.
#[derive(Default)]
pub(super) struct MemoryLedger(Mutex<Ledger>);

#[derive(Default)]
pub(super) struct Ledger {
    pub(super) quota: u64,
    charged: HashMap<(SubscriptionId, i64), u64>,
    pub(super) leases: usize,
    pub(super) questions: usize,
    pub(super) trouble: Trouble,
    /// Units that nobody has: leased by a lost reply, or not taken back.
    pub(super) lost: Units,
    /// How many more times another process has it locked.
    pub(super) busy: u32,
    /// While set, the next call waits for a message or for the end of the sender.
    pub(super) gate: Option<Receiver<()>>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Trouble {
    #[default]
    None,
    /// It changes nothing, and does not say so.
    Fails,
    /// It does what it is asked, and its reply is lost.
    LosesReplies,
    Locked,
    Panics,
}

fn failed() -> KeyStoreError {
    KeyStoreError::Failed {
        attempt: CHANGE,
        location: Location::File("here".to_owned()),
        source: "broken".into(),
    }
}

impl MemoryLedger {
    pub(super) fn with_quota(quota: u64) -> Arc<Self> {
        let ledger = Self::default();
        ledger.lock().quota = quota;
        Arc::new(ledger)
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Ledger> {
        self.0.lock()
    }

    pub(super) fn charged_in_all(&self) -> u64 {
        self.lock().charged.values().sum()
    }

    /// What the first subscription is charged.
    pub(super) fn charged_by_period(&self) -> Units {
        let ledger = self.lock();
        let of_first = ledger.charged.iter().filter(|((id, _), _)| id.0 == 1);
        of_first
            .map(|((_, start), charged)| (*start, *charged))
            .collect()
    }

    /// What is charged in the period of that moment.
    pub(super) fn charged_at(&self, unix_seconds: i64) -> u64 {
        let period = subscription(1, 0).period(unix_seconds);
        let charged = self.charged_by_period();
        charged.get(&period.start).copied().unwrap_or(0)
    }

    /// The ledger, once the gate is open, unless it fails.
    fn answering(&self) -> Result<MutexGuard<'_, Ledger>, KeyStoreError> {
        let gate = self.lock().gate.take();
        if let Some(gate) = gate {
            let _opened = gate.recv();
        }
        let mut ledger = self.lock();
        let trouble = match ledger.busy {
            0 => ledger.trouble,
            _ => Trouble::Locked,
        };
        ledger.busy = ledger.busy.saturating_sub(1);
        match trouble {
            Trouble::None | Trouble::LosesReplies => Ok(ledger),
            Trouble::Fails => Err(failed()),
            Trouble::Locked => Err(KeyStoreError::Locked {
                attempt: "open",
                location: Location::File("here".to_owned()),
                source: "locked".into(),
            }),
            Trouble::Panics => panic!("this ledger is made to panic"),
        }
    }
}

impl QuotaLedger for MemoryLedger {
    fn lease(
        &self,
        id: SubscriptionId,
        period: Period,
        wanted: u64,
    ) -> Result<Lease, KeyStoreError> {
        let mut ledger = self.answering()?;
        ledger.leases += 1;
        let quota = ledger.quota;
        let charged = ledger.charged.entry((id, period.start)).or_default();
        let granted = wanted.min(quota.saturating_sub(*charged));
        *charged += granted;
        let charged = *charged;
        if ledger.trouble == Trouble::LosesReplies {
            *ledger.lost.entry(period.start).or_default() += granted;
            return Err(failed());
        }
        Ok(Lease { granted, charged })
    }

    fn charged(&self, id: SubscriptionId, period: Period) -> Result<u64, KeyStoreError> {
        let mut ledger = self.answering()?;
        ledger.questions += 1;
        Ok(ledger
            .charged
            .get(&(id, period.start))
            .copied()
            .unwrap_or(0))
    }

    fn give_back(
        &self,
        id: SubscriptionId,
        period: Period,
        unused: u64,
    ) -> Result<(), KeyStoreError> {
        let mut ledger = self.answering().inspect_err(|error| {
            if !error.is_known_unchanged() {
                *self.lock().lost.entry(period.start).or_default() += unused;
            }
        })?;
        let charged = ledger.charged.get_mut(&(id, period.start)).unwrap();
        *charged = charged.checked_sub(unused).unwrap();
        match ledger.trouble {
            Trouble::LosesReplies => Err(failed()),
            _ => Ok(()),
        }
    }
}
