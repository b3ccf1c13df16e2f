//! What is sent of a whole file: in which coding, which part of it, and whether the client has it
//! already.
//!
//! A file is never compressed here. It charges nothing.

use salvo::Request;
use salvo::http::header::{ACCEPT_ENCODING, IF_NONE_MATCH, IF_RANGE, RANGE};
use salvo::http::{HeaderMap, HeaderName, Method};
use shared::base::etag::{Coding, IfNoneMatch};
use shared::release::Kind;

use super::accept_encoding::Accepted;
use super::error::ApiError;
use super::headers::{Media, ResponseMeta};
use super::range::{Asked, OfFile, is_unchanged};
use super::representation::{Answer, FileBody, lines};
use crate::api_tables::routes::WholeFormat;
use crate::cache::Freshness;
use crate::catalogue::{Catalogue, SentFile};

/// The codings that lines are kept in, the best first.
const CODINGS: [Coding; 2] = [Coding::Zstd, Coding::Gzip];

/// All records of a kind, in a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WholeRequest {
    pub(crate) kind: Kind,
    pub(crate) format: WholeFormat,
}

impl WholeRequest {
    /// What to send of the file, and what its headers say.
    pub(super) fn answer(
        self,
        catalogue: &Catalogue,
        request: &Request,
        meta: &mut ResponseMeta,
    ) -> Result<Answer, ApiError> {
        let headers = request.headers();
        let plain = self.file(catalogue, Coding::Identity);
        // No other method has ranges (RFC 9110 section 14.2).
        let asked = only(headers, &RANGE).filter(|_| request.method() == Method::GET);
        let asked = asked.and_then(Asked::parse);
        let asked = asked.filter(|_| {
            let if_range = headers.contains_key(IF_RANGE);
            !if_range || is_unchanged(only(headers, &IF_RANGE).or(Some(b"")), plain.etag)
        });
        let file = match asked {
            Some(_) => plain,
            None => self.coded(catalogue, headers, plain),
        };
        meta.etag = Some(file.etag);
        meta.media = Media::Whole(match self.format {
            WholeFormat::Ndjson => "application/x-ndjson",
            WholeFormat::Parquet => "application/vnd.apache.parquet",
        });
        let held = IfNoneMatch::parse(lines(headers, &IF_NONE_MATCH));
        let held = held.and_then(|held| held.matching(file.etag.etag, file.etag.coding));
        if let Some(coding) = held {
            meta.etag = Some(file.etag.etag.in_coding(coding));
            return Ok(Answer::NotModified);
        }
        let bytes = file.bytes();
        let range = match asked {
            Some(asked) => asked.within(bytes).ok_or(ApiError::NoSuchRange(bytes))?,
            None => 0..bytes,
        };
        meta.freshness = Some(Freshness::Hit { age_seconds: 0 });
        let part = range.clone();
        meta.of_file = Some(match asked {
            Some(_) => OfFile::Part { part, bytes },
            None => OfFile::Whole,
        });
        Ok(Answer::File(FileBody {
            file,
            range,
            is_part: asked.is_some(),
        }))
    }

    /// The file in the best accepted coding; uncompressed if that is no gain.
    fn coded(self, catalogue: &Catalogue, headers: &HeaderMap, plain: SentFile) -> SentFile {
        let accepted = Accepted::among(&CODINGS, lines(headers, &ACCEPT_ENCODING));
        let coded = catalogue.whole(self.kind, self.format, accepted.best);
        let is_shorter = |coded: &SentFile| coded.bytes() < plain.bytes();
        coded
            .filter(|coded| accepted.refuses_identity || is_shorter(coded))
            .unwrap_or(plain)
    }

    /// The file in a coding that is there.
    pub(super) fn file(self, catalogue: &Catalogue, coding: Coding) -> SentFile {
        let file = catalogue.whole(self.kind, self.format, coding);
        file.unwrap_or_else(|| unreachable!("every file is there uncompressed"))
    }
}

/// The value of a field that is there once.
fn only<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a [u8]> {
    let mut values = lines(headers, name);
    values.next().filter(|_| values.next().is_none())
}
