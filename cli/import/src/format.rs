//! The native format: each kind of record, and each of its fields, declared once.
//!
//! Validation walks these tables, and from them come the JSON Schema, the tables for people, the
//! check of a mapping's fields, what a draft of a mapping must have, columns, and the inverse of an
//! import. So a new field is one row of [`records`] and its place in the response. Nothing here
//! reads a value.

mod records;
mod vocabulary;

use shared::base::field_path::{FieldPath, Step};
use shared::base::ids::{ID_OR_SLUG_MAX, IdOrSlug, SLUG_MAX, Slug};

pub(crate) use self::vocabulary::Vocabulary;
use crate::finding::Kind;
use crate::finding::nearest::{ALIKE, most_alike};

/// The name of the format, and the only one that a catalogue record may give.
pub(crate) const FORMAT: &str = "boat-catalogue/1";
/// Keys with this prefix are ignored.
pub(crate) const PRIVATE_PREFIX: &str = "x_";
/// The most members of a list.
pub const LIST_MAX: usize = 10_000;
/// Maximum length of a text, in bytes of UTF-8.
pub const TEXT_MAX: usize = 64 * 1024;
/// Maximum length of a text in the row of a list, in characters. It keeps rows short whatever an
/// export has.
pub(crate) const ROW_TEXT_MAX: usize = 2_000;
/// The units of a distance in both systems.
const DISTANCE: &str = "m or ft";

/// A field of a record, or of an object within it.
#[derive(Debug)]
pub struct Field {
    /// Its key.
    pub key: &'static str,
    /// The values it may have.
    pub shape: Shape,
    /// Its meaning, if no response says it, or if a response says it differently.
    pub(crate) about: Option<&'static str>,
    is_required: bool,
}

/// The values that a field or a member of a list may have.
#[derive(Debug)]
pub enum Shape {
    /// An object that may be absent.
    Object(&'static [Field]),
    /// An object whose absence means that all its members are absent.
    Part(&'static [Field]),
    /// A list of at most [`LIST_MAX`] members.
    List(&'static Self),
    /// `true` or `false`.
    Flag,
    /// A text of at most [`TEXT_MAX`] bytes.
    Text,
    /// A text in which markup is probably a mistake.
    Description,
    /// A text shown in the rows of lists.
    RowText,
    /// One of a few words.
    Word(&'static [&'static str]),
    /// The name of the format.
    Format,
    /// The id of the record itself.
    Id,
    /// The slug of a boat, which has the grammar of an id.
    BoatSlug,
    /// The slug of a manufacturer or a term.
    Slug,
    /// A currency code.
    Currency,
    /// The id of another record.
    Reference(Target),
    /// An instant.
    Timestamp,
    /// A web URL.
    Address,
    /// The length overall of a boat.
    Length,
    /// The same once more.
    SameLength,
    /// A number.
    Number {
        /// The unit in both systems.
        unit: Option<&'static str>,
        /// Whether it may be negative.
        is_signed: bool,
    },
    /// An integer.
    Integer {
        /// The unit.
        unit: Option<&'static str>,
        /// The minimum.
        min: u64,
        /// The maximum.
        max: u64,
    },
    /// Nothing: the import computes the field.
    Derived {
        /// The unit of what it computes.
        unit: Option<&'static str>,
        /// What it is computed from.
        from: &'static str,
    },
}

/// What a reference leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Target {
    /// A manufacturer.
    Manufacturer,
    /// A term of this vocabulary.
    Term(Vocabulary),
    /// A designer.
    Designer,
}

/// The fields of a kind of record, in the order in which they are checked.
pub const fn fields(kind: Kind) -> &'static [Field] {
    match kind {
        Kind::Catalogue => records::CATALOGUE,
        Kind::Manufacturer => records::MANUFACTURER,
        Kind::Term => records::TERM,
        Kind::Designer => records::DESIGNER,
        Kind::Boat => records::BOAT,
    }
}

/// The fields without which no record of this kind is valid.
pub(crate) fn required(kind: Kind) -> Vec<FieldPath<'static>> {
    let mut all = Vec::new();
    add_required(fields(kind), &FieldPath::record(), &mut all);
    all
}

