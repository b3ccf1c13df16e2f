//! The types of a list and its parameters. Each is declared once, in `lists` or `changes`; the parser, the
//! canonical text, the statements, the tables, the OpenAPI document and the test generators take
//! what they need from there.
//!
//! This module must not know a particular parameter.

use std::borrow::Cow;
use std::fmt;

use shared::base::ids::Slug;
use shared::base::number::INTEGER_MAX;
use shared::base::units::{Bound, LENGTH_MAX, LengthUnit};
use shared::release::reader::{Listing, Measure};
use shared::release::{Kind, ReleaseId};

use super::SearchWords;

/// Rows on a page unless the caller says otherwise.
pub const LIMIT_DEFAULT: u64 = 20;
/// Most rows on a page.
pub const LIMIT_MAX: u64 = 100;
/// Largest offset: the largest integer that every JSON reader represents exactly.
pub const OFFSET_MAX: u64 = INTEGER_MAX;

/// What the id of a release is, in messages.
pub(super) const A_RELEASE: &str = "the whole id of a release, as X-Release and GET /v1 have it";

/// A list: what it takes, and how it is ordered.
pub struct List {
    /// What its rows are. A manufacturer's boats are boats with a filter, since the response is the
    /// same.
    pub kind: Kind,
    /// What it takes, in the order of messages, of the document and of the canonical text.
    pub parameters: &'static [Parameter],
    /// A parameter that is refused with its own explanation.
    pub refused: Option<(&'static str, &'static str)>,
    /// Pairs of parameters that are the ends of a range.
    pub ranges: &'static [Range],
    /// What it may be sorted by. The first is the default.
    pub sorts: &'static [Sort],
}

/// What its rows are says which it is; its tables are long.
impl fmt::Debug for List {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.kind.fmt(f)
    }
}

/// A list is one of those declared.
impl PartialEq for List {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }
}

impl Eq for List {}

/// Two parameters; the first must not be above the second.
#[derive(Debug)]
pub struct Range {
    /// The name of the lower end.
    pub low: &'static str,
    /// The name of the upper end.
    pub high: &'static str,
    /// The message about the upper end if it is below.
    pub message: &'static str,
}

/// A parameter.
#[derive(Debug)]
pub struct Parameter {
    /// Its name.
    pub name: &'static str,
    /// What it may be and what it does.
    pub role: Role,
    /// What it means, for callers. For a sort, without the list of sorts.
    pub description: &'static str,
    /// A good value, as text.
    pub example: &'static str,
}

/// A list has no two parameters of one name.
impl PartialEq for Parameter {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Parameter {}

/// What a parameter may be and what it does.
#[derive(Debug)]
pub enum Role {
    /// A slug of this vocabulary, which the row has.
    Slug(Vocabulary),
    /// A number within these bounds; that of the row is at least that.
    AtLeast(Measure, Bounds),
    /// A number within these bounds; that of the row is at most that.
    AtMost(Measure, Bounds),
    /// The least length overall, in the unit of [`Role::LengthUnit`].
    LengthMin,
    /// The greatest length overall, in the same unit.
    LengthMax,
    /// The unit of both, without effect if neither is given.
    LengthUnit,
    /// Words of the row's name.
    Search,
    /// Most rows to return.
    Limit {
        /// Rows unless the caller says otherwise.
        default: u64,
        /// The most that it may ask for.
        max: u64,
    },
    /// Rows to skip.
    Offset,
    /// What the rows are sorted by: the names of the list's sorts.
    Sort(&'static [&'static str]),
    /// The direction.
    Order,
    /// The id of a release, which must be given.
    Release,
}

/// The least and the greatest value of an integer. A number with decimals is above the first.
pub type Bounds = (u64, u64);

/// What slugs stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Vocabulary {
    /// Who makes boats.
    Manufacturers,
    /// Types of boats.
    Types,
    /// What boats are; a boat may have several.
    Categories,
    /// What boats are for; a boat may have several.
    Activities,
}

/// A sort of a list. The order is total, since ranks are unique.
#[derive(Debug)]
pub struct Sort {
    /// Its name.
    pub name: &'static str,
    /// Its meaning, for callers.
    pub description: &'static str,
    /// The place of the record with this ordinal.
    pub rank: fn(&Listing, usize) -> i32,
}

/// The names of `sorts`.
pub(super) const fn names<const N: usize>(sorts: &[Sort; N]) -> [&'static str; N] {
    let mut names = [""; N];
    let mut at = 0;
    while at < N {
        names[at] = sorts[at].name;
        at += 1;
    }
    names
}

/// The direction of a list; it applies to every sort, the default one included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Order {
    /// `asc`
    #[default]
    Asc,
    /// `desc`: the exact reverse.
    Desc,
}

impl Order {
    /// Both, the default first.
    pub(super) const ALL: [Self; 2] = [Self::Asc, Self::Desc];
}

/// What a parameter may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Values {
    /// A slug of a manufacturer or a term.
    Slug,
    /// An integer within these bounds, and its default.
    Integer(Bounds, Option<u64>),
    /// A decimal number within these bounds.
    Decimal(Bounds),
    /// Words, in [`super::SEARCH_MIN`] to [`super::SEARCH_MAX`] characters.
    Search,
    /// One of these words. The first is the default.
    OneOf(&'static [&'static str]),
    /// The whole id of a release.
    Release,
}

