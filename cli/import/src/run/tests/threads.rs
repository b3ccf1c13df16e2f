//! Errors that end the second pass early, while boats are read ahead.

use std::panic::{AssertUnwindSafe, catch_unwind};

use anyhow::Context as _;
use serde_json::json;
use shared::base::model::{BoatDetails, BoatSummary, ManufacturerDetails, ManufacturerSummary};
use shared::base::render::BodyTooLarge;

use super::*;

/// More boats than fit into the batches that are read ahead.
const BOATS: usize = 5000;

/// Takes as many boats as it has room for.
struct Full {
    room: usize,
}

impl Consumer for Full {
    type Boat = ();

    fn render(summary: &BoatSummary<'_>, _: &BoatDetails<'_>) -> Result<(), BodyTooLarge> {
        assert!(summary.model != "broken", "the boat is broken");
        Ok(())
    }

    fn size((): &()) -> usize {
        0
    }

    fn boat(&mut self, (): ()) -> anyhow::Result<()> {
        self.room = self.room.checked_sub(1).context("there is no more room")?;
        Ok(())
    }

    fn manufacturer(
        &mut self,
        _: &ManufacturerSummary<'_>,
        _: &ManufacturerDetails<'_>,
    ) -> anyhow::Result<()> {
        Ok(())
    }
}

/// Reads boats, the one at `at` with this model.
fn read(model: &str, at: usize, room: usize) -> anyhow::Result<Outcome> {
    let edit = |n, boat| with(boat, "/model", json!(if n == at { model } else { "340" }));
    run_boats(BOATS, edit, &mut Full { room })
}

#[test]
fn a_consumer_that_fails_ends_the_reading_with_its_reason() {
    for room in [0, 1500, BOATS - 1] {
        let error = read("340", 0, room).err().unwrap();
        assert_eq!(error.to_string(), "there is no more room", "{room}");
    }
    assert_eq!(
        read("340", 0, BOATS).unwrap().tally.boat.published,
        BOATS as u64
    );
}

#[test]
fn a_panic_on_another_thread_goes_on_here() {
    for at in [0, 1500, BOATS - 1] {
        let panicked = catch_unwind(AssertUnwindSafe(|| read("broken", at, BOATS)));
        let reason = panicked.err().unwrap();
        assert_eq!(reason.downcast_ref(), Some(&"the boat is broken"), "{at}");
    }
}
