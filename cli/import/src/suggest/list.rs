//! Writing a mapping for a list of boats: one line for each field that has a likely source.
//!
//! The result is a draft for a person to read. The lines that need a decision are listed beside it,
//! and nothing is filled in that the export does not contain.

mod amount;
mod decisions;
mod definitions;
mod others;
mod own;
mod remarks;
mod unit;

use std::fmt::Write as _;

use shared::base::timestamp::Timestamp;

use self::amount::{Currency, Mark, decimal_mark, named_currency};
pub(super) use self::decisions::{CANDIDATES_MAX, may_be, required_of};
use self::own::Own;
use super::choose::{Choice, Choices};
use super::decision::MEASURED;
use super::kinds::Kind;
use super::names::{REQUIRED, Reading, fields};
use super::photos::{Photos, format_of};
use super::status::Publication;
use super::survey::{Key, Shape, Surveyed};
use super::text::{line, quoted};
use super::values::{is_slug, time_of};
use crate::mapping::UNDECIDED;
use crate::source::{Encoding, Rows, SheetName, TableLayout};

/// The beginning of a mapping.
const HEAD: &str = r#"# Right-hand sides are jq: `.` is one record, .maker or ."Maker of the boat" its fields, `a | b` gives a to b.
# `catalogue mapping check FILE EXPORT` shows what each line finds, and which fields no line reads.

mapping = "boat-catalogue-mapping/1"
"#;

/// The fields that make up the name of a boat.
const NAMES: [&str; 3] = ["manufacturer", "model", "version"];

/// Words in the name of a key whose numbers tell records apart.
const NUMBERS: [&str; 8] = ["code", "id", "no", "nr", "num", "number", "nummer", "ref"];

/// Where the list is.
pub(super) struct Place<'s> {
    /// The pattern for its files.
    pub(super) files: &'s str,
    /// The word for how it is written.
    pub(super) reader: &'s str,
    /// The encoding of its text, if not UTF-8.
    pub(super) encoding: Option<Encoding>,
    /// The path to it within the file, unless it is the whole file.
    pub(super) records: Option<&'s str>,
    /// The table in a file of rows.
    pub(super) table: &'s TableLayout,
}

/// A list of boats, and what its fields are made of.
pub(super) struct List<'s> {
    pub(super) place: Place<'s>,
    pub(super) file: &'s Surveyed,
    pub(super) choices: Choices<'s>,
    /// What says whether they are public.
    pub(super) publication: Publication<'s>,
    /// Which records of the list are boats, if it has several kinds.
    pub(super) kind: Option<&'s Kind>,
    /// Whether no two boats have the same names, so the names can make the slug.
    pub(super) has_unique_names: bool,
    /// Whether images have addresses and no sizes.
    pub(super) has_unsized_images: bool,
    /// The time at which manufacturers last changed, if the export does not say.
    pub(super) now: Timestamp,
}

impl Place<'_> {
    /// The lines that say where the table is.
    fn table(&self, text: &mut String) {
        match &self.table.sheet {
            Some(SheetName::Name(name)) => line(text, "sheet", &quoted(name)),
            Some(SheetName::Number(number)) => line(text, "sheet", &number.to_string()),
            None => {}
        }
        match &self.table.rows {
            Rows::Below(header) => line(text, "header", &header.to_string()),
            Rows::Without(columns) => {
                let columns: Vec<String> = columns.iter().map(|name| quoted(name)).collect();
                line(text, "columns", &format!("[{}]", columns.join(", ")));
            }
            Rows::BelowFirst | Rows::Preview => {}
        }
    }
}

