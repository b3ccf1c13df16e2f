//! What a release tells of a record besides its body: its names, and what is known of the body.
//!
//! A record is made by whoever reads the release; nothing here reads it.

use std::ops::Range;

use crate::base::etag::ETag;
use crate::base::render;

/// Identity of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// Record identifier.
    pub id: Box<str>,
    /// Slug, unique within its kind.
    pub slug: Box<str>,
    /// Hash of the body.
    pub etag: ETag,
    /// What of the body a list shows.
    pub head: Head,
}

/// The beginning of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    length: u32,
}

impl Head {
    /// A beginning that is so many bytes long.
    pub const fn ending_at(length: u32) -> Self {
        Self { length }
    }

    /// Where, in the body, the list row lies, the closing brace missing.
    pub const fn row(self) -> Range<usize> {
        render::row_head(self.length as usize)
    }
}
