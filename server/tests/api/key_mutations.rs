//! Thousands of mutations of the key and of the `Authorization` header: none grants access.
//!
//! The oracle is written from the contract alone, with its own checksum: exactly one field with the
//! scheme `Bearer` in any case, one or more spaces, and a key of our form.

mod generated;
mod raw;

use std::collections::HashMap;
use std::time::Duration;

use salvo::http::HeaderValue;

use crate::app::TestApp;
use generated::mutations;

const MUTATIONS_MIN: usize = 5000;
/// Requested in turn, so every endpoint that needs a key meets every kind of mutation.
const TARGETS: [&str; 5] = [
    "/v1/boats",
    "/v1/boats/b1",
    "/v1/manufacturers",
    "/v1/manufacturers/m1",
    "/v1/manufacturers/m1/boats",
];
/// The longest head that the server reads, in bytes, and a lower bound of what the rest of a test's
/// head takes.
const HEAD_BYTES: (usize, usize) = (16 * 1024, 60);

const BASE62: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// CRC-32, computed bit by bit from its definition, in six digits of base 62.
fn checksum(text: &[u8]) -> Vec<u8> {
    let mut remainder = u32::MAX;
    for &byte in text {
        remainder ^= u32::from(byte);
        for _bit in 0..8 {
            let carry = remainder & 1;
            remainder >>= 1;
            if carry == 1 {
                remainder ^= 0xEDB8_8320;
            }
        }
    }
    let mut rest = !remainder as usize;
    let mut digits = [0; 6];
    for digit in digits.iter_mut().rev() {
        *digit = BASE62[rest % 62];
        rest /= 62;
    }
    digits.to_vec()
}

fn has_form_of_key(key: &[u8]) -> bool {
    let is_of_environment = key.starts_with(b"boat_live_") || key.starts_with(b"boat_test_");
    key.len() == 48
        && is_of_environment
        && key[10..].iter().all(|byte| BASE62.contains(byte))
        && checksum(&key[..42]) == key[42..]
}

/// The code that a request with these `Authorization` fields must get.
fn expected(fields: &[Vec<u8>], known: &HashMap<Vec<u8>, &'static str>) -> &'static str {
    let (limit, rest) = HEAD_BYTES;
    let bytes = fields.iter().map(|field| field.len() + 17).sum::<usize>();
    if limit < bytes + rest || 63 < fields.len() {
        return "HEADERS_TOO_LARGE";
    }
    let [field] = fields else {
        return match fields.len() {
            0 => "MISSING_API_KEY",
            _ => "MALFORMED_AUTHORIZATION",
        };
    };
    let scheme = field.get(..6).unwrap_or_default();
    let rest = field.get(6..).unwrap_or_default();
    let key = rest.trim_ascii_start();
    let spaces = &rest[..rest.len() - key.len()];
    let is_bearer = scheme.eq_ignore_ascii_case(b"Bearer");
    let is_spaced = !spaces.is_empty() && spaces.iter().all(|&byte| byte == b' ');
    if !is_bearer || !is_spaced || !has_form_of_key(key) {
        return "MALFORMED_AUTHORIZATION";
    }
    known.get(key).copied().unwrap_or("INVALID_API_KEY")
}

fn known_keys(app: &TestApp) -> HashMap<Vec<u8>, &'static str> {
    let known = [
        ("reader", "200"),
        ("live", "WRONG_ENVIRONMENT"),
        ("revoked", "API_KEY_REVOKED"),
        ("expired", "API_KEY_EXPIRED"),
        ("disabled", "API_KEY_DISABLED"),
    ];
    let bytes = |purpose| app.keys.secret(purpose).as_bytes().to_vec();
    known.map(|(purpose, code)| (bytes(purpose), code)).into()
}

async fn code_of(app: &TestApp, target: &str, fields: &[Vec<u8>]) -> String {
    let mut ask = app.get(target);
    for field in fields {
        ask = ask.field("authorization", HeaderValue::from_bytes(field).unwrap());
    }
    let answer = ask.send().await;
    let is_refusal = matches!(answer.status, 401 | 431);
    assert!(is_refusal || answer.status == 200, "{}", answer.status);
    assert_eq!(
        answer.status == 401,
        answer.header("www-authenticate").is_some()
    );
    answer.code()
}

#[tokio::test]
async fn no_mutation_of_a_key_is_accepted_and_each_is_told_the_right_code() {
    let app = TestApp::new();
    let known = known_keys(&app);
    let (mut refused, mut accepted) = (HashMap::new(), 0);
    let all = mutations(app.keys.secret("reader"), app.keys.secret("live"));
    for (index, fields) in all.iter().enumerate() {
        let told = code_of(&app, TARGETS[index % TARGETS.len()], fields).await;
        let shown: Vec<_> = fields
            .iter()
            .map(|field| field.escape_ascii().to_string())
            .collect();
        assert_eq!(told, expected(fields, &known), "{shown:?}");
        if told == "200" {
            // Only permitted forms get here; each counts against the minute limit.
            accepted += 1;
            app.advance(Duration::from_mins(1));
        } else {
            *refused.entry(told).or_insert(0) += 1;
        }
    }
    let count: usize = refused.values().sum();
    assert!(MUTATIONS_MIN <= count, "{count}");
    assert!(1000 <= refused["INVALID_API_KEY"] && 3000 <= refused["MALFORMED_AUTHORIZATION"]);
    // The header with each letter of `Bearer` in the other case, and the permitted forms.
    assert_eq!(accepted, 6 + generated::PERMITTED.len());
}

#[tokio::test]
async fn what_is_refused_is_not_counted_against_the_key_it_resembles() {
    let app = TestApp::new();
    let secret = app.keys.secret("reader");
    for fields in mutations(secret, app.keys.secret("live"))
        .iter()
        .step_by(50)
    {
        let known = known_keys(&app);
        if expected(fields, &known) != "200" {
            code_of(&app, TARGETS[0], fields).await;
        }
    }
    let answer = app.get("/v1/boats/b1").key("reader").send().await;
    assert_eq!(answer.header("x-ratelimit-remaining"), Some("9"));
}
