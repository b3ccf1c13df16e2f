//! A look at all records and what becomes of them, for `catalogue mapping check`.

use std::sync::Arc;

use super::Mapper;
use crate::mapping::check::{CheckReport, Checker};

impl Mapper {
    /// Makes all native records, and keeps only what they tell about the mapping.
    pub(in crate::mapping) fn check(&mut self) -> anyhow::Result<CheckReport> {
        let definition = Arc::clone(&self.definition);
        let mut checker = Checker::new(&definition);
        for place in 0..self.len() {
            let record = self.documents.read(place)?;
            let document = self.documents.at(place);
            let rules = definition.emits.iter().enumerate().filter(|(_, emit)| {
                document.is_published && emit.types.iter().any(|of| **of == *document.record_type)
            });
            let rules: Vec<usize> = rules.map(|(rule, _)| rule).collect();
            checker.record(&record, &rules);
            self.make(place, &mut checker)?;
        }
        Ok(checker.report(&definition))
    }
}
