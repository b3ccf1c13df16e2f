//! Reads the manufacturers of an export (specification sections 2.4 and 2.5).

use shared::base::ids::{IdOrSlug, Slug};
use shared::base::model::{Image, ManufacturerDetails, ManufacturerReference, ManufacturerSummary};
use shared::base::timestamp::Timestamp;

use super::fields::Fields;
use super::text::{description, row_text};
use super::values::{flag, id, image, owned, slug, timestamp, url};

/// A manufacturer, kept for the boats that refer to it.
#[derive(Debug)]
pub(crate) struct Manufacturer {
    pub(crate) id: IdOrSlug,
    pub(crate) slug: Slug,
    name: String,
    website: Option<String>,
    logo: Option<Image<'static>>,
    description: Option<String>,
    updated_at: Timestamp,
    pub(crate) is_published: bool,
}

/// Reads a manufacturer.
pub(crate) fn read(record: &mut Fields<'_, '_>) -> Option<Manufacturer> {
    let id = record.required("id", id);
    let slug = record.required("slug", slug);
    let name = record.required("name", row_text);
    let website = record.optional("website", url);
    let logo = record.optional("logo", image);
    let description = record.optional("description", description);
    let updated_at = record.required("updatedAt", timestamp);
    let is_published = record.optional("published", flag).unwrap_or(true);
    record.derived("boatCount", "the boats of the export");
    Some(Manufacturer {
        id: id?,
        slug: slug?,
        name: name?.into_owned(),
        website: website.map(Into::into),
        logo: logo.map(owned),
        description: description.map(Into::into),
        updated_at: updated_at?,
        is_published,
    })
}

impl Manufacturer {
    /// Its row in a list, which is also the first part of the full record.
    pub(crate) fn summary(&self) -> ManufacturerSummary<'_> {
        ManufacturerSummary {
            id: &self.id,
            slug: &self.slug,
            name: self.name.as_str().into(),
            website: self.website.as_deref().map(Into::into),
            logo: self.logo.clone(),
            updated_at: self.updated_at.clone(),
        }
    }

    /// The rest of the full record.
    pub(crate) fn details(&self, boat_count: u64) -> ManufacturerDetails<'_> {
        ManufacturerDetails {
            description: self.description.as_deref().map(Into::into),
            boat_count,
        }
    }

    /// The manufacturer as a boat shows it.
    pub(crate) fn reference(&self) -> ManufacturerReference<'_> {
        ManufacturerReference {
            id: &self.id,
            name: &self.name,
            slug: &self.slug,
            website: self.website.as_deref(),
        }
    }
}
