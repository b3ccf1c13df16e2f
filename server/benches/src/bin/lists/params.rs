//! The names by which the sources of the statements, compiled here too, know parameters.

pub(crate) use server::params::{BoatSort, ManufacturerSort, Order, Page};
