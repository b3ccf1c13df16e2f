//! Why a fetch failed, for people: what happened, and what to do. No text here holds a secret.

use import::spool::SpoolError;
use shared::base::hint::Hint;

use super::address::{Address, Scheme};
use super::settings::TOKEN;
use crate::hints::TEMP_DIR;
use crate::terminal::size::file_size;

/// An export was not fetched.
#[derive(Debug, thiserror::Error)]
#[error("could not fetch {address}")]
pub struct FetchError {
    address: Address,
    #[source]
    reason: Reason,
}

/// Why an attempt failed.
pub(super) enum Failure {
    /// Another attempt may succeed.
    Lost(String),
    /// The contents changed since the download began.
    Changed,
    /// Another attempt would fail too.
    Final(Reason),
}

/// Why an export was not fetched.
#[derive(Debug, thiserror::Error)]
pub(super) enum Reason {
    #[error("its server asks for a login ({0})")]
    Login(String),
    #[error("there is nothing at this address ({0})")]
    Missing(String),
    #[error("its server answered {0}")]
    Refused(String),
    #[error("it is a web page, not an export")]
    WebPage,
    #[error("it redirects to {0}, which has another scheme")]
    OtherScheme(String),
    #[error("it redirects to an invalid address")]
    NoPlace,
    #[error("it redirects more than {0} times")]
    Endless(usize),
    #[error("it has {}, more than the {} that it may have", bytes.map_or_else(|| "more bytes".to_owned(), file_size), file_size(*bytes_max))]
    TooLarge { bytes: Option<u64>, bytes_max: u64 },
    #[error("it was cut at {here} of {total} bytes, {attempts} times in a row: {why}")]
    Cut {
        here: u64,
        total: u64,
        attempts: u32,
        why: String,
    },
    #[error("it failed {attempts} times in a row: {why}")]
    Lost { attempts: u32, why: String },
    #[error("{0}")]
    Reply(&'static str),
    #[error("it names a user, and {TOKEN} is set too: a request has one login")]
    TwoLogins,
    #[error("its server first said {first} bytes, then {then}")]
    OtherLength { first: u64, then: u64 },
    #[error("it takes longer than {0} hours")]
    TooSlow(u64),
    #[error("the environment does not say how to reach it: {0}")]
    Setting(String),
    #[error(transparent)]
    NotKept(SpoolError),
}

impl FetchError {
    pub(super) fn new(address: &Address, reason: Reason) -> Self {
        Self {
            address: address.clone(),
            reason,
        }
    }

    /// Whether the environment is at fault.
    pub const fn is_usage(&self) -> bool {
        matches!(self.reason, Reason::Setting(_) | Reason::TwoLogins)
    }

    /// What to do about it.
    pub fn hint(&self) -> Option<Hint> {
        let scheme = self.address.scheme();
        let hint: Hint = match &self.reason {
            Reason::Login(_) | Reason::Setting(_) => secrets(scheme).into(),
            Reason::WebPage if self.address.is_web() => {
                "it may be a page to log in; use the address of the file itself, and a token if it \
                 needs one"
                    .into()
            }
            Reason::OtherScheme(_) | Reason::Endless(_) => {
                "use the address that it finally leads to".into()
            }
            Reason::TooLarge { .. } => "if it is meant, allow more with --max-bytes".into(),
            Reason::Cut { .. } | Reason::OtherLength { .. } | Reason::Lost { .. } => {
                "nothing was changed; try again later, or fetch it another way and import the file"
                    .into()
            }
            Reason::Reply(_) => "fetch it another way and import the file".into(),
            Reason::TwoLogins => {
                "leave the user out of the address, or the token out of the environment".into()
            }
            Reason::NotKept(_) => TEMP_DIR.into(),
            _ => return None,
        };
        Some(hint)
    }
}

/// Which variables hold the secrets of a scheme.
fn secrets(scheme: Scheme) -> String {
    match scheme {
        Scheme::Http | Scheme::Https => {
            format!("put a token into the environment variable {TOKEN}, or sign the address")
        }
        Scheme::S3 => "see the AWS_... environment variables, such as AWS_ACCESS_KEY_ID, \
                       AWS_SECRET_ACCESS_KEY and AWS_REGION"
            .to_owned(),
        Scheme::Gs => "see the GOOGLE_... environment variables, such as \
                       GOOGLE_APPLICATION_CREDENTIALS"
            .to_owned(),
        Scheme::Az => "see the AZURE_... environment variables, such as \
                       AZURE_STORAGE_ACCOUNT_NAME and AZURE_STORAGE_ACCOUNT_KEY"
            .to_owned(),
    }
}
