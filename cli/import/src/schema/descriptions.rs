//! What fields mean: taken from the response types, so that each is described once.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde_json::Value;
use shared::base::field_path::{FieldPath, Step};
use shared::base::model::{
    BoatDetails, BoatSummary, Designer, ManufacturerDetails, ManufacturerSummary, Reference,
};

use crate::finding::Kind;

/// What the fields of one kind mean.
pub(super) struct Descriptions {
    shapes: Vec<Schema>,
}

impl Descriptions {
    /// The descriptions for a kind.
    pub(super) fn of(kind: Kind) -> Self {
        let shapes = match kind {
            Kind::Boat => vec![shape::<BoatSummary<'_>>(), shape::<BoatDetails<'_>>()],
            Kind::Manufacturer => vec![
                shape::<ManufacturerSummary<'_>>(),
                shape::<ManufacturerDetails<'_>>(),
            ],
            Kind::Term => vec![shape::<Reference<'_>>()],
            Kind::Designer => vec![shape::<Designer<'_>>()],
            Kind::Catalogue => Vec::new(),
        };
        Self { shapes }
    }

    /// The shapes that answers have, in parts.
    pub(super) fn shapes(&self) -> impl Iterator<Item = &Value> {
        self.shapes.iter().map(Schema::as_value)
    }

    /// What responses say about the field at a path.
    pub(super) fn at(&self, path: &FieldPath<'_>) -> Option<String> {
        self.shapes.iter().find_map(|shape| {
            let mut steps = path.steps().iter();
            let field = steps.try_fold(shape.as_value(), member)?;
            let text = field.get("description")?.as_str()?;
            Some(text.replace('\n', " "))
        })
    }
}

fn shape<T: JsonSchema>() -> Schema {
    let settings =
        SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    settings.into_generator().into_root_schema_for::<T>()
}

/// The schema of a member of an object or a list, which may be null.
fn member<'s>(schema: &'s Value, step: &Step<'_>) -> Option<&'s Value> {
    let choices = schema.get("anyOf").and_then(Value::as_array);
    let of = |schema: &'s Value| match step {
        Step::Key(key) => schema.get("properties")?.get(&**key),
        Step::Index(_) | Step::Each => schema.get("items"),
    };
    of(schema).or_else(|| choices?.iter().find_map(of))
}
