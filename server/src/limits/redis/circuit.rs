//! Whether Redis can be asked. It opens as soon as one call fails, so that no request waits for a
//! store known to be away, and the probe closes it once the store is back. The same probe notices
//! if it is another process than before, also without requests.
//!
//! Below, "open" and "closed" are about windows, not about the circuit: requests pass while there
//! are connections.

use std::sync::Arc;
use std::time::Duration;

use shared::base::clock::Clock;
use tokio::sync::{Notify, watch};

use super::address::RedisAddress;
use super::failure::RedisFailure;
use super::lines::{Begun, Lines};
use super::place::Place;
use super::scripts::Verdict;
use crate::base::error_chain::chain;
use arc_swap::ArcSwapOption as Swap;
use tokio::time::{MissedTickBehavior, interval, timeout};

/// Least time from one connect to the next: several fit into a second, but not more if connections
/// break at once.
const PROBE_INTERVAL: Duration = Duration::from_millis(200);
/// Pause between two checks of the process.
const LOOK_INTERVAL: Duration = Duration::from_secs(1);

/// The state of Redis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// Requests are counted.
    Counting,
    /// Counts may be lost, so every window counts as full for this long.
    Closed(Duration),
    /// It cannot be asked, and why.
    Away(String),
}

/// The connections in use, if any.
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

    /// The connections to use.
    pub(super) fn lines(&self) -> Option<Arc<Lines>> {
        self.lines.load_full()
    }

    /// The state of the store, and its changes.
    pub(super) fn state(&self) -> watch::Receiver<State> {
        self.state.subscribe()
    }

    /// Maintains the connections until it is dropped.
    pub(super) async fn keep(self: Arc<Self>) {
        let mut turn = interval(PROBE_INTERVAL);
        turn.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            if let Some(lines) = self.lines() {
                self.look(&lines).await;
            } else {
                turn.tick().await;
                // The reason is already logged.
                _ = self.connect().await;
            }
        }
    }

    /// Connects once.
    pub(super) async fn connect(&self) -> Result<(), RedisFailure> {
        let connected = self.place.connect(&*self.clock).await;
        let (lines, begun) = connected.inspect_err(|why| self.lose(why))?;
        let lines = Arc::new(lines);
        self.lines.store(Some(Arc::clone(&lines)));
        self.note(&lines.server.address, begun);
        Ok(())
    }

    /// Checks once, after a pause, unless connections break before.
    async fn look(&self, lines: &Arc<Lines>) {
        let is_broken = timeout(LOOK_INTERVAL, self.broken.notified()).await.is_ok();
        if is_broken {
            return;
        }
        match lines.look(&self.place, &*self.clock).await {
            Ok(begun) => self.note(&lines.server.address, begun),
            Err(why) => self.break_off(lines, &why),
        }
    }

    /// Records how counting continues in this server.
    fn note(&self, server: &RedisAddress, begun: Begun) {
        if begun.closed_for.is_zero() {
            let was_counting = *self.state.borrow() == State::Counting;
            self.change(State::Counting);
            if !was_counting {
                tracing::info!("minute limits are counted in {server}");
            }
            return;
        }
        let was_closed = matches!(*self.state.borrow(), State::Closed(_));
        if !was_closed {
            warn_of_closed(server, begun);
        }
        self.change(State::Closed(begun.closed_for));
    }

    /// Gives up these connections, for this reason.
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

    /// Records that the store cannot be asked, for this reason.
    fn lose(&self, why: &RedisFailure) {
        self.change(State::Away(chain(why)));
    }

    /// A state that does not change is logged once.
    fn change(&self, new: State) {
        let before = self.state.borrow().clone();
        match (&before, &new) {
            (State::Away(one), State::Away(other)) if one == other => {}
            (_, State::Away(why)) => {
                tracing::warn!("minute limits cannot be counted, so requests get 503: {why}");
            }
            _ => {}
        }
        self.state.send_replace(new);
    }
}

fn warn_of_closed(server: &RedisAddress, begun: Begun) {
    let seconds = begun.closed_for.as_secs() + 1;
    let why = match begun.verdict {
        Verdict::New => {
            "nothing is known of what was counted there; of a new one, `catalogue limits init` says so"
        }
        Verdict::Restarted => "it was restarted or replaced, and may forget what it answered",
        Verdict::Stepped => "its clock was put forward, after which requests leave too early",
        Verdict::FailedOver => {
            "a failover made it the master, and it may not have all that the former one counted"
        }
        _ => "another server has found that out",
    };
    tracing::warn!(
        "requests get 503 for {seconds} s, because counts in {server} may be lost: {why}"
    );
}
