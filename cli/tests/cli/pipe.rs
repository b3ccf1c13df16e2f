//! A pipe that nobody writes to, in the place of a file: whoever waits for it waits for good.

use std::path::Path;

use nix::sys::stat::Mode;
use nix::unistd::mkfifo;

/// Makes one where there is nothing yet.
pub(crate) fn make_pipe(path: &Path) {
    mkfifo(path, Mode::S_IRUSR | Mode::S_IWUSR).unwrap();
}
