//! Images, which boats and manufacturers have.

use shared::base::model::Image;

use super::checked::Values;

/// An image (specification section 2.1).
pub(super) fn image(mut image: Values<'_>) -> Option<Image<'_>> {
    Some(Image {
        url: image.text("url")?,
        alt: image.text("alt"),
        width: image.count("width")?,
        height: image.count("height")?,
        format: image.text("format")?,
    })
}
