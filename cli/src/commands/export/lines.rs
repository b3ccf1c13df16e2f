//! An export as lines: native records, which an import reads.

use std::io::{self, Write};
use std::str;

use anyhow::Context as _;
use flate2::Compression;
use flate2::write::GzEncoder;
use import::published::{NativeRecord, NativeRecords};
use shared::release::{Release, diff};
use zstd::zstd_safe::CompressionLevel;

use super::format::{LINE_KINDS, Packing};
use super::target::Sink;
use crate::terminal::progress::Progress;

/// Level of Zstandard: its own default.
const LEVEL: CompressionLevel = zstd::DEFAULT_COMPRESSION_LEVEL;

/// Writes the records of a release into one file, or into one for each of [`LINE_KINDS`].
pub(super) fn write(
    release: &Release,
    sinks: Vec<Sink<'_>>,
    packing: Packing,
    progress: &Progress,
) -> anyhow::Result<()> {
    let files: anyhow::Result<Vec<_>> = sinks
        .into_iter()
        .map(|sink| LineFile::new(sink, packing))
        .collect();
    let (mut lines, mut records) = (Lines(files?), NativeRecords::new());
    let manifest = release.manifest();
    let (boats, manufacturers) = (manifest.boats, manifest.manufacturers);
    lines.write(&NativeRecords::catalogue(
        &manifest.published_at,
        boats,
        manufacturers,
    ))?;
    release.each_body(diff::Kind::Manufacturers, |body| {
        lines.write(&records.manufacturer(text(body)?)?)
    })?;
    progress.boats(boats);
    release.each_body(diff::Kind::Boats, |body| {
        progress.advance(1);
        let mut made = records.boat(text(body)?)?.into_iter();
        made.try_for_each(|record| lines.write(&record))
    })?;
    progress.finish();
    lines.finish()
}

fn text(body: &[u8]) -> anyhow::Result<&str> {
    str::from_utf8(body).context("a body of the release is no text")
}

/// The files of all kinds of records.
struct Lines<'c>(Vec<LineFile<'c>>);

impl Lines<'_> {
    fn write(&mut self, record: &NativeRecord) -> anyhow::Result<()> {
        let place = match &self.0[..] {
            [_only] => Some(0),
            _ => LINE_KINDS.iter().position(|kind| *kind == record.kind),
        };
        let file = place.and_then(|place| self.0.get_mut(place));
        file.map_or(Ok(()), |file| file.write(&record.line))
    }

    /// Completes every file before the first one gets its name.
    fn finish(self) -> anyhow::Result<()> {
        let whole: anyhow::Result<Vec<Sink<'_>>> = self.0.into_iter().map(LineFile::end).collect();
        whole?.into_iter().try_for_each(Sink::finish)
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

    fn write(&mut self, line: &str) -> anyhow::Result<()> {
        let to: &mut dyn Write = match &mut self.packed {
            Packed::Plain(sink) => sink,
            Packed::Gzip(encoder) => encoder,
            Packed::Zstandard(encoder) => encoder,
        };
        let written = to
            .write_all(line.as_bytes())
            .and_then(|()| to.write_all(b"\n"));
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
