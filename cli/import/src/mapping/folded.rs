//! The words of a name, folded, so that names that differ only in how they are written are the same.
//!
//! Nothing here knows what a name means.

use super::functions::slugify::slugify;

/// The words of a name, folded: `mainsailArea`, `Mainsail area`, `mainsail_area` and
/// `Mainsail_Area__c` give the same words.
pub(crate) fn words(name: &str) -> Vec<String> {
    let mut spaced = String::new();
    let mut was_small = false;
    for letter in without_suffix(name).chars() {
        if letter.is_uppercase() && was_small {
            spaced.push(' ');
        }
        was_small = letter.is_lowercase() || letter.is_ascii_digit();
        // A superscript two is not a letter, but distinguishes an area from a length.
        match letter {
            '²' => spaced.push('2'),
            // A percentage is not a measure.
            '%' => spaced.push_str(" percent "),
            _ => spaced.push(letter),
        }
    }
    let slug = slugify(&spaced).unwrap_or_default();
    slug.split('-')
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

/// The name of a field without what Salesforce puts around those of its customers: the prefix of a
/// package and a suffix.
fn without_suffix(name: &str) -> &str {
    let mut suffixes = ["__c", "__C", "__r", "__R"].iter();
    let own = suffixes.find_map(|suffix| name.strip_suffix(suffix));
    let own = own.map(|own| own.rsplit_once("__").map_or(own, |(_, own)| own));
    own.filter(|own| !own.is_empty()).unwrap_or(name)
}
