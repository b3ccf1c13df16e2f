//! The checked query of a list.
//!
//! A query holds exactly the given values, in the order in which its list declares them. So the
//! canonical text, which is the cache key, has everything that a query can ask for.

use std::fmt::Write;

use serde::Serialize;
use shared::base::ids::Slug;
use shared::base::units::{Bound, LengthRanges, LengthUnit};

use super::lists::BOATS;
use super::parameter::{LIMIT_DEFAULT, List, Order, Parameter, Role, Sort, Value, Vocabulary};
use super::query_string::QueryString;
use super::reader::ParamIssue;
use super::reader::Reader;

/// A checked query of a list. Equal queries mean the same rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListQuery {
    list: &'static List,
    /// What differs from the default, in the order of the declarations.
    given: Vec<(&'static Parameter, Value)>,
}

/// A window on the rows of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Page {
    /// Most rows to return, 1 to [`super::LIMIT_MAX`].
    pub limit: u64,
    /// Rows to skip, at most [`super::OFFSET_MAX`].
    pub offset: u64,
}

/// A parameter as it was understood.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Understood {
    /// Its name.
    pub name: &'static str,
    /// Its value in canonical form; none if it has no effect.
    pub value: Option<String>,
    /// Whether the value is the default.
    pub is_default: bool,
}

impl ListQuery {
    /// Reads the query of `list`, or every issue it has, in request order.
    pub fn parse(query: &QueryString, list: &'static List) -> Result<Self, Vec<ParamIssue>> {
        let mut reader = Reader::new(query, list.parameters, list.refused);
        let mut given = Vec::new();
        for parameter in list.parameters {
            let values = parameter.role.values();
            if let Some(value) = reader.take(parameter.name, |text| values.parse(text)) {
                given.push((parameter, value));
            }
        }
        for range in list.ranges {
            let end = |name| given.iter().find(|(parameter, _)| parameter.name == name);
            if let (Some((_, low)), Some((_, high))) = (end(range.low), end(range.high))
                && low.is_above(high)
            {
                reader.conflict(range.high, range.message);
            }
        }
        let has_length = given
            .iter()
            .any(|(parameter, _)| parameter.role.is_length());
        given.retain(|(parameter, value)| {
            let is_default = parameter.role.values().default_value().as_ref() == Some(value);
            !is_default && (has_length || !matches!(parameter.role, Role::LengthUnit))
        });
        reader.finish(Self { list, given })
    }

    /// Turns a query of a manufacturer's boats into one of all boats, with the manufacturer's slug
    /// as filter.
    #[must_use]
    pub fn of_manufacturer(mut self, slug: Slug) -> Self {
        self.list = &BOATS;
        self.given
            .insert(0, (&BOATS.parameters[0], Value::Slug(slug)));
        self
    }

    /// The same query without the filter by slugs of that vocabulary.
    #[must_use]
    pub(crate) fn without(&self, vocabulary: Vocabulary) -> Self {
        let mut query = self.clone();
        let is_by = |role: &Role| matches!(role, Role::Slug(of) if *of == vocabulary);
        query.given.retain(|(parameter, _)| !is_by(&parameter.role));
        query
    }

    /// The requested list.
    pub const fn list(&self) -> &'static List {
        self.list
    }

    /// The values that were given and differ from the default, in the order of the declarations.
    pub(crate) fn given(&self) -> impl Iterator<Item = (&'static Parameter, &Value)> {
        self.given
            .iter()
            .map(|(parameter, value)| (*parameter, value))
    }

    /// The text that equal queries of a list share, and no others of that list. A query of another
    /// list may have the same text.
    pub fn canonical(&self) -> String {
        let mut text = String::new();
        for (parameter, value) in &self.given {
            let separator = if text.is_empty() { "" } else { "&" };
            // Writing to a string cannot fail.
            let _infallible = write!(text, "{separator}{}={value}", parameter.name);
        }
        text
    }

    /// All parameters as they were understood; the unit of lengths only if there is a bound.
    pub fn understood(&self) -> Vec<Understood> {
        let has_length = self.value(Role::is_length).is_some();
        let all = self.list.parameters.iter();
        let all = all.filter(|one| has_length || !matches!(one.role, Role::LengthUnit));
        all.map(|parameter| {
            let given = self.given.iter().find(|(one, _)| *one == parameter);
            let given = given.map(|(_, value)| value.to_string());
            let is_default = given.is_none();
            let default = || parameter.role.values().default_value();
            Understood {
                name: parameter.name,
                value: given.or_else(|| default().map(|value| value.to_string())),
                is_default,
            }
        })
        .collect()
    }

    /// The requested rows.
    pub fn page(&self) -> Page {
        let integer = |is: fn(&Role) -> bool| match self.value(is) {
            Some(Value::Integer(integer)) => Some(*integer),
            _ => None,
        };
        Page {
            limit: integer(|role| matches!(role, Role::Limit { .. })).unwrap_or(LIMIT_DEFAULT),
            offset: integer(|role| matches!(role, Role::Offset)).unwrap_or(0),
        }
    }

    /// What the rows are sorted by.
    pub fn sort(&self) -> &'static Sort {
        &self.list.sorts[self.word(|role| matches!(role, Role::Sort(_)))]
    }

    /// The direction of the sort.
    pub fn order(&self) -> Order {
        Order::ALL[self.word(|role| matches!(role, Role::Order))]
    }

    /// The physical lengths that the bounds of the length overall admit, if there are any.
    pub fn length_ranges(&self) -> Option<LengthRanges> {
        let min = self.bound(|role| matches!(role, Role::LengthMin));
        let max = self.bound(|role| matches!(role, Role::LengthMax));
        let unit = LengthUnit::ALL[self.word(|role| matches!(role, Role::LengthUnit))];
        (min.is_some() || max.is_some()).then(|| LengthRanges::new(min, max, unit))
    }

    fn bound(&self, is: fn(&Role) -> bool) -> Option<&Bound> {
        match self.value(is) {
            Some(Value::Decimal(bound)) => Some(bound),
            _ => None,
        }
    }

    /// The place of the given word among the allowed ones; 0 for the default.
    fn word(&self, is: fn(&Role) -> bool) -> usize {
        match self.value(is) {
            Some(Value::OneOf(place, _)) => *place,
            _ => 0,
        }
    }

    fn value(&self, is: fn(&Role) -> bool) -> Option<&Value> {
        let found = self.given.iter().find(|(parameter, _)| is(&parameter.role));
        found.map(|(_, value)| value)
    }
}
