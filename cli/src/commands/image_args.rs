//! Measuring the images of an export by their addresses, as commands are asked to.

use std::cell::RefCell;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use import::mapping::Mapping;
use shared::base::data_dir::DataDir;

use super::show;
use crate::process::context::Context;
use crate::remote::{ImageHost, Images};
use crate::terminal::progress::Progress;
use crate::terminal::quantity::{POSITIVE, duration};

/// Heading of the options about images.
const IMAGES: &str = "Images";

/// Arguments about images without a size.
#[derive(Clone, Debug, Default, Args)]
pub struct ImageArgs {
    /// Fetch images that lack width, height or format, and read these, as a mapping with
    /// `images = "measure"` does
    #[arg(long, requires = "mapping", help_heading = IMAGES)]
    pub measure_images: bool,
    /// Allow images from this host although its address is private: HOST, or HOST:PORT for that port
    /// alone; may be given several times
    #[arg(long, value_name = "HOST", help_heading = IMAGES)]
    pub image_host: Vec<ImageHost>,
    /// Measure images again that were measured longer ago than this, such as 30d
    #[arg(long, value_name = "DURATION", value_parser = duration(POSITIVE), help_heading = IMAGES)]
    pub recheck_images: Option<Duration>,
}

impl ImageArgs {
    /// What finds the sizes of images, if they are to be measured: from what is kept in the data
    /// directory and, if it `asks`, from their addresses.
    pub(super) fn measurer<'a>(
        &'a self,
        mapping: Option<&Mapping>,
        data: &Path,
        asks: bool,
        (progress, context): (&'a Progress, &Context),
    ) -> Option<Images<'a>> {
        self.measure(mapping).then(|| Images {
            data: DataDir::new(data),
            asks,
            hosts: &self.image_host,
            recheck: self.recheck_images,
            clock: Arc::clone(&context.clock),
            progress,
            warnings: RefCell::default(),
        })
    }

    /// Whether images without a size are measured.
    pub(super) fn measure(&self, mapping: Option<&Mapping>) -> bool {
        self.measure_images || mapping.is_some_and(Mapping::measures_images)
    }
}

/// Says what did not work although images were measured.
pub(super) fn warn(images: Option<Images<'_>>, context: &mut Context) {
    let warnings = images
        .into_iter()
        .map(|images| images.warnings.into_inner());
    for warning in warnings.flatten() {
        show::aside(warning, context);
    }
}
