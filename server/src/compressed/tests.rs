//! The cache with real codings, and with compressions that count themselves or never end.

use std::io::Read;
use std::sync::Barrier;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::channel;

use futures_util::FutureExt;
use rand::rngs::StdRng;
use rand::{RngCore, SeedableRng};
use shared::base::etag::ETag;
use tokio::time::advance;

use super::*;

fn json(length: usize) -> Bytes {
    let row = br#"{"id":"b1","slug":"first-36","name":"First 36"},"#;
    row.iter().copied().cycle().take(length).collect()
}

fn noise(length: usize) -> Bytes {
    let mut noise = vec![0; length];
    StdRng::seed_from_u64(7).fill_bytes(&mut noise);
    noise.into()
}

fn tag(body: &Bytes, coding: Coding) -> CodedETag {
    ETag::of(body).in_coding(coding)
}

fn decompressed(bytes: &[u8], coding: Coding) -> Vec<u8> {
    let mut body = Vec::new();
    match coding {
        Coding::Identity => bytes.clone_into(&mut body),
        Coding::Gzip => {
            let mut decoder = flate2::read::GzDecoder::new(bytes);
            decoder.read_to_end(&mut body).unwrap();
        }
        Coding::Brotli => brotli::BrotliDecompress(&mut &*bytes, &mut body).unwrap(),
        Coding::Zstd => body = zstd::decode_all(bytes).unwrap(),
    }
    body
}

#[tokio::test]
async fn every_coding_of_every_length_reads_as_the_body() {
    let bodies = CompressedBodies::default();
    for length in [0, 1, 100, AT_ONCE_BYTES_MAX, AT_ONCE_BYTES_MAX + 1, 300_000] {
        for body in [json(length), noise(length)] {
            for coding in Coding::ALL {
                let compressed = bodies.get(&body, tag(&body, coding)).await.unwrap();
                let read = decompressed(&compressed, coding);
                assert_eq!(read, body, "{coding:?} of {length} bytes");
            }
        }
    }
}

/// Asks for the gzip of `body`; `count` counts the compressions.
async fn ask(bodies: &CompressedBodies, body: &Bytes, count: &Arc<AtomicU32>) -> Bytes {
    let (count, coder) = (Arc::clone(count), Arc::clone(&bodies.coder));
    let compress = move |body: &[u8], coding: Coding| {
        count.fetch_add(1, Ordering::Relaxed);
        coder.compress(body, coding)
    };
    let asked = bodies.get_or_compress(body, tag(body, Coding::Gzip), compress);
    asked.await.unwrap()
}

#[tokio::test]
async fn a_body_is_compressed_once_for_each_coding_and_whatever_the_release() {
    let (bodies, count) = (CompressedBodies::default(), Arc::default());
    let first = ask(&bodies, &json(4000), &count).await;
    let again = ask(&bodies, &json(4000), &count).await;
    assert_eq!(first, again);
    assert_eq!(count.load(Ordering::Relaxed), 1);

    let other = ask(&bodies, &json(4001), &count).await;
    assert_ne!(first, other);
    assert_eq!(count.load(Ordering::Relaxed), 2);

    let body = json(4000);
    let brotli = bodies.get(&body, tag(&body, Coding::Brotli)).await.unwrap();
    assert_eq!(decompressed(&brotli, Coding::Brotli), body);
}

#[test]
fn threads_that_want_the_same_share_one_compression() {
    for length in [4000, 60_000] {
        let (bodies, count) = (Arc::new(CompressedBodies::default()), Arc::default());
        let threads: Vec<_> = {
            let together = Arc::new(Barrier::new(4));
            let thread = |_| {
                let (bodies, count) = (Arc::clone(&bodies), Arc::clone(&count));
                let together = Arc::clone(&together);
                std::thread::spawn(move || {
                    let runtime = tokio::runtime::Builder::new_current_thread()
                        .enable_time()
                        .build()
                        .unwrap();
                    together.wait();
                    runtime.block_on(ask(&bodies, &json(length), &count))
                })
            };
            (0..4).map(thread).collect()
        };
        for thread in threads {
            let compressed = thread.join().unwrap();
            assert_eq!(decompressed(&compressed, Coding::Gzip), json(length));
        }
        assert_eq!(count.load(Ordering::Relaxed), 1, "{length} bytes");
    }
}

fn one_at_a_time() -> CompressedBodies {
    CompressedBodies::with_queue(Queue::new("compression", 1, LIMITS))
}

#[tokio::test]
async fn a_compression_that_fails_is_not_remembered() {
    let (bodies, body) = (CompressedBodies::default(), json(4000));
    let fail = |_: &[u8], _| Err(io::Error::other("no memory"));
    let failed = bodies.get_or_compress(&body, tag(&body, Coding::Gzip), fail);
    let failed = failed.await.unwrap_err();
    assert_eq!(failed.to_string(), "no memory");
    let count = Arc::default();
    ask(&bodies, &body, &count).await;
    assert_eq!(count.load(Ordering::Relaxed), 1);
}

#[tokio::test(start_paused = true)]
async fn a_long_body_whose_turn_does_not_come_is_given_up_and_a_short_one_needs_none() {
    let (bodies, count) = (one_at_a_time(), Arc::default());
    let (go, wait) = channel::<()>();
    let hang = move |_: &[u8], _| {
        let _told = wait.recv();
        Ok(Vec::new())
    };
    let body = noise(60_000);
    let mut hanging = Box::pin(bodies.get_or_compress(&body, tag(&body, Coding::Gzip), hang));
    assert!(hanging.as_mut().now_or_never().is_none());

    let long = json(60_000);
    let mut waiting = Box::pin(bodies.get(&long, tag(&long, Coding::Gzip)));
    assert!(waiting.as_mut().now_or_never().is_none());
    ask(&bodies, &json(AT_ONCE_BYTES_MAX), &count).await;
    advance(LIMITS.waiting).await;
    let refused = waiting.await.unwrap_err();
    let late = "no turn came for a compression within 100ms";
    assert_eq!(refused.to_string(), late);
    drop(go);
}

#[tokio::test]
async fn entries_and_bytes_are_bounded() {
    let bodies = CompressedBodies::default();
    let remember = async |number: u64, compressed: usize| {
        let body = Bytes::from(number.to_string());
        let compress = move |_: &[u8], _| Ok(vec![0; compressed]);
        let asked = bodies.get_or_compress(&body, tag(&body, Coding::Zstd), compress);
        asked.await.unwrap();
    };
    for number in 0..BOUNDS.entries + 1000 {
        remember(number, 1).await;
    }
    let entries = bodies.figures().entries;
    assert!(entries <= BOUNDS.entries, "{entries}");
    for number in 0..100 {
        remember(1_000_000 + number, 1024 * 1024).await;
    }
    assert!(bodies.figures().bytes <= BOUNDS.bytes);
    // A body larger than the whole cache is returned but not held.
    let before = bodies.figures().bytes;
    remember(2_000_000, usize::try_from(BOUNDS.bytes).unwrap() + 1).await;
    assert!(bodies.figures().bytes <= before);
}
