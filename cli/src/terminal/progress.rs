//! Shows the progress of an import to people at a terminal. The only file that uses `indicatif`.
//!
//! Nothing is drawn without a terminal, so callers need not check.

use std::io;
use std::time::Duration;

use console::Term;
use import::source::ProgressListener;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle, TermLike, WeakProgressBar};
use parking_lot::Mutex;
use shared::release::s3::TransferListener;

/// How often the spinner moves if nothing can be counted.
const TICK: Duration = Duration::from_millis(100);

/// What is shown of a number of bytes whose total is known, and of another.
const BYTES: [&str; 2] = [
    "{wide_bar} {bytes}/{total_bytes} {eta}",
    "{spinner} {bytes} {bytes_per_sec}",
];
/// The same of a number of other things, whose total is always known.
const COUNT: [&str; 2] = ["{wide_bar} {human_pos}/{human_len} {eta}", ""];

/// How often the bar is drawn at most.
const DRAWN_A_SECOND: u8 = 20;
/// Columns that are left free after the bar. The terminal writes `^C` there when it is typed;
/// without room it would go on the next line, and clearing that line would leave the bar above it.
const FREE_COLUMNS: u16 = 6;

/// The bar at the terminal: one for the whole process.
static DRAWN: Mutex<Option<WeakProgressBar>> = Mutex::new(None);

/// A progress bar on standard error, perhaps an invisible one.
pub struct Progress {
    bar: ProgressBar,
}

impl Progress {
    /// A bar that is drawn only if it `is_visible`.
    pub fn new(is_visible: bool) -> Self {
        let target = if is_visible {
            let narrow = NarrowTerminal(Term::stderr());
            ProgressDrawTarget::term_like_with_hz(Box::new(narrow), DRAWN_A_SECOND)
        } else {
            ProgressDrawTarget::hidden()
        };
        Self {
            bar: ProgressBar::with_draw_target(None, target),
        }
    }

    /// From now on images are asked for: `total` of them.
    pub fn images(&self, total: u64) {
        self.begin("images", COUNT, Some(total));
    }

    /// From now on the release is written, without a known total.
    pub fn writing(&self) {
        self.begin("writing", ["", "{spinner} {elapsed}"], None);
        self.bar.enable_steady_tick(TICK);
    }

    /// From now on an export is fetched: `total` bytes, if known, `here` of which are already
    /// received.
    pub fn downloading(&self, total: Option<u64>, here: u64) {
        self.begin("fetching", BYTES, total);
        self.bar.set_position(here);
    }

    /// Advances by `count` bytes, records or boats.
    pub fn advance(&self, count: u64) {
        self.bar.inc(count);
    }

    /// Removes the bar.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }

    fn begin(&self, what: &str, [of_total, without]: [&str; 2], total: Option<u64>) {
        self.bar.reset();
        if !self.bar.is_hidden() {
            let mut drawn = DRAWN.lock();
            *drawn = Some(self.bar.downgrade());
        }
        let shown = if total.is_some() { of_total } else { without };
        let style = ProgressStyle::with_template(&format!("{what:7} {shown}"));
        self.bar
            .set_style(style.unwrap_or_else(|_malformed| ProgressStyle::default_bar()));
        match total {
            Some(total) => self.bar.set_length(total),
            None => self.bar.unset_length(),
        }
    }
}

/// A terminal with fewer columns than it has.
#[derive(Debug)]
struct NarrowTerminal<T>(T);

impl<T: TermLike> TermLike for NarrowTerminal<T> {
    fn width(&self) -> u16 {
        self.0.width().saturating_sub(FREE_COLUMNS)
    }

    fn height(&self) -> u16 {
        self.0.height()
    }

    fn move_cursor_up(&self, lines: usize) -> io::Result<()> {
        self.0.move_cursor_up(lines)
    }

    fn move_cursor_down(&self, lines: usize) -> io::Result<()> {
        self.0.move_cursor_down(lines)
    }

    fn move_cursor_right(&self, columns: usize) -> io::Result<()> {
        self.0.move_cursor_right(columns)
    }

    fn move_cursor_left(&self, columns: usize) -> io::Result<()> {
        self.0.move_cursor_left(columns)
    }

    fn write_line(&self, line: &str) -> io::Result<()> {
        self.0.write_line(line)
    }

    fn write_str(&self, text: &str) -> io::Result<()> {
        self.0.write_str(text)
    }

    fn clear_line(&self) -> io::Result<()> {
        self.0.clear_line()
    }

    fn flush(&self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Does something while the bar is hidden.
pub fn without_bar<T>(act: impl FnOnce() -> T) -> T {
    let drawn = DRAWN.lock().clone();
    match drawn.and_then(|bar| bar.upgrade()) {
        Some(bar) => bar.suspend(act),
        None => act(),
    }
}

impl ProgressListener for Progress {
    fn reading(&self, total: Option<u64>) {
        self.begin("reading", BYTES, total);
    }

    fn mapping(&self, total: u64) {
        self.begin("mapping", COUNT, Some(total));
    }

    fn boats(&self, total: u64) {
        self.begin("boats", COUNT, Some(total));
    }

    fn advance(&self, count: u64) {
        self.advance(count);
    }
}

impl TransferListener for Progress {
    fn sending(&self, bytes: u64) {
        self.begin("sending", BYTES, Some(bytes));
    }

    fn fetching(&self, bytes: u64) {
        self.begin("fetching", BYTES, Some(bytes));
    }

    fn advance(&self, bytes: u64) {
        self.advance(bytes);
    }

    fn finish(&self) {
        self.finish();
    }
}

#[cfg(test)]
mod tests {
    use indicatif::InMemoryTerm;

    use super::*;

    #[test]
    fn a_bar_that_is_interrupted_by_a_key_leaves_nothing_on_the_terminal() {
        let terminal = InMemoryTerm::new(5, 40);
        let narrow = NarrowTerminal(terminal.clone());
        let progress = Progress {
            bar: ProgressBar::with_draw_target(
                None,
                ProgressDrawTarget::term_like(Box::new(narrow)),
            ),
        };
        progress.boats(100);
        progress.advance(7);
        assert!(
            terminal.contents().contains("7/100"),
            "{}",
            terminal.contents()
        );
        terminal.write_str("^C^C").unwrap();
        progress.bar.suspend(|| assert_eq!(terminal.contents(), ""));
    }
}
