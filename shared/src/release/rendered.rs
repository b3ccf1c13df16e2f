//! A record ready for a release: its body, and the values that lists filter and sort by.
//!
//! Rendering is a pure function of the record, so an import may render on many threads.

use super::listing::ListedBoat;
use super::terms::BoatTerm;
use crate::base::etag::ETag;
use crate::base::fold;
use crate::base::ids::{IdOrSlug, Slug};
use crate::base::model::{
    BoatDetails, BoatSummary, ManufacturerDetails, ManufacturerSummary, Reference,
};
use crate::base::render::coverage::Coverage;
use crate::base::render::{self, BodyTooLarge, Rendered};
use crate::base::timestamp::Timestamp;

/// The body of a record and where its list row ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RenderedBody {
    /// The exact body of the single-record answer.
    pub bytes: Vec<u8>,
    /// Length of the record up to the end of the summary, which is its list row but for a brace.
    pub head_length: usize,
    /// Hash of the body.
    pub etag: ETag,
    /// Which fields have a value.
    pub coverage: Coverage,
}

impl RenderedBody {
    fn new(
        render: impl FnOnce(&mut Vec<u8>) -> Result<Rendered, BodyTooLarge>,
    ) -> Result<Self, BodyTooLarge> {
        let mut bytes = Vec::with_capacity(4096);
        let rendered = render(&mut bytes)?;
        let etag = ETag::of(&bytes);
        Ok(Self {
            bytes,
            head_length: rendered.head_length,
            etag,
            coverage: rendered.coverage,
        })
    }

    /// The record in the body.
    pub(super) fn record(&self) -> &[u8] {
        render::record(&self.bytes)
    }
}

/// A boat, ready for a release.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RenderedBoat {
    pub(super) body: RenderedBody,
    pub(super) id: IdOrSlug,
    pub(super) slug: IdOrSlug,
    pub(super) manufacturer: Slug,
    pub(super) boat_type: BoatTerm,
    pub(super) categories: Vec<BoatTerm>,
    pub(super) activities: Vec<BoatTerm>,
    /// The boat's own values; the others are known at the end of a release.
    pub(super) listed: ListedBoat,
    pub(super) folded_model: Box<str>,
}

impl RenderedBoat {
    /// Renders a boat.
    pub fn new(summary: &BoatSummary<'_>, details: &BoatDetails<'_>) -> Result<Self, BodyTooLarge> {
        let terms = |references: &[Reference<'_>]| references.iter().map(BoatTerm::from).collect();
        Ok(Self {
            body: RenderedBody::new(|out| render::boat(summary, details, out))?,
            id: summary.id.clone(),
            slug: summary.slug.clone(),
            manufacturer: summary.manufacturer.slug.clone(),
            boat_type: BoatTerm::from(&summary.boat_type),
            categories: terms(&details.categories),
            activities: terms(&details.activities),
            listed: ListedBoat::new(summary),
            folded_model: fold::fold(&summary.model).into(),
        })
    }

    /// The rendered body.
    pub const fn body(&self) -> &RenderedBody {
        &self.body
    }
}

/// A manufacturer, ready for a release.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RenderedManufacturer {
    pub(super) body: RenderedBody,
    pub(super) id: IdOrSlug,
    pub(super) slug: Slug,
    pub(super) folded_name: Box<str>,
    pub(super) updated_at: Timestamp,
}

impl RenderedManufacturer {
    /// Renders a manufacturer.
    pub fn new(
        summary: &ManufacturerSummary<'_>,
        details: &ManufacturerDetails<'_>,
    ) -> Result<Self, BodyTooLarge> {
        Ok(Self {
            body: RenderedBody::new(|out| render::manufacturer(summary, details, out))?,
            id: summary.id.clone(),
            slug: summary.slug.clone(),
            folded_name: fold::fold(&summary.name).into(),
            updated_at: summary.updated_at.clone(),
        })
    }

    /// The rendered body.
    pub const fn body(&self) -> &RenderedBody {
        &self.body
    }
}
