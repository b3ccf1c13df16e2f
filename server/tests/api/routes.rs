//! The route table as a snapshot, so that a change of the contract shows up as a change of that
//! file.

use std::fmt::Write;

use server::api_tables::routes::{FILES, Operation, ROUTES};
use shared::keys::scope::Scope;

use crate::answer::check_text;

#[test]
fn the_route_table_is_the_contract() {
    let mut table = String::new();
    for route in &ROUTES {
        let (operation, needs) = match route.operation {
            Operation::Service(operation) => (format!("{operation:?}"), "no key".to_owned()),
            Operation::DescribeKey => ("DescribeKey".to_owned(), "any key".to_owned()),
            Operation::Catalogue(operation, scopes) => {
                let names: Vec<&str> = scopes.iter().copied().map(Scope::as_str).collect();
                (format!("{operation:?}"), names.join(" + "))
            }
        };
        writeln!(table, "GET {}  {operation}  {needs}", route.path).unwrap();
    }
    for route in &FILES {
        writeln!(table, "GET {}  {:?}  no key", route.path, route.operation).unwrap();
    }
    check_text(
        "routes",
        "The route table, with the scopes that a key needs.",
        &table,
    );
}
