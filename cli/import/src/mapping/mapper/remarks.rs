//! What is said once all records were made, of many records at once.

use super::distinct::{Difference, MadeOf};
use super::followed::Reference;
use super::merge::Merge;
use super::rules_for;
use crate::finding::{Code, Finding, cut};

impl Merge<'_> {
    /// What is to be known about the records that were made.
    pub(in crate::mapping) fn remarks(
        &self,
        differences: Vec<((MadeOf, MadeOf), Option<Difference>)>,
    ) -> impl Iterator<Item = Finding> {
        let of_records = [self.changed(), self.unpublished_references()];
        let differences = differences.into_iter();
        let of_rules = differences.map(|(records, difference)| self.merged(records, difference));
        let of_fields = [self.markdown(), self.left_out()];
        let findings = of_records.into_iter().chain(of_rules).chain(of_fields);
        findings.flatten()
    }

    /// The published records that changed afterwards and of which something is published.
    fn changed(&self) -> Option<Finding> {
        let documents = self.index.documents.all().iter().enumerate();
        let mut changed = documents.filter(|(place, document)| {
            let is_mapped = || rules_for(self.definition, document).next().is_some();
            let is_told = || is_mapped() || self.followed.changed.contains(place);
            document.is_published && document.is_changed && is_told()
        });
        let (_, first) = changed.next()?;
        let records = match changed.count() {
            0 => "1 published record was".to_owned(),
            more => format!("{} published records, from here on, were", more + 1),
        };
        let why = "changed after publication; the export has the changed contents";
        let code = Code::ChangedSincePublication;
        Some(Finding::new(
            code,
            Some(first.whereabouts()),
            format!("{records} {why}"),
        ))
    }

    fn unpublished_references(&self) -> Option<Finding> {
        let Reference { from, to } = self.followed.first_refused?;
        let documents = &self.index.documents;
        let (from, to) = (documents.at(from), documents.at(to));
        let key = cut(self.index.keys.text(to.key));
        let first = format!("to `{key}` ({}:{})", to.file.name, to.line);
        let message = match self.followed.refused_count {
            1 => format!(
                "1 reference leads to a record that is not published, and came to nothing; it is {first}"
            ),
            count => format!(
                "{count} references, from here on, lead to records that are not published, and came to nothing; the first is {first}"
            ),
        };
        Some(Finding::new(
            Code::UnpublishedReference,
            Some(from.whereabouts()),
            message,
        ))
    }

    fn markdown(&self) -> Option<Finding> {
        let markdown = &self.followed.markdown;
        let first = self.index.documents.at(markdown.first?);
        let records = match markdown.count {
            1 => "1 record has a text that looks like Markdown, and stays as it is".to_owned(),
            count => format!(
                "{count} records, from here on, have texts that look like Markdown, and stay as they are"
            ),
        };
        Some(Finding::new(
            Code::MarkdownNotRead,
            Some(first.whereabouts()),
            format!("{records}; `markdown` reads it, in place of `plain`"),
        ))
    }
}
