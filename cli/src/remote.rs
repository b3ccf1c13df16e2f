//! Exports from where they are: an address becomes a nameless file on this machine, with what it is
//! called and how it can be told apart from what was there before.
//!
//! What is at an address is not trusted: it has a size, a time and a number of attempts and
//! redirects that it may take. Secrets come from the environment alone, and nothing here shows one,
//! nor the part of an address that may hold one. Nothing here reads what an export says.

mod address;
mod download;
mod endpoint;
mod failure;
mod response;
mod settings;
mod store;
mod web;

#[cfg(test)]
mod tests;

use std::fs::File;

use import::source::Origin;
use shared::base::threads::{self, Blocking};
use tokio::runtime::Runtime;

pub use self::address::{Address, NotASource, Source};
use self::download::Download;
pub use self::download::Fetching;
use self::endpoint::Endpoint;
pub use self::failure::FetchError;
use self::failure::Reason;
pub use self::settings::RemoteSettings;

/// Most bytes of one address, unless set otherwise.
pub const BYTES_MAX_DEFAULT: u64 = 8 << 30;
/// Threads that decrypt and wait for the network.
const THREADS: usize = 1;
/// Threads that look up the names of hosts.
const BLOCKING: Blocking = Blocking {
    made: 1,
    at_most: 2,
};

/// What reaches addresses.
pub struct Remote<'a> {
    settings: &'a RemoteSettings,
    runtime: Runtime,
}

/// What was at an address.
pub struct Fetched {
    /// Its contents, in a file without a name.
    pub file: File,
    /// Where they came from.
    pub origin: Origin,
    /// SHA-256 of the contents, hexadecimal.
    pub sha256: String,
}

impl<'a> Remote<'a> {
    /// Nothing is reached yet.
    pub fn new(settings: &'a RemoteSettings) -> std::io::Result<Self> {
        // It is in vain where another part of this program was faster.
        _ = rustls::crypto::ring::default_provider().install_default();
        Ok(Self {
            settings,
            runtime: threads::runtime("fetch", THREADS, BLOCKING)?,
        })
    }

    /// The ETag of what is at an address now; none where that cannot be known without fetching it.
    pub fn etag(&self, address: &Address) -> Result<Option<String>, FetchError> {
        let endpoint = self.endpoint(address)?;
        let etag = self.runtime.block_on(endpoint.etag());
        // Whatever is wrong, fetching it says better.
        Ok(etag.ok().flatten())
    }

    /// Fetches what is at an address.
    pub fn fetch(
        &self,
        address: &Address,
        fetching: &mut Fetching<'_>,
    ) -> Result<Fetched, FetchError> {
        let endpoint = self.endpoint(address)?;
        let failed = |reason| FetchError::new(address, reason);
        let file = tempfile::tempfile_in(fetching.temp_dir).map_err(|source| {
            let directory = fetching.temp_dir.to_owned();
            failed(Reason::NoFile { directory, source })
        })?;
        let mut download = Download::new(file, fetching.bytes_max);
        let done = download.run(&endpoint, &self.runtime, fetching);
        fetching.progress.finish();
        done.map_err(failed)?;
        let (file, sha256, etag) = download.finish();
        Ok(Fetched {
            file,
            origin: Origin {
                name: address.to_string(),
                file_name: address.file_name(),
                etag,
            },
            sha256,
        })
    }

    fn endpoint(&self, address: &Address) -> Result<Endpoint, FetchError> {
        let endpoint = Endpoint::of(address, self.settings);
        endpoint.map_err(|reason| FetchError::new(address, reason))
    }
}
