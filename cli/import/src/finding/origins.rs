//! Which parts of a mapping make which values, for findings about mapped records.
//!
//! This is plain data that comes with a mapping; nothing here reads mappings.

/// For each rule of a mapping, the parts of it that make the values of a record.
#[derive(Debug, Default)]
pub(crate) struct Origins {
    /// By the number of the rule.
    pub(crate) rules: Vec<RuleOrigins>,
}

/// The parts of one rule that make the values of its records.
#[derive(Debug, Default)]
pub(crate) struct RuleOrigins {
    /// JSON pointers, in which `*` stands for any index of a list, each with the part that makes
    /// the value there. A pointer also covers everything below it that has no entry of its own.
    pub(crate) places: Vec<(String, String)>,
}

impl Origins {
    /// The part of this rule that makes the value at `pointer`.
    pub(crate) fn find(&self, rule: u32, pointer: &str) -> Option<&str> {
        let rule = self.rules.get(usize::try_from(rule).ok()?)?;
        let is_of = |(place, _): &&(String, String)| is_within(place, pointer);
        let nearest = rule
            .places
            .iter()
            .filter(is_of)
            .max_by_key(|(place, _)| place.len());
        nearest.map(|(_, origin)| origin.as_str())
    }
}

/// Whether `pointer` leads to `place` or to something within it.
fn is_within(place: &str, pointer: &str) -> bool {
    let mut steps = pointer.split('/');
    let mut wanted = place.split('/');
    wanted.all(|wanted| {
        let step = steps.next();
        step.is_some_and(|step| {
            let is_position = !step.is_empty() && step.bytes().all(|byte| byte.is_ascii_digit());
            step == wanted || (wanted == "*" && is_position)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_place_around_a_value_says_what_makes_it() {
        let place = |pointer: &str, origin: &str| (pointer.to_owned(), origin.to_owned());
        let origins = Origins {
            rules: vec![RuleOrigins {
                places: vec![
                    place("/name", "by name"),
                    place("/images", "by each"),
                    place("/images/*/url", "by url"),
                    place("/dimensions/draft", "by draft"),
                ],
            }],
        };
        for (pointer, expected) in [
            ("/name", Some("by name")),
            ("/name/0/deeper", Some("by name")),
            ("/names", None),
            ("/images", Some("by each")),
            ("/images/3", Some("by each")),
            ("/images/3/url", Some("by url")),
            ("/images/x/url", Some("by each")),
            ("/dimensions", None),
            ("/dimensions/draft", Some("by draft")),
            ("/dimensions/other", None),
            ("", None),
        ] {
            assert_eq!(origins.find(0, pointer), expected, "{pointer}");
        }
        assert_eq!(origins.find(1, "/name"), None);
    }
}
