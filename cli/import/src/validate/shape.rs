//! What a reader accepts, as data: the type of a value and its bounds.
//!
//! Readers state this themselves, with the constants they use to check values, so what people and
//! editors are shown cannot differ from what is checked. Nothing here reads a value.

use crate::finding::Kind;

/// The values that a reader accepts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    /// An object that may be absent.
    Object,
    /// An object whose absence means that all its members are absent.
    Part,
    /// A list.
    List {
        /// The most members.
        max: usize,
    },
    /// `true` or `false`.
    Flag,
    /// A text.
    Text {
        /// The most bytes in UTF-8.
        max: usize,
    },
    /// A text shown in the rows of lists.
    RowText {
        /// The most characters.
        max: usize,
    },
    /// One of a few words.
    Word(Vec<&'static str>),
    /// A text with a grammar of its own.
    Pattern {
        /// What people call such a text.
        name: &'static str,
        /// A regular expression from `^` to `$`.
        pattern: &'static str,
        /// The most characters, if the expression does not limit them.
        max: Option<usize>,
    },
    /// The id of another record.
    Reference {
        /// What people call the record.
        to: &'static str,
        /// The grammar of ids.
        pattern: &'static str,
        /// The most characters.
        max: usize,
    },
    /// An instant.
    Timestamp,
    /// A web URL.
    Address {
        /// The most characters.
        max: usize,
    },
    /// The length overall of a boat.
    Length {
        /// The maximum.
        max: i64,
    },
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
        /// What it is computed from.
        from: &'static str,
    },
}

impl Shape {
    /// The unit of a number.
    pub const fn unit(&self) -> Option<&'static str> {
        match self {
            Self::Number { unit, .. } | Self::Integer { unit, .. } => *unit,
            Self::Length { .. } => Some(DISTANCE),
            _ => None,
        }
    }
}

/// The units of a distance in both systems.
pub(super) const DISTANCE: &str = "m or ft";

/// A field of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// The keys that lead to it from the record; `[]` stands for the members of a list.
    pub path: Vec<String>,
    /// Whether it is required if the object that contains it is present.
    pub is_required: bool,
    /// The values it may have.
    pub shape: Shape,
}

/// The records of one kind: their fields, each before its own members.
#[derive(Clone, Debug)]
pub struct Outline {
    /// The kind of the records.
    pub kind: Kind,
    /// All fields, in the order in which they are read.
    pub fields: Vec<Field>,
}

/// Records what readers say.
#[derive(Default)]
pub(super) struct Notes {
    fields: Vec<Field>,
    /// Whether the next reader is that of a required field.
    is_required: bool,
}

impl Notes {
    /// Notes that the next field read is required.
    pub(super) const fn requires(&mut self) {
        self.is_required = true;
    }

    /// Notes that the value at `path` has this shape.
    pub(super) fn takes(&mut self, path: Vec<String>, shape: Shape) {
        self.fields.push(Field {
            path,
            is_required: std::mem::take(&mut self.is_required),
            shape,
        });
    }

    /// The fields of the record that was read.
    pub(super) fn into_fields(self) -> Vec<Field> {
        let mut fields = self.fields;
        fields.retain(|field| !field.path.is_empty());
        require_parts(&mut fields);
        fields
    }
}

/// Marks parts with a required field as required themselves.
fn require_parts(fields: &mut [Field]) {
    for place in (0..fields.len()).rev() {
        let (before, after) = fields.split_at_mut(place + 1);
        let part = &mut before[place];
        if part.shape == Shape::Part {
            let depth = part.path.len();
            let mut within = after.iter().take_while(|field| depth < field.path.len());
            part.is_required |=
                within.any(|field| field.is_required && field.path.len() == depth + 1);
        }
    }
}
