//! Slugs of texts, for content that has names only.

use shared::fold::fold;
use shared::ids::SLUG_MAX;

use super::quoted;

/// The text has no letter or digit of ASCII, not even folded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("could not make a slug of {text:?}: it has no letter from A to Z and no digit")]
pub(in crate::mapping) struct NoSlug {
    text: String,
}

/// The folded text with `-` for every run of other characters than letters and digits, cut after
/// the last whole word that fits into [`SLUG_MAX`] characters.
pub(in crate::mapping) fn slugify(text: &str) -> Result<String, NoSlug> {
    let folded = fold(text);
    let mut slug = String::new();
    let words = folded.split(|c: char| !c.is_ascii_alphanumeric());
    for word in words.filter(|word| !word.is_empty()) {
        if slug.is_empty() {
            // A first word that is too long has no better place to be cut.
            slug.push_str(&word[..word.len().min(SLUG_MAX)]);
        } else if slug.len() + "-".len() + word.len() <= SLUG_MAX {
            slug.push('-');
            slug.push_str(word);
        } else {
            break;
        }
    }
    if slug.is_empty() {
        return Err(NoSlug { text: quoted(text) });
    }
    Ok(slug)
}

#[cfg(test)]
mod tests {
    use shared::ids::Slug;

    use super::*;

    #[test]
    fn a_slug_is_the_folded_text_with_its_words_joined() {
        for (text, slug) in [
            ("Hallberg-Rassy 340", "hallberg-rassy-340"),
            ("  Bénéteau — Océanis 40.1 ", "beneteau-oceanis-40-1"),
            ("X-Yachts (X⁴⁰)", "x-yachts-x40"),
            ("Øjvind's Folkebåd_II", "ojvind-s-folkebad-ii"),
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
    fn a_text_without_latin_letters_and_digits_is_refused() {
        for text in ["", " - ", "Яхта", "帆船"] {
            let refused = slugify(text).unwrap_err().to_string();
            assert!(refused.contains("no letter from A to Z"), "{refused}");
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
}
