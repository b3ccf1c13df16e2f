//! A look at all records and what becomes of them, for `catalogue mapping check`.

use std::collections::HashSet;
use std::sync::Arc;

use super::{Mapper, rules_for};
use crate::mapping::check::{CheckReport, Checker};

impl Mapper {
    /// Makes all native records, and keeps only what they tell about the mapping.
    pub(in crate::mapping) fn check(&mut self) -> anyhow::Result<CheckReport> {
        let definition = Arc::clone(&self.definition);
        let mut checker = Checker::new(&definition);
        self.led_to.replace(Some(HashSet::new()));
        for place in 0..self.len() {
            self.make(place, &mut checker)?;
        }
        let led_to = self.led_to.take().unwrap_or_default();
        for place in 0..self.len() {
            let record = self.documents.read(place)?;
            let document = self.documents.at(place);
            self.position.begin(&document.file, document.line);
            let rules: Vec<usize> = rules_for(&definition, document)
                .map(|(rule, _)| rule)
                .collect();
            let fields = self.links.fields_of(document.key, &self.keys);
            checker.keys_of(&record, &fields);
            if !document.is_published {
                continue;
            }
            checker.links(&fields, &rules);
            checker.record(&record, &rules);
            if rules.is_empty() {
                let is_linked = led_to.contains(&document.key);
                checker.other(&record, &document.record_type, is_linked);
            }
        }
        Ok(checker.report(&definition))
    }
}
