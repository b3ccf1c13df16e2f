//! How long a request waits for the stores that count it.
//!
//! The embedded store has its own patience each time it is asked. Stores that servers share may all
//! be away at once: then the waits of one request are paid from one purse. Work in between costs
//! nothing of it.

use std::time::Duration;

use shared::base::clock::Clock;

/// How long a request waits for all shared stores together: the rest of the 300 ms within which a
/// client hears that the service is unavailable is for everything else.
pub const SHARED_WAIT_MAX: Duration = Duration::from_millis(250);

/// What one request has left to wait.
pub(crate) struct Patience<'a> {
    /// Nothing where each store has a patience of its own.
    purse: Option<Purse<'a>>,
}

struct Purse<'a> {
    left: Duration,
    clock: &'a dyn Clock,
}

impl<'a> Patience<'a> {
    /// Each store has its own.
    pub(crate) const fn of_each() -> Self {
        Self { purse: None }
    }

    /// So much for all of them together.
    pub(crate) fn of_all(left: Duration, clock: &'a dyn Clock) -> Self {
        let purse = Some(Purse { left, clock });
        Self { purse }
    }

    /// Asks for something that takes no longer than what is left, which it is told.
    pub(crate) async fn spend<T, F: Future<Output = T>>(
        &mut self,
        ask: impl FnOnce(Duration) -> F,
    ) -> T {
        let Some(purse) = &mut self.purse else {
            return ask(Duration::MAX).await;
        };
        let began = purse.clock.monotonic();
        let answer = ask(purse.left).await;
        let took = purse.clock.monotonic().saturating_sub(began);
        purse.left = purse.left.saturating_sub(took);
        answer
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;
    use shared::base::clock::ManualClock;

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    /// What a question is told that it may take, where it takes that long.
    fn told(patience: &mut Patience<'_>, clock: &ManualClock, takes: Duration) -> Duration {
        let asked = patience.spend(|left| async move {
            clock.advance(takes);
            left
        });
        asked.now_or_never().unwrap()
    }

    #[test]
    fn waits_are_paid_from_one_purse_and_work_in_between_is_free() {
        let clock = ManualClock::at(0);
        let mut patience = Patience::of_all(3 * SECOND, &clock);
        assert_eq!(told(&mut patience, &clock, SECOND), 3 * SECOND);
        clock.advance(60 * SECOND);
        assert_eq!(told(&mut patience, &clock, 5 * SECOND), 2 * SECOND);
        assert_eq!(told(&mut patience, &clock, SECOND), Duration::ZERO);
    }

    #[test]
    fn stores_with_a_patience_of_their_own_may_take_it_each_time() {
        let clock = ManualClock::at(0);
        let mut patience = Patience::of_each();
        for _time in 0..2 {
            assert_eq!(told(&mut patience, &clock, 60 * SECOND), Duration::MAX);
        }
    }
}
