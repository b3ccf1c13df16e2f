//! Objects that stand for one value: a text of XML beside attributes, a number beside its unit, and
//! pairs of a name and a value, as in `[{"code": "length", "value": "10.4", "unit": "m"}]`.
//!
//! It finds them, and writes the expressions that read them. What the values mean is not known here.

use serde_json::{Map, Value};

use super::text::jq_path;
use crate::mapping::folded::words;
use crate::mapping::status::words::GROUPS;

/// The member for the text of an element of XML.
pub(super) const TEXT: &str = "#text";
/// What members for the name of a pair are called; likelier ones come first.
const NAMES: [&str; 7] = [
    "code",
    "key",
    "name",
    "label",
    "property",
    "field",
    "attribute",
];
/// What members for a value are called.
const VALUES: [&str; 9] = [
    "value", "val", "options", "wert", "valeur", "waarde", "valore", "valor", "text",
];
/// What members for a unit are called.
const UNITS: [&str; 10] = [
    "unit",
    "units",
    "uom",
    "unit text",
    "unit code",
    "einheit",
    "unite",
    "eenheid",
    "unita",
    "unidad",
];
/// The longest name of a pair, in bytes.
const NAME_MAX: usize = 100;

/// Definitions of jq for the expressions, by their heads.
pub(super) const DEFINITIONS: [(&str, &str); 2] = [
    (
        "pair($name; $called)",
        r#"[many[] | select(.[$name] == $called)] | if 1 < length then error("\($called) is there twice") else .[0] end"#,
    ),
    (
        "with_unit($value; $unit)",
        r#"if type != "object" then . else .[$unit] as $of | .[$value] | if . == null or $of == null or any(tostring | splits("[^\\p{L}]+"); . == $of) then . else "\(.) \($of)" end end"#,
    ),
];

type Object = Map<String, Value>;

/// Which member of an object is its value, and which one is the unit of that.
#[derive(Clone, Debug, Default)]
pub(super) struct Measure {
    value: String,
    unit: Option<String>,
}

/// One of a list of pairs.
pub(super) struct Pair<'p> {
    /// The member that holds its name.
    key: &'p str,
    pub(super) name: &'p str,
    measure: Measure,
}

/// How an expression reaches the values of a key.
#[derive(Clone, Debug)]
pub(super) struct Access {
    base: String,
    /// Whether some values are not in objects.
    is_plain: bool,
    measure: Option<Measure>,
}

impl Measure {
    /// What is in an object that stands for one value.
    pub(super) fn of(members: &Object) -> Option<Self> {
        let measure = Self::beside(members)?;
        let stands_alone = measure.value == TEXT || called(members, &UNITS).is_some();
        stands_alone.then_some(measure)
    }

    /// The value in an object, whatever is beside it, and its unit.
    fn beside(members: &Object) -> Option<Self> {
        let value = if members.contains_key(TEXT) {
            TEXT
        } else {
            called(members, &VALUES)?
        };
        let unit = called(members, &UNITS);
        let is_word = |unit: &&str| matches!(members.get(*unit), Some(Value::String(_)));
        let is_object = members.get(value).is_some_and(Value::is_object);
        (!is_object).then(|| Self {
            value: value.to_owned(),
            unit: unit.filter(is_word).map(str::to_owned),
        })
    }

    /// Whether this member is its value or its unit.
    pub(super) fn has(&self, member: &str) -> bool {
        self.value == member || self.unit.as_deref() == Some(member)
    }

    /// The value with its unit, as [`DEFINITIONS`] make it: a text may have it already.
    pub(super) fn value(&self, members: &Object) -> Value {
        let value = members.get(&self.value).cloned().unwrap_or_default();
        let unit = self
            .unit
            .as_ref()
            .and_then(|unit| members.get(unit)?.as_str());
        let text = match &value {
            Value::Null => return value,
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        let has = |unit: &&str| {
            text.split(|c: char| !c.is_alphabetic())
                .any(|word| word == *unit)
        };
        match unit {
            Some(unit) if !has(&unit) => format!("{text} {unit}").into(),
            _ => value,
        }
    }
}

impl<'p> Pair<'p> {
    /// The pair that an object is.
    fn of(members: &'p Object) -> Option<Self> {
        let is_name = |name: &&str| {
            name.len() <= NAME_MAX && name.contains(char::is_alphabetic) && !name.contains('\n')
        };
        let measure = Measure::beside(members)?;
        let key = called(members, &NAMES)?;
        let name = members.get(key)?.as_str().filter(is_name)?;
        Some(Self { key, name, measure })
    }

    /// The pairs of a list that has nothing else.
    pub(super) fn all(list: &'p [Value]) -> Option<Vec<(Self, &'p Object)>> {
        let pair = |member: &'p Value| Some((Self::of(member.as_object()?)?, member.as_object()?));
        let pairs: Option<Vec<_>> = list.iter().map(pair).collect();
        pairs.filter(|pairs| !pairs.is_empty())
    }

    /// How its value is reached in the list with this path.
    pub(super) fn access(&self, list: &str) -> Access {
        let [key, name] = [self.key, self.name].map(Value::from);
        Access {
            base: format!("({list} | pair({key}; {name}))"),
            is_plain: false,
            measure: Some(self.measure.clone()),
        }
    }

    pub(super) fn value(&self, members: &Object) -> Value {
        self.measure.value(members)
    }
}

impl Access {
    /// To values that stand for themselves.
    pub(super) fn plain(steps: &[String]) -> Self {
        Self {
            base: jq_path(steps),
            is_plain: true,
            measure: None,
        }
    }

    /// To values in objects.
    pub(super) fn within(steps: &[String], measure: Measure) -> Self {
        Self {
            is_plain: false,
            measure: Some(measure),
            ..Self::plain(steps)
        }
    }

    /// Reaches what the other one does as well.
    pub(super) fn join(&mut self, other: Self) {
        self.is_plain |= other.is_plain;
        match (&mut self.measure, other.measure) {
            (Some(own), Some(other)) => own.unit = own.unit.take().or(other.unit),
            (own, other) => *own = own.take().or(other),
        }
    }

    /// The expression, which is a path or stands in parentheses.
    pub(super) fn expression(&self) -> String {
        let Some(Measure { value, unit }) = &self.measure else {
            return self.base.clone();
        };
        let base = self
            .base
            .strip_prefix('(')
            .and_then(|base| base.strip_suffix(')'));
        let in_object = jq_path(std::slice::from_ref(value));
        let read = match unit {
            None if !self.is_plain && base.is_none() => return format!("{}{in_object}", self.base),
            None if self.is_plain => format!("if type == \"object\" then {in_object} else . end"),
            None => in_object,
            Some(unit) => {
                let [value, unit] = [value, unit].map(|name| Value::from(name.as_str()));
                format!("with_unit({value}; {unit})")
            }
        };
        format!("({} | {read})", base.unwrap_or(&self.base))
    }
}

/// The member that is called like the first of these names that any is called like.
pub(super) fn called<'m>(members: &'m Object, names: &[&str]) -> Option<&'m str> {
    let is_called = |member: &&String, name: &str| {
        let all = words(member);
        let telling = all.iter().skip_while(|word| {
            let is_group = |word: &str| word.len() == 1 || GROUPS.contains(&word);
            1 < all.len() && is_group(word)
        });
        let telling: Vec<&str> = telling.map(String::as_str).collect();
        telling.join(" ") == name || all.join(" ") == name
    };
    let member = |name: &&str| members.keys().find(|member| is_called(member, name));
    names.iter().find_map(member).map(String::as_str)
}
