//! Statements that would read, write, call or load something outside the tables, given to a
//! connection directly, as no request can: each is refused, and nothing appears on disk.

use super::*;

/// `DIR` stands for a directory in which the test could write and read.
#[rustfmt::skip]
const ESCAPES: [&str; 84] = [
    // Reading files.
    "SELECT * FROM read_csv('DIR/secret.csv')",
    "SELECT * FROM read_csv_auto('DIR/secret.csv')",
    "SELECT * FROM sniff_csv('DIR/secret.csv')",
    "SELECT * FROM read_text('DIR/secret.csv')",
    "SELECT * FROM read_blob('DIR/secret.csv')",
    "SELECT * FROM read_json('DIR/secret.json')",
    "SELECT * FROM read_ndjson_objects('DIR/secret.json')",
    "SELECT * FROM read_parquet('DIR/secret.parquet')",
    "SELECT * FROM parquet_metadata('DIR/secret.parquet')",
    "SELECT * FROM parquet_schema('DIR/secret.parquet')",
    "SELECT * FROM 'DIR/secret.csv'",
    "SELECT * FROM read_duckdb('DIR/secret.db')",
    "SELECT * FROM read_text('/etc/passwd')",
    "SELECT * FROM read_text('/proc/self/environ')",
    "SELECT * FROM read_text('file:///etc/passwd')",
    "SELECT * FROM glob('/etc/*')",
    "SELECT * FROM glob('DIR/*')",
    "SELECT count(*) FROM boats_by_model, read_csv('DIR/secret.csv')",
    "SELECT (SELECT content FROM read_text('/etc/passwd'))",
    "SELECT * FROM query('SELECT * FROM read_text(''/etc/passwd'')')",
    "PREPARE escape AS SELECT * FROM read_text('/etc/passwd'); EXECUTE escape",
    "DESCRIBE SELECT * FROM read_csv('DIR/secret.csv')",
    "SUMMARIZE 'DIR/secret.csv'",
    "EXPLAIN ANALYZE SELECT * FROM read_text('/etc/passwd')",
    "CREATE TABLE stolen AS SELECT * FROM read_text('/etc/passwd')",
    "CREATE VIEW stolen AS SELECT * FROM read_csv('DIR/secret.csv')",
    "CREATE TABLE lines (line VARCHAR); COPY lines FROM 'DIR/secret.csv'",
    "IMPORT DATABASE 'DIR'",
    // Writing files.
    "COPY boats_by_model TO 'DIR/boats.csv'",
    "COPY boats_by_model TO 'DIR/boats.parquet' (FORMAT parquet)",
    "COPY boats_by_model TO 'DIR/boats.json' (FORMAT json)",
    "COPY (SELECT 1) TO 'DIR/one.csv'",
    "COPY (SELECT 1) TO '/dev/stdout'",
    "COPY (SELECT 1 AS one, 2 AS two) TO 'DIR/parts' (PARTITION_BY (one))",
    "EXPORT DATABASE 'DIR/export'",
    "CHECKPOINT; EXPORT DATABASE 'DIR/export' (FORMAT parquet)",
    // Other databases.
    "ATTACH 'DIR/other.db'",
    "ATTACH 'DIR/other.db' AS other (READ_ONLY)",
    "ATTACH DATABASE 'DIR/other.db' AS other; CREATE TABLE other.t AS SELECT 1",
    "ATTACH 'DIR/other.sqlite' (TYPE sqlite)",
    "ATTACH 'host=localhost' AS other (TYPE postgres)",
    "ATTACH 'https://example.com/other.db'",
    "ATTACH 's3://bucket/other.db'",
    // The network and extensions.
    "SELECT * FROM read_csv('http://127.0.0.1:9/x.csv')",
    "SELECT * FROM read_parquet('https://example.com/x.parquet')",
    "SELECT * FROM read_parquet('s3://bucket/x.parquet')",
    "COPY boats_by_model TO 's3://bucket/boats.parquet'",
    "INSTALL httpfs",
    "INSTALL httpfs FROM 'http://127.0.0.1:9'",
    "INSTALL 'DIR/evil.duckdb_extension'",
    "FORCE INSTALL httpfs FROM community",
    "LOAD httpfs",
    "LOAD 'DIR/evil.duckdb_extension'",
    "LOAD spatial",
    "UPDATE EXTENSIONS",
    "CREATE SECRET stolen (TYPE s3, KEY_ID 'x', SECRET 'y')",
    // Unlocking the configuration.
    "SET enable_external_access = true",
    "SET GLOBAL enable_external_access = true",
    "RESET enable_external_access",
    "PRAGMA enable_external_access = true",
    "SET lock_configuration = false",
    "RESET lock_configuration",
    "SET disabled_filesystems = ''",
    "SET allowed_directories = ['/']",
    "SET allowed_paths = ['/etc/passwd']",
    "SET allow_unsigned_extensions = true",
    "SET allow_community_extensions = true",
    "SET autoinstall_known_extensions = true",
    "SET autoload_known_extensions = true",
    "SET custom_extension_repository = 'http://127.0.0.1:9'",
    "SET extension_directory = 'DIR'",
    "SET home_directory = 'DIR'",
    "SET secret_directory = 'DIR'",
    "SET temp_directory = 'DIR'",
    "SET log_query_path = 'DIR/queries.log'",
    "PRAGMA profiling_output = 'DIR/profile.json'",
    "SET profiling_output = 'DIR/profile.json'",
    "SET memory_limit = '1TB'",
    "SET max_memory = '1TB'",
    "SET threads = 8",
    "PRAGMA threads = 8",
    "SET http_proxy = 'http://127.0.0.1:9'",
    "CALL enable_logging(storage := 'file', storage_path := 'DIR/log')",
    "CALL enable_profiling(save_location := 'DIR/profile.json', format := 'json')",
];

/// Parts of the error when the lock-down refuses, and not a mistake in the statement.
const REASONS: [&str; 3] = [
    "Permission Error",
    "configuration has been locked",
    "with the LocalFileSystem disabled",
];

#[tokio::test]
async fn every_statement_that_leads_outside_is_refused() {
    let pool = pool(2);
    let directory = tempfile::tempdir().unwrap();
    let files = ["secret.csv", "secret.json", "secret.parquet", "schema.sql"];
    for file in files {
        std::fs::File::create_new(directory.path().join(file)).unwrap();
    }
    let path = directory.path().to_str().unwrap();
    for escape in ESCAPES {
        let statement = escape.replace("DIR", path);
        let run = move |connection: &Connection| Ok(connection.execute_batch(&statement)?);
        let told = match pool.run(run).await {
            Err(QueryError::DuckDb(why)) => why.to_string(),
            other => format!("{other:?}"),
        };
        let is_locked = REASONS.iter().any(|reason| told.contains(reason));
        assert!(is_locked, "{escape}: {told}");
    }
    let left = std::fs::read_dir(directory.path()).unwrap().count();
    assert_eq!(left, files.len(), "a statement wrote a file");
    assert_eq!(
        count(&pool).await.unwrap(),
        0,
        "the tables are as they were"
    );
}
