//! Reads tables of a mapping file as structs. A struct declares its keys once, with what they take
//! and mean: for this reader, for `catalogue schema` and for the schema for editors.
//!
//! What is missing, wrong or not known is a mistake, and an empty value stands in for it, so that
//! all mistakes are found at once. Whoever reads a file must not use what was read with mistakes.

use std::borrow::Cow;
use std::ops::Range;

use serde_json::Value;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::file_keys::{Key, Table, Takes};
use super::mistake::Mistake;
use crate::finding::{Kind, nearest};
use crate::json::is_exact;

/// A value and its position in the file.
pub(super) type Toml<'t> = Spanned<DeValue<'t>>;

/// What is gathered while a file is read.
#[derive(Default)]
pub(super) struct Reader {
    pub(super) mistakes: Vec<Mistake>,
    /// The expressions of the file, by [`ExpressionId`].
    pub(super) expressions: Vec<Expression>,
    /// The names of its vocabulary tables.
    pub(super) tables: Vec<String>,
}

/// A value that a key can have.
pub(super) trait Read: Sized {
    /// What is said of it.
    const TAKES: Takes;

    /// The value, or a mistake.
    fn read(value: &Toml<'_>, reader: &mut Reader) -> Option<Self>;
}

/// A value that is written as a text.
pub(super) trait FromText: Sized {
    /// What is said of it.
    const TAKES: Takes = Takes::Text;

    /// The value, or a mistake about the text at this position.
    fn from_text(text: &str, span: Range<usize>, reader: &mut Reader) -> Option<Self>;
}

/// Keys that stand together: all those of a table, or some that several tables have. Declared by
/// [`table!`].
pub(super) trait Keys: Sized {
    /// What the table is called where it is described.
    const NAME: &'static str;
    /// What is said of the table.
    const ABOUT: &'static str;

    fn keys() -> Vec<Key>;

