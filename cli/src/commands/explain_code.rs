//! `catalogue explain-code`: what the codes of findings mean, what to do about them, and what an
//! import does.

use import::finding::{Blame, Code, Severity, nearest};

use super::show;
use crate::exit_status::ExitStatus;
use crate::process::context::Context;
use crate::report::Report;
use crate::terminal::table::Column;

/// Arguments of `explain-code`.
#[derive(Debug, clap::Args)]
#[command(after_help = "For example: catalogue explain-code DANGLING_REFERENCE")]
pub struct ExplainCodeArgs {
    /// The codes; without any, all are listed
    #[arg(value_name = "CODE", value_parser = parse_code)]
    pub codes: Vec<Code>,
}

/// Explains.
pub fn run(args: &ExplainCodeArgs, context: &mut Context) -> anyhow::Result<ExitStatus> {
    let mut report = Report::new();
    if args.codes.is_empty() {
        let row = |code: &Code| {
            let severity = code.severity().as_str().to_owned();
            [code.to_string(), severity, code.explanation().to_owned()]
        };
        let columns = ["CODE".into(), "SEVERITY".into(), Column::wrapped("MEANING")];
        report.table("", columns, Code::ALL.iter().map(row));
    }
    for code in &args.codes {
        let severity = code.severity().as_str();
        report
            .note(format!("{code} ({severity})"))
            .line(code.explanation())
            .line(format!("What to do: {}", code.fix()))
            .line(consequence(*code));
    }
    show::report(&report, context)?;
    Ok(ExitStatus::Done)
}

fn parse_code(text: &str) -> Result<Code, String> {
    let wanted = text.to_ascii_uppercase();
    let mut all = Code::ALL.iter().copied();
    all.find(|code| code.as_str() == wanted).ok_or_else(|| {
        let names: Vec<&str> = Code::ALL.iter().map(|code| code.as_str()).collect();
        match nearest(&wanted, &names) {
            Some(near) => format!("there is no such code; did you mean {near}?"),
            None => "there is no such code; `catalogue explain-code` lists them".to_owned(),
        }
    })
}

/// What an import does about it.
const fn consequence(code: Code) -> &'static str {
    match (code.severity(), code.blame()) {
        (Severity::Warning, _) => "An import goes on.",
        (Severity::Error, Blame::Record) => {
            "An import changes nothing; with --skip-invalid it leaves the record out."
        }
        (Severity::Error, Blame::Export) => "An import changes nothing, whatever its options.",
    }
}
