//! Whether Redis can be asked: open as soon as one question fails, so that no request waits for a
//! store that is known to be away, and closed again by the probe that finds it back. The same probe
//! notices when it is no longer the one that counting began in, also while no request comes.
//!
//! "Open" and "closed" are said of windows here, not of the circuit: requests pass while there are
//! connections.

use std::sync::Arc;
use std::time::Duration;

use shared::base::clock::Clock;
use tokio::sync::{Notify, watch};
use tokio::time::{MissedTickBehavior, interval, sleep};

use super::failure::RedisFailure;
use super::lines::{Begun, Lines, Place};
use super::scripts::Verdict;
use crate::base::error_chain::chain;
use crate::base::primitives::Swap;

/// From one connecting to the next at least: several fit into a second, and no more where what is
/// connected breaks off again at once.
const PROBE_INTERVAL: Duration = Duration::from_millis(200);
/// Pause between two looks whether all is as it was.
const LOOK_INTERVAL: Duration = Duration::from_secs(1);

/// How Redis stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// Requests are counted.
    Counting,
    /// Counts may be lost, so every window counts as full for so long.
    Closed(Duration),
    /// It cannot be asked, and why.
    Away(String),
}

/// The connections that are used, if there are any.
pub(super) struct Circuit {
    pub(super) place: Place,
    pub(super) clock: Arc<dyn Clock>,
    lines: Swap<Lines>,
    /// Wakes the probe that looks for the store.
    broken: Notify,
    state: watch::Sender<State>,
}

impl Circuit {
    /// A circuit without connections.
    pub(super) fn new(place: Place, clock: Arc<dyn Clock>) -> Self {
        let state = State::Away("it was not asked yet".to_owned());
        Self {
            place,
            clock,
            lines: Swap::default(),
            broken: Notify::new(),
            state: watch::Sender::new(state),
        }
    }

    /// The connections to ask on.
    pub(super) fn lines(&self) -> Option<Arc<Lines>> {
        self.lines.load_full()
    }

    /// How the store stands, and every change of that.
    pub(super) fn state(&self) -> watch::Receiver<State> {
        self.state.subscribe()
    }

    /// Looks after the connections until it is dropped.
    pub(super) async fn keep(self: Arc<Self>) {
        let mut turn = interval(PROBE_INTERVAL);
        turn.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            if let Some(lines) = self.lines() {
                self.look(&lines).await;
            } else {
                turn.tick().await;
                // Why not is logged already.
                _ = self.connect().await;
            }
        }
    }

    /// Connects once.
    pub(super) async fn connect(&self) -> Result<(), RedisFailure> {
        let connecting = self.place.connect(&*self.clock);
        let (lines, begun) = self
            .place
            .in_time(connecting)
            .await
            .inspect_err(|why| self.lose(why))?;
        self.lines.store(Some(Arc::new(lines)));
        self.note(begun);
        Ok(())
    }

    /// Looks once, after a pause, unless connections break off before.
    async fn look(&self, lines: &Arc<Lines>) {
        tokio::select! {
            () = self.broken.notified() => return,
            () = sleep(LOOK_INTERVAL) => {}
        }
        let looking = lines.look(&self.place, &*self.clock);
        match self.place.in_time(looking).await {
            Ok(begun) => self.note(begun),
            Err(why) => self.break_off(lines, &why),
        }
    }

    /// Takes in how counting goes on.
    fn note(&self, begun: Begun) {
        if begun.closed_for.is_zero() {
            self.change(State::Counting);
            return;
        }
        let was_closed = matches!(*self.state.borrow(), State::Closed(_));
        if !was_closed {
            self.warn_of_closed(begun);
        }
        self.change(State::Closed(begun.closed_for));
    }

    /// Why no request uses these connections any more.
    pub(super) fn break_off(&self, lines: &Arc<Lines>, why: &RedisFailure) {
        let before = self.lines.compare_and_swap(lines, None);
        if before
            .as_ref()
            .is_some_and(|before| Arc::ptr_eq(before, lines))
        {
            self.lose(why);
            self.broken.notify_one();
        }
    }

    /// The store cannot be asked, because of this.
    fn lose(&self, why: &RedisFailure) {
        self.change(State::Away(chain(why)));
    }

    /// A store that stays as it is is logged once.
    fn change(&self, new: State) {
        let before = self.state.borrow().clone();
        match (&before, &new) {
            (State::Away(one), State::Away(other)) if one == other => {}
            (_, State::Away(why)) => {
                tracing::warn!("minute limits cannot be counted, so requests get 503: {why}");
            }
            (State::Away(_) | State::Closed(_), State::Counting) => {
                tracing::info!("minute limits are counted in {}", self.place.address);
            }
            _ => {}
        }
        self.state.send_replace(new);
    }

    fn warn_of_closed(&self, begun: Begun) {
        let (address, seconds) = (&self.place.address, begun.closed_for.as_secs() + 1);
        let why = match begun.verdict {
            Verdict::New => {
                "nothing is known of what was counted there; of a new one, `catalogue limits init` says \
                 so"
            }
            Verdict::Restarted => "it was restarted or replaced, and may forget what it answered",
            Verdict::Stepped => "its clock was put forward, after which requests leave too early",
            _ => "another server has found that out",
        };
        tracing::warn!(
            "requests get 503 for {seconds} s, because counts in {address} may be lost: {why}"
        );
    }
}
