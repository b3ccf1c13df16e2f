//! `catalogue schema`: what native exports and mapping files may contain, as tables for people or
//! as JSON Schema.

use import::schema::{self, Field, Key, Kind, LIST_MAX, Shape, TEXT_MAX, Table, Takes};
use shared::base::units::LENGTH_MAX;

use crate::commands::show;
use crate::exit_status::ExitStatus;
use crate::process::context::Context;
use crate::report::Report;
use crate::terminal::table::Column;

/// Arguments of `schema`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
For example: catalogue schema --json > boat-catalogue.schema.json
Or, for an editor that completes mappings: catalogue schema --mapping --json > mapping.schema.json, \
and `#:schema ./mapping.schema.json` as the first line of the mapping.
Each line of an export is one record, so the schema is that of a line. Some rules hold across \
records, which no schema can check: `catalogue validate` checks them all.")]
pub struct SchemaArgs {
    /// Show the keys of mapping files instead
    #[arg(long)]
    pub mapping: bool,
    /// Print the JSON Schema (2020-12), for editors and other programs
    #[arg(long)]
    pub json: bool,
}

/// Prints what validation accepts; no data directory is needed.
pub fn run(args: &SchemaArgs, context: &mut Context) -> anyhow::Result<ExitStatus> {
    match args {
        SchemaArgs {
            json: true,
            mapping,
        } => {
            let schema = if *mapping {
                schema::mapping()
            } else {
                schema::native()
            };
            show::json(&schema, context)?;
        }
        SchemaArgs { mapping: true, .. } => show::report(&mapping(), context)?,
        SchemaArgs { .. } => show::report(&native(), context)?,
    }
    Ok(ExitStatus::Done)
}

fn native() -> Report<'static> {
    let mut report = Report::new();
    for kind in Kind::ALL {
        add_fields(kind, &mut report);
    }
    report.note("Every line of an export is one record.");
    let bounds = format!("A text has at most {TEXT_MAX} bytes, a list {LIST_MAX} members.");
    let notes = NOTES.into_iter().map(str::to_owned).chain([bounds]);
    for note in notes.chain(schema::beyond()) {
        report.line(format!("- {note}"));
    }
    report
}

fn mapping() -> Report<'static> {
    let mut report = Report::new();
    for table in schema::mapping_tables() {
        add_keys(&table, &mut report);
    }
    report.note(
        "A field of a native record is an expression, a table as above, or a table of fields. \
         `catalogue mapping check` tries a mapping on an export.",
    );
    report
}

fn add_keys(table: &Table, report: &mut Report<'_>) {
    let columns = [
        Column::from(table.name),
        "REQUIRED".into(),
        "TYPE".into(),
        Column::wrapped("MEANING"),
    ];
    let row = |key: &Key| {
        let meaning = match key.takes {
            Takes::Word(words) => format!("{} {}", key.about, choice(&words())),
            _ => key.about.to_owned(),
        };
        [
            format!("  {}", key.name),
            required(key.is_required),
            taken(key.takes).to_owned(),
            meaning,
        ]
    };
    report.table("", columns, table.keys.iter().map(row));
}

fn choice(words: &[&str]) -> String {
    match words {
        [word] => format!("Always `{word}`."),
        words => format!("One of {}.", words.join(", ")),
    }
}

const fn taken(takes: Takes) -> &'static str {
    match takes {
        Takes::Text => "text",
        Takes::Expression => "jq",
        Takes::Texts => "text or texts",
        Takes::Flag => "boolean",
        Takes::Count => "number",
        Takes::TextOrCount => "text or number",
        Takes::Word(_) => "word",
        Takes::Any => "any value",
        Takes::Variables | Takes::One(_) => "table",
        Takes::Vocabularies | Takes::Named(_) => "tables by name",
        Takes::Many(_) | Takes::Records => "list of tables",
        Takes::Fields => "fields",
    }
}

fn required(is_required: bool) -> String {
    if is_required { "yes" } else { "" }.to_owned()
}

/// How to read the tables.
const NOTES: [&str; 6] = [
    "Types in the plural are lists. The bound of an id names its kind of record.",
    "Null and a blank text are like an absent field, except in lists.",
    "What is required within an object is required where the object is there.",
    "A unit such as `m or ft` is the first in metric boats and the second in imperial ones.",
    "Times are RFC 3339 with an offset; addresses begin with http:// or https:// and have no user.",
    "Keys that begin with `x_` are ignored; other unknown keys are errors.",
];

fn add_fields(kind: Kind, report: &mut Report<'_>) {
    let columns = [
        Column::from(kind.as_str()),
        "REQUIRED".into(),
        "TYPE".into(),
        "UNIT".into(),
        Column::wrapped("BOUNDS"),
    ];
    let mut rows = Vec::new();
    add_rows(schema::fields(kind), 1, &mut rows);
    report.table("", columns, rows);
}

/// Adds a row for each field, followed by those of its own members.
fn add_rows(fields: &[Field], depth: usize, rows: &mut Vec<[String; 5]>) {
    for field in fields.iter().filter(|field| !field.shape.is_derived()) {
        let (member, plural) = match field.shape {
            Shape::List(member) => (member, "s"),
            ref shape => (shape, ""),
        };
        rows.push([
            format!("{}{}", "  ".repeat(depth), field.key),
            required(field.is_required()),
            format!("{}{plural}", one(member)),
            field.shape.unit().unwrap_or_default().to_owned(),
            bounds(member),
        ]);
        add_rows(field.shape.fields(), depth + 1, rows);
    }
}

const fn one(shape: &Shape) -> &'static str {
    match shape {
        Shape::Object(_) | Shape::Part(_) => "object",
        Shape::List(_) => "list",
        Shape::Flag => "boolean",
        Shape::Text | Shape::Description | Shape::RowText => "text",
        Shape::Word(_) | Shape::Format => "word",
        Shape::Id | Shape::Reference(_) => "id",
        Shape::BoatSlug | Shape::Slug => "slug",
        Shape::Currency => "currency",
        Shape::Timestamp => "time",
        Shape::Address => "address",
        Shape::Length | Shape::SameLength | Shape::Number { .. } => "number",
        Shape::Integer { .. } => "integer",
        Shape::Derived { .. } => "",
    }
}

/// The bounds of a value, except those that all values of its type have.
fn bounds(shape: &Shape) -> String {
    match shape {
        Shape::Word(_) | Shape::Format => shape.words().join(", "),
        Shape::Reference(to) => to.as_str().to_owned(),
        Shape::Length | Shape::SameLength => format!("over 0, to {LENGTH_MAX}"),
        Shape::Number { is_signed, .. } if !is_signed => "0 or more".to_owned(),
        Shape::Integer { min, max, .. } if *max < 10_000 => format!("{min} to {max}"),
        Shape::Integer { min, .. } => format!("{min} or more"),
        Shape::Currency => "such as EUR".to_owned(),
        shape => shape
            .characters_max()
            .map_or_else(String::new, |max| format!("{max} characters")),
    }
}
