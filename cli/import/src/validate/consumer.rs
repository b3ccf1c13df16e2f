//! The receiver of the records to be served.

use shared::base::model::{BoatDetails, BoatSummary, ManufacturerDetails, ManufacturerSummary};
use shared::base::render::{self, BodyTooLarge};

/// Receives the records to be served.
pub trait Consumer {
    /// A rendered boat.
    type Boat: Send + 'static;
    /// Renders a boat. May be called on any thread.
    fn render(
        summary: &BoatSummary<'_>,
        details: &BoatDetails<'_>,
    ) -> Result<Self::Boat, BodyTooLarge>;
    /// The approximate size of a rendered boat in bytes.
    fn size(boat: &Self::Boat) -> usize;
    /// Takes the next boat in the export's order.
    fn boat(&mut self, boat: Self::Boat) -> anyhow::Result<()>;
    /// Takes the next manufacturer in the export's order, after all boats.
    fn manufacturer(
        &mut self,
        summary: &ManufacturerSummary<'_>,
        details: &ManufacturerDetails<'_>,
    ) -> anyhow::Result<()>;
}

/// Drops the records, when only the findings matter.
pub struct Discard;

impl Consumer for Discard {
    type Boat = ();

    fn render(summary: &BoatSummary<'_>, details: &BoatDetails<'_>) -> Result<(), BodyTooLarge> {
        // Rendering is needed to find out whether a body is too large.
        render::boat(summary, details, &mut Vec::new()).map(|_head_length| ())
    }

    fn size((): &()) -> usize {
        0
    }

    fn boat(&mut self, (): ()) -> anyhow::Result<()> {
        Ok(())
    }

    fn manufacturer(
        &mut self,
        _summary: &ManufacturerSummary<'_>,
        _details: &ManufacturerDetails<'_>,
    ) -> anyhow::Result<()> {
        Ok(())
    }
}
