//! Connections to stores: no redirect is followed, every answer has an end, and what goes to this
//! machine does not leave it.
//!
//! A redirect takes credentials, and signatures in addresses, to a host that nobody named, and what
//! that host sends would be taken for the store's. The client collects whole bodies, of lists and of
//! errors too, whatever their length: what a broken or hostile store sends without an end is an
//! error before it fills the memory.

use std::io;
use std::time::Duration;

use async_trait::async_trait;
use http_body_util::{BodyExt, Limited};
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpResponse,
    HttpResponseBody, HttpService,
};
use object_store::{ClientConfigKey, ClientOptions, Error};
use reqwest::Method;
use reqwest::header::RANGE;
use reqwest::redirect::Policy;

use super::reply::reply_fault;
use crate::base::loopback::is_loopback;

/// Most bytes of an answer: a piece of a file has half of it, a list of a thousand objects less.
const ANSWER_BYTES_MAX: usize = 16 << 20;
/// How long a piece of a large file may take, all attempts together.
pub(super) const PIECE_MAX: Duration = Duration::from_mins(2);
/// Longest time to connect to a store of releases.
const CONNECT_MAX: Duration = Duration::from_secs(3);

/// Makes connections. Of the client's own options it honours only whether HTTP without TLS is
/// allowed; a proxy is the one that the environment names, and none for this machine.
#[derive(Debug)]
pub struct StoreConnector {
    /// Longest time to connect.
    connecting: Duration,
    /// Longest time between two parts of an answer.
    idle: Duration,
    contents_max: usize,
}

#[derive(Debug)]
struct LimitedClient {
    client: reqwest::Client,
    /// For addresses of this machine.
    without_proxy: reqwest::Client,
    contents_max: usize,
}

impl StoreConnector {
    /// For the objects of releases, which are small or fetched in pieces.
    pub(super) const fn of_releases() -> Self {
        Self {
            connecting: CONNECT_MAX,
            idle: PIECE_MAX,
            contents_max: ANSWER_BYTES_MAX,
        }
    }

    /// For clients that pass contents on as they come, and count them. Other answers have an end.
    pub const fn for_streams(connecting: Duration, idle: Duration) -> Self {
        Self {
            connecting,
            idle,
            contents_max: usize::MAX,
        }
    }
}

impl HttpConnector for StoreConnector {
    fn connect(&self, options: &ClientOptions) -> object_store::Result<HttpClient> {
        let allows_http = options.get_config_value(&ClientConfigKey::AllowHttp);
        let builder = || {
            reqwest::Client::builder()
                .redirect(Policy::none())
                .https_only(!allows_http.as_deref().is_some_and(is_yes))
                .connect_timeout(self.connecting)
                .read_timeout(self.idle)
                .user_agent(concat!("catalogue/", env!("CARGO_PKG_VERSION")))
        };
        let failed = |error| Error::Generic {
            store: "HTTP client",
            source: Box::new(error),
        };
        Ok(HttpClient::new(LimitedClient {
            client: builder().build().map_err(failed)?,
            without_proxy: builder().no_proxy().build().map_err(failed)?,
            contents_max: self.contents_max,
        }))
    }
}

/// What the library takes for yes.
fn is_yes(value: &str) -> bool {
    let yes = ["1", "true", "on", "yes", "y"];
    yes.iter().any(|yes| value.eq_ignore_ascii_case(yes))
}

