//! The three encodings, each at the level that was measured to be worth its time.
//!
//! A request waits meanwhile, and a list is cached for a minute. Microseconds and remaining size,
//! for records of 3.4 kB and for lists of 100 rows, 57 kB:
//!
//! | | record | list |
//! |---|---|---|
//! | zstd 3 | 20, 44.9 % | 80, 11.1 % |
//! | gzip 6 | 57, 43.6 % | 380, 10.5 % |
//! | brotli 5 | 160, 41.8 % | 1300, 9.3 % |
//!
//! The next level up takes zstd (5) more than twice the time for one percent of the body, and
//! brotli (6) a fifth more for nothing; the next one down, brotli (4) is hardly shorter than gzip.
//! The default library of flate2 takes three to four times as long as zlib-rs.

use std::io::{self, Write};

use brotli::enc::BrotliEncoderParams;
use flate2::Compression;
use flate2::write::GzEncoder;
use parking_lot::Mutex;
use shared::base::etag::Coding;
use zstd::bulk::Compressor;

const ZSTD_LEVEL: i32 = 3;
const BROTLI_QUALITY: i32 = 5;
/// 256 KiB, longer than most lists; the default window takes longer to set up.
const BROTLI_WINDOW_BITS: i32 = 18;
const GZIP_LEVEL: u32 = 6;

/// Compresses bodies.
#[derive(Default)]
pub(super) struct Coder {
    /// Idle ones, as many as were used at once. Making one takes 25 microseconds, longer than
    /// compressing a record.
    zstd: Mutex<Vec<Compressor<'static>>>,
}

impl Coder {
    /// `body` in that coding.
    pub(super) fn compress(&self, body: &[u8], coding: Coding) -> io::Result<Vec<u8>> {
        match coding {
            Coding::Identity => Ok(body.to_vec()),
            Coding::Gzip => gzip(body),
            Coding::Brotli => brotli(body),
            Coding::Zstd => self.zstd(body),
        }
    }

    fn zstd(&self, body: &[u8]) -> io::Result<Vec<u8>> {
        let free = self.zstd.lock().pop();
        let mut compressor = match free {
            Some(compressor) => compressor,
            None => Compressor::new(ZSTD_LEVEL)?,
        };
        let compressed = compressor.compress(body);
        self.zstd.lock().push(compressor);
        compressed
    }
}

fn gzip(body: &[u8]) -> io::Result<Vec<u8>> {
    let room = Vec::with_capacity(body.len() / 2);
    let mut encoder = GzEncoder::new(room, Compression::new(GZIP_LEVEL));
    encoder.write_all(body)?;
    encoder.finish()
}

fn brotli(body: &[u8]) -> io::Result<Vec<u8>> {
    let mut compressed = Vec::with_capacity(body.len() / 2);
    let params = BrotliEncoderParams {
        quality: BROTLI_QUALITY,
        lgwin: BROTLI_WINDOW_BITS,
        size_hint: body.len(),
        ..BrotliEncoderParams::default()
    };
    brotli::BrotliCompress(&mut &*body, &mut compressed, &params)?;
    Ok(compressed)
}
