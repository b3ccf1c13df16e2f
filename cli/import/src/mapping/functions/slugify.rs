//! Makes slugs of texts, for content that has only names.
//!
//! Names in other scripts are transliterated to Latin letters first: otherwise `Верфь 1` and `Завод
//! 1` would have the same slug. Texts in Latin letters are folded as they are.

use any_ascii::any_ascii_char;
use icu_properties::props::Script;
use icu_properties::script::ScriptWithExtensions;
use shared::base::fold::fold;
use shared::base::ids::SLUG_MAX;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use super::quoted;

/// The folded text with `-` for every run of characters other than letters and digits, cut after
/// the last whole word that fits into [`SLUG_MAX`] characters.
pub(crate) fn slugify(text: &str) -> Result<String, String> {
    let folded = if text.is_ascii() {
        fold(text)
    } else {
        fold(&spelled_out(text)?)
    };
    let mut slug = String::new();
    let words = folded.split(|c: char| !c.is_ascii_alphanumeric());
    for word in words.filter(|word| !word.is_empty()) {
        if slug.is_empty() {
            // If even the first word is too long, there is no better place to cut.
            slug.push_str(&word[..word.len().min(SLUG_MAX)]);
        } else if slug.len() + "-".len() + word.len() <= SLUG_MAX {
            slug.push('-');
            slug.push_str(word);
        } else {
            break;
        }
    }
    if slug.is_empty() {
        let text = quoted(text);
        return Err(format!(
            "could not make a slug of {text:?}: it has no letter and no digit"
        ));
    }
    Ok(slug)
}

/// The text with letters and digits of other scripts transliterated to Latin ones; fails if a word
/// cannot be. Without it, the slug could be that of another text.
fn spelled_out(text: &str) -> Result<String, String> {
    // Marks that belong to no script would split words here; folding drops them anyway.
    let script = |c: char| ScriptWithExtensions::new().get_script_val(c);
    let is_letter = |c: char| c.is_alphabetic() && script(c) != Script::Inherited;
    let is_dropped = |c: &char| is_combining_mark(*c) && !is_letter(*c);
    let letters: Vec<char> = text.nfc().filter(|c| !is_dropped(c)).collect();
    let mut spelled = String::with_capacity(text.len());
    for run in letters.chunk_by(|a, b| is_of_other_script(*a) == is_of_other_script(*b)) {
        if !is_of_other_script(run[0]) {
            spelled.extend(run);
            continue;
        }
        let before = spelled.len();
        let letters = run.iter().flat_map(|c| any_ascii_char(*c).chars());
        spelled.extend(letters.filter(char::is_ascii_alphanumeric));
        if spelled.len() == before {
            let (text, word) = (quoted(text), quoted(&String::from_iter(run)));
            return Err(format!(
                "could not make a slug of {text:?}: {word:?} has no spelling with letters from A to Z"
            ));
        }
    }
    Ok(spelled)
}

/// Whether a character is a letter or a digit that does not occur in Latin texts.
fn is_of_other_script(character: char) -> bool {
    if character.is_ascii() || !character.is_alphanumeric() {
        return false;
    }
    let scripts = ScriptWithExtensions::new().get_script_extensions_val(character);
    let has = |script: &Script| scripts.contains(script);
    ![Script::Latin, Script::Common, Script::Inherited]
        .iter()
        .any(has)
}

#[cfg(test)]
mod tests {
    use shared::base::ids::Slug;

    use super::*;

    #[test]
    fn a_slug_is_the_folded_text_with_its_words_joined() {
        for (text, slug) in [
            ("Hallberg-Rassy 340", "hallberg-rassy-340"),
            ("  Bénéteau — Océanis 40.1 ", "beneteau-oceanis-40-1"),
            ("X-Yachts (X⁴⁰)", "x-yachts-x40"),
            ("Øjvind's Folkebåd_II", "ojvind-s-folkebad-ii"),
            ("Bayu\u{345} 27", "bayu-27"),
        ] {
            assert_eq!(slugify(text).as_deref(), Ok(slug), "{text}");
        }
    }

    #[test]
    fn a_long_text_is_cut_after_a_whole_word() {
        let cut = slugify(&"sail ".repeat(50)).unwrap();
        assert_eq!(cut.len(), 119);
        assert!(cut.ends_with("-sail"), "{cut}");
        assert_eq!(slugify(&"a".repeat(500)).unwrap().len(), SLUG_MAX);
        let exact = format!("{} b c", "a".repeat(SLUG_MAX - 2));
        assert!(slugify(&exact).unwrap().ends_with("a-b"));
    }

    #[test]
    fn letters_and_digits_of_other_scripts_are_spelled_out() {
        for (text, slug) in [
            ("Верфь 1", "verf-1"),
            ("Завод 1", "zavod-1"),
            ("Подъём, ЁЖ & Яхта-34", "podem-ezh-yakhta-34"),
            ("и\u{306}од", "yod"),
            ("Ναυπηγείο Ψαρών", "naypigeio-psaron"),
            ("ヤマハ・ヨーロッパ", "yamaha-yorotpa"),
            ("帆船 34", "fanchuan-34"),
            ("현대요트", "hyeondaeyoteu"),
            ("سفينة ٣٤", "sfynh-34"),
            ("हिन्दी", "hindi"),
            ("Sun Odyssey 349 / Одиссей", "sun-odyssey-349-odissey"),
        ] {
            assert_eq!(slugify(text).as_deref(), Ok(slug), "{text}");
        }
    }

    #[test]
    fn what_is_of_no_other_script_is_what_it_was() {
        for (text, slug) in [
            ("25 µm × 3", "25-m-3"),
            ("Kaʻimana ʼ", "ka-imana"),
            ("Gəmi", "g-mi"),
            ("ﬁn ² Ⅳ ① ½ ３", "fin-2-iv-1-1-2-3"),
            ("A⛵B — C", "a-b-c"),
            ("e\u{301}te\u{301}", "ete"),
        ] {
            assert_eq!(slugify(text).as_deref(), Ok(slug), "{text}");
        }
    }

    #[test]
    fn a_text_or_a_word_of_which_nothing_remains_is_refused() {
        for (text, why) in [
            ("", "it has no letter and no digit"),
            (" - ", "it has no letter and no digit"),
            ("⛵", "it has no letter and no digit"),
            ("Ъ", "\"Ъ\" has no spelling"),
            ("1 ьЪ", "\"ьЪ\" has no spelling"),
        ] {
            let refused = slugify(text).unwrap_err();
            assert!(refused.contains(why), "{refused}");
        }
    }

    #[test]
    fn what_is_made_of_any_text_is_a_slug_and_its_own_slug() {
        proptest::proptest!(|(text in "\\PC{0,200}")| {
            if let Ok(slug) = slugify(&text) {
                proptest::prop_assert!(Slug::parse(&slug).is_ok());
                proptest::prop_assert_eq!(slugify(&slug), Ok(slug));
            }
        });
    }
    #[test]
    fn latin_texts_are_folded_as_they_are() {
        proptest::proptest!(|(text in "[\\p{Latin}\\p{P}\\p{S}0-9 \u{300}-\u{36f}]{0,40}")| {
            proptest::prop_assert_eq!(fold(&spelled_out(&text).unwrap()), fold(&text));
        });
    }
}