impl List<'_> {
    /// The mapping file, except its first comment.
    pub(super) fn text(&self) -> String {
        self.written(false)
    }

    /// The mapping that tells whether names make unique slugs, even if all boats are public: nothing
    /// in it says which are, and nothing is open.
    pub(super) fn trial(&self) -> String {
        self.written(true)
    }

    fn written(&self, is_trial: bool) -> String {
        let body = self.body(is_trial);
        let mut text = String::from(HEAD);
        if self.has_unsized_images {
            text.push_str(MEASURED);
        }
        text.push_str(&self.definitions(&body, is_trial));
        text.push_str("\n[variables]\n# Makers need a time at which they last changed.\n");
        line(&mut text, "updated_at", &quoted(&self.now.to_string()));
        text.push_str(&body);
        text
    }

    /// Whether no import takes the mapping yet.
    pub(super) fn is_open(&self) -> bool {
        self.key().is_none() || self.publication.is_open() || self.system() == UNDECIDED
    }

    /// Everything after the definitions. Only the definitions that this uses are written.
    fn body(&self, is_trial: bool) -> String {
        let mut text = String::from("\n[[sources]]\n");
        line(
            &mut text,
            "files",
            &format!("[{}]", quoted(self.place.files)),
        );
        line(&mut text, "reader", &quoted(self.place.reader));
        if let Some(encoding) = self.place.encoding {
            line(&mut text, "encoding", &quoted(&encoding.to_string()));
        }
        if let Some(records) = self.place.records {
            line(&mut text, "records", &format!("[{}]", quoted(records)));
        }
        self.place.table(&mut text);
        self.envelope(&mut text, is_trial);
        if let Some(own) = Own::of(self.file) {
            own.rules(&|kind, text| self.rule(kind, text), &mut text);
            return text;
        }
        self.boats(&mut text, is_trial);
        self.makers(&mut text);
        self.designers(&mut text);
        self.terms(&mut text);
        self.tables(&mut text, is_trial);
        text
    }

    fn envelope(&self, text: &mut String, is_trial: bool) {
        text.push_str("\n[envelope]\n");
        match self.key() {
            Some(key) => line(text, "key", &quoted(&key)),
            None if is_trial => line(text, "key", &quoted("$position | tostring")),
            None => text.push_str("# key = \"\"      # required\n"),
        }
        let of_type = self.kind.map_or("\"boat\"", |_| Kind::TYPE);
        line(text, "type", &quoted(of_type));
        if let Some(published) = self.publication.expression().filter(|_| !is_trial) {
            line(text, "published", &quoted(&published));
        }
        let updated = self.choice("updatedAt").map(|choice| {
            let path = &choice.key.path;
            match time_of(choice.key) {
                None | Some(".") => format!("{path} // $updated_at"),
                Some(read) => format!("({path} | values | {read}) // $updated_at"),
            }
        });
        let updated = updated.unwrap_or_else(|| "$updated_at".to_owned());
        line(text, "updatedAt", &quoted(&updated));
    }

    fn boats(&self, text: &mut String, is_trial: bool) {
        text.push_str("\n# ---- Boats\n");
        self.rule("boat", text);
        text.push_str("\n[emit.fields]\n");
        line(text, "slug", &quoted(&self.slug()));
        for wanted in fields() {
            match self.choice(wanted.field) {
                Some(choice) => self.field(choice, text),
                None if wanted.field == "unit" => line(text, "unit", &self.unit(is_trial)),
                None if REQUIRED.contains(&wanted.field) => {
                    _ = writeln!(text, "# {} = \"\"      # required", wanted.field);
                }
                None => {}
            }
        }
        self.remarks(text);
    }

    /// The line, or lines, of a field of boats.
    fn field(&self, choice: &Choice<'_>, text: &mut String) {
        let (field, path) = (choice.wanted.field, choice.key.path.as_str());
        match choice.wanted.reading {
            Reading::Unit => {
                let from = format!("{{ from = {}, table = \"unit\" }}", quoted(path));
                line(text, field, &from);
            }
            Reading::Price => {
                if let Some(currency) = self.currency() {
                    let mark = self.decimal(choice);
                    let mark = mark.map_or_else(String::new, |mark| format!("; \"{mark}\""));
                    let money = format!("{path} | money({}{mark})", currency.read);
                    let cents = if choice.unit == Some("cents") {
                        " | cents"
                    } else {
                        ""
                    };
                    line(text, field, &quoted(&format!("{money} | .amount{cents}")));
                    let code = format!("{money} | .currency");
                    line(text, "referencePrice.currency.code", &quoted(&code));
                    let symbol = format!("{code} | lookup(\"currency_symbol\")");
                    line(text, "referencePrice.currency.symbol", &quoted(&symbol));
                }
            }
            Reading::Currency => {}
            Reading::Images => {
                let photos = choice.key.photos.as_ref();
                let read = photos.map_or_else(|| addresses(choice.key), Photos::line);
                line(text, field, &read);
            }
            _ if !self.is_used(choice) => {}
            _ => {
                line(text, field, &quoted(&self.expression(choice)));
                if field == "image.url" && self.has_whole_image() {
                    line(text, "image.format", &quoted(&format_of(path)));
                }
            }
        }
    }

    fn expression(&self, choice: &Choice<'_>) -> String {
        let (key, path) = (choice.key, choice.key.path.as_str());
        let decimal = self.decimal(choice);
        let decimal = decimal.map_or_else(String::new, |mark| format!("(\"{mark}\")"));
        let measured = |function: &str, unit: &str| {
            let has_letters = |value: &str| value.contains(|c: char| c.is_alphabetic());
            match choice.unit {
                Some(named)
                    if (named != unit || self.choice("unit").is_some())
                        && !key.mostly(has_letters) =>
                {
                    format!("{path} | of(\"{named}\") | {function}{decimal}")
                }
                _ => format!("{path} | {function}{decimal}"),
            }
        };
        let system = self.system();
        let own = |metric, imperial| match system {
            "metric" => metric,
            "imperial" => imperial,
            undecided => undecided,
        };
        match choice.wanted.reading {
            Reading::Name => format!("{} | slugify", source(choice)),
            Reading::Names => format!("[{}[] | slugify]", members(key)),
            Reading::Texts => {
                let has_letters = |value: &str| value.contains(|c: char| c.is_alphabetic());
                match choice.unit {
                    Some(unit) if !key.mostly(has_letters) => {
                        format!("[{}[] | \"\\(.) {unit}\"]", members(key))
                    }
                    _ => members(key),
                }
            }
            Reading::Prose => format!("{path} | plain"),
            Reading::Year => format!("{path} | year"),
            Reading::Number | Reading::Price => format!("{path} | number{decimal}"),
            Reading::Distance => measured("distance", own("m", "ft")),
            Reading::Area => measured("area", own("m2", "ft2")),
            Reading::Weight => measured("weight", own("kg", "lb")),
            Reading::Speed => measured("measure(\"kn\")", "kn"),
            Reading::Angle => measured("measure(\"deg\")", "deg"),
            Reading::Flag if key.shape != Shape::Flag => format!("{path} | flag"),
            _ if key.has_numbers => format!("{path} | text"),
            _ => path.to_owned(),
        }
    }

    /// What stands before decimals in a source, if its numbers could be read in two ways. A guess is
    /// told at every import, until a person drops the question mark.
    fn decimal(&self, choice: &Choice<'_>) -> Option<String> {
        let mark = self.mark(choice)?;
        let doubt = if mark.is_certain { "" } else { UNDECIDED };
        Some(format!("{}{doubt}", mark.decimal()))
    }

    /// The mark within the numbers of a source that could be read in two ways.
    fn mark(&self, choice: &Choice<'_>) -> Option<Mark> {
        let is_amount = |choice: &&Choice<'_>| {
            use Reading::{Area, Number, Price, Weight};
            matches!(choice.wanted.reading, Area | Number | Price | Weight)
        };
        let is_number = |choice: &&Choice<'_>| {
            is_amount(choice) || matches!(choice.wanted.reading, Reading::Distance | Reading::Speed)
        };
        let numbers = self.choices.made.iter().filter(is_number);
        let decimal = decimal_mark(numbers.map(|choice| choice.key));
        let is_price = choice.wanted.reading == Reading::Price;
        Some(choice)
            .filter(is_amount)
            .and_then(|choice| Mark::of(choice.key, is_price, decimal))
    }

    /// The expression for the key of a record. Its place in the list is none: it would lead to
    /// another boat as soon as one is added or removed.
    fn key(&self) -> Option<String> {
        let called_so = self.choice("key").map(|choice| choice.key);
        Some(match called_so.or_else(|| self.telling()) {
            _ if self.kind.is_some() => Kind::KEY.to_owned(),
            Some(key) if key.has_numbers => format!("{} | text", key.path),
            Some(key) if key.all(is_slug) => key.path.clone(),
            Some(key) => format!("{} | slugify", key.path),
            None => return self.names().filter(|_| self.has_unique_names),
        })
    }

    /// The key that tells boats with the same names apart, if none is called like an id: each
    /// record has a value of its own, which is a code, or a number by the name of the key.
    fn telling(&self) -> Option<&Key> {
        if self.has_unique_names || self.kind.is_some() || self.choice("key").is_some() {
            return None;
        }
        let is_chosen = |key: &Key| {
            let mut choices = self.choices.made.iter();
            choices.any(|choice| choice.key.path == key.path)
        };
        let is_code = |key: &Key| {
            let is_number = key
                .words()
                .iter()
                .any(|word| NUMBERS.contains(&word.as_str()));
            key.all(|value| {
                is_slug(value)
                    && !value.contains('.')
                    && value.contains(|c: char| c.is_ascii_digit())
                    && (is_number || value.contains(char::is_alphabetic))
            })
        };
        self.file.keys.iter().find(|key| {
            key.records == self.file.surveyed()
                && key.counts.iter().all(|count| *count == 1)
                && matches!(key.shape, Shape::Number | Shape::Text)
                && is_code(key)
                && !is_chosen(key)
                && !self.publication.reads(key)
        })
    }

    fn slug(&self) -> String {
        let made = match (self.names(), self.choice("key")) {
            (Some(names), choice) if !self.has_unique_names => {
                let other = choice.map(source);
                let other = other.or_else(|| self.kind.map(|_| Kind::KEY.to_owned()));
                let other = other.or_else(|| Some(self.telling()?.path.clone()));
                other.map_or(names, |other| self.slug_of(Some(other)))
            }
            (Some(names), _) => names,
            (None, _) => self.key().unwrap_or_else(|| "null".to_owned()),
        };
        match self.choice("slug").map(|choice| choice.key) {
            Some(key) if key.records == self.file.records => key.path.clone(),
            Some(key) => format!("{} // ({made})", key.path),
            None => made,
        }
    }

    /// The expression for a slug from the names of a boat, if it has any.
    fn names(&self) -> Option<String> {
        let has_names = NAMES.iter().any(|field| self.choice(field).is_some());
        has_names.then(|| self.slug_of(None))
    }

    /// The expression for a slug from the names of a boat and another key.
    fn slug_of(&self, other: Option<String>) -> String {
        let names = NAMES.iter().filter_map(|field| self.choice(field));
        let paths: Vec<String> = names.map(source).chain(other).collect();
        format!(
            "[{} | values | text] | join(\" \") | slugify",
            paths.join(", ")
        )
    }

    /// The beginning of a rule for the records of boats.
    fn rule(&self, kind: &str, text: &mut String) {
        text.push_str("\n[[emit]]\n");
        line(text, "kind", &quoted(kind));
        let of_type = self.kind.map_or("boat", |kind| &kind.name);
        line(text, "type", &quoted(of_type));
        if kind != "boat" {
            line(text, "distinct", "true");
        }
    }

    /// The keys that nothing reads.
    pub(super) fn unread(&self) -> Vec<&Key> {
        let own = Own::of(self.file);
        let telling = self.telling().map(|key| &key.path);
        let is_read = |key: &&Key| {
            let mut choices = self.choices.made.iter();
            own.as_ref()
                .is_some_and(|own| own.reads(&key.steps.join(".")))
                || self.publication.reads(key)
                || telling == Some(&key.path)
                || choices.any(|choice| choice.key.path == key.path && self.is_used(choice))
        };
        self.file.keys.iter().filter(|key| !is_read(key)).collect()
    }

    fn is_used(&self, choice: &Choice<'_>) -> bool {
        match choice.wanted.field {
            "referencePrice.amount" => self.currency().is_some(),
            "referencePrice.currency.code" => {
                self.choice("referencePrice.amount").is_some() && self.own_currency().is_ok()
            }
            "image.width" | "image.height" => self.has_whole_image(),
            "image.alt" => self.choice("image.url").is_some(),
            _ => true,
        }
    }

    /// Where the currency of each price comes from, if it is told.
    fn currency(&self) -> Option<Currency> {
        let price = self.choice("referencePrice.amount")?.key;
        let own = self.own_currency().ok().flatten();
        Currency::of(price, own.map(|own| own.key))
    }

    fn has_whole_image(&self) -> bool {
        let parts = ["image.url", "image.width", "image.height"];
        parts.iter().all(|part| self.choice(part).is_some())
    }
}

