//! The jq definitions and vocabulary tables that the expressions of a suggested mapping use.
//!
//! Only those in use are written, so a short list gets a short mapping.

use super::{CURRENCIES, List, line, quoted};
use crate::suggest::choose::{flag_of, system_of};

/// Names of measures, with their metric and imperial units.
const MEASURES: [(&str, &str, &str); 3] = [
    ("distance", "m", "ft"),
    ("area", "m2", "ft2"),
    ("weight", "kg", "lb"),
];

/// The other definitions for expressions, in jq.
const DEFINITIONS: [(&str, &str); 8] = [
    (
        "of($unit)",
        r#"if . == null then null else "\(.) \($unit)" end"#,
    ),
    ("text", "if . == null then null else tostring end"),
    ("day", r#"if . == null then null else "\(.)T00:00:00Z" end"#),
    (
        "dotted_day",
        r#"if . == null then null else split(".") | "\(.[2])-\(.[1])-\(.[0])T00:00:00Z" end"#,
    ),
    (
        "named_size",
        r#"if . == null then null else (capture("(?<width>[0-9]+)x(?<height>[0-9]+)[.][A-Za-z]+([?].*)?$") // error("no size in the name of the image \(.)")) | {width: (.width | tonumber), height: (.height | tonumber)} end"#,
    ),
    (
        "money($group)",
        r#"if . == null or type == "number" then . else sub("^(EUR|GBP|USD|PLN|SEK|NOK|DKK|AUD|NZD|CHF|US[$]|A[$]|NZ[$]|[€£$]|kr|zł|Fr[.]) *"; "") | sub(" *(EUR|GBP|USD|PLN|SEK|NOK|DKK|AUD|NZD|CHF|[€£$]|kr|zł|Fr[.])$"; "") | if $group != "" and test("^[0-9]{1,3}(\($group)[0-9]{3})+([.,][0-9]{1,2})?$") then gsub($group; "") else . end | number end"#,
    ),
    (
        "flag",
        r#"if . == null or type == "boolean" then . else tostring | ascii_downcase | lookup("flag") end"#,
    ),
    (
        "list($separator)",
        r#"if . == null then empty elif type == "array" then .[] | tostring else tostring | split($separator)[] end | trim | select(. != "")"#,
    ),
];

/// Words for true and false, in several languages.
const FLAGS: [&str; 17] = [
    "yes", "y", "true", "1", "x", "ja", "oui", "si", "sì", "sí", "no", "n", "false", "0", "nein",
    "nee", "non",
];

impl List<'_> {
    /// The definitions that the expressions use.
    pub(super) fn definitions(&self, body: &str) -> String {
        let is_metric = self.system() == "metric";
        let unit = self.choice("unit").map(|choice| &choice.key.path);
        let mut all = Vec::new();
        if let Some(path) = unit {
            // The definitions are in a TOML string that ends at the next three quotes.
            let path = path.replace('\'', "\\u0027");
            let code = format!("({path} | lookup(\"unit\")) == \"metric\"");
            all.push(("is_metric".to_owned(), code));
        }
        for (name, metric, imperial) in MEASURES {
            let code = match unit {
                Some(_) => format!(
                    "measure(if $record | is_metric then \"{metric}\" else \"{imperial}\" end)"
                ),
                None if is_metric => format!("measure(\"{metric}\")"),
                None => format!("measure(\"{imperial}\")"),
            };
            all.push((name.to_owned(), code));
        }
        let fixed = DEFINITIONS.map(|(name, code)| (name.to_owned(), code.to_owned()));
        all.extend(fixed);
        let measures = MEASURES.iter().map(|(name, ..)| name);
        let is_measured = measures
            .into_iter()
            .any(|name| body.contains(&format!("| {name}")));
        let is_used = |name: &str| {
            let name = name.split('(').next().unwrap_or_default();
            body.contains(&format!("| {name}")) || name == "is_metric" && is_measured
        };
        let used = all.into_iter().filter(|(name, _)| is_used(name));
        let used: Vec<String> = used
            .map(|(name, code)| format!("def {name}: {code};"))
            .collect();
        if used.is_empty() {
            return String::new();
        }
        format!("\ndefinitions = '''\n{}\n'''\n", used.join("\n"))
    }

    /// Appends the vocabulary tables that fields and definitions use.
    pub(super) fn tables(&self, text: &mut String) {
        if let Some(unit) = self.choice("unit") {
            text.push_str("\n[tables.unit]\n");
            for word in &unit.key.samples {
                let system = system_of(word).unwrap_or("metric");
                line(text, &quoted(word), &quoted(system));
            }
        }
        if text.contains("| flag") {
            text.push_str("\n[tables.flag]\n");
            for word in FLAGS {
                let flag = flag_of(word).unwrap_or_default();
                line(text, &quoted(word), &flag.to_string());
            }
        }
        if text.contains("lookup(\"currency_symbol\")") {
            text.push_str("\n[tables.currency_symbol]\n");
            for code in self.currencies() {
                let known = CURRENCIES.iter().find(|(known, _)| *known == code);
                line(
                    text,
                    &code,
                    &quoted(known.map_or(code.as_str(), |(_, symbol)| symbol)),
                );
            }
        }
    }
}
