//! What makes the values of the records that a mapping makes, for findings about them.
//!
//! It is data, which comes with a mapping. Nothing here reads one.

/// For each rule of a mapping, what makes the value at a place.
#[derive(Debug, Default)]
pub(crate) struct Origins {
    /// By the number of the rule.
    pub(crate) rules: Vec<RuleOrigins>,
}

/// What makes the values of the records of one rule.
#[derive(Debug, Default)]
pub(crate) struct RuleOrigins {
    /// Each with a JSON pointer in which `*` stands for any place of a list. What holds for a place
    /// holds for all within it that have no other.
    pub(crate) places: Vec<(String, String)>,
}

impl Origins {
    /// What makes the value at this JSON pointer of a record of this rule.
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

/// Whether a JSON pointer leads to a place or into it.
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
