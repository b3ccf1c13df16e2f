//! What the service promises, as tables: its routes with their scopes, its errors, and the limits
//! of a request's head.
//!
//! It knows neither the HTTP library nor any other module of the server.

pub(crate) mod errors;
pub(crate) mod head;
pub mod routes;