fn add_required(
    fields: &'static [Field],
    within: &FieldPath<'static>,
    all: &mut Vec<FieldPath<'static>>,
) {
    for field in fields.iter().filter(|field| field.is_required()) {
        let path = within.clone().then(Step::key(field.key));
        match field.shape {
            Shape::Part(fields) => add_required(fields, &path, all),
            _ => all.push(path),
        }
    }
}

/// The index of the field with this key. The search starts at `from`, because keys mostly come in
/// the order of the table.
pub(crate) fn index_of(fields: &[Field], key: &str, from: usize) -> Option<usize> {
    let (before, after) = fields.split_at_checked(from).unwrap_or((fields, &[]));
    let found = |fields: &[Field]| fields.iter().position(|field| field.key == key);
    found(after)
        .map(|index| from + index)
        .or_else(|| found(before))
}

/// What to write in place of a key that an object with these fields does not have.
pub(crate) fn instead_of(key: &str, fields: &[Field]) -> Option<String> {
    let accepted = fields.iter().filter(|field| !field.shape.is_derived());
    let (likeness, nearest) = most_alike(key, accepted.map(|field| field.key))?;
    Some(if ALIKE <= likeness {
        format!("did you mean `{nearest}`?")
    } else {
        format!(
            "the nearest known key is `{nearest}`; to keep another in the export, begin it with \
             `{PRIVATE_PREFIX}`"
        )
    })
}

/// Why a key that the import derives is refused.
pub(crate) fn derived(key: &str, from: &str) -> String {
    format!("`{key}` is derived from {from}")
}

impl Field {
    /// Whether it is required if the object that contains it is present. A part is if any of its
    /// members is.
    pub fn is_required(&self) -> bool {
        match self.shape {
            Shape::Part(fields) => fields.iter().any(Self::is_required),
            _ => self.is_required,
        }
    }
}

impl Shape {
    /// The fields of the object, or of the objects in the list.
    pub const fn fields(&self) -> &'static [Field] {
        match self {
            Self::Object(fields) | Self::Part(fields) => fields,
            Self::List(member) => member.fields(),
            _ => &[],
        }
    }

    /// The unit of a number, in both systems.
    pub const fn unit(&self) -> Option<&'static str> {
        match self {
            Self::Number { unit, .. } | Self::Integer { unit, .. } | Self::Derived { unit, .. } => {
                *unit
            }
            Self::Length | Self::SameLength => Some(DISTANCE),
            _ => None,
        }
    }

    /// The words that it may be.
    pub const fn words(&self) -> &'static [&'static str] {
        match self {
            Self::Word(words) => words,
            Self::Format => &[FORMAT],
            _ => &[],
        }
    }

    /// The most characters of a text that has fewer than [`TEXT_MAX`] bytes allow.
    pub const fn characters_max(&self) -> Option<usize> {
        match self {
            Self::RowText | Self::Address => Some(ROW_TEXT_MAX),
            Self::Id | Self::BoatSlug | Self::Reference(_) => Some(ID_OR_SLUG_MAX),
            Self::Slug => Some(SLUG_MAX),
            _ => None,
        }
    }

    /// The regular expression, from `^` to `$`, of an identifier or a code.
    pub(crate) const fn pattern(&self) -> Option<&'static str> {
        match self {
            Self::Id | Self::BoatSlug | Self::Reference(_) => Some(IdOrSlug::PATTERN),
            Self::Slug => Some(Slug::PATTERN),
            Self::Currency => Some("^[A-Z]{3}$"),
            _ => None,
        }
    }

    /// Whether the import computes it.
    pub const fn is_derived(&self) -> bool {
        matches!(self, Self::Derived { .. })
    }
}

impl Target {
    /// The kind of the record that it leads to.
    pub(crate) const fn kind(self) -> Kind {
        match self {
            Self::Manufacturer => Kind::Manufacturer,
            Self::Term(_) => Kind::Term,
            Self::Designer => Kind::Designer,
        }
    }

    /// The words for it in messages.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Manufacturer => Kind::Manufacturer.as_str(),
            Self::Term(vocabulary) => vocabulary.term(),
            Self::Designer => Kind::Designer.as_str(),
        }
    }
}
