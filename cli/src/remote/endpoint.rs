//! What an address leads to: a web server, or an object store.

use super::address::Address;
use super::failure::{Failure, Reason};
use super::response::{Response, is_kept, within};
use super::settings::RemoteSettings;
use super::store::Store;
use super::web::Web;

/// What an address leads to.
pub(super) enum Endpoint {
    Web(Web),
    Store(Store),
}

impl Endpoint {
    pub(super) fn of(address: &Address, settings: &RemoteSettings) -> Result<Self, Reason> {
        if address.is_web() {
            return Web::new(address, settings.token()).map(Self::Web);
        }
        Store::new(address, settings).map(Self::Store)
    }

    /// The current ETag, if there is one.
    pub(super) async fn etag(&self) -> Result<Option<String>, Failure> {
        let etag = within(async {
            match self {
                Self::Web(web) => web.etag().await,
                Self::Store(store) => store.etag().await,
            }
        });
        Ok(etag.await?.filter(|etag| is_kept(etag)))
    }

    /// Requests the contents from `start` on, of the version with this ETag.
    pub(super) async fn open(&self, start: u64, state: Option<&str>) -> Result<Response, Failure> {
        within(async {
            match self {
                Self::Web(web) => web.open(start, state).await,
                Self::Store(store) => store.open(start, state).await,
            }
        })
        .await
    }
}
