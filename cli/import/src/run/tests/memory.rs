//! The bound on memory, however large the boats of an export become.

use std::sync::atomic::{AtomicUsize, Ordering};

use shared::base::model::{BoatDetails, BoatSummary, ManufacturerDetails, ManufacturerSummary};
use shared::base::render::BodyTooLarge;

use super::*;
use crate::pool::processors;
use crate::validate::second_pass::READY_MAX;

/// How many boats are ready now, and the most that ever were.
static READY: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

/// A boat that fills the memory for boats.
struct Huge;

impl Drop for Huge {
    fn drop(&mut self) {
        READY.fetch_sub(1, Ordering::SeqCst);
    }
}

/// How many boats came.
#[derive(Default)]
struct Counted(usize);

impl Consumer for Counted {
    type Boat = Huge;

    fn render(_: &BoatSummary<'_>, _: &BoatDetails<'_>) -> Result<Huge, BodyTooLarge> {
        let ready = READY.fetch_add(1, Ordering::SeqCst) + 1;
        MOST.fetch_max(ready, Ordering::SeqCst);
        Ok(Huge)
    }

    fn size(_boat: &Huge) -> usize {
        READY_MAX
    }

    fn boat(&mut self, _boat: Huge) -> anyhow::Result<()> {
        self.0 += 1;
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

#[test]
fn boats_that_fill_the_memory_are_made_ready_one_by_one() {
    const BOATS: usize = 500;
    let mut counted = Counted::default();
    let outcome = run_boats(BOATS, |_, boat| boat, &mut counted).unwrap();
    assert_eq!((outcome.findings.errors(), counted.0), (0, BOATS));
    // One on each thread before the first is known to fill the memory, plus the next one in order.
    let most = MOST.load(Ordering::SeqCst);
    assert!(most <= processors().get() + 1, "{most}");
}
