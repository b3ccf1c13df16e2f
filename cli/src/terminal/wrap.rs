//! Wraps lines between words, so that a narrow terminal need not break them.

use textwrap::{Options, WordSeparator, WordSplitter, WrapAlgorithm};

use crate::terminal::Terminal;

/// Width of the lines, in columns.
pub const WIDTH: usize = 80;

/// A sentence in as many lines as needed; those after the first are indented by `indent`. A word
/// that is too long is not broken.
pub fn wrap(sentence: &str, indent: usize, terminal: Terminal) -> String {
    wrap_at(width(terminal), sentence, indent)
}

/// Width of lines, at most that of the terminal.
pub fn width(terminal: Terminal) -> usize {
    terminal.columns.map_or(WIDTH, |columns| columns.min(WIDTH))
}

/// A sentence in lines that fit the terminal, whatever its width; without a terminal, it is one
/// line.
pub fn fit(sentence: &str, indent: usize, terminal: Terminal) -> String {
    match terminal.columns {
        Some(columns) => wrap_at(columns, sentence, indent),
        None => sentence.to_owned(),
    }
}

/// A sentence in lines of this width.
pub fn wrap_at(line_width: usize, sentence: &str, indent: usize) -> String {
    let indent = " ".repeat(indent);
    let options = Options::new(line_width)
        .subsequent_indent(&indent)
        .break_words(false)
        .word_separator(WordSeparator::AsciiSpace)
        .word_splitter(WordSplitter::NoHyphenation)
        .wrap_algorithm(WrapAlgorithm::FirstFit);
    textwrap::fill(sentence, options)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_fits_into_the_terminal_where_there_is_one() {
        let narrow = Terminal {
            columns: Some(10),
            ..Terminal::default()
        };
        assert_eq!(fit("one two three", 2, narrow), "one two\n  three");
        let line = "a ".repeat(100);
        assert_eq!(fit(&line, 2, Terminal::default()), line);
    }

    #[test]
    fn lines_break_between_words_and_where_they_must() {
        let (a, b) = ("a".repeat(40), "b".repeat(39));
        assert_eq!(
            wrap(&format!("{a} {b} c"), 2, Terminal::default()),
            format!("{a} {b}\n  c")
        );
        assert_eq!(
            wrap(&format!("{a} b{b}"), 2, Terminal::default()),
            format!("{a}\n  b{b}")
        );
        // Each of these takes two columns.
        assert_eq!(wrap_at(9, "日本 日本", 0), "日本 日本");
        assert_eq!(wrap_at(8, "日本 日本", 0), "日本\n日本");
        let long = "c".repeat(100);
        assert_eq!(
            wrap(&format!("x {long} y"), 1, Terminal::default()),
            format!("x\n {long}\n y")
        );
        assert_eq!(wrap("", 2, Terminal::default()), "");
        assert_eq!(
            wrap("  kept blanks", 2, Terminal::default()),
            "  kept blanks"
        );
    }
}
