//! What receives the records that are to be served.

use shared::base::model::{BoatDetails, BoatSummary, ManufacturerDetails, ManufacturerSummary};
use shared::base::render::{self, BodyTooLarge};

/// Receives the records that are to be served.
pub trait Consumer {
    /// A rendered boat.
    type Boat: Send;
    /// Renders a boat; on any thread.
    fn render(
        summary: &BoatSummary<'_>,
        details: &BoatDetails<'_>,
    ) -> Result<Self::Boat, BodyTooLarge>;
    /// How many bytes a rendered boat takes, about.
    fn size(boat: &Self::Boat) -> usize;
    /// Takes the next boat, in the order of the export.
    fn boat(&mut self, boat: Self::Boat) -> anyhow::Result<()>;
    /// Takes the next manufacturer, in the order of the export, after all boats.
    fn manufacturer(
        &mut self,
        summary: &ManufacturerSummary<'_>,
        details: &ManufacturerDetails<'_>,
    ) -> anyhow::Result<()>;
}

/// Drops the records: for what is only to be found.
pub struct Discard;

impl Consumer for Discard {
    type Boat = ();

    fn render(summary: &BoatSummary<'_>, details: &BoatDetails<'_>) -> Result<(), BodyTooLarge> {
        // Whether a body is too large shows when it is rendered.
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
