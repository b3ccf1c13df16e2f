//! Reading the `Authorization` header: exactly one, scheme `Bearer`, a key of our form.
//!
//! The form is checked only of what is not known as a key, which is quicker.
//!
//! Nothing here says whether the key may be used, and nothing keeps or logs the header.

use salvo::http::HeaderMap;
use salvo::http::header::AUTHORIZATION;
use shared::keys::secret::PlainKey;

use super::error::ApiError;

/// The scheme with the first of the spaces after it.
const SCHEME: &str = "Bearer ";

/// What a request presents as its key.
pub(crate) fn read(headers: &HeaderMap) -> Result<&str, ApiError> {
    let mut values = headers.get_all(AUTHORIZATION).iter();
    let value = values.next().ok_or(ApiError::MissingKey)?;
    if values.next().is_some() {
        return Err(ApiError::MalformedAuthorization);
    }
    let text = value
        .to_str()
        .map_err(|_not_text| ApiError::MalformedAuthorization)?;
    let (scheme, rest) = text
        .split_at_checked(SCHEME.len())
        .ok_or(ApiError::MalformedAuthorization)?;
    if !scheme.eq_ignore_ascii_case(SCHEME) {
        return Err(ApiError::MalformedAuthorization);
    }
    Ok(rest.trim_start_matches(' '))
}

/// Checks that a text has the form of a key.
pub(crate) fn check_form(text: &str) -> Result<(), ApiError> {
    match PlainKey::parse(text) {
        Ok(_key) => Ok(()),
        // One word that begins as keys do was meant to be one.
        Err(_) if text.starts_with("boat_") && !text.contains(' ') => Err(ApiError::MistypedKey),
        Err(_) => Err(ApiError::MalformedAuthorization),
    }
}

#[cfg(test)]
mod tests {
    use salvo::http::HeaderValue;

    use super::*;

    const KEY: &str = "boat_test_789ABCDEFGHIJKLMNOPQRSTUVWXYZabc2uHPRw";

    fn check(values: &[&[u8]], expected: &str) {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(AUTHORIZATION, HeaderValue::from_bytes(value).unwrap());
        }
        let read = read(&headers).and_then(|key| check_form(key).map(|()| key));
        let found = match read {
            Ok(KEY) => "the key",
            Ok(_) => "another key",
            Err(ApiError::MistypedKey) => "a mistyped key",
            Err(error) => error.code(),
        };
        assert_eq!(found, expected, "{values:?}");
    }

    #[test]
    fn bearer_in_any_case_and_one_or_more_spaces_is_a_key() {
        for scheme in ["Bearer ", "bearer ", "BEARER ", "Bearer     "] {
            check(&[format!("{scheme}{KEY}").as_bytes()], "the key");
        }
    }

    #[test]
    fn no_header_is_a_missing_key() {
        check(&[], "MISSING_API_KEY");
    }

    #[test]
    fn a_key_that_is_not_complete_or_has_another_letter_is_mistyped() {
        for key in [
            "boat_",
            &KEY[..20],
            &KEY.replace("789A", "789B"),
            &format!("{KEY}x"),
        ] {
            check(&[format!("Bearer {key}").as_bytes()], "a mistyped key");
        }
        assert_eq!(ApiError::MistypedKey.code(), "MALFORMED_AUTHORIZATION");
    }

    #[test]
    fn everything_else_is_malformed() {
        let good = format!("Bearer {KEY}");
        let listed = format!("Bearer {KEY}, Bearer {KEY}");
        let tab = format!("Bearer\t{KEY}");
        for value in [
            "",
            " ",
            "Bearer",
            "Bearer ",
            "Basic dTpw",
            "Bearer x",
            KEY,
            &listed,
            &tab,
            &format!("Token {KEY}"),
            &format!("Bearer{KEY}"),
            &format!("Bearer {KEY} x"),
        ] {
            check(&[value.as_bytes()], "MALFORMED_AUTHORIZATION");
        }
        check(
            &[good.as_bytes(), good.as_bytes()],
            "MALFORMED_AUTHORIZATION",
        );
        check(&[b"Bearer \xff\xfe"], "MALFORMED_AUTHORIZATION");
    }
}
