//! How long a request waits for the stores that count it.
//!
//! The embedded store has its own budget at each call. Shared stores may all be away at once, so
//! all waits of one request share one budget. Work in between does not use it.

use std::time::Duration;

use shared::base::clock::Clock;

/// How long a request waits for all shared stores together. A client gets a 503 within 300 ms; the
/// rest is for everything else.
pub const SHARED_WAIT_MAX: Duration = Duration::from_millis(250);

/// The time that one request may still wait.
pub(crate) struct WaitBudget<'a> {
    /// None if each store has its own budget.
    shared: Option<SharedBudget<'a>>,
}

struct SharedBudget<'a> {
    left: Duration,
    clock: &'a dyn Clock,
}

impl<'a> WaitBudget<'a> {
    /// Each store has its own.
    pub(crate) const fn per_store() -> Self {
        Self { shared: None }
    }

    /// One budget for all stores together.
    pub(crate) fn shared(left: Duration, clock: &'a dyn Clock) -> Self {
        let shared = Some(SharedBudget { left, clock });
        Self { shared }
    }

    /// Runs `ask` with the time that is left, which it must not exceed.
    pub(crate) async fn spend<T, F: Future<Output = T>>(
        &mut self,
        ask: impl FnOnce(Duration) -> F,
    ) -> T {
        let Some(shared) = &mut self.shared else {
            return ask(Duration::MAX).await;
        };
        let began = shared.clock.monotonic();
        let answer = ask(shared.left).await;
        let took = shared.clock.monotonic().saturating_sub(began);
        shared.left = shared.left.saturating_sub(took);
        answer
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;
    use shared::base::clock::ManualClock;

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    /// How long a call may take that takes `takes`.
    fn allowed(wait_budget: &mut WaitBudget<'_>, clock: &ManualClock, takes: Duration) -> Duration {
        let asked = wait_budget.spend(|left| async move {
            clock.advance(takes);
            left
        });
        asked.now_or_never().unwrap()
    }

    #[test]
    fn waits_are_paid_from_one_budget_and_work_in_between_is_free() {
        let clock = ManualClock::at(0);
        let mut wait_budget = WaitBudget::shared(3 * SECOND, &clock);
        assert_eq!(allowed(&mut wait_budget, &clock, SECOND), 3 * SECOND);
        clock.advance(60 * SECOND);
        assert_eq!(allowed(&mut wait_budget, &clock, 5 * SECOND), 2 * SECOND);
        assert_eq!(allowed(&mut wait_budget, &clock, SECOND), Duration::ZERO);
    }

    #[test]
    fn stores_with_a_budget_of_their_own_may_take_it_each_time() {
        let clock = ManualClock::at(0);
        let mut wait_budget = WaitBudget::per_store();
        for _time in 0..2 {
            assert_eq!(
                allowed(&mut wait_budget, &clock, 60 * SECOND),
                Duration::MAX
            );
        }
    }
}
