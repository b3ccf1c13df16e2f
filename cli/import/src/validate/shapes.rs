//! Readers of the shapes that records share: images, prices, name and value pairs.

use std::borrow::Cow;

use shared::base::model::{Currency, Image, NamedValue, Price};

use super::fields::{Reading, object};
use super::numbers::{number, pixels};
use super::reporter::Reporter;
use super::text::{row_text, text};
use super::values::{currency_code, url};
use crate::json::Node;

/// An image (specification section 2.1).
pub(crate) fn image<'n>(node: &'n Node<'n>, reporter: &mut Reporter<'n>) -> Reading<Image<'n>> {
    object(node, reporter, |image| {
        let address = image.required("url", url);
        let alt = image.optional("alt", row_text);
        let width = image.required("width", pixels);
        let height = image.required("height", pixels);
        let format = image.required("format", row_text);
        Some(Image {
            url: address?,
            alt,
            width: width?,
            height: height?,
            format: format?,
        })
    })
}

/// The image for whoever outlives the line.
pub(crate) fn owned(image: Image<'_>) -> Image<'static> {
    let own = |text: Cow<'_, str>| Cow::Owned(text.into_owned());
    Image {
        url: own(image.url),
        alt: image.alt.map(own),
        width: image.width,
        height: image.height,
        format: own(image.format),
    }
}

/// A price in one currency.
pub(crate) fn price<'n>(node: &'n Node<'n>, reporter: &mut Reporter<'n>) -> Reading<Price<'n>> {
    object(node, reporter, |price| {
        let amount = price.required("amount", number);
        let currency = price.required("currency", currency);
        Some(Price {
            amount: amount?,
            currency: currency?,
        })
    })
}

fn currency<'n>(node: &'n Node<'n>, reporter: &mut Reporter<'n>) -> Reading<Currency<'n>> {
    object(node, reporter, |currency| {
        let code = currency.required("code", currency_code);
        let symbol = currency.required("symbol", row_text);
        Some(Currency {
            code: code?,
            symbol: symbol?,
        })
    })
}

/// A name with its value.
pub(crate) fn named_value<'n>(
    node: &'n Node<'n>,
    reporter: &mut Reporter<'n>,
) -> Reading<NamedValue<'n>> {
    object(node, reporter, |pair| {
        let name = pair.required("name", text);
        let value = pair.required("value", text);
        Some(NamedValue {
            name: name?,
            value: value?,
        })
    })
}
