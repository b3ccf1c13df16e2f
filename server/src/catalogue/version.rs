//! Which DuckDB is linked: the library is found when the program starts, and may not be the one it
//! was built with.

use duckdb::Connection;

/// The version that DuckDB says it has.
pub fn duckdb_version() -> duckdb::Result<String> {
    let connection = Connection::open_in_memory()?;
    connection.query_row("SELECT version()", [], |row| row.get(0))
}
