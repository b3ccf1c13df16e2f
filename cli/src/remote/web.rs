//! Plain HTTP and HTTPS addresses.
//!
//! Redirects are followed here, not by the client: a limited number, never to another scheme. The
//! token is sent only to the typed server, and never unencrypted over a network or to a proxy.

use bytes::Bytes;
use futures_util::stream::{self, Stream, StreamExt as _};
use import::address::has_user;
use reqwest::header::{
    ACCEPT_ENCODING, AUTHORIZATION, CONTENT_LENGTH, CONTENT_RANGE, CONTENT_TYPE, ETAG, HeaderMap,
    HeaderName, HeaderValue, IF_MATCH, LOCATION, RANGE,
};
use reqwest::redirect::Policy;
use reqwest::{Client, Method, StatusCode};
use shared::base::loopback::is_loopback;
use shared::release::s3::{reply_fault, root_cause};
use url::Url;

use super::address::Address;
use super::failure::{Failure, Reason};
use super::response::{CONNECT_MAX, Response};
use super::settings::TOKEN;

/// Most redirects that are followed.
pub(super) const REDIRECTS_MAX: usize = 5;
/// The `User-Agent` header.
pub(super) const USER_AGENT: &str = concat!("catalogue/", env!("CARGO_PKG_VERSION"));

/// An address, and the client for it.
pub(super) struct Web {
    client: Client,
    url: Url,
    token: Option<String>,
}

impl Web {
    pub(super) fn new(address: &Address, token: Option<&str>) -> Result<Self, Reason> {
        let url = address.url().clone();
        if token.is_some_and(|token| !token.bytes().all(|byte| byte.is_ascii_graphic())) {
            let why = format!("{TOKEN} must be letters, digits and marks without spaces");
            return Err(Reason::Setting(why));
        }
        if token.is_some() && has_user(&url) {
            return Err(Reason::TwoLogins);
        }
        let client = Client::builder()
            .redirect(Policy::none())
            .connect_timeout(CONNECT_MAX)
            .user_agent(USER_AGENT);
        let client = if is_here(&url) {
            client.no_proxy()
        } else {
            client
        };
        let client = client.build();
        let client = client.map_err(|error| Reason::Setting(root_cause(&error)))?;
        let token = token.filter(|_| is_private(&url)).map(str::to_owned);
        Ok(Self { client, url, token })
    }

    pub(super) async fn etag(&self) -> Result<Option<String>, Failure> {
        let response = self.ask(&Method::HEAD, HeaderMap::new()).await?;
        let is_there = response.status() == StatusCode::OK;
        Ok(etag(response.headers()).filter(|_| is_there))
    }

    pub(super) async fn open(&self, start: u64, state: Option<&str>) -> Result<Response, Failure> {
        let mut headers = HeaderMap::new();
        if start != 0 {
            headers.insert(RANGE, value(&format!("bytes={start}-"))?);
            if let Some(state) = state {
                headers.insert(IF_MATCH, value(state)?);
            }
        }
        let response = self.ask(&Method::GET, headers).await?;
        let (status, head) = (response.status(), response.headers());
        if status.is_success()
            && let Some(fault) = reply_fault(start != 0, status, response.version(), head)
        {
            return Err(Failure::Final(Reason::Reply(fault)));
        }
        let (start, total) = match status {
            StatusCode::OK => (
                0,
                text(head, CONTENT_LENGTH).and_then(|text| text.parse().ok()),
            ),
            StatusCode::PARTIAL_CONTENT => {
                let range = text(head, CONTENT_RANGE).and_then(content_range);
                let (from, total) = range.ok_or(Failure::Changed)?;
                (from, Some(total))
            }
            status => return Err(failure(status)),
        };
        Ok(Response {
            start,
            total,
            etag: etag(head),
            is_web_page: text(head, CONTENT_TYPE).is_some_and(is_web_page),
            body: chunks(response).boxed(),
        })
    }

