//! The jq definitions and vocabulary tables that the expressions of a suggested mapping use.
//!
//! Only those in use are written, so a short list gets a short mapping.

use std::collections::BTreeSet;

use super::amount::CURRENCIES;
use super::{List, line};
use crate::mapping::UNDECIDED;
use crate::mapping::status::words::{flag_of, flags};
use crate::suggest::nested;
use crate::suggest::text::quoted;
use crate::suggest::values::system_of;

/// Names of measures, with their metric and imperial units.
const MEASURES: [(&str, &str, &str); 3] = [
    ("distance", "m", "ft"),
    ("area", "m2", "ft2"),
    ("weight", "kg", "lb"),
];

/// The other definitions for expressions, in jq.
const DEFINITIONS: [(&str, &str); 7] = [
    (
        "of($unit)",
        r#"if . == null then null else "\(.) \($unit)" end"#,
    ),
    ("text", "if . == null then null else tostring end"),
    // Spreadsheets write true and false in capitals.
    (
        "json",
        r#"if . == null then null elif . == "TRUE" or . == "FALSE" then . == "TRUE" else fromjson end"#,
    ),
    (
        "unquoted",
        r#"if type == "string" and test("^\".*\"$") then .[1:-1] | gsub("\"\""; "\"") else . end"#,
    ),
    ("cents", "if . == null then null else . / 100 end"),
    // Whether a time is over at the import; null for none, which databases write as zeros.
    (
        "past(read)",
        r#"if . == null or (tostring | test("^[-0:. TZ]*$")) then null else (read | fromdate) <= now end"#,
    ),
    (
        "flag",
        r#"if . == null or . == "" then null elif type == "boolean" then . else tostring | trim | ascii_downcase | lookup("flag") end"#,
    ),
];

impl List<'_> {
    /// The definitions that the expressions use.
    pub(super) fn definitions(&self, body: &str, is_trial: bool) -> String {
        let system = self.system();
        let code = body.lines().filter(|line| !line.starts_with('#'));
        let code = code.collect::<Vec<_>>().join("\n");
        let unit = self.choice("unit").map(|choice| &choice.key.path);
        let mut all = Vec::new();
        if let Some(path) = unit {
            // The definitions are in a TOML string that ends at the next three quotes.
            let path = path.replace('\'', "\\u0027");
            let code = format!("({path} | lookup(\"unit\")) == \"metric\"");
            all.push(("is_metric".to_owned(), code));
        }
        for (name, metric, imperial) in MEASURES {
            let unit = match unit {
                Some(_) => {
                    format!("if $record | is_metric then \"{metric}\" else \"{imperial}\" end")
                }
                None if system == "imperial" => format!("\"{imperial}\""),
                None if system == "metric" || is_trial => format!("\"{metric}\""),
                None => format!("\"{UNDECIDED}\""),
            };
            all.push((name.to_owned(), format!("measure({unit})")));
            let with_decimal = format!("measure({unit}; $decimal)");
            all.push((format!("{name}($decimal)"), with_decimal));
        }
        let fixed = DEFINITIONS.iter().chain(&nested::DEFINITIONS);
        all.extend(fixed.map(|(name, code)| ((*name).to_owned(), (*code).to_owned())));
        let measures = MEASURES.iter().map(|(name, ..)| name);
        let is_measured = measures
            .into_iter()
            .any(|name| code.contains(&format!("| {name}")));
        let is_used = |name: &str| {
            let (called, has_argument) = match name.split_once('(') {
                Some((called, _)) => (called, true),
                None => (name, false),
            };
            let call = format!("| {called}");
            let mut calls = code.match_indices(&call);
            calls.any(|(at, _)| code[at + call.len()..].starts_with('(') == has_argument)
                || name == "is_metric" && is_measured
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
    pub(super) fn tables(&self, text: &mut String, is_trial: bool) {
        if let Some(unit) = self.choice("unit") {
            text.push_str("\n[tables.unit]\n");
            for word in &unit.key.samples {
                let system = system_of(word).unwrap_or("metric");
                line(text, &quoted(word), &quoted(system));
            }
        }
        if text.contains("| flag") {
            text.push_str("\n[tables.flag]\n");
            let samples = || self.file.keys.iter().flat_map(|key| &key.samples);
            let usual = flags(samples()).into_iter().map(str::to_owned);
            // The definition lowers only letters of ASCII.
            let found = samples().map(|sample| sample.trim().to_ascii_lowercase());
            for word in usual.chain(found).collect::<BTreeSet<_>>() {
                if let Some(flag) = flag_of(&word) {
                    line(text, &quoted(&word), &flag.to_string());
                }
            }
        }
        if !is_trial {
            self.publication.tables(text);
        }
        let Some(currency) = self.currency() else {
            return;
        };
        text.push_str("\n# The currencies of prices. One that is not here is an error.\n[tables.currency_symbol]\n");
        for code in &currency.codes {
            let known = CURRENCIES.iter().find(|(known, _)| known == code);
            let symbol = known.map_or(code.as_str(), |(_, symbol)| symbol);
            line(text, code, &quoted(symbol));
        }
    }
}
