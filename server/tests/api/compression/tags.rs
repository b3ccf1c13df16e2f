//! Entity tags of compressed responses, and conditional requests across encodings and releases.

use std::sync::Arc;

use server::catalogue::Catalogue;
use shared::base::etag::Coding;
use shared::release::Releases;

use super::{CODINGS, TARGETS, ask};
use crate::app::TestApp;
use crate::openapi::check_documented;
use crate::records::{self, PUBLISHED_AT};

/// The tag of a body in each encoding, in the order of [`Coding::ALL`].
fn tags(plain: &str) -> [String; 4] {
    let hash = plain.trim_matches('"');
    ["", "-gzip", "-br", "-zstd"].map(|suffix| format!("\"{hash}{suffix}\""))
}

#[tokio::test]
async fn the_tag_of_an_answer_is_that_of_the_plain_one_with_its_coding() {
    for (_, target, is_tiny) in TARGETS {
        let app = TestApp::new();
        let plain = ask(&app, target, "identity").send().await;
        let tags = tags(plain.header("etag").unwrap());
        for (coding, tag) in Coding::ALL.into_iter().zip(&tags) {
            let answer = ask(&app, target, coding.name()).send().await;
            let expected = if is_tiny { &tags[0] } else { tag };
            assert_eq!(answer.header("etag"), Some(expected.as_str()), "{target}");
        }
    }
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

#[tokio::test]
async fn a_tag_with_another_suffix_or_of_another_body_is_200() {
    let app = TestApp::new();
    let plain = app
        .get("/v1/boats/b1")
        .key("thousand_a_minute")
        .send()
        .await;
    let hash = plain.header("etag").unwrap().trim_matches('"').to_owned();
    for tag in [
        format!("\"{hash}-deflate\""),
        format!("\"{hash}-GZIP\""),
        format!("\"{hash}gzip\""),
        format!("\"{}-gzip\"", "0".repeat(32)),
    ] {
        let answer = ask(&app, "/v1/boats/b1", "gzip").header("if-none-match", &tag);
        assert_eq!(answer.send().await.status, 200, "{tag}");
    }
}

#[tokio::test]
async fn another_release_changes_the_answers_that_are_changed_in_every_coding() {
    let app = TestApp::new();
    let (_directory, store) = records::empty_store();
    let release = store
        .open(&records::publish(&store, 3, PUBLISHED_AT))
        .unwrap();
    let fewer = Arc::new(Catalogue::open(&release, records::settings()).unwrap());
    let before = app.app.catalogue();
    for catalogue in [Arc::clone(&before), fewer, before] {
        app.app.activate(catalogue);
        for target in ["/v1/boats", "/v1/boats/b1", "/v1/manufacturers/m1/boats"] {
            let plain = ask(&app, target, "identity").send().await;
            let tags = tags(plain.header("etag").unwrap());
            for (coding, tag) in CODINGS.into_iter().zip(&tags[1..]) {
                let answer = ask(&app, target, coding).send().await;
                assert_eq!(answer.decoded(), plain.body, "{coding} of {target}");
                assert_eq!(
                    answer.header("etag"),
                    Some(tag.as_str()),
                    "{coding} of {target}"
                );
            }
        }
    }
}
