//! The cache against a manual clock and queries that count themselves.

use std::convert::Infallible;
use std::future::pending;
use std::pin::Pin;
use std::sync::atomic::{AtomicU32, Ordering};

use bytes::Bytes;
use futures_util::FutureExt;
use shared::base::clock::{Clock, ManualClock};
use shared::base::etag::ETag;
use tokio::time::advance;

use super::*;

const WAITING: Duration = Duration::from_secs(1);

fn body(text: &str) -> ListBody {
    let bytes = Bytes::copy_from_slice(text.as_bytes());
    let etag = ETag::of(&bytes);
    ListBody {
        bytes,
        etag,
        rows: 0,
        total: 1,
    }
}

fn key(query: &str) -> ListKey {
    ListKey {
        release: "r1".to_owned(),
        list: "boats",
        query: query.to_owned(),
    }
}

async fn ask(cache: &ListCache, key: &ListKey, now: Moment, answer: &str) -> (Bytes, Freshness) {
    let query = async { Ok::<_, Infallible>(body(answer)) };
    let (body, freshness) = cache.get_or_query(key, now, WAITING, query).await.unwrap();
    (body.bytes, freshness)
}

#[tokio::test]
async fn a_jump_of_the_wall_clock_changes_no_age() {
    let clock = ManualClock::at(0);
    let cache = ListCache::default();
    ask(&cache, &key("a"), clock.now(), "one").await;
    clock.jump_wall(86_400);
    let again = ask(&cache, &key("a"), clock.now(), "two").await;
    assert_eq!(
        again,
        (Bytes::from("one"), Freshness::Hit { age_seconds: 0 })
    );
}

#[tokio::test]
async fn a_thousand_identical_questions_at_once_run_one_query() {
    let now = ManualClock::at(0).now();
    let cache = ListCache::default();
    let queries = AtomicU32::new(0);
    let asked = key("a");
    let one = || async {
        let query = async {
            queries.fetch_add(1, Ordering::Relaxed);
            tokio::task::yield_now().await;
            Ok::<_, Infallible>(body("one"))
        };
        let (body, _) = cache
            .get_or_query(&asked, now, WAITING, query)
            .await
            .unwrap();
        body.bytes
    };
    let answers = futures_util::future::join_all((0..1000).map(|_| one())).await;
    assert!(answers.iter().all(|bytes| bytes == "one"));
    assert_eq!(queries.load(Ordering::Relaxed), 1);
}

/// Identical requests, one after the other, each with a query that never ends.
fn ask_in_vain<'a>(
    cache: &'a ListCache,
    asked: &'a ListKey,
    queries: &'a AtomicU32,
) -> impl Future<Output = Result<(ListBody, Freshness), CacheError<Infallible>>> {
    let now = ManualClock::at(0).now();
    let query = async {
        queries.fetch_add(1, Ordering::Relaxed);
        pending().await
    };
    cache.get_or_query(asked, now, WAITING, query)
}

fn waits<F: Future>(request: &mut Pin<Box<F>>) -> bool {
    request.as_mut().now_or_never().is_none()
}

#[tokio::test]
async fn an_abandoned_query_leaves_the_question_to_whoever_comes_later() {
    let (cache, asked, queries) = (ListCache::default(), key("a"), AtomicU32::new(0));
    let abandoned = ask_in_vain(&cache, &asked, &queries).now_or_never();
    assert!(abandoned.is_none());
    let now = ManualClock::at(0).now();
    assert_eq!(ask(&cache, &asked, now, "one").await.1, Freshness::Miss);
}

#[tokio::test(start_paused = true)]
async fn nobody_is_kept_waiting_for_another_s_query_for_ever() {
    let (cache, asked, queries) = (ListCache::default(), key("a"), AtomicU32::new(0));
    let mut first = Box::pin(ask_in_vain(&cache, &asked, &queries));
    assert!(waits(&mut first));
    let mut second = Box::pin(ask_in_vain(&cache, &asked, &queries));
    assert!(waits(&mut second));
    advance(WAITING / 2).await;
    assert!(waits(&mut second));
    advance(WAITING / 2).await;
    let refused = second.await;
    assert!(matches!(refused, Err(CacheError::WaitedTooLong { .. })));
    assert_eq!(queries.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn entries_and_bytes_are_bounded() {
    let now = ManualClock::at(0).now();
    let cache = ListCache::default();
    for number in 0..BOUNDS.entries + 1000 {
        ask(&cache, &key(&number.to_string()), now, "small").await;
    }
    let entries = cache.figures().entries;
    assert!(entries <= BOUNDS.entries, "{entries}");

    let large = "x".repeat(1024 * 1024);
    for number in 0..100 {
        ask(&cache, &key(&format!("large {number}")), now, &large).await;
    }
    assert!(cache.figures().bytes <= BOUNDS.bytes);
}
