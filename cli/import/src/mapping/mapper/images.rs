//! Images without a width or a height: they are left out of native records, because a size must
//! not be invented, and one warning counts them.

use std::borrow::Cow;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use crate::finding::Kind;

/// Images that were left out.
#[derive(Default)]
pub(super) struct LeftOut {
    pub(super) count: u64,
    pub(super) first: Option<First>,
}

/// The first of them: the place of its record, and its address.
pub(super) struct First {
    pub(super) place: usize,
    pub(super) address: String,
}

impl LeftOut {
    /// Notes the images, by their addresses, that were left out of what was made of a record.
    pub(super) fn add(&mut self, place: usize, addresses: Vec<String>) {
        self.count += addresses.len() as u64;
        let first = addresses.into_iter().next();
        let first = first.map(|address| First { place, address });
        if self.first.is_none() {
            self.first = first;
        }
    }
}

/// What an image must have, as far as it matters here.
#[derive(Deserialize)]
struct Image {
    url: String,
    width: Option<IgnoredAny>,
    height: Option<IgnoredAny>,
}

/// The JSON of a member of a native record without the images that have no size, whose addresses
/// are added to `left_out`; none where nothing else is in it. What is wrong with an image
/// otherwise is for validation to say.
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

/// The address of an image that has no size.
fn without_size(json: &str) -> Option<String> {
    let image: Image = serde_json::from_str(json).ok()?;
    (image.width.is_none() || image.height.is_none()).then_some(image.url)
}