    /// The values of the keys in a section.
    fn take(section: &Section<'_>, reader: &mut Reader) -> Self;

    fn table() -> Table {
        Table {
            name: Self::NAME,
            about: Self::ABOUT.trim_start(),
            keys: Self::keys(),
        }
    }
}

/// Declares a struct with the keys of a table, and what its comments say of them. A field is
/// `required` or `optional`, of a type that can be read, or else a `group` of keys that are declared
/// elsewhere. `with` adds what a [`Section`] knows of itself; `check` names a method for what fits
/// together.
macro_rules! table {
    (
        $(#[doc = $about:literal])+
        $visibility:vis struct $of:ident $(= $name:literal)? {
            $(
                $(#[doc = $key_about:literal])*
                $need:ident $($key:literal)? $field:ident: $type:ty,
            )+
        }
        $(with { $($known:ident: $known_type:ty),+ })?
        $(check $check:ident)?
    ) => {
        #[derive(Debug, Default)]
        $visibility struct $of {
            $($visibility $field: $type,)+
            $($($visibility $known: $known_type,)+)?
        }

        impl $crate::mapping::read::Keys for $of {
            const NAME: &'static str = concat!($($name)?);
            const ABOUT: &'static str = concat!($($about),+);

            fn keys() -> Vec<$crate::mapping::file_keys::Key> {
                let keys = [$(table!(@key $need $($key)? $type, concat!($($key_about),*))),+];
                keys.into_iter().flatten().collect()
            }

            fn take(
                section: &$crate::mapping::read::Section<'_>,
                reader: &mut $crate::mapping::read::Reader,
            ) -> Self {
                let read = Self {
                    $($field: table!(@take section, reader, $need $($key)? $type),)+
                    $($($known: section.$known(),)+)?
                };
                $(read.$check(section, reader);)?
                read
            }
        }

        impl $crate::mapping::read::Read for $of {
            const TAKES: $crate::mapping::file_keys::Takes =
                $crate::mapping::file_keys::Takes::One(<Self as $crate::mapping::read::Keys>::table);

            fn read(
                value: &$crate::mapping::read::Toml<'_>,
                reader: &mut $crate::mapping::read::Reader,
            ) -> Option<Self> {
                let section = $crate::mapping::read::Section::of("", value, reader)?;
                Some(section.whole(reader))
            }
        }
    };
    (@key group $type:ty, $about:expr) => {
        <$type as $crate::mapping::read::Keys>::keys()
    };
    (@key $need:ident $key:literal $type:ty, $about:expr) => {
        vec![$crate::mapping::file_keys::Key {
            name: $key,
            is_required: table!(@is_required $need),
            takes: <$type as $crate::mapping::read::Read>::TAKES,
            about: $about.trim_start(),
        }]
    };
    (@is_required required) => { true };
    (@is_required optional) => { false };
    (@take $section:ident, $reader:ident, group $type:ty) => {
        <$type as $crate::mapping::read::Keys>::take($section, $reader)
    };
    (@take $section:ident, $reader:ident, $need:ident $key:literal $type:ty) => {
        $section.key::<$type>($key, table!(@is_required $need), $reader)
    };
}
pub(super) use table;

/// A table of the file.
pub(super) struct Section<'t> {
    name: &'t str,
    table: &'t DeTable<'t>,
    span: Range<usize>,
}

impl<'t> Section<'t> {
    /// The table in the value of a key called `name`; anything else is a mistake.
    pub(super) fn of(name: &'t str, value: &'t Toml<'t>, reader: &mut Reader) -> Option<Self> {
        let Some(table) = value.get_ref().as_table() else {
            reader.mistake(value.span(), "this must be a table");
            return None;
        };
        Some(Self::new(name, table, value.span()))
    }

    pub(super) const fn new(name: &'t str, table: &'t DeTable<'t>, span: Range<usize>) -> Self {
        Self { name, table, span }
    }

    /// Its name among other tables.
    pub(super) fn name(&self) -> String {
        self.name.to_owned()
    }

    /// Its position in the file.
    pub(super) fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    /// Its keys with their values.
    pub(super) fn entries(
        &self,
    ) -> impl Iterator<Item = (&'t Spanned<Cow<'t, str>>, &'t Toml<'t>)> {
        self.table.iter()
    }

    /// The value of a key.
    pub(super) fn value(&self, key: &str) -> Option<&'t Toml<'t>> {
        self.table.get(key)
    }

    /// The value of a key as what it must be.
    pub(super) fn key<T: Read + Default>(
        &self,
        key: &str,
        is_required: bool,
        reader: &mut Reader,
    ) -> T {
        let value = self.value(key);
        if is_required && value.is_none() {
            // The first byte of the table, enough to show where it is.
            let start = self.span.start..self.span.end.min(self.span.start + 1);
            reader.mistake(start, format!("`{key}` is required here"));
        }
        let read = value.and_then(|value| T::read(value, reader));
        read.unwrap_or_default()
    }

    /// All of its keys, and no others.
    pub(super) fn whole<T: Keys>(&self, reader: &mut Reader) -> T {
        let read = T::take(self, reader);
        self.finish(&T::keys(), reader);
        read
    }

    /// Reports other keys than these.
    pub(super) fn finish(&self, known: &[Key], reader: &mut Reader) {
        let known: Vec<&str> = known.iter().map(|key| key.name).collect();
        for (key, _value) in self.table {
            let name = key.get_ref().as_ref();
            if !known.contains(&name) {
                let message = format!("`{name}` is not a key of this table");
                let hint = did_you_mean(name, &known);
                let hint = hint.or_else(|| Some(format!("its keys are {}", known.join(", "))));
                let mistake = Mistake::new(key.span(), message).hint(hint);
                reader.mistakes.push(mistake);
            }
        }
    }
}

impl Reader {
    pub(super) fn mistake(&mut self, span: Range<usize>, message: impl Into<String>) {
        self.mistakes.push(Mistake::new(span, message));
    }

    /// Gives an expression a number.
    pub(super) fn number(&mut self, code: &str, span: Range<usize>) -> ExpressionId {
        self.expressions.push(Expression::new(code, span));
        ExpressionId(self.expressions.len() - 1)
    }
}

/// A hint at the word of `known` that may be meant.
pub(super) fn did_you_mean(word: &str, known: &[&str]) -> Option<String> {
    nearest(word, known).map(|near| format!("did you mean `{near}`?"))
}

/// The value of one of a few words.
pub(super) trait Word: Copy + 'static {
    /// All words with their values.
    const WORDS: &'static [(&'static str, Self)];
}

