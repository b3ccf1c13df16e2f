//! Joins: from a key to the published records that refer to it.
//!
//! Which these are is noted while records are identified; what they are is read when it is asked
//! for. A record that is not published is no part of any join.

use std::ops::Range;

use super::Mapper;
use super::identify::word;
use super::subject::Subject;
use crate::finding::nearest;
use crate::mapping::Mistake;
use crate::mapping::definition::{Definition, Join};
use crate::mapping::expression::{Jq, joins_named};
use crate::mapping::index::Index;

/// The function that finds joined records.
const JOINED: &str = "joined";

/// A reference of a record, for a join.
pub(in crate::mapping) struct Joining {
    /// The key that the record refers to.
    pub(in crate::mapping) to: String,
    /// The name of the join.
    pub(in crate::mapping) join: String,
    pub(in crate::mapping) position: f64,
}

impl Mapper {
    /// The references that joins take from a record of this type.
    pub(super) fn joinings(
        &self,
        record_type: &str,
        subject: &Subject,
    ) -> Result<Vec<Joining>, String> {
        let mut joinings = Vec::new();
        let is_for = |join: &&Join| join.types.iter().any(|of| of == record_type);
        for join in self.definition.joins.iter().filter(is_for) {
            let told = |error: String| format!("[joins.{}]: {error}", join.name);
            let keys = self.keys_referred_to(join, subject).map_err(told)?;
            if keys.is_empty() {
                continue;
            }
            let position = self.position_of(join, subject).map_err(told)?;
            for key in keys {
                joinings.push(Joining {
                    to: key,
                    join: join.name.clone(),
                    position,
                });
            }
        }
        Ok(joinings)
    }

    fn keys_referred_to(&self, join: &Join, subject: &Subject) -> Result<Vec<String>, String> {
        let keys = self.evaluate(join.to, subject.record().clone(), subject)?;
        let keys = match &keys {
            Jq::Arr(keys) => keys.iter().map(|key| word("to", key)).collect(),
            key => word("to", key).map(|key| vec![key]),
        };
        let keys: Vec<Option<String>> = keys?;
        let mut keys: Vec<String> = keys.into_iter().flatten().collect();
        // A record that refers to another one twice is joined to it once.
        keys.sort_unstable();
        keys.dedup();
        Ok(keys)
    }

    fn position_of(&self, join: &Join, subject: &Subject) -> Result<f64, String> {
        let Some(order) = join.order else {
            return Ok(f64::MAX);
        };
        match self.evaluate(order, subject.record().clone(), subject)? {
            Jq::Null => Ok(f64::MAX),
            number @ Jq::Num(_) => Ok(number.to_string().parse().unwrap_or(f64::MAX)),
            _ => Err("the `order` of a record must be a number".to_owned()),
        }
    }

    /// The places of the records that a join has for a key.
    pub(super) fn joined_places(&self, name: &str, key: &str) -> Result<Vec<usize>, String> {
        self.expect_all_read(JOINED)?;
        let names = names(&self.definition);
        if !names.contains(&name) {
            return Err(unknown_name(name));
        }
        let Index {
            documents,
            keys,
            joins,
            ..
        } = &*self.index;
        let Some(key) = keys.find(key) else {
            return Ok(Vec::new());
        };
        let mut places: Vec<usize> = joins.of(key, name, keys).collect();
        places.dedup_by(|a, b| documents.at(*a).is_same(documents.at(*b)));
        Ok(places)
    }
}

/// The joins that expressions name and the mapping does not have.
pub(super) fn unknown(definition: &Definition) -> Vec<Mistake> {
    let names = names(definition);
    let prelude = definition.prelude.as_ref();
    let shared = prelude.map_or("", |prelude| prelude.code.as_str());
    let of_prelude = joins_named(".", shared);
    let mut mistakes = Vec::new();
    let mut find = |asked: &[String], span: &Range<usize>| {
        for name in asked.iter().filter(|name| !names.contains(&name.as_str())) {
            let hint = nearest(name, &names).map(|near| format!("did you mean `{near}`?"));
            mistakes.push(Mistake::new(span.clone(), unknown_name(name)).hint(hint));
        }
    };
    for expression in &definition.expressions {
        let asked = joins_named(&expression.code, shared);
        find(
            &asked[of_prelude.len().min(asked.len())..],
            &expression.span,
        );
    }
    if let Some(prelude) = prelude {
        find(&of_prelude, &prelude.span);
    }
    mistakes
}

fn names(definition: &Definition) -> Vec<&str> {
    let joins = definition.joins.iter();
    joins.map(|join| join.name.as_str()).collect()
}

fn unknown_name(name: &str) -> String {
    format!("there is no join [joins.{name}]")
}
