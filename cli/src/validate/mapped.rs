//! What a mapping has to tell besides native records: those it could not make, and those that the
//! content system has not published.

use super::Kind;
use super::collect::Collector;
use crate::findings::Finding;
use crate::mapping::{Failed, Receive};

impl Receive for Collector<'_> {
    fn failed(&mut self, failed: Failed) -> anyhow::Result<()> {
        self.not_empty();
        let Failed {
            kind,
            id,
            findings,
            raw,
        } = failed;
        let collected = self.collected_mut();
        for finding in findings {
            collected.findings.add(finding);
        }
        match kind.and_then(|kind| collected.tally.of_mut(kind)) {
            Some(tally) => tally.count(false, true),
            None => collected.tally.unreadable += 1,
        }
        if let (Some(Kind::Manufacturer), Some(id)) = (kind, &id) {
            collected.references.manufacturers.insert_invalid(id);
        }
        if let (Some(Kind::Designer), Some(id)) = (kind, &id) {
            collected.references.designers.insert_invalid(id);
        }
        self.reject(raw.as_bytes())
    }

    fn finding(&mut self, finding: Finding) {
        self.collected_mut().findings.add(finding);
    }

    fn unpublished(&mut self, kind: Kind, id: &str) {
        let collected = self.collected_mut();
        if let Some(tally) = collected.tally.of_mut(kind) {
            tally.count(true, false);
        }
        if kind == Kind::Manufacturer {
            collected.references.manufacturers.insert_unpublished(id);
        }
    }
}
