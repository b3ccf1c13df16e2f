//! Tries out, with an object of its own, whether a store keeps the conditions of writes.
//!
//! Some stores that speak S3 ignore them, so operators would overwrite each other's activations,
//! which shows only when something is lost. So that is tried out before the first activation and by
//! `catalogue doctor`. The object is removed again; neither listings of releases nor prunes look at
//! its folder.

use bytes::Bytes;

use super::bucket::{Bucket, Contents, Flaw, S3Error, is_refusal};
use crate::release::ReleaseError;
use crate::release::releases::TriedOut;

/// The folder of the objects that are written.
const PROBE: &str = "probe/";
/// Most bytes of such an object.
const BYTES_MAX: u64 = 64;
/// The contents that are written.
const FIRST: &[u8] = b"1";
const SECOND: &[u8] = b"2";
const THIRD: &[u8] = b"3";

/// An object that no other process writes.
pub(super) struct Probe<'a> {
    bucket: &'a Bucket,
    name: String,
}

impl<'a> Probe<'a> {
    /// One in `bucket`. `who` is unique to this process.
    pub(super) fn new(bucket: &'a Bucket, who: &str) -> Self {
        Self {
            bucket,
            name: format!("{PROBE}{who}"),
        }
    }

    /// Tries it out. Call it only if the bucket can be read, since
    /// otherwise a refusal would not mean that just writes are forbidden.
    pub(super) fn try_out(&self) -> Result<TriedOut, ReleaseError> {
        match self.bucket.put(&self.name, Bytes::from_static(FIRST)) {
            Ok(()) => {}
            Err(ReleaseError::S3 {
                source: S3Error::Denied(_),
                ..
            }) => return Ok(TriedOut::ReadOnly),
            Err(error) => return Err(error),
        }
        let tried = self.conditions();
        let removed = self.bucket.remove(&self.name);
        tried.and(removed)?;
        Ok(TriedOut::Suitable)
    }

    /// A write is refused if and only if its condition does not hold.
    fn conditions(&self) -> Result<(), ReleaseError> {
        let first = self.read(FIRST)?.etag;
        let name = &self.name;
        let create = || self.bucket.create(name, Bytes::from_static(SECOND));
        if self.conditional(create())? {
            return Err(self.flawed(Flaw::CreatesOver));
        }
        self.read(FIRST)?;
        let replace = |bytes| {
            let bytes = Bytes::from_static(bytes);
            self.bucket.replace(name, bytes, first.clone())
        };
        let is_replaced = self.conditional(replace(SECOND))?;
        match self.read(SECOND) {
            Ok(_second) => {}
            // If it was replaced all the same, a reply was lost, and the retry met the new state.
            Err(ReleaseError::S3 {
                source: S3Error::Unsuitable(_),
                ..
            }) if !is_replaced => {
                let reason = "412 Precondition Failed".to_owned();
                return Err(self.flawed(Flaw::RefusesConditions(reason)));
            }
            Err(error) => return Err(error),
        }
        if self.conditional(replace(THIRD))? {
            return Err(self.flawed(Flaw::ReplacesStale));
        }
        self.read(SECOND).map(|_second| ())
    }

    /// Reads the object, which must have these contents and an ETag.
    fn read(&self, expected: &[u8]) -> Result<Contents, ReleaseError> {
        match self.bucket.get(&self.name, BYTES_MAX)? {
            Some(contents) if contents.bytes != expected => Err(self.flawed(Flaw::ReadsLate)),
            Some(contents) if contents.etag.is_none() => Err(self.flawed(Flaw::NamesNoState)),
            Some(contents) => Ok(contents),
            None => Err(self.flawed(Flaw::ReadsLate)),
        }
    }

    /// The result of a conditional write, after an unconditional one succeeded.
    fn conditional(&self, written: Result<bool, ReleaseError>) -> Result<bool, ReleaseError> {
        // What S3 refuses here it does not support. A failure on the way says nothing about that.
        written.map_err(|error| match error {
            ReleaseError::S3 {
                source: S3Error::Failed(reason) | S3Error::Denied(reason),
                ..
            } if is_refusal(&reason) => self.flawed(Flaw::RefusesConditions(reason)),
            error => error,
        })
    }

    fn flawed(&self, flaw: Flaw) -> ReleaseError {
        ReleaseError::S3 {
            action: "rely on",
            object: self.bucket.address().to_string(),
            source: S3Error::Unsuitable(flaw),
        }
    }
}
