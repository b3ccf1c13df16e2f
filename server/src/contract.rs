//! What the service promises, as tables: its routes with their scopes, and its errors.
//!
//! It knows neither the HTTP library nor any other room of the server.

pub(crate) mod errors;
pub mod routes;
