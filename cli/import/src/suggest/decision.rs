//! What a draft leaves to a person.

/// The line of a draft for images that have addresses and no sizes: they would be lost without it.
pub(super) const MEASURED: &str =
    "images = \"measure\"      # imports ask the addresses of images for their sizes\n";

/// A line of the mapping that is a guess or missing.
#[derive(Debug)]
pub struct Decision {
    /// The field, or part of the envelope.
    pub field: String,
    /// What is unknown.
    pub why: String,
}

impl Decision {
    pub(super) fn new(field: impl Into<String>, why: impl Into<String>) -> Self {
        let (field, why) = (field.into(), why.into());
        Self { field, why }
    }

    /// The note that images have addresses and no sizes.
    pub(super) fn of_images() -> Self {
        let why = "they have no sizes, so imports read these from the addresses";
        Self::new("images", why)
    }
}