impl<'s> List<'s> {
    /// The key with the currency of each price. The name of the price's key wins over one that says
    /// otherwise: the error has both.
    fn own_currency(&self) -> Result<Option<&Choice<'s>>, (&'static str, &'s Key)> {
        let own = self.choice("referencePrice.currency.code");
        let price = self.choice("referencePrice.amount");
        let named = price.and_then(|price| named_currency(price.key));
        match (own, named) {
            (Some(own), Some(named)) if !own.key.all(|code| code == named) => Err((named, own.key)),
            (own, _) => Ok(own),
        }
    }

    fn choice(&self, field: &str) -> Option<&Choice<'s>> {
        let mut choices = self.choices.made.iter();
        choices.find(|choice| choice.wanted.field == field)
    }
}

/// The expression for the value of a source. In a list of linked records, a name with a comma stands
/// in quotes.
fn source(choice: &Choice<'_>) -> String {
    let path = &choice.key.path;
    let in_quotes = |name: &String| name.starts_with('"') && name.ends_with('"');
    if choice.wanted.reading == Reading::Name && choice.key.samples.iter().any(in_quotes) {
        return format!("({path} | unquoted)");
    }
    path.clone()
}

/// The expression for the list of the members of a key, as strings. A comma within a number is not a
/// separator.
fn members(key: &Key) -> String {
    let has = |separator: &str| key.samples.iter().any(|sample| sample.contains(separator));
    let is_in_number = |sample: &String| {
        let mut parts = sample.split(',').skip(1);
        parts.any(|part| part.starts_with(|c: char| c.is_ascii_digit()))
    };
    let has_numbers = key.samples.iter().any(is_in_number);
    let separators = if has_numbers {
        &[";", "|"][..]
    } else {
        &[";", "|", ","]
    };
    let separator = separators.iter().find(|separator| has(separator));
    let separator = separator.filter(|_| key.shape != Shape::List);
    format!("{} | list(\"{}\")", key.path, separator.unwrap_or(&";"))
}

/// The right-hand side for the addresses of a key. Commas and others stand within addresses
/// too, so a separator is what stands before another one.
fn addresses(key: &Key) -> String {
    let parts = |separator: &&str| {
        let mut parts = key
            .samples
            .iter()
            .flat_map(|of| of.split(*separator).skip(1));
        parts.any(|part| part.trim_start().starts_with("http"))
    };
    let separator = ["\n", ";", "|", ",", " "].into_iter().find(parts);
    let separator = separator.filter(|_| key.shape != Shape::List);
    let separator = separator.unwrap_or("\n").replace('\n', "\\n");
    let each = quoted(&format!("{} | list(\"{separator}\")", key.path));
    format!("{{ each = {each}, fields = {{ url = \".\" }} }}")
}
