//! What the service promises, as tables: its routes with their scopes, its errors, and how
//! large the head of a request may be.
//!
//! It knows neither the HTTP library nor any other room of the server.

pub(crate) mod errors;
pub(crate) mod head;
pub mod routes;
