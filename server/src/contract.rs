//! What the service promises, as tables: its routes with their scopes.
//!
//! It knows neither the HTTP library nor any other room of the server.

pub mod routes;
