//! Leaves images without a width or a height out of native records, because a size must not be
//! invented. One warning counts them.

use std::borrow::Cow;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use crate::finding::Kind;

/// An image that was left out: the place of its record, and its URL.
pub(super) struct LeftOut {
    pub(super) place: usize,
    pub(super) address: String,
}

/// The members of an image that matter here.
#[derive(Deserialize)]
struct Image {
    url: String,
    width: Option<IgnoredAny>,
    height: Option<IgnoredAny>,
}

/// The JSON of a member of a native record without the images that have no size, whose URLs are
/// added to `left_out`; `None` if nothing else is left. Validation reports any other problem with
/// an image.
pub(super) fn with_sizes<'j>(
    kind: Kind,
    name: &str,
    json: &'j str,
    left_out: &mut Vec<String>,
) -> Option<Cow<'j, str>> {
    match (kind, name) {
        (Kind::Boat, "image") | (Kind::Manufacturer, "logo") => {
            let address = without_size(json);
            let is_left_out = address.is_some();
            left_out.extend(address);
            (!is_left_out).then_some(Cow::Borrowed(json))
        }
        (Kind::Boat, "gallery") => gallery(json, left_out),
        _ => Some(Cow::Borrowed(json)),
    }
}

fn gallery<'j>(json: &'j str, left_out: &mut Vec<String>) -> Option<Cow<'j, str>> {
    let Ok(images) = serde_json::from_str::<Vec<&RawValue>>(json) else {
        return Some(Cow::Borrowed(json));
    };
    let before = left_out.len();
    let mut kept = Vec::with_capacity(images.len());
    for image in images {
        match without_size(image.get()) {
            Some(address) => left_out.push(address),
            None => kept.push(image.get()),
        }
    }
    if left_out.len() == before {
        return Some(Cow::Borrowed(json));
    }
    (!kept.is_empty()).then(|| Cow::Owned(format!("[{}]", kept.join(","))))
}

/// The URL of an image that has no size.
fn without_size(json: &str) -> Option<String> {
    let image: Image = serde_json::from_str(json).ok()?;
    (image.width.is_none() || image.height.is_none()).then_some(image.url)
}
