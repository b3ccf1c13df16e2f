//! Asks for the beginning of one image: the requests, redirects and bytes of it.
//!
//! A name is looked up here, and a connection made to that very address, once it is known to be one
//! that may be asked: nothing can lead elsewhere in between. For the same reason no proxy is used,
//! which would look names up by itself. A request has no cookie, token, login or referrer, and of
//! what is sent only the size of the image is kept.

use std::error::Error;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use import::image::{HEAD_MAX, ImageSize, Unmeasured};
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::header::{ACCEPT, ACCEPT_ENCODING, IF_NONE_MATCH, RANGE};
use reqwest::redirect::Policy as Redirects;
use reqwest::{Client, Response};
use url::Url;

use super::policy::Policy;
use super::reply::{About, Reply};
use crate::remote::response::CONNECT_MAX;
use crate::remote::web::{REDIRECTS_MAX, USER_AGENT};

/// Bytes that are asked for first, in which nearly all images have their size. Fewer would make
/// more images need a second request.
const HEAD_FIRST: usize = 32 * 1024;

/// What an address has.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// An image, and what is to be known to ask for it again.
    Image {
        size: ImageSize,
        etag: Option<String>,
    },
    /// The image that is known already.
    Same,
}

/// Why nothing was found.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Failure {
    Unmeasured(Unmeasured),
    /// The server asks to wait this long, if it says so in seconds.
    Wait(Option<Duration>),
}

impl From<Unmeasured> for Failure {
    fn from(why: Unmeasured) -> Self {
        Self::Unmeasured(why)
    }
}

/// Asks.
pub(super) struct Asker {
    client: Client,
    policy: Arc<Policy>,
}

impl Asker {
    pub(super) fn new(policy: &Arc<Policy>) -> reqwest::Result<Self> {
        let client = Client::builder()
            .no_proxy()
            .redirect(Redirects::none())
            .referer(false)
            .connect_timeout(CONNECT_MAX)
            .dns_resolver(Resolver(Arc::clone(policy)))
            .user_agent(USER_AGENT);
        Ok(Self {
            client: client.build()?,
            policy: Arc::clone(policy),
        })
    }

    /// What is at an address; the image is known if it still has this ETag.
    pub(super) async fn find(&self, url: &Url, etag: Option<&str>) -> Result<Found, Failure> {
        for most in [HEAD_FIRST, HEAD_MAX] {
            let Some((mut response, about)) = self.ask(url, most, etag).await? else {
                return Ok(Found::Same);
            };
            // A server that ignores the range sends all of it, as far as it is wanted.
            let most = if about.is_part { most } else { HEAD_MAX };
            match read(&mut response, most).await {
                Ok(size) => {
                    let etag = about.etag;
                    return Ok(Found::Image { size, etag });
                }
                Err(head) if about.is_part && head.len() == most => {}
                Err(head) => return Err(Unmeasured::in_place_of_image(&head).into()),
            }
        }
        Err(Unmeasured::NoImage.into())
    }

    /// The answer after all redirects; `None` if the image is the one with this ETag.
    async fn ask(
        &self,
        url: &Url,
        most: usize,
        etag: Option<&str>,
    ) -> Result<Option<(Response, About)>, Failure> {
        let mut url = self.policy.target(url)?;
        for _hop in 0..=REDIRECTS_MAX {
            let request = self
                .client
                .get(url.clone())
                .header(ACCEPT, "image/*")
                .header(ACCEPT_ENCODING, "identity")
                .header(RANGE, format!("bytes=0-{}", most - 1));
            let request = match etag {
                Some(etag) => request.header(IF_NONE_MATCH, etag),
                None => request,
            };
            let response = request.send().await.map_err(|error| why(&error))?;
            match Reply::of(response.status(), response.headers()) {
                Reply::Image(about) => return Ok(Some((response, about))),
                Reply::Same if etag.is_some() => return Ok(None),
                Reply::Same => return Err(Unmeasured::Refused.into()),
                Reply::Wait(pause) => return Err(Failure::Wait(pause)),
                Reply::Not(why) => return Err(why.into()),
                Reply::Redirect(to) => {
                    let to = url.join(&to).map_err(|_invalid| Unmeasured::Redirected)?;
                    url = self.policy.target(&to).map_err(|why| match why {
                        Unmeasured::NoAddress => Unmeasured::Redirected,
                        why => why,
                    })?;
                }
            }
        }
        Err(Unmeasured::Redirected.into())
    }
}

/// Reads no more than is needed, and at most so many bytes: the size, or what was read.
/// What was read before a connection broke may be enough. What was asked for is read to its end, so
/// that the connection serves the next request.
async fn read(response: &mut Response, most: usize) -> Result<ImageSize, Vec<u8>> {
    let mut head = Vec::new();
    for enough in [HEAD_FIRST, most] {
        while head.len() < enough
            && let Ok(Some(bytes)) = response.chunk().await
        {
            let room = most - head.len();
            head.extend_from_slice(&bytes[..bytes.len().min(room)]);
        }
        if let Some(size) = ImageSize::of(&head) {
            return Ok(size);
        }
    }
    Err(head)
}

/// Why a request failed.
fn why(error: &reqwest::Error) -> Unmeasured {
    let mut cause: Option<&(dyn Error + 'static)> = Some(error);
    while let Some(error) = cause {
        if error.is::<NotPublic>() {
            return Unmeasured::NotPublic;
        }
        cause = error.source();
    }
    Unmeasured::NoAnswer
}

/// A name leads only to addresses that may not be asked.
#[derive(Debug, thiserror::Error)]
#[error("it leads to no address of the public network")]
struct NotPublic;

/// Looks up names, and leaves out the addresses that may not be asked.
struct Resolver(Arc<Policy>);

impl Resolve for Resolver {
    fn resolve(&self, name: Name) -> Resolving {
        let policy = Arc::clone(&self.0);
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            let allowed = found.filter(|found| policy.allows(name.as_str(), found.ip()));
            let allowed: Vec<SocketAddr> = allowed.collect();
            if allowed.is_empty() {
                return Err(NotPublic.into());
            }
            let addresses: Addrs = Box::new(allowed.into_iter());
            Ok(addresses)
        })
    }
}
