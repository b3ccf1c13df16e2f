//! `catalogue completions`: the script with which a shell completes the command, and the candidates
//! that the script asks for.
//!
//! The script contains no candidates. At each press of the key it runs this program, with a
//! variable that names the shell and with the words of the line, so it can offer names from the
//! data directory. Completing changes nothing, gives up after a moment, and shows no errors, since
//! these would end up in the line.

mod bash;
mod values;

use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::path::Path;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use clap::{Command, ValueEnum};
use clap_complete::Shell;
use clap_complete::env::{Elvish, EnvCompleter, Fish, Powershell, Zsh};

use self::bash::Bash;
pub(crate) use self::values::{Known, Values};
use crate::exit_status::ExitStatus;
use crate::process::context::{ASKING_SHELL, Context};

/// Longest time that a shell waits.
const PATIENCE: Duration = Duration::from_secs(1);
/// Makes the first completion work: zsh only runs a completion file then, and completes nothing.
const ZSH_FIRST: &str = r#"
if [ "$funcstack[1]" = "_catalogue" ]; then
    _clap_dynamic_completer_catalogue "$@"
fi
"#;

/// Arguments of `completions`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
For example:
  catalogue completions bash > /etc/bash_completion.d/catalogue
  catalogue completions zsh > ~/.zfunc/_catalogue
  catalogue completions fish > ~/.config/fish/completions/catalogue.fish
The script completes commands and options, and asks this program for release ids, key prefixes and \
subscriptions. They are read from the data directory or the database that the line, the environment \
or catalogue.toml names. Write the script again after an upgrade.")]
pub struct CompletionsArgs {
    /// The shell to print completions for
    pub shell: Shell,
}

/// Prints the script for a shell; `command` is the root of the command line.
pub fn run(
    args: &CompletionsArgs,
    command: &Command,
    context: &mut Context,
) -> anyhow::Result<ExitStatus> {
    let mut script = Vec::new();
    if let Some(shell) = args.shell.to_possible_value()
        && let Some(shell) = adapter(OsStr::new(shell.get_name()), &Bash::default())
    {
        let name = command.get_name();
        shell.write_registration(ASKING_SHELL, name, name, name, &mut script)?;
    }
    if args.shell == Shell::Zsh {
        script.extend_from_slice(ZSH_FIRST.as_bytes());
    }
    context.out.write_all(&script)?;
    Ok(ExitStatus::Done)
}

/// The adapter for the protocol of `shell`.
fn adapter<'a>(shell: &OsStr, bash: &'a Bash) -> Option<&'a dyn EnvCompleter> {
    let adapters: [&dyn EnvCompleter; 5] = [bash, &Elvish, &Fish, &Powershell, &Zsh];
    let name = shell.to_str()?;
    adapters.into_iter().find(|adapter| adapter.is(name))
}

/// The line that a shell asks about.
pub(crate) struct Line {
    shell: OsString,
    bash: Bash,
    /// The last word is the one to complete.
    pub(crate) words: Vec<OsString>,
}

impl Line {
    /// Reads the arguments of this program after `--`: the words, or what the script for bash
    /// passes.
    pub(crate) fn told(shell: &OsStr, args: impl IntoIterator<Item = OsString>) -> Self {
        let shell = shell.to_owned();
        let told = args.into_iter().skip_while(|arg| arg != "--").skip(1);
        let bash = Bash::default();
        if bash.is(&shell.to_string_lossy()) {
            let (bash, words) = Bash::told(told);
            return Self { shell, bash, words };
        }
        let words = told.collect();
        Self { shell, bash, words }
    }

    /// The response to the shell; empty if that takes too long.
    pub(crate) fn answer(self, command: Command, known: Known) -> Vec<u8> {
        let candidates = within(PATIENCE, move || {
            let mut command = values::complete(command, &known);
            if !self.words.last()?.to_string_lossy().starts_with('-') {
                command = values::without_options(command);
            }
            let adapter = adapter(&self.shell, &self.bash)?;
            let mut answer = Vec::new();
            let here = Some(Path::new("."));
            let written = adapter.write_complete(&mut command, self.words, here, &mut answer);
            written.is_ok().then_some(answer)
        });
        candidates.flatten().unwrap_or_default()
    }
}

/// The result of `work`, if it ends in time; otherwise it is left running.
fn within<T: Send + 'static>(
    patience: Duration,
    work: impl FnOnce() -> T + Send + 'static,
) -> Option<T> {
    let (sender, receiver) = mpsc::channel();
    let spawned = thread::Builder::new().spawn(move || _ = sender.send(work()));
    spawned.ok()?;
    receiver.recv_timeout(patience).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_takes_too_long_comes_to_nothing() {
        let (_never, forever) = mpsc::channel::<()>();
        assert_eq!(within(Duration::ZERO, move || forever.recv()), None);
        assert_eq!(within(Duration::MAX, || 7), Some(7));
    }
}
