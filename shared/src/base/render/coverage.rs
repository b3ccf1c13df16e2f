//! Which fields of a record have a value, observed while its body is written.
//!
//! Fields are known by their path in the body, such as `hull.keelType`. The members of a list are
//! not counted: the list is the field, and has a value when it is not empty. An object that may be
//! null is a field too, and so is each of its members.
//!
//! `serde_json` calls its formatter for every value, in the order of the body. So a formatter that
//! writes compact JSON and follows the order of fields can count values: no second pass over the
//! body, no comparison of names.

use std::io::{self, Write};
use std::sync::LazyLock;

use serde_json::ser::{CompactFormatter, Formatter};

/// The fields of a boat.
pub static BOAT_FIELDS: LazyLock<Fields> = LazyLock::new(|| Fields::new(&BOAT_PATHS));
/// The fields of a manufacturer.
pub static MANUFACTURER_FIELDS: LazyLock<Fields> =
    LazyLock::new(|| Fields::new(&MANUFACTURER_PATHS));

/// The paths of a full boat, in the order of its body. A test compares them with the body.
#[rustfmt::skip]
const BOAT_PATHS: [&str; 92] = [
    "id", "slug", "model", "version",
    "manufacturer.id", "manufacturer.name", "manufacturer.slug", "manufacturer.website",
    "type.id", "type.name", "type.slug", "production.firstYear", "production.lastYear",
    "unit", "lengthOverall", "lengthOverallMetres",
    "referencePrice", "referencePrice.amount",
    "referencePrice.currency.code", "referencePrice.currency.symbol",
    "image", "image.url", "image.alt", "image.width", "image.height", "image.format",
    "description", "categories", "activities",
    "hull.type", "hull.type.id", "hull.type.name", "hull.type.slug",
    "hull.material", "hull.material.id", "hull.material.name", "hull.material.slug",
    "hull.keelType", "hull.unsinkable", "hull.trailerable", "hull.appendages",
    "dimensions.lengthOverall", "dimensions.lengthWaterline", "dimensions.beamOverall",
    "dimensions.beamCabinLine", "dimensions.beamHull", "dimensions.draftMax",
    "dimensions.draftMin", "dimensions.headroom", "dimensions.bridgedeckClearance",
    "dimensions.nominalBridgedeckClearance", "dimensions.displacement",
    "dimensions.ballastWeight", "dimensions.ballastType", "dimensions.tonnageGross",
    "dimensions.tonnageNet",
    "accommodation.cabins", "accommodation.berths", "accommodation.heads",
    "steering.helm", "steering.rudder", "steering.cockpitType", "steering.cockpitLocation",
    "performance.cruisingSpeed", "performance.topSpeed", "performance.displacementHullSpeed",
    "rig.mastHeight", "rig.mastConfiguration", "rig.riggingType", "rig.standingRigging",
    "rig.spars", "rig.rotatingSpars", "rig.spreadersLevel", "rig.spreadersAngle",
    "sails.upwindArea", "sails.downwindArea", "sails.mainsail", "sails.headsail",
    "sails.spinnaker",
    "tanks.fuel", "tanks.water", "tanks.holding", "tanks.waterHeaters",
    "engines", "designers.naval", "designers.interior", "designers.exterior",
    "ceClassification.a", "ceClassification.b", "ceClassification.c", "ceClassification.d",
    "gallery",
];

/// The paths of a full manufacturer, in the order of its body.
#[rustfmt::skip]
const MANUFACTURER_PATHS: [&str; 13] = [
    "id", "slug", "name", "website",
    "logo", "logo.url", "logo.alt", "logo.width", "logo.height", "logo.format",
    "updatedAt", "description", "boatCount",
];

/// The fields of one kind of record: at most 128, so that one of each is a bit.
#[derive(Debug)]
pub struct Fields {
    paths: &'static [&'static str],
    shapes: Vec<Shape>,
}

/// The place of a field among the others.
#[derive(Clone, Copy, Debug, Default)]
struct Shape {
    /// How many objects it is nested in, including the record itself.
    depth: usize,
    /// For an object that may be null, how many of the fields after it are its members.
    members: usize,
}

impl Fields {
    pub(super) fn new(paths: &'static [&'static str]) -> Self {
        let shape = |(place, path): (usize, &&str)| {
            let after = &paths[place + 1..];
            let members = after.iter().take_while(|below| is_member(below, path));
            Shape {
                depth: path.split('.').count(),
                members: members.count(),
            }
        };
        Self {
            paths,
            shapes: paths.iter().enumerate().map(shape).collect(),
        }
    }

    /// The paths, in the order of the body.
    pub const fn paths(&self) -> &'static [&'static str] {
        self.paths
    }

    fn shape(&self, place: usize) -> Shape {
        self.shapes.get(place).copied().unwrap_or_default()
    }
}

/// Whether the field `path` is a member, at any depth, of the object `of`.
pub fn is_member(path: &str, of: &str) -> bool {
    path.strip_prefix(of)
        .is_some_and(|rest| rest.starts_with('.'))
}

