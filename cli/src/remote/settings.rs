//! Environment variables for fetching. They hold secrets and are never shown.

use std::collections::BTreeMap;
use std::str::FromStr;

use shared::release::S3Settings;

/// The variable with the HTTP bearer token.
pub(super) const TOKEN: &str = "CATALOGUE_EXPORT_TOKEN";
/// Prefixes of the variables of stores other than S3.
const PREFIXES: [&str; 2] = ["GOOGLE_", "AZURE_"];

/// The variables about S3, Google Cloud Storage and Azure, and the token.
#[derive(Clone, Default)]
pub struct RemoteSettings {
    s3: S3Settings,
    others: BTreeMap<String, String>,
}

impl RemoteSettings {
    /// The settings among these variables.
    pub fn of(variables: impl IntoIterator<Item = (String, String)>) -> Self {
        let is_ours =
            |name: &str| name == TOKEN || PREFIXES.iter().any(|prefix| name.starts_with(prefix));
        let (s3, others): (Vec<_>, Vec<_>) = variables
            .into_iter()
            .partition(|(name, _)| name.starts_with(S3Settings::PREFIX));
        Self {
            s3: S3Settings::of(s3),
            others: others
                .into_iter()
                .filter(|(name, _)| is_ours(name))
                .collect(),
        }
    }

    pub(super) const fn s3(&self) -> &S3Settings {
        &self.s3
    }

    /// The settings of a client, by its keys. Unknown variables belong to other programs.
    pub(super) fn others<K: FromStr>(&self) -> impl Iterator<Item = (K, &str)> {
        self.others.iter().filter_map(|(name, value)| {
            let key = name.to_ascii_lowercase().parse().ok()?;
            Some((key, value.as_str()))
        })
    }

    pub(super) fn token(&self) -> Option<&str> {
        let token = self.others.get(TOKEN)?;
        (!token.is_empty()).then_some(token)
    }
}
