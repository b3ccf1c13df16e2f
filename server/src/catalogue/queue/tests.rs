//! A queue before work that runs until the test ends it, with a clock that the test moves.

use std::sync::mpsc::{Receiver, Sender, channel};

use futures_util::FutureExt;
use tokio::time::advance;

use super::*;

const LIMITS: QueueLimits = QueueLimits {
    waiting_max: 2,
    waiting: Duration::from_secs(1),
    working: Duration::from_secs(3),
};

fn queue() -> Queue {
    Queue::new("query", 1, LIMITS)
}

/// Work that signals one channel when it begins, and ends when the other is sent to or dropped.
fn occupation() -> (
    impl FnOnce() + Send + use<>,
    Receiver<&'static str>,
    Sender<()>,
) {
    let ((begun, has_begun), (go, wait)) = (channel(), channel());
    let work = move || {
        begun.send("begun").unwrap();
        let _told = wait.recv();
    };
    (work, has_begun, go)
}

/// Runs `test` while the only turn of a queue is taken.
async fn while_occupied(queue: &Queue, test: impl AsyncFnOnce()) {
    let (work, has_begun, go) = occupation();
    let mut occupying = Box::pin(queue.run(work));
    assert!(occupying.as_mut().now_or_never().is_none());
    has_begun.recv().unwrap();
    test().await;
    drop(go);
    let _ended = occupying.await;
}

#[tokio::test(start_paused = true)]
async fn whose_turn_does_not_come_in_time_is_refused_and_leaves_its_place() {
    let queue = &queue();
    while_occupied(queue, async || {
        for _ in 0..=LIMITS.waiting_max {
            let mut waiting = Box::pin(queue.run(|| ()));
            assert_eq!(waiting.as_mut().now_or_never(), None);
            advance(LIMITS.waiting / 2).await;
            assert_eq!(waiting.as_mut().now_or_never(), None);
            advance(LIMITS.waiting / 2).await;
            let late = QueueError::WaitedTooLong {
                what: "query",
                waiting: LIMITS.waiting,
            };
            assert_eq!(waiting.await, Err(late));
        }
    })
    .await;
    assert_eq!(queue.run(|| 1).await, Ok(1));
}

#[tokio::test(start_paused = true)]
async fn work_that_takes_too_long_is_given_up_and_keeps_its_turn_until_it_ends() {
    let queue = &queue();
    let (work, has_begun, go) = occupation();
    let mut slow = Box::pin(queue.run(work));
    assert_eq!(slow.as_mut().now_or_never(), None);
    has_begun.recv().unwrap();
    advance(LIMITS.working).await;
    let late = QueueError::TookTooLong {
        what: "query",
        working: LIMITS.working,
    };
    assert_eq!(slow.await, Err(late));

    let mut next = Box::pin(queue.run(|| 1));
    assert_eq!(next.as_mut().now_or_never(), None);
    drop(go);
    assert_eq!(next.await, Ok(1));
}

#[tokio::test]
async fn work_whose_turn_has_not_come_is_not_done_for_who_went_away() {
    let queue = &queue();
    let (done, was_done) = channel();
    while_occupied(queue, async || {
        let mut waiting = Box::pin(queue.run(move || done.send(())));
        assert!(waiting.as_mut().now_or_never().is_none());
    })
    .await;
    assert_eq!(queue.run(|| 1).await, Ok(1));
    was_done.recv().unwrap_err();
}

#[test]
fn a_runtime_that_stops_begins_no_work() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let handle = runtime.handle().clone();
    drop(runtime);
    let _in_runtime = handle.enter();
    let refused = queue().run(|| ()).now_or_never();
    assert_eq!(refused, Some(Err(QueueError::Stopping { what: "query" })));
}

#[test]
fn the_usual_limits_keep_nobody_waiting_for_longer_than_a_client_would() {
    let QueueLimits {
        waiting_max,
        waiting,
        working,
    } = QueueLimits::default();
    assert_eq!(waiting_max, 256);
    // First the wait for an identical list that failed, then the same for its own.
    let longest = 2 * (waiting + working);
    assert_eq!(longest, Duration::from_millis(6_500));
}
