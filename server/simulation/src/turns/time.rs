//! Time that passes without anybody waiting for it: pauses, limits and intervals, under the names
//! of the runtime's where the server's sources call them.

use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use tokio::time::MissedTickBehavior;

use super::{State, block_on, is_gone, now, table};

/// The current thread waits for that long.
pub fn pass(time: Duration) {
    if !is_gone() {
        block_on(sleep(time));
    }
}

/// A pause.
pub fn sleep(time: Duration) -> Sleep {
    let until = now().saturating_add(time);
    Sleep { until, timer: None }
}

/// A pause that ends at its time.
pub struct Sleep {
    until: Duration,
    timer: Option<(Duration, u64)>,
}

impl Sleep {
    /// What the timer would have woken, to be dropped once nothing is locked.
    fn forget_timer(&mut self, state: &mut State) -> Option<Waker> {
        let name = self.timer.take()?;
        state.timers.remove(&name)
    }
}

impl Future for Sleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let table = table();
        let _former;
        let mut state = table.lock();
        _former = self.forget_timer(&mut state);
        if self.until <= state.now {
            return Poll::Ready(());
        }
        self.timer = Some(state.set_timer(self.until, context.waker().clone()));
        Poll::Pending
    }
}

impl Drop for Sleep {
    fn drop(&mut self) {
        if self.timer.is_some() {
            let table = table();
            let _former = self.forget_timer(&mut table.lock());
        }
    }
}

/// The time was over first.
#[derive(Clone, Copy, Debug)]
pub struct Elapsed;

/// The outcome of `work`, unless `limit` is over first.
pub async fn timeout<F: Future>(limit: Duration, work: F) -> Result<F::Output, Elapsed> {
    let (mut work, mut limit) = (pin!(work), pin!(sleep(limit)));
    std::future::poll_fn(|context| {
        if let Poll::Ready(output) = work.as_mut().poll(context) {
            return Poll::Ready(Ok(output));
        }
        limit.as_mut().poll(context).map(|()| Err(Elapsed))
    })
    .await
}

/// Turns with a pause between them.
pub(crate) struct Interval {
    period: Duration,
    next: Duration,
}

/// The first turn is at once.
pub(crate) fn interval(period: Duration) -> Interval {
    let next = now();
    Interval { period, next }
}

impl Interval {
    /// Only the one there is here: the pause follows the turn, however late that is.
    #[expect(clippy::unused_self, reason = "it is called as in the runtime")]
    pub(crate) fn set_missed_tick_behavior(&mut self, behavior: MissedTickBehavior) {
        assert_eq!(behavior, MissedTickBehavior::Delay);
    }

    pub(crate) async fn tick(&mut self) {
        sleep(self.next.saturating_sub(now())).await;
        self.next = now().saturating_add(self.period);
    }
}
