//! What a reader takes: the type of a value and its bounds, as data.
//!
//! Readers say it themselves, with the constants that they check values by, so that what people
//! and editors are shown cannot differ from what is checked. Nothing here reads a value.

use crate::finding::Kind;

/// Which values a reader takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    /// An object that is there or not.
    Object,
    /// An object whose absence means that none of its members are there.
    Part,
    /// A list.
    List {
        /// Most members.
        max: usize,
    },
    /// `true` or `false`.
    Flag,
    /// A text.
    Text {
        /// Most bytes of UTF-8.
        max: usize,
    },
    /// A text that rows of lists show.
    RowText {
        /// Most characters.
        max: usize,
    },
    /// One of a few words.
    Word(Vec<&'static str>),
    /// A text of a grammar of its own.
    Pattern {
        /// What people call such a text.
        name: &'static str,
        /// A regular expression from `^` to `$`.
        pattern: &'static str,
        /// Most characters, if the expression does not say.
        max: Option<usize>,
    },
    /// The id of another record.
    Reference {
        /// What people call the record.
        to: &'static str,
        /// The grammar of ids.
        pattern: &'static str,
        /// Most characters.
        max: usize,
    },
    /// An instant.
    Timestamp,
    /// An address in the web.
    Address {
        /// Most characters.
        max: usize,
    },
    /// The length overall of a boat.
    Length {
        /// The greatest.
        max: i64,
    },
    /// A number.
    Number {
        /// What it counts, in both systems.
        unit: Option<&'static str>,
        /// Whether it may be negative.
        is_signed: bool,
    },
    /// An integer.
    Integer {
        /// What it counts.
        unit: Option<&'static str>,
        /// The least.
        min: u64,
        /// The greatest.
        max: u64,
    },
    /// Nothing: the import computes the field.
    Derived {
        /// What it is computed from.
        from: &'static str,
    },
}

impl Shape {
    /// What a number counts.
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
    /// The keys that lead to it from the record; a member of a list is `[]`.
    pub path: Vec<String>,
    /// Whether it must be there where what it stands in is there.
    pub is_required: bool,
    /// Which values it may have.
    pub shape: Shape,
}

/// The records of one kind: their fields, each before its own members.
#[derive(Clone, Debug)]
pub struct Outline {
    /// What the records are.
    pub kind: Kind,
    /// All fields, in the order in which they are read.
    pub fields: Vec<Field>,
}

/// Takes down what readers say.
#[derive(Default)]
pub(super) struct Notes {
    fields: Vec<Field>,
    /// Whether the reader that speaks next is that of a field that must be there.
    is_required: bool,
}

impl Notes {
    /// What is read next must be there.
    pub(super) const fn requires(&mut self) {
        self.is_required = true;
    }

    /// The value at `path` has this shape.
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

/// A part with a field that must be there must be there itself.
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