/// A value of a parameter. Equal values mean the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    Slug(Slug),
    Integer(u64),
    Decimal(Bound),
    Search(SearchWords),
    /// The place of the word among those of [`Values::OneOf`], and the word.
    OneOf(usize, &'static str),
    /// A text that is the id of a release, if it is one of a time.
    Release(String),
}

impl Parameter {
    /// What it means in `list`, for callers.
    pub fn description_in(&self, list: &List) -> Cow<'static, str> {
        let Role::Sort(_) = self.role else {
            return self.description.into();
        };
        let sorts: Vec<_> = list.sorts.iter().map(|sort| sort.description).collect();
        let (end, others) = sorts.split_last().unwrap_or((&"", &[]));
        let (what, others) = (self.description, others.join(", "));
        format!("{what}: {others}, or {end}; then by id.").into()
    }
}

impl Role {
    /// The allowed values.
    pub fn values(&self) -> Values {
        const LENGTH_UNITS: [&str; 2] = [LengthUnit::ALL[0].as_str(), LengthUnit::ALL[1].as_str()];
        match *self {
            Self::Slug(_) => Values::Slug,
            Self::AtLeast(measure, bounds) | Self::AtMost(measure, bounds) => {
                match measure.decimals {
                    0 => Values::Integer(bounds, None),
                    _ => Values::Decimal(bounds),
                }
            }
            Self::LengthMin | Self::LengthMax => Values::Decimal((0, LENGTH_MAX.unsigned_abs())),
            Self::LengthUnit => Values::OneOf(&LENGTH_UNITS),
            Self::Search => Values::Search,
            Self::Limit { default, max } => Values::Integer((1, max), Some(default)),
            Self::Offset => Values::Integer((0, OFFSET_MAX), Some(0)),
            Self::Sort(names) => Values::OneOf(names),
            Self::Order => Values::OneOf(&["asc", "desc"]),
            Self::Release => Values::Release,
        }
    }

    /// The number of boats that it compares, except for their length.
    pub(crate) const fn measure(&self) -> Option<Measure> {
        match *self {
            Self::AtLeast(measure, _) | Self::AtMost(measure, _) => Some(measure),
            _ => None,
        }
    }

    pub(super) const fn is_length(&self) -> bool {
        matches!(self, Self::LengthMin | Self::LengthMax)
    }
}

impl Values {
    /// Reads a decoded value; an error is the message for the caller.
    ///
    /// Narrow on purpose: no sign, exponent, white space or second spelling, so that a caller's
    /// mistake is never taken for a number.
    pub(super) fn parse(self, text: &str) -> Result<Value, String> {
        match self {
            Self::Slug => match Slug::parse(text) {
                Ok(slug) => Ok(Value::Slug(slug)),
                Err(invalid) => Err(invalid.to_string()),
            },
            Self::Integer(bounds, _) => integer(text, bounds).map(Value::Integer),
            Self::Decimal(bounds) => decimal(text, bounds).map(Value::Decimal),
            Self::Search => SearchWords::parse(text).map(Value::Search),
            Self::OneOf(words) => match words.iter().position(|word| *word == text) {
                Some(place) => Ok(Value::OneOf(place, words[place])),
                None => Err(format!("must be one of: {}", words.join(", "))),
            },
            Self::Release if ReleaseId::is_well_formed(text) => Ok(Value::Release(text.to_owned())),
            Self::Release => Err(format!("must be {A_RELEASE}")),
        }
    }

    /// The default.
    pub(super) fn default_value(self) -> Option<Value> {
        match self {
            Self::Integer(_, default) => default.map(Value::Integer),
            Self::OneOf(words) => Some(Value::OneOf(0, words[0])),
            Self::Slug | Self::Decimal(_) | Self::Search | Self::Release => None,
        }
    }
}

impl Value {
    /// Whether `self` is above `other`, so that they cannot be the ends of a range.
    pub(super) fn is_above(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Integer(low), Self::Integer(high)) => high < low,
            (Self::Decimal(low), Self::Decimal(high)) => high < low,
            _ => false,
        }
    }
}

/// No value contains `&` or `=`: they are slugs, ids, numbers, and words joined by `+`.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Slug(slug) => slug.fmt(f),
            Self::Integer(integer) => integer.fmt(f),
            Self::Decimal(bound) => bound.fmt(f),
            Self::Search(words) => words.fmt(f),
            Self::OneOf(_, word) => f.write_str(word),
            Self::Release(id) => f.write_str(id),
        }
    }
}

/// An integer `[0-9]+` within `bounds`. However many digits there are, they never overflow.
fn integer(text: &str, (min, max): Bounds) -> Result<u64, String> {
    // The standard parser would accept a leading plus.
    let value: Option<u64> = is_digits(text).then(|| text.parse().ok()).flatten();
    value
        .filter(|value| (min..=max).contains(value))
        .ok_or_else(|| format!("must be an integer from {min} to {max}, in digits"))
}

/// A number `[0-9]+(\.[0-9]+)?` above the first of the bounds and at most the second.
fn decimal(text: &str, (min, max): Bounds) -> Result<Bound, String> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    if !is_digits(whole) || !is_digits(fraction) {
        return Err("must be a number such as 12 or 12.5, without sign or exponent".to_owned());
    }
    let value = Bound::parse(text).map_err(|invalid| invalid.to_string())?;
    if value <= min.into() || Bound::from(max) < value {
        return Err(format!("must be greater than {min} and at most {max}"));
    }
    Ok(value)
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}
