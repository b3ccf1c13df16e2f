//! `catalogue schema`: what native exports may hold, as a table for people or as JSON Schema.

use std::io::Write;

use import::schema::{self, Field, LIST_MAX, Outline, Shape, TEXT_MAX};

use crate::commands::show;
use crate::exit_status::ExitStatus;
use crate::process::context::Context;
use crate::terminal::Terminal;
use crate::terminal::table::{self, Column};
use crate::terminal::wrap::wrap;

/// Arguments of `schema`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
For example: catalogue schema --json > boat-catalogue.schema.json
Each line of an export is one record, so the schema is that of a line. Some rules hold across \
records, which no schema can check: `catalogue validate` checks them all.")]
pub struct SchemaArgs {
    /// Print the JSON Schema (2020-12), for editors and other programs
    #[arg(long)]
    pub json: bool,
}

/// Prints what validation takes; no data directory is needed.
pub fn run(args: &SchemaArgs, context: &mut Context) -> anyhow::Result<ExitStatus> {
    if args.json {
        show::json(&schema::native(), context)?;
        return Ok(ExitStatus::Done);
    }
    let terminal = context.terminal;
    for outline in schema::native_fields() {
        writeln!(context.out, "{}\n", fields(&outline, terminal))?;
    }
    writeln!(context.out, "Every line of an export is one record.")?;
    let bounds = format!("A text has at most {TEXT_MAX} bytes, a list {LIST_MAX} members.");
    let notes = NOTES.into_iter().chain([bounds.as_str()]);
    for note in notes.chain(schema::BEYOND) {
        writeln!(context.out, "{}", wrap(&format!("- {note}"), 2, terminal))?;
    }
    Ok(ExitStatus::Done)
}

/// How to read the tables.
const NOTES: [&str; 5] = [
    "Null and a blank text are like an absent field, except in lists.",
    "What is required within an object is required where the object is there.",
    "A unit such as `m or ft` is the first in metric boats and the second in imperial ones.",
    "Times are RFC 3339 with an offset; addresses begin with http:// or https://.",
    "Keys that begin with `x_` are ignored; other unknown keys are errors.",
];

fn fields(outline: &Outline, terminal: Terminal) -> String {
    let columns = [
        Column::from(outline.kind.as_str()),
        "REQUIRED".into(),
        "TYPE".into(),
        "UNIT".into(),
        Column::wrapped("BOUNDS"),
    ];
    let fields = &outline.fields;
    let is_shown = |field: &Field| {
        field.path.last().is_some_and(|key| key != "[]")
            && !matches!(field.shape, Shape::Derived { .. })
    };
    let shown = fields
        .iter()
        .enumerate()
        .filter(|(_, field)| is_shown(field));
    let rows = shown.map(|(place, field)| {
        let member = match field.shape {
            Shape::List { .. } => fields.get(place + 1).map(|field| &field.shape),
            _ => None,
        };
        row(field, member)
    });
    table::list(columns, rows, terminal).trim_end().to_owned()
}

/// A field, and what its members are if it is a list.
fn row(field: &Field, member: Option<&Shape>) -> [String; 5] {
    let is_of_record = |key: &&String| *key != "[]";
    let depth = field.path.iter().filter(is_of_record).count();
    let name = field.path.last().map_or("", String::as_str);
    let kind = match member {
        Some(member) => format!("list of {}", many(member)),
        None => one(&field.shape).to_owned(),
    };
    [
        format!("{}{name}", "  ".repeat(depth)),
        if field.is_required { "yes" } else { "" }.to_owned(),
        kind,
        field.shape.unit().unwrap_or_default().to_owned(),
        bounds(member.unwrap_or(&field.shape)),
    ]
}

const fn one(shape: &Shape) -> &'static str {
    match shape {
        Shape::Object | Shape::Part => "object",
        Shape::List { .. } => "list",
        Shape::Flag => "true or false",
        Shape::Text { .. } | Shape::RowText { .. } => "text",
        Shape::Word(_) => "word",
        Shape::Pattern { name, .. } => name,
        Shape::Reference { .. } => "id",
        Shape::Timestamp => "time",
        Shape::Address { .. } => "address",
        Shape::Length { .. } | Shape::Number { .. } => "number",
        Shape::Integer { .. } => "integer",
        Shape::Derived { .. } => "",
    }
}

fn many(shape: &Shape) -> String {
    format!("{}s", one(shape))
}

/// The bounds of a value; those that all of its type have are not said.
fn bounds(shape: &Shape) -> String {
    match shape {
        Shape::Word(words) => words.join(", "),
        Shape::RowText { max } | Shape::Pattern { max: Some(max), .. } | Shape::Address { max } => {
            format!("{max} characters")
        }
        Shape::Reference { to, .. } => format!("one {to}"),
        Shape::Length { max } => format!("above 0, to {max}"),
        Shape::Number { is_signed, .. } if !is_signed => "0 or more".to_owned(),
        Shape::Integer { min, max, .. } if *max < 10_000 => format!("{min} to {max}"),
        Shape::Integer { min, .. } => format!("{min} or more"),
        Shape::Pattern { .. } => "such as EUR".to_owned(),
        _ => String::new(),
    }
}
