//! Conditional requests and the list cache: whether the client already has the body, and how old
//! that is.

use std::time::Duration;

use crate::app::TestApp;

#[tokio::test]
async fn a_condition_on_a_record_that_is_not_there_is_404() {
    let app = TestApp::new();
    let answer = app
        .get("/v1/boats/unknown")
        .key("reader")
        .header("if-none-match", "*");
    assert_eq!(answer.send().await.status, 404);
}

#[tokio::test]
async fn a_list_is_a_miss_then_a_hit_with_its_age_then_a_miss_again() {
    let app = TestApp::new();
    // A body's age is never more than the `max-age` that clients get.
    let table = [
        (0, "MISS", "0"),
        (0, "HIT", "0"),
        (59, "HIT", "59"),
        (1, "MISS", "0"),
    ];
    for (seconds, outcome, age) in table {
        app.advance(Duration::from_secs(seconds));
        let answer = app.get("/v1/boats?limit=3").key("reader").send().await;
        assert_eq!(
            answer.header("x-cache"),
            Some(outcome),
            "after {seconds} s more"
        );
        assert_eq!(answer.header("age"), Some(age), "after {seconds} s more");
    }
}

#[tokio::test]
async fn spellings_of_one_query_share_an_answer_and_keep_their_links() {
    let app = TestApp::new();
    let first = app
        .get("/v1/boats?limit=3&order=asc")
        .key("reader")
        .send()
        .await;
    let second = app
        .get("/v1/boats?order=asc&&limit=3&sort=model")
        .key("reader")
        .send()
        .await;
    assert_eq!(second.header("x-cache"), Some("HIT"));
    assert_eq!(first.body, second.body);
    let link = "</v1/boats?order=asc&limit=3&sort=model&offset=3>; rel=\"next\"";
    assert!(second.header("link").unwrap().starts_with(link));
}

#[tokio::test]
async fn a_record_is_always_a_hit_of_age_0() {
    let app = TestApp::new();
    for seconds in [0, 90] {
        app.advance(Duration::from_secs(seconds));
        let answer = app.get("/v1/boats/b1").key("reader").send().await;
        assert_eq!(answer.header("x-cache"), Some("HIT"));
        assert_eq!(answer.header("age"), Some("0"));
    }
}