/// Which fields of one record have a value. Places are those of [`Fields::paths`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    present: u128,
    fractional: u128,
}

impl Coverage {
    /// The fields that are neither null nor an empty list.
    pub fn present(self) -> impl Iterator<Item = usize> {
        places(self.present)
    }

    /// The numbers that are not whole.
    pub fn fractional(self) -> impl Iterator<Item = usize> {
        places(self.fractional)
    }
}

/// The places of the bits that are set, in their order.
fn places(mut bits: u128) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let place = bits.trailing_zeros();
        // Takes the lowest bit away.
        bits &= bits.checked_sub(1)?;
        Some(place as usize)
    })
}

/// Observes the values of one record.
pub(super) struct Observer<'a> {
    fields: &'a Fields,
    coverage: Coverage,
    /// The place of the next field.
    next: usize,
    /// The place of the field whose value is being written; none at the start of the record.
    current: Option<usize>,
    /// How many objects outside of lists the value being written lies in.
    objects: usize,
    /// How many lists the value being written lies in.
    lists: usize,
}

impl<'a> Observer<'a> {
    pub(super) const fn new(fields: &'a Fields) -> Self {
        Self {
            fields,
            coverage: Coverage {
                present: 0,
                fractional: 0,
            },
            next: 0,
            current: None,
            objects: 0,
            lists: 0,
        }
    }

    /// The formatter of one half of the record.
    pub(super) const fn half(&mut self) -> Observing<'a, '_> {
        self.current = None;
        Observing(self)
    }

    /// What was observed, once both halves are written.
    pub(super) fn finish(self) -> Coverage {
        debug_assert_eq!(self.next, self.fields.paths.len(), "every field went by");
        self.coverage
    }

    /// The field being written, unless the value is inside a list.
    fn field(&self) -> Option<usize> {
        self.current.filter(|_place| self.lists == 0)
    }

    fn begin_field(&mut self) {
        if self.lists == 0 {
            self.current = Some(self.next);
            self.coverage.present |= bit(self.next);
            self.next += 1;
        }
    }

    fn see_null(&mut self) {
        if let Some(place) = self.field() {
            self.coverage.present &= !bit(place);
            self.next = place + 1 + self.fields.shape(place).members;
        }
    }

    fn see_fraction(&mut self) {
        if let Some(place) = self.field() {
            self.coverage.fractional |= bit(place);
        }
    }

    /// An object that is never null is no field: its place is that of its first member.
    fn begin_object(&mut self) {
        if let Some(place) = self.field()
            && self.fields.shape(place).depth != self.objects
        {
            self.coverage.present &= !bit(place);
            self.next = place;
        }
        self.objects += usize::from(self.lists == 0);
    }

    fn end_object(&mut self) {
        self.objects -= usize::from(self.lists == 0);
    }

    fn begin_list(&mut self) {
        if let Some(place) = self.field() {
            self.coverage.present &= !bit(place);
        }
        self.lists += 1;
    }

    fn see_list_member(&mut self) {
        if let (1, Some(place)) = (self.lists, self.current) {
            self.coverage.present |= bit(place);
        }
    }
}

/// The bit of a field; none beyond the 128 that there may be.
fn bit(place: usize) -> u128 {
    u32::try_from(place)
        .ok()
        .and_then(|place| 1_u128.checked_shl(place))
        .unwrap_or(0)
}

/// Writes compact JSON and tells the observer.
pub(super) struct Observing<'a, 'b>(&'b mut Observer<'a>);

impl Formatter for Observing<'_, '_> {
    fn begin_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.begin_field();
        CompactFormatter.begin_object_value(writer)
    }

    fn write_null<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.see_null();
        CompactFormatter.write_null(writer)
    }

    fn write_f64<W: ?Sized + Write>(&mut self, writer: &mut W, value: f64) -> io::Result<()> {
        // A number of a record that is whole is written as an integer.
        self.0.see_fraction();
        CompactFormatter.write_f64(writer, value)
    }

    fn write_raw_fragment<W: ?Sized + Write>(
        &mut self,
        writer: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        // Very large and very small numbers come as their digits.
        if fragment.contains('.') {
            self.0.see_fraction();
        }
        CompactFormatter.write_raw_fragment(writer, fragment)
    }

    fn begin_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.begin_object();
        CompactFormatter.begin_object(writer)
    }

    fn end_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_object();
        CompactFormatter.end_object(writer)
    }

    fn begin_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.begin_list();
        CompactFormatter.begin_array(writer)
    }

    fn begin_array_value<W: ?Sized + Write>(
        &mut self,
        writer: &mut W,
        first: bool,
    ) -> io::Result<()> {
        self.0.see_list_member();
        CompactFormatter.begin_array_value(writer, first)
    }

    fn end_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.lists -= 1;
        CompactFormatter.end_array(writer)
    }
}

#[cfg(test)]
mod tests;
