//! The manufacturers of an export (specification sections 2.4 and 2.5).

use shared::base::ids::{IdOrSlug, Slug};
use shared::base::model::{
    Image, ManufacturerDetails, ManufacturerReference, ManufacturerSummary, Text,
};
use shared::base::timestamp::Timestamp;

use super::checked::Values;
use super::image::image;

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
}

impl Manufacturer {
    /// Makes a manufacturer of values without errors.
    pub(super) fn of(mut values: Values<'_>) -> Option<Self> {
        Some(Self {
            id: IdOrSlug::parse(&values.text("id")?).ok()?,
            slug: Slug::parse(&values.text("slug")?).ok()?,
            name: values.text("name")?.into_owned(),
            website: values.text("website").map(Into::into),
            logo: values.object("logo").and_then(image).map(owned),
            description: values.text("description").map(Into::into),
            updated_at: Timestamp::parse(&values.text("updatedAt")?).ok()?,
        })
    }

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

/// An owned copy of the image.
fn owned(image: Image<'_>) -> Image<'static> {
    let own = |text: Text<'_>| Text::Owned(text.into_owned());
    Image {
        url: own(image.url),
        alt: image.alt.map(own),
        width: image.width,
        height: image.height,
        format: own(image.format),
    }
}
