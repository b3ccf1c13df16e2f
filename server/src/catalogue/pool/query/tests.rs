//! When a query may be interrupted, and that an interrupt never hits the next.

use super::*;

fn connection() -> Connection {
    Connection::open_in_memory().unwrap()
}

fn count(connection: &Connection) -> i64 {
    let count = "SELECT count(*) FROM range(10000)";
    connection.query_row(count, [], |row| row.get(0)).unwrap()
}

#[test]
fn a_query_can_be_stopped_only_while_it_runs() {
    let (query, connection) = (Query::default(), connection());
    assert_eq!(query.ask(&connection, |_| query.stop()), Some(true));
    assert!(!query.stop());
}

#[test]
fn a_query_that_was_stopped_before_does_not_begin() {
    let (query, connection) = (Query::default(), connection());
    assert!(!query.stop());
    assert_eq!(query.ask(&connection, count), None);
}

#[test]
fn a_query_that_panicked_is_over() {
    let (query, connection) = (Query::default(), connection());
    let broken = || query.ask(&connection, |_| -> () { panic!("a fixed message") });
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(broken)).unwrap_err();
    assert!(!query.stop());
    assert_eq!(Query::default().ask(&connection, count), Some(10_000));
}

/// What the pool relies on besides its own lock: DuckDB forgets an interrupt between statements,
/// and connections to the same tables do not interrupt each other.
#[test]
fn an_interrupt_between_two_statements_stops_neither() {
    let first = connection();
    let second = first.try_clone().unwrap();
    for _ in 0..100 {
        first.interrupt_handle().interrupt();
        assert_eq!((count(&first), count(&second)), (10_000, 10_000));
    }
}
