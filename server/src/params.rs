//! Strict parsing of the URL: raw text in, typed queries out.
//!
//! Nothing is guessed and nothing is ignored: an unknown, repeated, empty or badly encoded
//! parameter is an issue, and every issue of a request is found at once, in request order
//! (specification sections 4.1 to 4.5). Messages never repeat a value, because a value may be a
//! secret.
//!
//! A parameter is declared once, in `lists` or `changes`; nothing else here knows one by name. This module must
//! not know HTTP status codes, the clock, or any SQL.

mod changes;
mod decode;
mod links;
mod lists;
mod parameter;
mod query;
mod query_string;
mod reader;
mod search;
#[cfg(test)]
mod tests;

use shared::base::ids::IdOrSlug;

pub use changes::{CHANGES, CHANGES_LIMIT_MAX, ChangesQuery};
pub use links::page_links;
pub use lists::{BOATS, BOATS_OF_MANUFACTURER, FACETS, MANUFACTURERS};
pub(crate) use parameter::Value;
pub use parameter::{
    Bounds, LIMIT_DEFAULT, LIMIT_MAX, List, OFFSET_MAX, Order, Parameter, Range, Role, Sort,
    Values, Vocabulary,
};
pub use query::{ListQuery, Page, Understood};
pub use query_string::QueryString;
pub use reader::ParamIssue;
pub use search::{SEARCH_MAX, SEARCH_MIN, SearchWords};

use reader::Reader;

/// The query of an endpoint that takes no parameters.
#[derive(Clone, Copy, Debug)]
pub struct NoParams;

impl NoParams {
    /// Refuses every parameter of `query`.
    pub fn parse(query: &QueryString) -> Result<(), Vec<ParamIssue>> {
        Reader::new(query, &[], None).finish(())
    }
}

/// Whether some operation has a parameter of that name.
pub(crate) fn is_declared(name: &str) -> bool {
    let lists = [&BOATS, &BOATS_OF_MANUFACTURER, &MANUFACTURERS];
    let of_lists = lists.into_iter().flat_map(|list| list.parameters);
    let mut parameters = of_lists.chain(&CHANGES);
    parameters.any(|parameter| parameter.name == name)
}

/// Reads the path parameter `idOrSlug` (specification section 4.2) from its raw path segment.
pub fn parse_id_or_slug(raw_segment: &str) -> Result<IdOrSlug, ParamIssue> {
    let issue = |message| ParamIssue {
        field: "idOrSlug".to_owned(),
        message,
    };
    let text = decode::segment(raw_segment).map_err(|bad| issue(bad.to_string()))?;
    IdOrSlug::parse(&text).map_err(|invalid| issue(invalid.to_string()))
}
