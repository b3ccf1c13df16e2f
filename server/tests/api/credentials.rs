//! Credentials in the query string: refused in every form, with and without a valid header, and
//! neither logged nor sent back.

use percent_encoding::{NON_ALPHANUMERIC, percent_encode_byte, utf8_percent_encode};

use crate::app::TestApp;
use crate::log::{logged, start_logging};

/// The caller's secret. It must not appear again in any form.
const SECRET: &str = "hunter2confidential";

/// Queries with a credential: the secret or a valid key, plain or percent-encoded.
const FORMS: [&str; 40] = [
    // Names in their usual spelling.
    "api_key=<secret>",
    "apikey=<secret>",
    "api-key=<secret>",
    "key=<secret>",
    "token=<secret>",
    "access_token=<secret>",
    "auth=<secret>",
    "authorization=<secret>",
    "bearer=<secret>",
    "secret=<secret>",
    // In another case.
    "API_KEY=<secret>",
    "ApiKey=<secret>",
    "Api-Key=<secret>",
    "KEY=<secret>",
    "Token=<secret>",
    "Access_Token=<secret>",
    "aUTH=<secret>",
    "Authorization=<secret>",
    "BEARER=<secret>",
    "Secret=<secret>",
    // Encoded.
    "api%5Fkey=<secret>",
    "%61%70%69%6b%65%79=<secret>",
    "api%2dkey=<secret>",
    "%4BEY=<secret>",
    "acces%73_token=<secret>",
    "authorization=Bearer+<secret>",
    "authorization=Bearer%20<secret>&limit=1",
    // Among other parameters, repeated, badly encoded, without a value.
    "limit=1&token=<secret>",
    "search=<secret>&&secret",
    "<secret>=1&key",
    "auth=<secret>&auth=<secret>",
    "limit=0&bearer=<secret>%zz",
    "token=%FF<secret>",
    "%=1&token==<secret>&=",
    // A key of ours under any name, and as a name.
    "search=<key>",
    "type=<escaped>",
    "unknown=<key>&limit=1",
    "<key>",
    "<escaped>=1",
    "offset=0&manufacturer=<key>",
];

/// Requested in turn. The last two need no key, but refuse credentials in the query all the same.
const TARGETS: [&str; 7] = [
    "/v1/boats",
    "/v1/boats/b1",
    "/v1/manufacturers",
    "/v1/manufacturers/m1",
    "/v1/manufacturers/m1/boats",
    "/v1",
    "/health",
];

fn written_out(form: &str, key: &str) -> String {
    let escaped: String = key.bytes().map(percent_encode_byte).collect();
    form.replace("<secret>", SECRET)
        .replace("<key>", key)
        .replace("<escaped>", &escaped)
}

/// The secrets as they were sent, decoded, and in parts.
fn forbidden(key: &str) -> [String; 5] {
    let escaped: String = key.bytes().map(percent_encode_byte).collect();
    [
        SECRET.to_owned(),
        key.to_owned(),
        key[10..].to_owned(),
        escaped[..60].to_owned(),
        utf8_percent_encode(key, NON_ALPHANUMERIC).to_string(),
    ]
}

fn check_silent(text: &str, key: &str, form: &str) {
    for secret in forbidden(key) {
        let is_told = text.to_lowercase().contains(&secret.to_lowercase());
        assert!(!is_told, "{form}: {secret} in:\n{text}");
    }
}

#[tokio::test]
async fn every_form_is_401_with_a_valid_header_and_without_and_is_repeated_nowhere() {
    start_logging();
    logged();
    let app = TestApp::new();
    let key = app.keys.secret("unlimited");
    let mut refused = 0;
    for (index, form) in FORMS.iter().enumerate() {
        let query = written_out(form, key);
        let target = format!("{}?{query}", TARGETS[index % TARGETS.len()]);
        for has_header in [false, true] {
            let ask = app.get(&target);
            let ask = if has_header {
                ask.key("unlimited")
            } else {
                ask
            };
            let answer = ask.send().await;
            assert_eq!(
                (answer.status, answer.code()),
                (401, "CREDENTIAL_IN_QUERY".to_owned()),
                "{form}"
            );
            check_silent(&answer.text(), key, form);
            refused += 1;
        }
        let log = logged();
        assert_eq!(log.lines().count(), 2, "one line a request:\n{log}");
        check_silent(&log, key, form);
    }
    assert_eq!(refused, 80);
}

#[tokio::test]
async fn what_only_resembles_a_credential_is_judged_as_any_other_parameter() {
    let app = TestApp::new();
    for query in [
        "keys=1",
        "tokens=1",
        "api__key=1",
        "apikey%20=1",
        "%6Bey%00=1",
        "search=api_key",
        "type=token",
        "search=boat_test_789ABCDEFGHIJKLMNOPQRSTUVWXYZabc2uHPRx",
    ] {
        let answer = app
            .get(&format!("/v1/boats?{query}"))
            .key("unlimited")
            .send()
            .await;
        assert!(
            matches!(answer.status, 200 | 400),
            "{query}: {}",
            answer.code()
        );
    }
}
