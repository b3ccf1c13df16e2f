//! What PostgreSQL keeps of charges, with the rules of `version_2.sql`, and what an asynchronous
//! standby has of that when it takes over.

use std::collections::BTreeMap;
use std::time::Duration;

use shared::keys::ledger::Lease;
use simulation::turns;

/// A subscription and the start of a period.
pub(crate) type Account = (i64, i64);

/// For so long after the first report to a timeline nothing is leased or given back.
const REPORTED_WITHIN: Duration = Duration::from_secs(2);

/// Nothing was changed: servers report what they know first.
#[derive(Debug)]
pub(crate) struct ReportsAwaited;

/// A primary, and a standby that may be behind.
pub(crate) struct Postgres {
    pub(crate) timeline: u32,
    tables: Tables,
    /// What the standby has, where it receives nothing more.
    behind: Option<Tables>,
    /// A fault put in: nothing is carried over to a timeline.
    forgets_carried: bool,
}

#[derive(Clone, Default)]
struct Tables {
    rows: BTreeMap<Account, Row>,
    /// The timeline that was last counted on, and since when, but for the first.
    counted_on: Option<(u32, Option<Duration>)>,
}

#[derive(Clone, Copy, Default)]
struct Row {
    charged: u64,
    /// What was charged when `timeline` began.
    carried: u64,
    timeline: u32,
}

impl Row {
    fn on(&mut self, timeline: u32) -> &mut Self {
        if self.timeline != timeline {
            self.carried = self.charged;
            self.timeline = timeline;
        }
        self
    }
}

impl Default for Postgres {
    fn default() -> Self {
        Self::new(false)
    }
}

impl Postgres {
    pub(crate) fn new(forgets_carried: bool) -> Self {
        Self {
            timeline: 1,
            tables: Tables::default(),
            behind: None,
            forgets_carried,
        }
    }

    pub(crate) fn charged(&self, account: Account) -> u64 {
        self.tables.rows.get(&account).map_or(0, |row| row.charged)
    }

    /// From now on the standby receives nothing.
    pub(crate) fn cut_off_standby(&mut self) {
        self.behind = Some(self.tables.clone());
    }

    /// The primary is gone, and the standby takes over with what it has.
    pub(crate) fn fail_over(&mut self) {
        if let Some(behind) = self.behind.take() {
            self.tables = behind;
        }
        self.timeline += 1;
    }

    fn wait_for_reports(&self) -> Result<(), ReportsAwaited> {
        let Some((timeline, since)) = self.tables.counted_on else {
            return Ok(());
        };
        let is_new = since.is_some_and(|since| turns::now() < since + REPORTED_WITHIN);
        if timeline != self.timeline || is_new {
            return Err(ReportsAwaited);
        }
        Ok(())
    }

    pub(crate) fn lease(
        &mut self,
        account: Account,
        quota: u64,
        wanted: u64,
    ) -> Result<Lease, ReportsAwaited> {
        self.wait_for_reports()?;
        let row = self.row(account);
        let granted = wanted.min(quota.saturating_sub(row.charged));
        row.charged += granted;
        let charged = row.charged;
        Ok(Lease { granted, charged })
    }

    pub(crate) fn give_back(
        &mut self,
        account: Account,
        unused: u64,
    ) -> Result<(), ReportsAwaited> {
        self.wait_for_reports()?;
        let row = self.row(account);
        row.charged = row.charged.saturating_sub(unused);
        Ok(())
    }

    /// What a server knows of earlier timelines. What is charged now, for each.
    pub(crate) fn report(&mut self, known: &[(Account, u64)]) -> Vec<u64> {
        let here = self.timeline;
        let before = self.tables.counted_on;
        if before.is_none_or(|(timeline, _since)| timeline != here) {
            self.tables.counted_on = Some((here, before.map(|_| turns::now())));
        }
        let mut totals = Vec::new();
        for &(account, charged) in known {
            let row = self.row(account);
            let again = charged.saturating_sub(row.carried);
            row.charged += again;
            row.carried += again;
            totals.push(row.charged);
        }
        totals
    }

    fn row(&mut self, account: Account) -> &mut Row {
        let row = self
            .tables
            .rows
            .entry(account)
            .or_default()
            .on(self.timeline);
        if self.forgets_carried {
            row.carried = row.charged;
        }
        row
    }
}
