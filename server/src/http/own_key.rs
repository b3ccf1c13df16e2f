//! `GET /v1/key`: what a key is told about itself. It has nothing of the key but its prefix, and
//! nothing of its subscription but what is left of the quota.

use schemars::JsonSchema;
use serde::Serialize;
use shared::base::timestamp::Timestamp;
use shared::keys::environment::Environment;
use shared::keys::key::Key;
use shared::keys::name::Name;
use shared::keys::scope::Scope;

use crate::limits::Usage;

/// What a key may do, and what is left of its limits.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Key")]
#[serde(rename_all = "camelCase")]
pub(crate) struct KeyDescription<'a> {
    /// The beginning of the key, as lists of keys show it.
    prefix: String,
    /// What its owner calls it.
    name: Option<&'a str>,
    /// Which servers accept it.
    #[schemars(extend("enum" = Environment::ALL.map(Environment::as_str)))]
    environment: &'static str,
    /// What it may read.
    scopes: Vec<&'static str>,
    /// When it stops working by itself, because it expires or was rotated; null if it does not.
    expires_at: Option<Timestamp>,
    /// Requests in any 60 seconds, as in `X-RateLimit-*`; the keys of its rotations share them.
    rate_limit: LimitState,
    /// Requests with status 200 in the month, as in `X-Quota-*`; all keys of the subscription share
    /// them.
    quota: LimitState,
    /// Id of the release that is served.
    release: &'a str,
}

/// How much of a limit is left.
#[derive(Serialize, JsonSchema)]
struct LimitState {
    /// The whole limit, in requests.
    limit: u64,
    /// Requests left.
    remaining: u64,
    /// When more become available, Unix time in whole seconds, rounded up.
    reset: i64,
}

impl<'a> KeyDescription<'a> {
    pub(super) fn of(key: &'a Key, [rate_limit, quota]: [Usage; 2], release: &'a str) -> Self {
        Self {
            prefix: key.prefix.to_string(),
            name: key.name.as_ref().map(Name::as_str),
            environment: key.environment.as_str(),
            scopes: key.scopes.iter().map(Scope::as_str).collect(),
            expires_at: key.works_until().map(Timestamp::from_unix_millis),
            rate_limit: rate_limit.into(),
            quota: quota.into(),
            release,
        }
    }
}

impl From<Usage> for LimitState {
    fn from(usage: Usage) -> Self {
        Self {
            limit: usage.limit,
            remaining: usage.remaining,
            reset: usage.reset_unix_seconds,
        }
    }
}
