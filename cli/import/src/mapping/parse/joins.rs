//! Reading the joins of a mapping file: which records refer to others, and how.

use std::ops::Range;

use toml::Spanned;
use toml::de::DeValue;

use super::Parser;
use crate::mapping::definition::Join;
use crate::mapping::section::Section;

impl Parser {
    pub(super) fn joins(&mut self, root: &mut Section<'_>) -> Vec<Join> {
        let Some((joins, _)) = self.optional_table(root, "joins") else {
            return Vec::new();
        };
        let joins = joins.iter();
        joins
            .filter_map(|(name, value)| self.join(name.get_ref(), value))
            .collect()
    }

    fn join<'t>(&mut self, name: &str, value: &'t Spanned<DeValue<'t>>) -> Option<Join> {
        let mut section = Section::of(value, &mut self.mistakes)?;
        section.required("type", &mut self.mistakes);
        let types = section.texts("type", &mut self.mistakes);
        section.required("to", &mut self.mistakes);
        let to = self.expression(&mut section, "to");
        let order = self.expression(&mut section, "order");
        let span = section.span();
        section.finish(&mut self.mistakes);
        let names = |texts: Vec<(&str, Range<usize>)>| {
            texts.into_iter().map(|(text, _)| text.to_owned()).collect()
        };
        Some(Join {
            name: name.to_owned(),
            types: names(types?),
            to: to?,
            order,
            span,
        })
    }
}
