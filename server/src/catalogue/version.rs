//! Which DuckDB is linked: its library is found when the program starts, and may be another than
//! the one that was there when it was built.

use duckdb::Connection;

use super::pool::LoadError;

/// The version that DuckDB says it has.
pub fn duckdb_version() -> Result<String, LoadError> {
    let connection = Connection::open_in_memory()?;
    Ok(connection.query_row("SELECT version()", [], |row| row.get(0))?)
}
