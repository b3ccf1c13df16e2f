//! Which parts of a mapping make which values, for findings about mapped records.
//!
//! This is plain data that comes with a mapping; nothing here reads mappings.

use shared::base::field_path::FieldPath;

/// For each rule of a mapping, the parts of it that make the values of a record.
#[derive(Debug, Default)]
pub(crate) struct Origins {
    /// By the number of the rule.
    pub(crate) rules: Vec<RuleOrigins>,
}

/// The parts of one rule that make the values of its records.
#[derive(Debug, Default)]
pub(crate) struct RuleOrigins {
    /// Fields, each with the part that makes its value. A field also covers everything within it
    /// that has no entry of its own.
    pub(crate) fields: Vec<(FieldPath<'static>, String)>,
}

impl Origins {
    /// The part of this rule that makes the value at `path`.
    pub(crate) fn find(&self, rule: u32, path: &FieldPath<'_>) -> Option<&str> {
        let rule = self.rules.get(usize::try_from(rule).ok()?)?;
        let around = rule.fields.iter().filter(|(field, _)| field.covers(path));
        let nearest = around.max_by_key(|(field, _)| field.steps().len());
        nearest.map(|(_, origin)| origin.as_str())
    }
}

#[cfg(test)]
mod tests {
    use shared::base::field_path::Step;

    use super::*;

    #[test]
    fn the_nearest_field_around_a_value_says_what_makes_it() {
        let path = |keys: &[&'static str]| -> FieldPath<'static> {
            let step = |key: &&'static str| match *key {
                "[]" => Step::Each,
                "[3]" => Step::Index(3),
                key => Step::key(key),
            };
            keys.iter().map(step).collect()
        };
        let field = |keys: &[&'static str], origin: &str| (path(keys), origin.to_owned());
        let origins = Origins {
            rules: vec![RuleOrigins {
                fields: vec![
                    field(&["name"], "by name"),
                    field(&["images", "[]", "url"], "by url"),
                    field(&["images"], "by each"),
                ],
            }],
        };
        for (keys, expected) in [
            (&["name", "deeper"][..], Some("by name")),
            (&["images", "[3]"], Some("by each")),
            (&["images", "[3]", "url"], Some("by url")),
            (&["images", "[3]", "alt"], Some("by each")),
            (&["names"], None),
            (&[], None),
        ] {
            assert_eq!(origins.find(0, &path(keys)), expected, "{keys:?}");
        }
        assert_eq!(origins.find(1, &path(&["name"])), None);
    }
}
