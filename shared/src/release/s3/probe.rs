//! Whether a store behaves as releases need it to, tried out with an object of this process alone.
//!
//! Stores that speak S3 differ where it matters most: one writes whatever the condition, so that
//! operators would overtake each other unseen; another lists late, so that a prune would miss
//! a release that is needed. Neither shows before something is lost, so it is tried out before
//! the first activation, and whenever an operator asks. The object is removed again, and lies where
//! neither a listing of releases nor a prune looks.

use bytes::Bytes;

use super::bucket::{Bucket, Contents, Flaw, Got, S3Error};
use crate::release::ReleaseError;

/// The folder of the objects with which it is tried out.
const PROBE: &str = "probe/";
/// Most bytes of such an object.
const BYTES_MAX: u64 = 64;
/// What is written, of different lengths, so that listings show which of them is there.
const FIRST: &[u8] = b"1";
const SECOND: &[u8] = b"22";
const THIRD: &[u8] = b"333";

/// What came of trying a store out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TriedOut {
    /// It behaves as releases need it to.
    Suitable,
    /// These keys may read and not write, so it could not be tried out.
    ReadOnly,
}

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

    /// Tries everything out that releases rely on. Call it once something could be read: where
    /// nothing can, it is not for lack of a permission to write.
    pub(super) fn try_out(&self) -> Result<TriedOut, ReleaseError> {
        match self.bucket.put(&self.name, Bytes::from_static(FIRST)) {
            Ok(()) => {}
            Err(ReleaseError::S3 {
                source: S3Error::Denied(_),
                ..
            }) => return Ok(TriedOut::ReadOnly),
            Err(error) => return Err(error),
        }
        let tried = self.conditions().and_then(|()| self.listing());
        let tried = tried.and_then(|()| self.pieces());
        let removed = self.bucket.remove(&self.name);
        tried.and(removed)?;
        self.removal()?;
        Ok(TriedOut::Suitable)
    }

    /// A write whose condition does not hold is refused, and only such a one.
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
            // Where it was replaced all the same, an answer was lost, and then its state was another.
            Err(_first) if !is_replaced => {
                let reason = "412 Precondition Failed".to_owned();
                return Err(self.flawed(Flaw::RefusesConditions(reason)));
            }
            Err(old) => return Err(old),
        }
        if self.conditional(replace(THIRD))? {
            return Err(self.flawed(Flaw::ReplacesStale));
        }
        self.read(SECOND).map(|_second| ())
    }

    /// What was written is listed at once, as it is now.
    fn listing(&self) -> Result<(), ReleaseError> {
        let listed = self.bucket.list(PROBE)?;
        let mut listed = listed.iter().filter(|object| object.name == self.name);
        match listed.next() {
            Some(object) if object.bytes == SECOND.len() as u64 => Ok(()),
            _ => Err(self.flawed(Flaw::ListsLate)),
        }
    }

    /// A file that is sent in pieces is whole when it arrives.
    fn pieces(&self) -> Result<(), ReleaseError> {
        let put = self
            .bucket
            .put_in_pieces(&self.name, Bytes::from_static(THIRD));
        put.map_err(|error| self.refused(error, Flaw::TakesNoPieces))?;
        self.read(THIRD).map(|_third| ())
    }

    /// What was removed is gone at once.
    fn removal(&self) -> Result<(), ReleaseError> {
        match self.bucket.get(&self.name, BYTES_MAX, None)? {
            Got::Missing => Ok(()),
            Got::Contents(_) | Got::Unchanged => Err(self.flawed(Flaw::ReadsLate)),
        }
    }

    /// The object, which has to have these contents and a name for its state.
    fn read(&self, expected: &[u8]) -> Result<Contents, ReleaseError> {
        match self.bucket.get(&self.name, BYTES_MAX, None)? {
            Got::Contents(contents) if contents.bytes != expected => {
                Err(self.flawed(Flaw::ReadsLate))
            }
            Got::Contents(contents) if contents.etag.is_none() => {
                Err(self.flawed(Flaw::NamesNoState))
            }
            Got::Contents(contents) => Ok(contents),
            Got::Missing | Got::Unchanged => Err(self.flawed(Flaw::ReadsLate)),
        }
    }

    /// A write with a condition, where one without was done a moment ago.
    fn conditional(&self, written: Result<bool, ReleaseError>) -> Result<bool, ReleaseError> {
        written.map_err(|error| self.refused(error, Flaw::RefusesConditions))
    }

    /// What S3 refuses where a plain write was done is what it does not know.
    fn refused(&self, error: ReleaseError, flaw: fn(String) -> Flaw) -> ReleaseError {
        match error {
            ReleaseError::S3 {
                source: S3Error::Failed(reason) | S3Error::Denied(reason),
                ..
            } => self.flawed(flaw(reason)),
            error => error,
        }
    }

    fn flawed(&self, flaw: Flaw) -> ReleaseError {
        ReleaseError::S3 {
            action: "rely on",
            object: self.bucket.address().to_string(),
            source: S3Error::Unsuitable(flaw),
        }
    }
}