#[async_trait]
impl HttpService for LimitedClient {
    async fn call(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let client = match request.uri().host() {
            Some(host) if is_loopback(host) => &self.without_proxy,
            _ => &self.client,
        };
        let is_get = *request.method() == Method::GET;
        let asks_for_part = request.headers().contains_key(RANGE);
        let (head, body) = client.call(request).await?.into_parts();
        if is_get
            && head.status.is_success()
            && let Some(fault) =
                reply_fault(asks_for_part, head.status, head.version, &head.headers)
        {
            return Err(HttpError::new(
                HttpErrorKind::Decode,
                io::Error::other(fault),
            ));
        }
        let bytes_max = if head.status.is_success() {
            self.contents_max
        } else {
            ANSWER_BYTES_MAX
        };
        let limited = Limited::new(body, bytes_max);
        let body = limited.map_err(|error| match error.downcast::<HttpError>() {
            Ok(failed) => *failed,
            Err(too_long) => HttpError::new_boxed(HttpErrorKind::Decode, too_long),
        });
        Ok(HttpResponse::from_parts(head, HttpResponseBody::new(body)))
    }
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader, Write};
    use std::net::{TcpListener, TcpStream};
    use std::thread;

    use super::*;
    use crate::release::s3::bucket::{Bucket, S3Settings};

    /// Answers everything without an end, as long as the client takes it; says how much that was.
    fn send_endlessly(mut client: TcpStream, status: &str) -> usize {
        let mut lines = BufReader::new(client.try_clone().unwrap()).lines();
        while lines.next().is_some_and(|line| !line.unwrap().is_empty()) {}
        let head = format!("HTTP/1.1 {status}\r\nTransfer-Encoding: chunked\r\n\r\n");
        client.write_all(head.as_bytes()).unwrap();
        let chunk = [b"1000\r\n", &[b' '; 0x1000][..], b"\r\n"].concat();
        let mut taken = 0;
        while client.write_all(&chunk).is_ok() {
            taken += 0x1000;
        }
        taken
    }

    fn bucket(endpoint: &TcpListener) -> Bucket {
        let settings = [
            (
                "AWS_ENDPOINT_URL",
                &*format!("http://{}", endpoint.local_addr().unwrap()),
            ),
            ("AWS_ACCESS_KEY_ID", "id"),
            ("AWS_SECRET_ACCESS_KEY", "secret"),
            ("AWS_REGION", "nowhere"),
        ];
        let settings = settings.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let address = "s3://bucket/prefix".parse().unwrap();
        Bucket::open(address, &S3Settings::of(settings)).unwrap()
    }

    #[test]
    fn an_answer_without_an_end_is_an_error_before_it_is_large() {
        for status in ["200 OK", "403 Forbidden"] {
            let listener = TcpListener::bind("127.0.0.1:0").unwrap();
            let bucket = bucket(&listener);
            let sending = thread::spawn(move || {
                let (client, _address) = listener.accept().unwrap();
                send_endlessly(client, status)
            });
            let listed = bucket.list("releases/");
            drop(bucket);
            assert!(listed.is_err());
            let sent = sending.join().unwrap();
            // What the two kernels hold comes on top.
            assert!(
                sent < 4 * ANSWER_BYTES_MAX,
                "{status}: {sent} bytes were taken"
            );
        }
    }

    #[test]
    fn no_redirect_is_followed_and_the_error_says_so() {
        for status in ["302 Found", "307 Temporary Redirect"] {
            let [listener, other] = [(); 2].map(|()| TcpListener::bind("127.0.0.1:0").unwrap());
            other.set_nonblocking(true).unwrap();
            let bucket = bucket(&listener);
            let place = other.local_addr().unwrap();
            let redirecting = thread::spawn(move || {
                let (mut client, _address) = listener.accept().unwrap();
                let mut lines = BufReader::new(client.try_clone().unwrap()).lines();
                while lines.next().is_some_and(|line| !line.unwrap().is_empty()) {}
                let head = format!(
                    "HTTP/1.1 {status}\r\nLocation: http://{place}/x\r\nContent-Length: 0\r\n\r\n"
                );
                client.write_all(head.as_bytes()).unwrap();
            });
            let error = bucket.list("releases/").unwrap_err();
            redirecting.join().unwrap();
            let cause = std::error::Error::source(&error).unwrap().to_string();
            assert_eq!(
                cause,
                format!(
                    "{status}, a redirect, which is not followed; name the store's own address"
                )
            );
            let asked = other.accept().unwrap_err();
            assert_eq!(asked.kind(), std::io::ErrorKind::WouldBlock);
        }
    }
}
