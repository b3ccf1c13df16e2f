//! Which DuckDB is linked: the library is found when the program starts, and may not be the one it
//! was built with.

use duckdb::Connection;

use super::pool::LoadError;

/// The version that DuckDB says it has.
pub fn duckdb_version() -> Result<String, LoadError> {
    let connection = Connection::open_in_memory()?;
    Ok(connection.query_row("SELECT version()", [], |row| row.get(0))?)
}
