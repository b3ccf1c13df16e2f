//! What fields mean: taken from the response types, so that each is described once.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde_json::Value;
use shared::base::model::{
    BoatDetails, BoatSummary, Designer, ManufacturerDetails, ManufacturerSummary, Reference,
};

use crate::finding::Kind;

/// What the fields of one kind mean.
pub(super) struct Descriptions {
    kind: Kind,
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
        Self { kind, shapes }
    }

    /// The shapes that answers have, in parts.
    pub(super) fn shapes(&self) -> impl Iterator<Item = &Value> {
        self.shapes.iter().map(Schema::as_value)
    }

    /// What the field at a path means.
    pub(super) fn at(&self, path: &[String]) -> Option<String> {
        if let Some(own) = self.own(path) {
            return Some(own.to_owned());
        }
        self.shapes.iter().find_map(|shape| {
            let field = path
                .iter()
                .try_fold(shape.as_value(), |within, key| member(within, key))?;
            let text = field.get("description")?.as_str()?;
            Some(text.replace('\n', " "))
        })
    }

    /// What no response shows, or shows differently.
    fn own(&self, path: &[String]) -> Option<&'static str> {
        let path: Vec<&str> = path.iter().map(String::as_str).collect();
        match (self.kind, &*path) {
            (_, ["kind"]) => Some("What the record is."),
            (_, ["published"]) => {
                Some("Whether consumers see the record; they do where it is absent.")
            }
            (_, ["updatedAt"]) => Some("When the record last changed."),
            (Kind::Boat | Kind::Manufacturer, ["id"]) => Some("Id of the record."),
            (Kind::Boat, ["unit"]) => Some(
                "The boat's own system. In it are all measures of the boat: metric ones in metres, \
                 kilograms and square metres, imperial ones in feet, pounds and square feet.",
            ),
            (Kind::Boat, ["dimensions", "lengthOverall"]) => Some(
                "Filled in by the import; where it is given, equal to the boat's `lengthOverall`.",
            ),
            (Kind::Term, ["vocabulary"]) => Some("What the term is for."),
            (Kind::Term, ["slug"]) => {
                Some("Slug that filters accept, unique within the vocabulary.")
            }
            (Kind::Catalogue, ["format"]) => Some("The format of the export."),
            (Kind::Catalogue, ["generatedAt"]) => Some("When the export was made."),
            (Kind::Catalogue, ["counts"]) => {
                Some("Records of each kind, unpublished ones included, by which a gap is noticed.")
            }
            (Kind::Catalogue, ["counts", _]) => Some("Records of this kind."),
            _ => None,
        }
    }
}

fn shape<T: JsonSchema>() -> Schema {
    let settings =
        SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    settings.into_generator().into_root_schema_for::<T>()
}

/// The schema of a member of an object or a list, which may be null.
fn member<'s>(schema: &'s Value, key: &str) -> Option<&'s Value> {
    let choices = schema.get("anyOf").and_then(Value::as_array);
    let of = |schema: &'s Value| match key {
        "[]" => schema.get("items"),
        key => schema.get("properties")?.get(key),
    };
    of(schema).or_else(|| choices?.iter().find_map(of))
}
