//! Conditional requests across encodings. `compression.rs` records the tag of each encoding.

use super::{TARGETS, ask};
use crate::app::TestApp;
use crate::openapi::check_documented;

/// The tag of a body as it is and in each encoding.
fn tags(plain: &str) -> [String; 4] {
    let hash = plain.trim_matches('"');
    ["", "-gzip", "-br", "-zstd"].map(|suffix| format!("\"{hash}{suffix}\""))
}

#[tokio::test]
async fn the_tag_of_any_coding_is_304_whatever_is_accepted_now() {
    for (id, target, _) in TARGETS {
        let app = TestApp::new();
        let plain = ask(&app, target, "identity").send().await;
        for held in tags(plain.header("etag").unwrap()) {
            for accepted in ["identity", "gzip", "br", "zstd", "*;q=0"] {
                for field in [held.clone(), format!("W/{held}"), format!("\"x\", {held}")] {
                    let again = ask(&app, target, accepted).header("if-none-match", &field);
                    let again = again.send().await;
                    let what = format!("{field} of {target} for {accepted}");
                    assert_eq!(again.status, 304, "{what}");
                    assert_eq!(again.header("etag"), Some(held.as_str()), "{what}");
                    assert_eq!(again.header("vary"), plain.header("vary"), "{what}");
                    check_documented(id, &again);
                    for absent in ["content-encoding", "content-length", "content-type"] {
                        assert_eq!(again.header(absent), None, "{what}");
                    }
                    assert!(again.body.is_empty(), "{what}");
                }
            }
        }
    }
}

#[tokio::test]
async fn of_several_tags_the_304_has_that_of_the_accepted_coding_and_for_the_star_too() {
    let app = TestApp::new();
    let plain = app
        .get("/v1/boats/b1")
        .key("thousand_a_minute")
        .send()
        .await;
    let [identity, gzip, br, zstd] = tags(plain.header("etag").unwrap());
    let both = format!("{gzip}, {identity}");
    for (field, accepted, expected) in [
        (both.as_str(), "gzip", &gzip),
        (&both, "identity", &identity),
        (&both, "zstd", &gzip),
        ("*", "identity", &identity),
        ("*", "gzip", &gzip),
        ("*", "gzip, br", &br),
        ("*", "gzip, br, zstd", &zstd),
    ] {
        let answer = ask(&app, "/v1/boats/b1", accepted).header("if-none-match", field);
        let answer = answer.send().await;
        assert_eq!(answer.status, 304, "{field} for {accepted}");
        assert_eq!(
            answer.header("etag"),
            Some(expected.as_str()),
            "{field} for {accepted}"
        );
    }
    // A tiny body is sent as it is.
    let tiny = ask(&app, "/v1/manufacturers/m1", "gzip").send().await;
    let star = ask(&app, "/v1/manufacturers/m1", "gzip").header("if-none-match", "*");
    assert_eq!(star.send().await.header("etag"), tiny.header("etag"));
}
