//! A pool over an empty release: queries that never end, queries that panic, and callers who go
//! away.

use std::panic::AssertUnwindSafe;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use futures_util::FutureExt;
use shared::release::throttle::Unthrottled;
use tokio::time::{advance, pause, resume};

use super::*;

mod escapes;

/// Would take DuckDB centuries.
const ENDLESS: &str = "SELECT count(*) FROM range(1000000000) AS a, range(1000000000) AS b
    WHERE (a.range * b.range) % 7 = 3";

/// Limits so long that a slow machine is never refused.
const PATIENT: QueueLimits = QueueLimits {
    waiting_max: 1000,
    waiting: Duration::from_hours(1),
    working: Duration::from_hours(1),
};

fn pool(connections: usize) -> Pool {
    Pool::load(&Listing::default(), connections, PATIENT, &Unthrottled).unwrap()
}

fn select(connection: &Connection, sql: &str) -> Result<i64, QueryError> {
    let mut statement = connection.prepare_cached(sql)?;
    Ok(statement.query_row([], |row| row.get(0))?)
}

async fn count(pool: &Pool) -> Result<i64, QueryError> {
    let count = |connection: &Connection| select(connection, "SELECT count(*) FROM boats_by_model");
    pool.run(count).await
}

type Ask = Box<dyn FnOnce(&Connection) -> Result<i64, QueryError> + Send>;

/// A query that never ends by itself; the receiver knows when it has begun, and the outcome.
fn endless() -> (Ask, Receiver<()>, Receiver<Result<i64, QueryError>>) {
    let ((begun, has_begun), (ended, outcome)) = (channel(), channel());
    let ask = move |connection: &Connection| {
        begun.send(()).unwrap();
        // The caller may be gone, so the test is notified too.
        ended.send(select(connection, ENDLESS)).unwrap();
        Ok(0)
    };
    (Box::new(ask), has_begun, outcome)
}

/// Waits, without keeping the runtime from interrupting again.
async fn received<T: Send + 'static>(receiver: Receiver<T>) -> T {
    let told = tokio::task::spawn_blocking(move || receiver.recv());
    told.await.unwrap().unwrap()
}

fn check_interrupted(outcome: Result<i64, QueryError>) {
    let Err(QueryError::DuckDb(why)) = outcome else {
        panic!("{outcome:?}");
    };
    assert!(why.to_string().contains("Interrupted"), "{why}");
}

#[tokio::test]
async fn a_query_is_interrupted_when_nobody_waits_for_it_and_its_connection_works_again() {
    let pool = pool(1);
    for _ in 0..20 {
        let (ask, has_begun, outcome) = endless();
        let mut running = Box::pin(pool.run(ask));
        assert!(running.as_mut().now_or_never().is_none());
        received(has_begun).await;
        drop(running);
        check_interrupted(received(outcome).await);
        assert_eq!(count(&pool).await.unwrap(), 0);
    }
}

#[tokio::test]
async fn a_query_is_given_up_and_interrupted_when_it_takes_too_long() {
    let pool = pool(1);
    let (ask, has_begun, outcome) = endless();
    let mut running = Box::pin(pool.run(ask));
    assert!(running.as_mut().now_or_never().is_none());
    received(has_begun).await;
    pause();
    advance(PATIENT.working).await;
    resume();
    let given_up = running.await;
    let late = QueueError::TookTooLong {
        what: "list query",
        working: PATIENT.working,
    };
    assert!(matches!(given_up, Err(QueryError::Queue(why)) if why == late));
    check_interrupted(received(outcome).await);
    assert_eq!(count(&pool).await.unwrap(), 0);
}

