//! Exports at addresses: fetches one into a spool, with its name, ETag and hash. Images at addresses:
//! finds their sizes.
//!
//! Addresses are not trusted: size, time, attempts and redirects are limited. Secrets come only
//! from the environment, and nothing here shows one, or the parts of an address that may hold one.
//! Nothing here reads the contents of an export.

mod address;
mod download;
mod endpoint;
mod failure;
mod images;
mod response;
mod settings;
mod store;
mod web;

#[cfg(test)]
mod tests;

use import::source::Origin;
use import::spool::Spool;
use shared::base::threads::{self, Blocking};
use tokio::runtime::Runtime;

pub use self::address::{Address, NotASource, Source};
use self::download::Download;
pub use self::download::Fetching;
use self::endpoint::Endpoint;
pub use self::failure::FetchError;
pub use self::images::{ImageHost, Images, NotAHost};
pub use self::settings::RemoteSettings;

/// Most bytes of one address by default.
pub const BYTES_MAX_DEFAULT: u64 = 8 << 30;
/// Number of threads that wait for the network and decrypt.
const THREADS: usize = 1;
/// Threads that look up the names of hosts.
const BLOCKING: Blocking = Blocking {
    made: 1,
    at_most: 2,
};

/// Has TLS use the cryptography of `ring`.
fn use_ring() {
    // Fails if another part of this program has done so already.
    _ = rustls::crypto::ring::default_provider().install_default();
}

/// A client that fetches from addresses.
pub struct Remote<'a> {
    settings: &'a RemoteSettings,
    runtime: Runtime,
}

/// A fetched export.
pub struct Fetched {
    /// Its contents.
    pub file: Spool,
    /// Where they came from.
    pub origin: Origin,
}

impl<'a> Remote<'a> {
    /// Creates a client, without connecting to anything.
    pub fn new(settings: &'a RemoteSettings) -> std::io::Result<Self> {
        use_ring();
        Ok(Self {
            settings,
            runtime: threads::runtime("fetch", THREADS, BLOCKING)?,
        })
    }

    /// The current ETag of an address; `None` if only a full fetch could tell.
    pub fn etag(&self, address: &Address) -> Result<Option<String>, FetchError> {
        let endpoint = self.endpoint(address)?;
        let etag = self.runtime.block_on(endpoint.etag());
        // If something is wrong, the fetch reports it better.
        Ok(etag.ok().flatten())
    }

    /// Fetches an address.
    pub fn fetch(
        &self,
        address: &Address,
        fetching: &mut Fetching<'_>,
    ) -> Result<Fetched, FetchError> {
        let endpoint = self.endpoint(address)?;
        let failed = |reason| FetchError::new(address, reason);
        let mut download = Download::new(fetching.temp_dir, fetching.bytes_max);
        let done = download.run(&endpoint, &self.runtime, fetching);
        fetching.progress.finish();
        done.map_err(failed)?;
        let (file, sha256, etag) = download.finish().map_err(failed)?;
        Ok(Fetched {
            file,
            origin: Origin {
                name: address.to_string(),
                file_name: address.file_name(),
                sha256,
                etag,
                address_sha256: address.hidden_sha256(),
            },
        })
    }

    fn endpoint(&self, address: &Address) -> Result<Endpoint, FetchError> {
        let endpoint = Endpoint::of(address, self.settings);
        endpoint.map_err(|reason| FetchError::new(address, reason))
    }
}
