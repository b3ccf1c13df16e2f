//! A consumer of records for whom only what is wrong with them counts.

use shared::base::model::{BoatDetails, BoatSummary, ManufacturerDetails, ManufacturerSummary};
use shared::base::render::{self, BodyTooLarge};

use super::Consumer;

/// Takes records and does nothing with them.
pub struct Nobody;

impl Consumer for Nobody {
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
