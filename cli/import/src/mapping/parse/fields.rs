//! Reading the fields of an `[[emit]]`: an expression, a list of members, or an object of fields.

use toml::Spanned;
use toml::de::DeValue;

use super::Parser;
use crate::mapping::definition::{Field, Rest};
use crate::mapping::mistake::Mistake;
use crate::mapping::section::{Section, json};

impl Parser {
    /// The fields of an object, in the order of the file.
    pub(super) fn fields<'t>(
        &mut self,
        value: &'t Spanned<DeValue<'t>>,
    ) -> Option<Vec<(String, Field)>> {
        let Some(table) = value.get_ref().as_table() else {
            let message = "fields are a table: the name of each, and where its value comes from";
            self.mistakes.push(Mistake::new(value.span(), message));
            return None;
        };
        let fields = table.iter().map(|(name, value)| {
            let field = self.field(value)?;
            Some((name.get_ref().to_string(), field))
        });
        let fields: Vec<Option<_>> = fields.collect();
        fields.into_iter().collect()
    }

    fn field<'t>(&mut self, value: &'t Spanned<DeValue<'t>>) -> Option<Field> {
        if let Some(code) = value.get_ref().as_str() {
            return Some(Field::Value {
                from: self.number(code, value.span()),
                rest: Rest::default(),
            });
        }
        let Some(table) = value.get_ref().as_table() else {
            let message = "a field is an expression, or a table with `from` or `each`";
            self.mistakes.push(Mistake::new(value.span(), message));
            return None;
        };
        if table.contains_key("from") {
            self.value(value)
        } else if table.contains_key("each") {
            self.list(value)
        } else {
            self.fields(value).map(Field::Object)
        }
    }

    fn value<'t>(&mut self, value: &'t Spanned<DeValue<'t>>) -> Option<Field> {
        let mut section = Section::of(value, &mut self.mistakes)?;
        let from = self.expression(&mut section, "from");
        let rest = self.rest(&mut section);
        section.finish(&mut self.mistakes);
        Some(Field::Value { from: from?, rest })
    }

    fn list<'t>(&mut self, value: &'t Spanned<DeValue<'t>>) -> Option<Field> {
        let mut section = Section::of(value, &mut self.mistakes)?;
        let each = self.expression(&mut section, "each");
        let fields = section.take("fields");
        let member = if let Some(fields) = fields {
            self.fields(fields).map(Field::Object)
        } else {
            let given = self.expression(&mut section, "value");
            let from = given.unwrap_or_else(|| self.number(".", value.span()));
            let rest = self.rest(&mut section);
            Some(Field::Value { from, rest })
        };
        section.finish(&mut self.mistakes);
        Some(Field::List {
            each: each?,
            member: Box::new(member?),
        })
    }

    fn rest(&mut self, section: &mut Section<'_>) -> Rest {
        let default = section.take("default");
        let unlisted = section.take("unlisted");
        let table = self.table_name(section);
        if let (Some(unlisted), None) = (unlisted, &table) {
            let message = "`unlisted` stands for words that a table does not have, and no `table` is named here";
            self.mistakes.push(Mistake::new(unlisted.span(), message));
        }
        Rest {
            table,
            unlisted: unlisted.and_then(|value| json(value, &mut self.mistakes)),
            default: default.and_then(|value| json(value, &mut self.mistakes)),
        }
    }
}
