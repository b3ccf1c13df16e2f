//! The file to start from: every setting with its description and default, commented out.

use std::fmt::Write as _;

use clap::{Arg, Command};

use super::each;

const HEAD: &str = "\
# Settings of the `catalogue` command. Each stands here with its default; take its # away to change it.
# A typed option wins over its environment variable, which wins over this file.
# Relative paths begin where this file lies. `catalogue settings` shows what holds.
";

/// Every setting of `command`.
pub(crate) fn template(command: &Command) -> String {
    let mut text = HEAD.to_owned();
    let mut table = Vec::new();
    each(command, &mut Vec::new(), &mut |path, option| {
        if table != path {
            _ = write!(text, "\n[{}]\n", path.join("."));
            path.clone_into(&mut table);
        }
        text.push_str(&entry(option));
    });
    text
}

fn entry(option: &Arg) -> String {
    let long = option.get_long().unwrap_or_default();
    let help = option
        .get_help()
        .map(ToString::to_string)
        .unwrap_or_default();
    let variable = option.get_env().unwrap_or_default().to_string_lossy();
    let default = option.get_default_values().first();
    let value = match default.map(|default| default.to_string_lossy()) {
        Some(number) if number.parse::<u64>().is_ok() => number.into_owned(),
        Some(text) => format!("{text:?}"),
        None => "…".to_owned(),
    };
    let help = help.replace('\n', " ");
    format!("\n# {help} ({variable})\n# {long} = {value}\n")
}
