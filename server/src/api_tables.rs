//! What the service promises, as tables: its routes with their scopes, its errors, and the limits
//! of a request's head.
//!
//! It knows neither the HTTP library nor any other module of the server.

pub(crate) mod errors;
pub mod routes;

/// Longest request target: path and query, in bytes.
pub(crate) const URI_BYTES_MAX: usize = 8 * 1024;
/// Longest head: request line, header fields and the empty line, in bytes.
pub(crate) const HEAD_BYTES_MAX: usize = 16 * 1024;
/// Most header fields.
pub(crate) const HEADERS_MAX: usize = 64;