/// DuckDB forgets the interrupt that comes while no statement runs.
#[tokio::test]
async fn a_query_that_is_between_two_statements_when_it_is_stopped_does_not_escape() {
    let pool = pool(1);
    let ((between, is_between), (go_on, wait)) = (channel(), channel::<()>());
    let (endless, has_begun, outcome) = endless();
    let ask = move |connection: &Connection| {
        select(connection, "SELECT 1")?;
        between.send(()).unwrap();
        let _told = wait.recv();
        endless(connection)
    };
    let mut running = Box::pin(pool.run(ask));
    assert!(running.as_mut().now_or_never().is_none());
    received(is_between).await;
    drop(running);
    go_on.send(()).unwrap();
    received(has_begun).await;
    check_interrupted(received(outcome).await);
    assert_eq!(count(&pool).await.unwrap(), 0);
}

/// Callers who go away at any moment of queries that end at any moment: the next caller's query on
/// the same connection is never the one that is interrupted.
#[tokio::test]
async fn an_interrupt_never_meets_the_next_query() {
    let pool = pool(1);
    for round in 0..500 {
        let (go, wait) = channel::<()>();
        let short = move |connection: &Connection| {
            wait.recv().unwrap();
            select(connection, "SELECT count(*) FROM range(5000)")
        };
        let mut running = Box::pin(pool.run(short));
        assert!(running.as_mut().now_or_never().is_none());
        go.send(()).unwrap();
        for _ in 0..round * 20 {
            std::hint::spin_loop();
        }
        drop(running);
        let next = |connection: &Connection| {
            let numbers = "SELECT count(*) FROM range(20000)";
            Ok::<_, QueryError>([select(connection, numbers)?, select(connection, numbers)?])
        };
        assert_eq!(pool.run(next).await.unwrap(), [20_000, 20_000], "{round}");
    }
}

#[test]
fn a_query_that_has_a_turn_but_no_thread_yet_is_not_begun_for_who_went_away() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .max_blocking_threads(1)
        .build()
        .unwrap();
    runtime.block_on(async {
        let pool = pool(1);
        let (go, wait) = channel::<()>();
        let occupied = tokio::task::spawn_blocking(move || wait.recv());
        let (ask, has_begun, _outcome) = endless();
        let mut waiting = Box::pin(pool.run(ask));
        assert!(waiting.as_mut().now_or_never().is_none());
        drop(waiting);
        go.send(()).unwrap();
        occupied.await.unwrap().unwrap();
        assert_eq!(count(&pool).await.unwrap(), 0);
        has_begun.recv().unwrap_err();
    });
}

/// Panics before its first statement, or while it reads the rows of one.
fn broken(at_a_row: bool) -> impl FnOnce(&Connection) -> Result<(), QueryError> + Send {
    move |connection| {
        if at_a_row {
            let mut rows = connection.prepare_cached("SELECT range FROM range(10000)")?;
            rows.query_map([], |_| -> duckdb::Result<()> { panic!("a fixed message") })?
                .for_each(drop);
        }
        panic!("a fixed message")
    }
}

#[tokio::test]
async fn a_panic_goes_on_in_the_caller_and_costs_one_query() {
    let pool = pool(2);
    for at_a_row in [false, true].repeat(5) {
        let payload = AssertUnwindSafe(pool.run(broken(at_a_row))).catch_unwind();
        let payload = payload.await.unwrap_err();
        assert_eq!(payload.downcast_ref(), Some(&"a fixed message"));
    }
    assert_eq!(pool.connections.lock().len(), 2);
    // Both connections, at the same time.
    let ((first, is_first), (second, is_second)) = (channel(), channel());
    let meet = |mine: Sender<()>, other: Receiver<()>| {
        move |connection: &Connection| {
            mine.send(()).unwrap();
            other.recv().unwrap();
            select(connection, "SELECT count(*) FROM range(10000)")
        }
    };
    let both = tokio::join!(
        pool.run(meet(first, is_second)),
        pool.run(meet(second, is_first)),
    );
    assert_eq!((both.0.unwrap(), both.1.unwrap()), (10_000, 10_000));
}
