//! Bodies that do not occur in a release: noise, and long ones while nothing can be compressed.

use std::io::Read;
use std::time::Duration;

use rand::rngs::StdRng;
use rand::{RngCore, SeedableRng};

use super::*;
use crate::catalogue::{Queue, QueueLimits};

fn noise(length: usize) -> Bytes {
    let mut noise = vec![0; length];
    StdRng::seed_from_u64(7).fill_bytes(&mut noise);
    noise.into()
}

/// What is sent of `body`, and in which encoding.
async fn sent(compressed: &CompressedBodies, body: &Bytes, accepted: &str) -> (Bytes, Coding) {
    let mut headers = HeaderMap::new();
    headers.insert(ACCEPT_ENCODING, HeaderValue::from_str(accepted).unwrap());
    let etag = ETag::of(body);
    let (answer, tag) = choose(compressed, &headers, body.clone(), etag).await;
    assert_eq!(tag.etag, etag);
    let Answer::Body(bytes) = answer else {
        panic!("nothing was asked that could be answered without a body");
    };
    (bytes, tag.coding)
}

#[tokio::test]
async fn a_body_that_gets_no_shorter_is_sent_as_it_is() {
    let compressed = CompressedBodies::default();
    for body in [noise(4000), noise(60_000)] {
        for accepted in ["gzip", "br", "zstd"] {
            for _first_and_again in 0..2 {
                let sent = sent(&compressed, &body, accepted).await;
                assert_eq!(sent, (body.clone(), Coding::Identity), "{accepted}");
            }
        }
        let accepted = "gzip, identity;q=0";
        let (bytes, coding) = sent(&compressed, &body, accepted).await;
        assert_eq!(coding, Coding::Gzip);
        let mut read = Vec::new();
        let mut decoder = flate2::read::GzDecoder::new(&*bytes);
        decoder.read_to_end(&mut read).unwrap();
        assert_eq!(read, body);
    }
}

#[tokio::test]
async fn bodies_are_compressed_from_a_length_on() {
    let compressed = CompressedBodies::default();
    for (length, coding) in [
        (0, Coding::Identity),
        (TINY_BYTES - 1, Coding::Identity),
        (TINY_BYTES, Coding::Zstd),
    ] {
        let body = Bytes::from(vec![b'x'; length]);
        assert_eq!(sent(&compressed, &body, "zstd").await.1, coding, "{length}");
    }
}

#[tokio::test]
async fn where_nothing_can_be_compressed_a_body_is_sent_as_it_is() {
    let nobody = QueueLimits {
        waiting_max: 0,
        waiting: Duration::from_secs(1),
        working: Duration::from_secs(1),
    };
    let compressed = CompressedBodies::with_queue(Queue::new("compression", 0, nobody));
    let body = Bytes::from(vec![b'x'; 60_000]);
    for accepted in ["gzip", "gzip, identity;q=0"] {
        let sent = sent(&compressed, &body, accepted).await;
        assert_eq!(sent, (body.clone(), Coding::Identity), "{accepted}");
    }
}
