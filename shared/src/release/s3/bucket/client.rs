//! The client of S3: its settings and retries.

use std::collections::BTreeMap;
use std::time::Duration;

use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey, S3ConditionalPut};
use object_store::{BackoffConfig, RetryConfig};
use url::Url;

use super::connector::{PIECE_MAX, StoreConnector};
use super::failure::S3Error;

/// So often a request is tried again that was refused for the moment, as by a store that asks for
/// fewer of them. The pauses grow, and are never more than 3.5 s in all, so that what is told in the
/// end is the refusal and not that time ran out.
const RETRIES: usize = 6;
const BACKOFF_MAX: Duration = Duration::from_secs(1);

/// How the address of a server begins.
const SCHEMES: [&str; 2] = ["http://", "https://"];
/// What the address of a server is.
const SERVER: &str = "http:// or https://, a host, and perhaps a port and a path, without a user \
                      or password";
/// What the name of a region is.
const REGION: &str = "the name of a region, such as eu-central-1";

/// What the environment says about S3: the variables that begin with `AWS_`. They hold secrets and
/// are never shown.
#[derive(Clone, Default)]
pub struct S3Settings(BTreeMap<String, String>);

impl S3Settings {
    /// How the variables begin.
    pub const PREFIX: &'static str = "AWS_";

    /// The settings among these variables.
    pub fn of(variables: impl IntoIterator<Item = (String, String)>) -> Self {
        let ours = |(name, _): &(String, String)| name.starts_with(Self::PREFIX);
        Self(variables.into_iter().filter(ours).collect())
    }

    /// A client with these settings, whose connections are the caller's to choose.
    pub fn client(&self) -> Result<AmazonS3Builder, S3Error> {
        let mut builder = AmazonS3Builder::new();
        for (name, value) in &self.0 {
            match name.to_ascii_lowercase().parse() {
                Ok(key) => {
                    if let Some(expected) = objection(key, value) {
                        let variable = name.clone();
                        return Err(S3Error::Setting { variable, expected });
                    }
                    let is_endpoint = matches!(
                        key,
                        AmazonS3ConfigKey::Endpoint | AmazonS3ConfigKey::S3Endpoint
                    );
                    // Such an address says it.
                    if is_endpoint && value.starts_with("http://") {
                        builder = builder.with_allow_http(true);
                    }
                    builder = builder.with_config(key, value);
                }
                // The variable is of another program.
                Err(_unknown) => {}
            }
        }
        Ok(builder)
    }
}

/// A client with these settings, and with the limits that stand here.
pub(super) fn builder(settings: &S3Settings) -> Result<AmazonS3Builder, S3Error> {
    Ok(settings
        .client()?
        .with_http_connector(StoreConnector::of_releases())
        // Without it two operators could overtake each other unseen.
        .with_conditional_put(S3ConditionalPut::ETagMatch)
        // One object at a time is all that is removed here, and stores differ in how they take many.
        .with_disable_bulk_delete(true)
        .with_retry(RetryConfig {
            backoff: BackoffConfig {
                max_backoff: BACKOFF_MAX,
                ..BackoffConfig::default()
            },
            max_retries: RETRIES,
            retry_timeout: PIECE_MAX,
        }))
}

/// What a value has to be from which the client could make no address of a request: it takes
/// anything, and panics at the first one.
fn objection(key: AmazonS3ConfigKey, value: &str) -> Option<&'static str> {
    match key {
        AmazonS3ConfigKey::Endpoint
        | AmazonS3ConfigKey::S3Endpoint
        | AmazonS3ConfigKey::StsEndpoint
        | AmazonS3ConfigKey::MetadataEndpoint => (!is_server(value)).then_some(SERVER),
        AmazonS3ConfigKey::Region | AmazonS3ConfigKey::DefaultRegion => {
            (!is_plain(value, "-_.")).then_some(REGION)
        }
        _ => None,
    }
}

fn is_server(text: &str) -> bool {
    let mut rest = SCHEMES
        .iter()
        .filter_map(|scheme| text.strip_prefix(scheme));
    rest.any(|rest| !rest.starts_with('/') && is_plain(rest, ":/.-_~[]"))
        && text.parse::<Url>().is_ok()
}

/// Whether there are letters, digits and these marks alone.
fn is_plain(text: &str, marks: &str) -> bool {
    text.chars()
        .all(|c| c.is_ascii_alphanumeric() || marks.contains(c))
}
