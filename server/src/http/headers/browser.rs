//! What a browser may do with a file of the documentation. Responses of the API have no such
//! headers, since browsers neither show nor run them.

use salvo::http::header::{CONTENT_SECURITY_POLICY, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS};
use salvo::http::{HeaderMap, HeaderName, HeaderValue};

use super::Media;

const PERMISSIONS_POLICY: HeaderName = HeaderName::from_static("permissions-policy");

/// The documentation may load only its own files. There are no inline scripts or styles, and none
/// is made from text at run time.
const OWN_FILES_ONLY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
     connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
);
const NO_SNIFFING: HeaderValue = HeaderValue::from_static("nosniff");
const NO_REFERRER: HeaderValue = HeaderValue::from_static("no-referrer");
/// Denies device features for which documentation has no use.
const NO_DEVICES: HeaderValue = HeaderValue::from_static(
    "camera=(), geolocation=(), microphone=(), payment=(), usb=(), browsing-topics=()",
);

/// Writes the policies of a file.
pub(super) fn write(media: Media, headers: &mut HeaderMap) {
    let Media::File(_) = media else { return };
    headers.insert(CONTENT_SECURITY_POLICY, OWN_FILES_ONLY);
    headers.insert(X_CONTENT_TYPE_OPTIONS, NO_SNIFFING);
    headers.insert(REFERRER_POLICY, NO_REFERRER);
    headers.insert(PERMISSIONS_POLICY, NO_DEVICES);
}
