//! The consumer of validated records that makes a release of them.

use anyhow::Context as _;
use import::run::Consumer;
use shared::base::model::{BoatDetails, BoatSummary, ManufacturerDetails, ManufacturerSummary};
use shared::base::render::BodyTooLarge;
use shared::release::{ReleaseWriter, RenderedBoat, RenderedManufacturer};

/// Puts records into a release as they come.
pub(super) struct Publishing {
    pub(super) writer: ReleaseWriter,
}

impl Consumer for Publishing {
    type Boat = RenderedBoat;

    fn render(
        summary: &BoatSummary<'_>,
        details: &BoatDetails<'_>,
    ) -> Result<RenderedBoat, BodyTooLarge> {
        RenderedBoat::new(summary, details)
    }

    fn size(boat: &RenderedBoat) -> usize {
        boat.body().bytes.len()
    }

    fn boat(&mut self, boat: RenderedBoat) -> anyhow::Result<()> {
        Ok(self.writer.push_boat(boat)?)
    }

    fn manufacturer(
        &mut self,
        summary: &ManufacturerSummary<'_>,
        details: &ManufacturerDetails<'_>,
    ) -> anyhow::Result<()> {
        // Its body has nothing of other records, so it fits in a line of the export and is too
        // small for this error.
        let rendered = RenderedManufacturer::new(summary, details).with_context(|| {
            format!("could not render the manufacturer {}", summary.id.as_str())
        })?;
        Ok(self.writer.push_manufacturer(rendered)?)
    }
}
