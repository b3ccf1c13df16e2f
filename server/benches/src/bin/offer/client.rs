//! One kept-alive connection, with one request at a time.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use shared::base::etag::ETag;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::kinds::Asked;
use crate::tally::Outcome;

/// Longest wait for a response.
const WAIT: Duration = Duration::from_secs(15);

/// A connection to a server, opened when it is needed.
pub(crate) struct Client {
    address: SocketAddr,
    stream: Option<TcpStream>,
    /// What was read of the response.
    answer: Vec<u8>,
}

/// The head of a response.
struct Head {
    status: u16,
    /// Where the body begins and ends.
    body: std::ops::Range<usize>,
    etag: Option<String>,
    closes: bool,
}

impl Client {
    pub(crate) const fn new(address: SocketAddr) -> Self {
        Self {
            address,
            stream: None,
            answer: Vec::new(),
        }
    }

    /// Sends a request and checks the response.
    pub(crate) async fn ask(&mut self, request: &Asked) -> Outcome {
        let exchanged = timeout(WAIT, self.exchange(&request.head)).await;
        let Ok(Ok(head)) = exchanged else {
            self.stream = None;
            return Outcome::Failed;
        };
        if head.closes {
            self.stream = None;
        }
        match head.status {
            200 if self.is_expected(&head, &request.etags) => Outcome::Answered,
            200 => Outcome::Wrong,
            503 => Outcome::Refused,
            _ => Outcome::Other,
        }
    }

    async fn exchange(&mut self, head: &str) -> io::Result<Head> {
        if self.stream.is_none() {
            let stream = TcpStream::connect(self.address).await?;
            stream.set_nodelay(true)?;
            self.stream = Some(stream);
        }
        let stream = self.stream.as_mut().ok_or(io::ErrorKind::NotConnected)?;
        stream.write_all(head.as_bytes()).await?;
        self.answer.clear();
        let head = loop {
            read_some(stream, &mut self.answer).await?;
            if let Some(head) = Head::parse(&self.answer)? {
                break head;
            }
        };
        while self.answer.len() < head.body.end {
            read_some(stream, &mut self.answer).await?;
        }
        Ok(head)
    }

    fn is_expected(&self, head: &Head, etags: &[String]) -> bool {
        let Some(etag) = head.etag.as_ref() else {
            return etags.is_empty();
        };
        let of_body = || ETag::of(&self.answer[head.body.clone()]).to_string();
        etags.is_empty() || (etags.contains(etag) && *etag == of_body())
    }
}

impl Head {
    /// `None` if the head is not complete yet.
    fn parse(answer: &[u8]) -> io::Result<Option<Self>> {
        let Some(end) = answer.windows(4).position(|four| four == b"\r\n\r\n") else {
            return Ok(None);
        };
        let wrong = || io::Error::new(io::ErrorKind::InvalidData, "not the head of an answer");
        let text = str::from_utf8(&answer[..end]).map_err(|_why| wrong())?;
        let mut lines = text.split("\r\n");
        let status = lines.next().and_then(|line| line.split(' ').nth(1));
        let status = status.and_then(|status| status.parse().ok());
        let (mut length, mut etag, mut closes) = (None, None, false);
        for (name, value) in lines.filter_map(|line| line.split_once(": ")) {
            match name.to_ascii_lowercase().as_str() {
                "content-length" => length = value.parse::<usize>().ok(),
                "etag" => etag = Some(value.to_owned()),
                "connection" => closes = value.eq_ignore_ascii_case("close"),
                _ => {}
            }
        }
        let begins = end + 4;
        Ok(Some(Self {
            status: status.ok_or_else(wrong)?,
            body: begins..begins + length.ok_or_else(wrong)?,
            etag,
            closes,
        }))
    }
}

async fn read_some(stream: &mut TcpStream, into: &mut Vec<u8>) -> io::Result<()> {
    match stream.read_buf(into).await? {
        0 => Err(io::ErrorKind::UnexpectedEof.into()),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_says_where_its_body_lies() {
        let text = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\netag: \"a\"\r\n\r\nhello";
        for end in 0..text.len() - "hello".len() {
            assert!(
                Head::parse(&text[..end]).expect("no fault").is_none(),
                "{end}"
            );
        }
        let head = Head::parse(text).expect("no fault").expect("a whole head");
        assert_eq!((head.status, head.closes), (200, false));
        assert_eq!(head.etag.as_deref(), Some("\"a\""));
        assert_eq!(&text[head.body], b"hello");
    }

    #[test]
    fn an_answer_without_a_length_is_a_failure() {
        assert!(Head::parse(b"HTTP/1.1 200 OK\r\n\r\n").is_err());
    }

    #[test]
    fn a_body_is_expected_by_its_hash_only() {
        let answer = |body: &[u8], etag: Option<String>, etags: &[String]| {
            let mut client = Client::new(([127, 0, 0, 1], 1).into());
            client.answer = body.to_vec();
            let body = 0..body.len();
            let head = Head {
                status: 200,
                body,
                etag,
                closes: false,
            };
            client.is_expected(&head, etags)
        };
        let (one, other) = (ETag::of(b"one").to_string(), ETag::of(b"other").to_string());
        let both = [one.clone(), other.clone()];
        assert!(answer(b"one", Some(one.clone()), &both));
        assert!(answer(b"other", Some(other.clone()), &both));
        assert!(!answer(b"one", Some(other), &both), "of another body");
        assert!(
            !answer(b"third", Some(ETag::of(b"third").to_string()), &both),
            "of no release"
        );
        assert!(!answer(b"one", None, &both), "without a tag");
        assert!(answer(b"one", Some(one), &[]), "where any will do");
    }
}
