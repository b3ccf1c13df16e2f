//! An export as lines: native records, which an import reads.

use std::io::{self, Write};
use std::str;
use std::sync::Arc;

use anyhow::Context as _;
use flate2::Compression;
use flate2::write::GzEncoder;
use import::published::{NativeRecord, NativeRecords};
use import::source::ProgressListener as _;
use shared::release::{self, Release};
use zstd::zstd_safe::CompressionLevel;

use super::format::{LINE_KINDS, Packing};
use super::target::Sink;
use super::write_ahead;
use crate::terminal::progress::Progress;

/// Level of Zstandard: its own default.
const LEVEL: CompressionLevel = zstd::DEFAULT_COMPRESSION_LEVEL;

/// How many bytes of lines are written at a time.
const BLOCK_BYTES: usize = 256 << 10;

/// Writes the records of a release into one file, or into one for each of [`LINE_KINDS`].
pub(super) fn write(
    release: &Arc<Release>,
    sinks: Vec<Sink<'_>>,
    packing: Packing,
    progress: &Progress,
) -> anyhow::Result<()> {
    let files: anyhow::Result<Vec<_>> = sinks
        .into_iter()
        .map(|sink| LineFile::new(sink, packing))
        .collect();
    let mut files = files?;
    let (places, release) = (files.len(), Arc::clone(release));
    progress.boats(release.manifest().boats);
    write_ahead(
        move |hand_over| make_lines(&release, Lines::of(places, hand_over)),
        |block| {
            progress.advance(block.boats);
            files[block.place].write(&block.lines)
        },
    )?;
    progress.finish();
    // Every file is complete before the first one gets its name.
    let whole: anyhow::Result<Vec<_>> = files.into_iter().map(LineFile::end).collect();
    whole?.into_iter().try_for_each(Sink::finish)
}

/// Makes the lines of all records.
fn make_lines(release: &Release, mut lines: Lines<'_>) -> anyhow::Result<()> {
    let mut records = NativeRecords::new();
    let manifest = release.manifest();
    let (boats, manufacturers) = (manifest.boats, manifest.manufacturers);
    lines.write(&NativeRecords::catalogue(
        &manifest.published_at,
        boats,
        manufacturers,
    ))?;
    release.each_record(release::Kind::Manufacturers, |record| {
        lines.write(&records.manufacturer(text(record)?)?)
    })?;
    release.each_record(release::Kind::Boats, |record| {
        lines.boats += 1;
        let mut made = records.boat(text(record)?)?.into_iter();
        made.try_for_each(|record| lines.write(&record))
    })?;
    lines.end()
}

fn text(record: &[u8]) -> anyhow::Result<&str> {
    str::from_utf8(record).context("a line of the release is no text")
}

/// Whole lines of one file.
struct Block {
    /// Which file.
    place: usize,
    lines: String,
    /// How many boats were read since the block before.
    boats: u64,
}

/// The lines of each file that make the next block.
struct Lines<'w> {
    next: Vec<String>,
    /// How many boats were read since the last block.
    boats: u64,
    hand_over: &'w mut dyn FnMut(Block) -> anyhow::Result<()>,
}

impl<'w> Lines<'w> {
    fn of(places: usize, hand_over: &'w mut dyn FnMut(Block) -> anyhow::Result<()>) -> Self {
        Self {
            next: vec![String::new(); places],
            boats: 0,
            hand_over,
        }
    }

    fn write(&mut self, record: &NativeRecord) -> anyhow::Result<()> {
        let place = match &self.next[..] {
            [_only] => Some(0),
            _ => LINE_KINDS.iter().position(|kind| *kind == record.kind),
        };
        let Some(place) = place.filter(|place| *place < self.next.len()) else {
            return Ok(());
        };
        let lines = &mut self.next[place];
        lines.push_str(&record.line);
        lines.push('\n');
        if BLOCK_BYTES <= lines.len() {
            (self.hand_over)(Block {
                place,
                lines: std::mem::take(lines),
                boats: std::mem::take(&mut self.boats),
            })?;
        }
        Ok(())
    }

    /// Hands over what is left.
    fn end(self) -> anyhow::Result<()> {
        let mut left = self.next.into_iter().enumerate();
        let boats = self.boats;
        left.try_for_each(|(place, lines)| {
            (self.hand_over)(Block {
                place,
                lines,
                boats: if place == 0 { boats } else { 0 },
            })
        })
    }
}

/// A file of lines.
struct LineFile<'c> {
    attempt: String,
    packed: Packed<'c>,
}

enum Packed<'c> {
    Plain(Sink<'c>),
    Gzip(GzEncoder<Sink<'c>>),
    Zstandard(zstd::Encoder<'static, Sink<'c>>),
}

impl<'c> LineFile<'c> {
    fn new(sink: Sink<'c>, packing: Packing) -> anyhow::Result<Self> {
        let attempt = sink.attempt();
        let packed = match packing {
            Packing::Plain => Packed::Plain(sink),
            Packing::Gzip => Packed::Gzip(GzEncoder::new(sink, Compression::default())),
            Packing::Zstandard => {
                let mut encoder = zstd::Encoder::new(sink, LEVEL).context(attempt.clone())?;
                encoder.include_checksum(true).context(attempt.clone())?;
                Packed::Zstandard(encoder)
            }
        };
        Ok(Self { attempt, packed })
    }

    fn write(&mut self, lines: &str) -> anyhow::Result<()> {
        let to: &mut dyn Write = match &mut self.packed {
            Packed::Plain(sink) => sink,
            Packed::Gzip(encoder) => encoder,
            Packed::Zstandard(encoder) => encoder,
        };
        let written = to.write_all(lines.as_bytes());
        written.with_context(|| self.attempt.clone())
    }

    /// Ends the file; nothing more is written.
    fn end(self) -> anyhow::Result<Sink<'c>> {
        let sink: io::Result<Sink<'c>> = match self.packed {
            Packed::Plain(sink) => Ok(sink),
            Packed::Gzip(encoder) => encoder.finish(),
            Packed::Zstandard(encoder) => encoder.finish(),
        };
        sink.context(self.attempt)
    }
}
