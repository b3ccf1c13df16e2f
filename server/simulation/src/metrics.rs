//! What the sources of `server` find under the name `metrics`: nothing is measured here.

use std::time::Duration;

/// Round-trip times.
pub(crate) struct RoundTrips;

impl RoundTrips {
    pub(crate) const fn new() -> Self {
        Self
    }

    #[expect(clippy::unused_self, reason = "it is called as the server's")]
    pub(crate) const fn took(&self, _duration: Duration) {}
}

/// What is counted of releases and requests.
#[derive(Debug, Default)]
pub(crate) struct Metrics {
    pub(crate) releases: Releases,
    pub(crate) requests: Requests,
}

/// Failures about releases.
#[derive(Debug, Default)]
pub(crate) struct Releases;

/// Requests, of which there are none.
#[derive(Debug, Default)]
pub(crate) struct Requests;

impl Releases {
    #[expect(clippy::unused_self, reason = "it is called as the server's")]
    pub(crate) const fn fail(&self) {}
}

impl Requests {
    #[expect(clippy::unused_self, reason = "it is called as the server's")]
    pub(crate) const fn begun(&self) -> u64 {
        0
    }
}