impl<T: Word> FromText for T {
    const TAKES: Takes = Takes::Word(|| T::WORDS.iter().map(|(word, _)| *word).collect());

    fn from_text(given: &str, span: Range<usize>, reader: &mut Reader) -> Option<Self> {
        let found = T::WORDS.iter().find(|(word, _)| *word == given);
        if found.is_none() {
            let names: Vec<&str> = T::WORDS.iter().map(|(word, _)| *word).collect();
            let message = format!("this must be one of {}", names.join(", "));
            let mistake = Mistake::new(span, message).hint(did_you_mean(given, &names));
            reader.mistakes.push(mistake);
        }
        found.map(|(_, value)| *value)
    }
}

/// An expression in jq and its position in the mapping file, in bytes.
#[derive(Clone, Debug, Default)]
pub(super) struct Expression {
    pub(super) code: String,
    pub(super) span: Range<usize>,
    /// The same position as text for people, once the file is known.
    pub(super) place: String,
}

/// The index of an expression among those of a mapping.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct ExpressionId(pub(super) usize);

impl Expression {
    fn new(code: &str, span: Range<usize>) -> Self {
        Self {
            code: code.to_owned(),
            span,
            place: String::new(),
        }
    }
}

impl FromText for Expression {
    const TAKES: Takes = Takes::Expression;

    fn from_text(code: &str, span: Range<usize>, _: &mut Reader) -> Option<Self> {
        Some(Self::new(code, span))
    }
}

impl FromText for ExpressionId {
    const TAKES: Takes = Takes::Expression;

    fn from_text(code: &str, span: Range<usize>, reader: &mut Reader) -> Option<Self> {
        Some(reader.number(code, span))
    }
}

impl FromText for String {
    fn from_text(text: &str, _: Range<usize>, _: &mut Reader) -> Option<Self> {
        Some(text.to_owned())
    }
}

impl Word for Kind {
    const WORDS: &'static [(&'static str, Self)] = &{
        let [a, b, c, d] = Self::COUNTED;
        [
            (a.as_str(), a),
            (b.as_str(), b),
            (c.as_str(), c),
            (d.as_str(), d),
        ]
    };
}

impl<T: FromText> Read for T {
    const TAKES: Takes = <T as FromText>::TAKES;

    fn read(value: &Toml<'_>, reader: &mut Reader) -> Option<Self> {
        let Some(text) = value.get_ref().as_str() else {
            reader.mistake(value.span(), "this must be a text");
            return None;
        };
        Self::from_text(text, value.span(), reader)
    }
}

/// One text, or a list of at least one.
impl<T: FromText> Read for Vec<Spanned<T>> {
    const TAKES: Takes = Takes::Texts;

    fn read(value: &Toml<'_>, reader: &mut Reader) -> Option<Self> {
        let mut texts = Self::new();
        let list = value.get_ref().as_array();
        if list.is_some_and(|list| list.is_empty()) {
            reader.mistake(value.span(), "this must name at least one");
        }
        let single = list.is_none().then_some(value);
        for member in list.into_iter().flatten().chain(single) {
            let read = T::read(member, reader);
            texts.extend(read.map(|read| Spanned::new(member.span(), read)));
        }
        Some(texts)
    }
}

impl Read for Vec<String> {
    const TAKES: Takes = Takes::Texts;

    fn read(value: &Toml<'_>, reader: &mut Reader) -> Option<Self> {
        let texts = Vec::<Spanned<String>>::read(value, reader)?;
        Some(texts.into_iter().map(Spanned::into_inner).collect())
    }
}

/// Tables that stand in double brackets.
impl<T: Keys> Read for Vec<T> {
    const TAKES: Takes = Takes::Many(T::table);

