//! Answers of S3 that have an end: what a broken or hostile store sends without one is an error
//! before it fills the memory.
//!
//! The client collects whole bodies, of lists and of errors too, whatever their length.

use async_trait::async_trait;
use http_body_util::{BodyExt, Limited};
use object_store::ClientOptions;
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpResponse,
    HttpResponseBody, HttpService, ReqwestConnector,
};

/// Most bytes of an answer: a piece of a file has half of it, a list of a thousand objects less.
pub(super) const ANSWER_BYTES_MAX: usize = 16 << 20;

/// Makes clients whose answers have an end.
#[derive(Debug)]
pub struct LimitedConnector {
    connector: ReqwestConnector,
    contents_max: usize,
}

#[derive(Debug)]
struct LimitedClient {
    client: HttpClient,
    contents_max: usize,
}

impl Default for LimitedConnector {
    fn default() -> Self {
        Self {
            connector: ReqwestConnector::default(),
            contents_max: ANSWER_BYTES_MAX,
        }
    }
}

impl LimitedConnector {
    /// For clients that pass contents on as they come, and count them. Other answers have an end.
    pub fn for_streams() -> Self {
        Self {
            contents_max: usize::MAX,
            ..Self::default()
        }
    }
}

impl HttpConnector for LimitedConnector {
    fn connect(&self, options: &ClientOptions) -> object_store::Result<HttpClient> {
        let client = self.connector.connect(options)?;
        Ok(HttpClient::new(LimitedClient {
            client,
            contents_max: self.contents_max,
        }))
    }
}

#[async_trait]
impl HttpService for LimitedClient {
    async fn call(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let (head, body) = self.client.execute(request).await?.into_parts();
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
}
