//! A pool over a release without records, asked directly.

use std::panic::AssertUnwindSafe;
use std::sync::mpsc::channel;

use futures_util::FutureExt;
use shared::data_dir::DataDir;
use shared::release::ReleaseStore;
use shared::timestamp::Timestamp;

use super::*;

mod escapes;

fn pool(connections: usize) -> Pool {
    let directory = tempfile::tempdir().unwrap();
    let store = ReleaseStore::new(DataDir::new(directory.path()));
    let published_at = Timestamp::parse("2026-10-01T00:00:00Z").unwrap();
    let finished = store.begin().unwrap().finish(&published_at).unwrap();
    Pool::load(&store.open(&finished.id).unwrap(), connections).unwrap()
}

async fn count(pool: &Pool) -> Result<i64, QueryError> {
    let count = |connection: &Connection| {
        let count = "SELECT count(*) FROM boats";
        Ok(connection.query_row(count, [], |row| row.get(0))?)
    };
    pool.run(count).await
}

#[tokio::test]
async fn so_many_queries_may_wait_and_the_next_is_refused() {
    let pool = pool(1);
    let (go, wait) = channel::<()>();
    let occupy = move |_: &Connection| {
        let _told = wait.recv();
        Ok::<_, QueryError>(())
    };
    let mut running = Box::pin(pool.run(occupy));
    assert!(running.as_mut().now_or_never().is_none());
    let mut waiting: Vec<_> = (0..WAITING_MAX).map(|_| Box::pin(count(&pool))).collect();
    for query in &mut waiting {
        assert!(query.as_mut().now_or_never().is_none());
    }
    let refused = count(&pool).now_or_never();
    assert!(matches!(refused, Some(Err(QueryError::TooManyWaiting))));

    // Whoever goes away makes place for another.
    drop(waiting.pop());
    waiting.push(Box::pin(count(&pool)));
    go.send(()).unwrap();
    running.await.unwrap();
    for query in waiting {
        assert_eq!(query.await.unwrap(), 0);
    }
}

#[tokio::test]
async fn a_panic_goes_on_in_the_caller_and_costs_its_connection() {
    let pool = pool(1);
    let broken = |_: &Connection| -> Result<(), QueryError> { panic!("a fixed message") };
    let payload = AssertUnwindSafe(pool.run(broken)).catch_unwind().await;
    let payload = payload.unwrap_err();
    assert_eq!(payload.downcast_ref(), Some(&"a fixed message"));
    assert!(matches!(count(&pool).await, Err(QueryError::NoConnection)));
}
