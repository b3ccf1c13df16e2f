//! The document as a plain list of operations, with its references followed: what its other forms
//! are made of.

use super::objects::{Document, Members, Operation, OrReference, Response};

/// An operation with what the document says of it in other places.
pub(super) struct Listed<'a> {
    pub(super) path: &'a str,
    pub(super) operation: &'a Operation,
    /// None at all where no key is needed.
    pub(super) scopes: Vec<&'static str>,
    /// By status.
    pub(super) responses: Vec<(&'a str, &'a Response)>,
}

/// Every operation, in the order of the document.
pub(super) fn operations(document: &Document) -> Vec<Listed<'_>> {
    let listed = document.paths.iter().map(|(path, item)| {
        let operation = &item.get;
        let named = operation.responses.iter();
        let responses = named.map(|(status, response)| {
            let response = followed(response, &document.components.responses);
            (status, response)
        });
        Listed {
            path,
            operation,
            scopes: scopes(operation),
            responses: responses.collect(),
        }
    });
    listed.collect()
}

fn scopes(operation: &Operation) -> Vec<&'static str> {
    let schemes = operation.security.iter().flat_map(Members::iter);
    schemes
        .flat_map(|(_, scopes)| scopes.iter().copied())
        .collect()
}

fn followed<'a>(response: &'a OrReference<Response>, named: &'a Members<Response>) -> &'a Response {
    match response {
        OrReference::Here(response) => response,
        OrReference::There { reference } => {
            let name = reference.rsplit('/').next().unwrap_or_default();
            let mut responses = named.iter();
            let found = responses.find_map(|(other, response)| (other == name).then_some(response));
            found.unwrap_or_else(|| unreachable!("there is no response {name}"))
        }
    }
}