    /// The response after all redirects.
    async fn ask(&self, method: &Method, headers: HeaderMap) -> Result<reqwest::Response, Failure> {
        let mut url = self.url.clone();
        for _hop in 0..=REDIRECTS_MAX {
            let mut headers = headers.clone();
            headers.insert(ACCEPT_ENCODING, value("identity")?);
            if let Some(token) = &self.token
                && url.origin() == self.url.origin()
            {
                let mut login = value(&format!("Bearer {token}"))?;
                login.set_sensitive(true);
                headers.insert(AUTHORIZATION, login);
            }
            let request = self.client.request(method.clone(), url.clone());
            // These replace the login of a user that a redirect names.
            let response = request.headers(headers).send().await.map_err(lost)?;
            let is_redirect = matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308);
            if !is_redirect {
                return Ok(response);
            }
            url = self.redirected(&url, response.headers())?;
        }
        Err(Failure::Final(Reason::Endless(REDIRECTS_MAX)))
    }

    /// The target of a redirect.
    fn redirected(&self, from: &Url, headers: &HeaderMap) -> Result<Url, Failure> {
        let to = text(headers, LOCATION).and_then(|to| from.join(to).ok());
        let to = to.ok_or(Failure::Final(Reason::NoPlace))?;
        if to.scheme() == self.url.scheme() {
            return Ok(to);
        }
        let host = to.host_str().unwrap_or_default();
        let place = format!("{}://{host}", to.scheme());
        Err(Failure::Final(Reason::OtherScheme(place)))
    }
}

/// The body of a response, in chunks.
fn chunks(response: reqwest::Response) -> impl Stream<Item = Result<Bytes, Failure>> {
    stream::try_unfold(response, |mut response| async move {
        let chunk = response.chunk().await.map_err(lost)?;
        Ok(chunk.map(|chunk| (chunk, response)))
    })
}

/// Whether what is sent there is encrypted or stays on this machine.
fn is_private(url: &Url) -> bool {
    url.scheme() == "https" || is_here(url)
}

fn is_here(url: &Url) -> bool {
    url.host_str().is_some_and(is_loopback)
}

fn text(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    headers.get(name)?.to_str().ok()
}

fn value(text: &str) -> Result<HeaderValue, Failure> {
    HeaderValue::from_str(text).map_err(|_unprintable| Failure::Changed)
}

fn etag(headers: &HeaderMap) -> Option<String> {
    text(headers, ETAG).map(str::to_owned)
}

/// The first byte, and the total size.
fn content_range(text: &str) -> Option<(u64, u64)> {
    let (range, total) = text.strip_prefix("bytes ")?.split_once('/')?;
    let (from, _to) = range.split_once('-')?;
    Some((from.parse().ok()?, total.parse().ok()?))
}

fn is_web_page(content_type: &str) -> bool {
    let media_type = content_type.split(';').next().unwrap_or_default();
    let media_type = media_type.trim().to_ascii_lowercase();
    matches!(&*media_type, "text/html" | "application/xhtml+xml")
}

/// What a status without contents means.
fn failure(status: StatusCode) -> Failure {
    let said = status.to_string();
    match status.as_u16() {
        401 | 403 | 407 => Failure::Final(Reason::Login(said)),
        404 | 410 => Failure::Final(Reason::Missing(said)),
        412 | 416 => Failure::Changed,
        408 | 425 | 429 | 500.. => Failure::Lost(format!("the server answered {said}")),
        _ => Failure::Final(Reason::Refused(said)),
    }
}

/// The failure with the innermost cause only, since the outer ones repeat the address.
fn lost(error: reqwest::Error) -> Failure {
    Failure::Lost(root_cause(&error.without_url()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_sent_where_nobody_else_can_read_it() {
        for (url, is_sent) in [
            ("https://cms.example/", true),
            ("http://cms.example/", false),
            ("http://127.0.0.1:1/", true),
            ("http://[::1]/", true),
            ("http://localhost/", true),
            ("http://localhost.example/", false),
        ] {
            assert_eq!(is_private(&url.parse().unwrap()), is_sent, "{url}");
        }
    }

    #[test]
    fn the_range_of_an_answer_is_read() {
        for (text, range) in [
            ("bytes 5-9/10", Some((5, 10))),
            ("bytes 5-9/*", None),
            ("bytes */10", None),
            ("lines 5-9/10", None),
            ("", None),
        ] {
            assert_eq!(content_range(text), range, "{text}");
        }
    }
}
