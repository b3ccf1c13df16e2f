//! What a schema allows, in words: for people, wherever a parameter or a field is described.

use schemars::Schema;
use serde_json::Value;

/// What a value may be, in words.
pub(crate) fn in_words(schema: &Schema) -> String {
    let get = |key: &str| schema.get(key);
    let mut words = Vec::new();
    match get("enum").and_then(Value::as_array) {
        Some(values) => {
            let values: Vec<String> = values.iter().map(quoted).collect();
            words.push(format!("one of {}", values.join(", ")));
        }
        None => words.extend(get("type").map(kinds)),
    }
    for (least, greatest, unit) in [
        ("minLength", "maxLength", " characters"),
        ("minimum", "maximum", ""),
    ] {
        match (get(least), get(greatest)) {
            (Some(least), Some(greatest)) => words.push(format!("{least} to {greatest}{unit}")),
            (None, Some(greatest)) => words.push(format!("at most {greatest}{unit}")),
            (Some(least), None) => words.push(format!("at least {least}{unit}")),
            (None, None) => {}
        }
    }
    words.extend(get("exclusiveMinimum").map(|bound| format!("more than {bound}")));
    words.extend(get("pattern").map(|pattern| format!("matches {}", quoted(pattern))));
    words.extend(get("default").map(|default| format!("default {}", quoted(default))));
    words.join(", ")
}

/// The type, or each of several.
fn kinds(types: &Value) -> String {
    match types {
        Value::Array(types) => types.iter().map(plain).collect::<Vec<_>>().join(" or "),
        one => plain(one),
    }
}

fn plain(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

fn quoted(value: &Value) -> String {
    format!("`{}`", plain(value))
}