    fn read(value: &Toml<'_>, reader: &mut Reader) -> Option<Self> {
        let Some(list) = value.get_ref().as_array() else {
            reader.mistake(value.span(), format!("this is written as {}", T::NAME));
            return None;
        };
        let mut tables = Self::new();
        for member in list {
            let section = Section::of("", member, reader);
            tables.extend(section.map(|section| section.whole(reader)));
        }
        Some(tables)
    }
}

/// Tables that each have a name.
#[derive(Debug)]
pub(super) struct Named<T>(pub(super) Vec<T>);

impl<T> Default for Named<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T: Keys> Read for Named<T> {
    const TAKES: Takes = Takes::Named(T::table);

    fn read(value: &Toml<'_>, reader: &mut Reader) -> Option<Self> {
        let all = Section::of("", value, reader)?;
        let mut tables = Vec::new();
        for (name, value) in all.entries() {
            let section = Section::of(name.get_ref(), value, reader);
            tables.extend(section.map(|section| section.whole(reader)));
        }
        Some(Self(tables))
    }
}

impl<T: Read> Read for Option<T> {
    const TAKES: Takes = T::TAKES;

    fn read(value: &Toml<'_>, reader: &mut Reader) -> Option<Self> {
        T::read(value, reader).map(Some)
    }
}

impl<T: FromText> Read for Spanned<T> {
    const TAKES: Takes = <T as FromText>::TAKES;

    fn read(value: &Toml<'_>, reader: &mut Reader) -> Option<Self> {
        T::read(value, reader).map(|read| Self::new(value.span(), read))
    }
}

impl Read for bool {
    const TAKES: Takes = Takes::Flag;

    fn read(value: &Toml<'_>, reader: &mut Reader) -> Option<Self> {
        let flag = value.get_ref().as_bool();
        if flag.is_none() {
            reader.mistake(value.span(), "this must be true or false");
        }
        flag
    }
}

/// A number that counts from 1.
impl Read for Spanned<u64> {
    const TAKES: Takes = Takes::Count;

    fn read(value: &Toml<'_>, reader: &mut Reader) -> Option<Self> {
        let number = value.get_ref().as_integer().and_then(|number| {
            let parsed = u64::from_str_radix(number.as_str(), number.radix());
            parsed.ok().filter(|number| 0 < *number)
        });
        if number.is_none() {
            reader.mistake(value.span(), "this must be a number from 1 on");
        }
        number.map(|number| Self::new(value.span(), number))
    }
}

/// Any value, as JSON.
impl Read for Value {
    const TAKES: Takes = Takes::Any;

    fn read(value: &Toml<'_>, reader: &mut Reader) -> Option<Self> {
        let mut unusable = |what: &str| {
            reader.mistake(value.span(), format!("{what} cannot be used here"));
            None
        };
        match value.get_ref() {
            DeValue::String(text) => Some(Self::String(text.to_string())),
            DeValue::Boolean(value) => Some(Self::Bool(*value)),
            DeValue::Integer(integer) => {
                let parsed = i64::from_str_radix(integer.as_str(), integer.radix());
                parsed.ok().map_or_else(
                    || unusable("so large a number"),
                    |number| Some(number.into()),
                )
            }
            DeValue::Float(float) => {
                let spelling = float.as_str();
                let parsed = spelling.parse::<f64>().ok();
                let number = parsed
                    .filter(|value| is_exact(spelling.trim_start_matches('+'), *value))
                    .and_then(serde_json::Number::from_f64);
                number
                    .map(Self::Number)
                    .or_else(|| unusable("a number that readers of JSON would change"))
            }
            DeValue::Datetime(time) => Some(Self::String(time.to_string())),
            DeValue::Array(list) => list
                .iter()
                .map(|member| Self::read(member, reader))
                .collect(),
            DeValue::Table(table) => table
                .iter()
                .map(|(key, value)| Some((key.get_ref().to_string(), Self::read(value, reader)?)))
                .collect::<Option<_>>()
                .map(Self::Object),
        }
    }
}
