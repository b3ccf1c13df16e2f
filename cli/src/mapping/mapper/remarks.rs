//! What is said once all records were made, of many records at once.

use super::followed::Reference;
use super::{Event, Mapper};
use crate::findings::{Code, Finding, cut};

impl Mapper {
    /// Ends making: tells what is to be known about the records that were made.
    pub(in crate::mapping) fn finish_making(&self) -> Vec<Event> {
        let findings = [
            self.changed(),
            self.unpublished_references(),
            self.differing(),
            self.markdown(),
            self.left_out(),
        ];
        let findings = findings.into_iter().flatten();
        findings
            .map(|finding| Event::Found(Box::new(finding)))
            .collect()
    }

    /// The published records that changed afterwards and of which something is published.
    fn changed(&self) -> Option<Finding> {
        let followed = self.followed.borrow();
        let mut changed = (0..self.len()).filter(|place| {
            let document = self.documents.at(*place);
            let is_told =
                || self.is_mapped(&document.record_type) || followed.changed.contains(place);
            document.is_published && document.is_changed && is_told()
        });
        let first = self.documents.at(changed.next()?);
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
        let followed = self.followed.borrow();
        let Reference { from, to } = followed.first_refused?;
        let (from, to) = (self.documents.at(from), self.documents.at(to));
        let key = cut(self.keys.text(to.key));
        let first = format!("to `{key}` ({}:{})", to.file.name, to.line);
        let message = match followed.refused_count {
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
        let followed = self.followed.borrow();
        let first = self.documents.at(followed.markdown.first?);
        let records = match followed.markdown.count {
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
