//! What a mapping has to tell besides native records: those it could not make, and those that the
//! content system has not published.

use super::collect::Collector;
use crate::finding::Finding;
use crate::finding::Kind;
use crate::mapping::{Failed, Receive};
use crate::validate::vocabulary::Vocabulary;

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
        self.reject(&on_one_line(raw))
    }

    fn finding(&mut self, finding: Finding) {
        self.collected_mut().findings.add(finding);
    }

    fn read(&mut self, records: u64) {
        self.set_read_by_mapping(records);
    }

    fn unpublished(&mut self, kind: Kind, id: &str) {
        self.not_empty();
        let collected = self.collected_mut();
        if let Some(tally) = collected.tally.of_mut(kind) {
            tally.count(true, false);
        }
        let references = &mut collected.references;
        match kind {
            Kind::Manufacturer => references.manufacturers.insert_unpublished(id),
            Kind::Designer => references.designers.insert_unpublished(id),
            // Of which vocabulary it is nobody knows, because it was not made.
            Kind::Term => Vocabulary::ALL
                .into_iter()
                .for_each(|of| references.terms_mut(of).insert_unpublished(id)),
            Kind::Boat | Kind::Catalogue => {}
        }
    }
}

/// JSON has line breaks between its parts only, so that a record stays the same without them.
fn on_one_line(mut raw: Vec<u8>) -> Vec<u8> {
    for byte in &mut raw {
        if matches!(byte, b'\n' | b'\r') {
            *byte = b' ';
        }
    }
    raw
}
