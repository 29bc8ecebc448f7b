//! What an option was called before, or is called by other programs: the error of a name that a command lacks
//! says which option it has instead.

use std::ffi::OsString;
use std::num::ParseIntError;
use std::path::Path;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Command, CommandFactory as _, Error, Parser as _};
use drivelab_view::format::shell_word;

use super::Cli;

/// An option under another name.
pub struct OtherName {
    /// The other name.
    pub other: &'static str,
    /// The option's own name.
    pub name: &'static str,
    /// The value that stands for what the other name meant; empty where that is the user's own.
    pub value: &'static str,
}

const fn other(other: &'static str, name: &'static str) -> OtherName {
    OtherName { other, name, value: "" }
}

/// Each other name. Where it stands for several options, no command has two of them.
pub const OTHER_NAMES: &[OtherName] = &[
    other("address-range", "range"),
    other("block", "block-size"),
    other("bs", "block-size"),
    other("request-size", "block-size"),
    other("depth-limit", "queue-depth"),
    other("in-flight", "queue-depth"),
    other("iodepth", "queue-depth"),
    other("workers", "threads"),
    other("jobs", "threads"),
    other("numjobs", "threads"),
    other("runtime", "duration"),
    other("rwmixread", "read-percent"),
    other("round", "window"),
    other("round", "cell-duration"),
    other("duration", "cell-duration"),
    other("bytes", "cell-bytes"),
    other("bytes", "working-set"),
    other("bytes", "moved"),
    other("rounds", "runs"),
    OtherName { other: "torture", name: "precondition", value: "random:TIME" },
    OtherName { other: "fill", name: "precondition", value: "fill" },
    OtherName { other: "no-fill", name: "precondition", value: "none" },
    other("reserve", "over-provisioning"),
    other("discard-contents", "destroy-data"),
    other("overwrite", "destroy-data"),
    other("records", "output"),
    other("dir", "output"),
    other("resume", "verify-after-crash"),
    other("beside", "competitor-directory"),
    other("device", "trace-device"),
    other("channel", "only"),
    other("file", "replay-on"),
    other("to", "format"),
    other("o", "report"),
];

/// Reads the command line, and ends the program with an error or a help text where that is to be shown.
pub fn parse() -> Cli {
    let arguments: Vec<OsString> = std::env::args_os().collect();
    Cli::try_parse_from(&arguments).unwrap_or_else(|error| with_advice(error, &arguments).exit())
}

/// The error in words of the user, where the parser has those of its language.
fn in_words(error: Error) -> Error {
    let is_number =
        std::error::Error::source(&error).is_some_and(<dyn std::error::Error>::is::<ParseIntError>);
    let text = |kind| error.get(kind).map(ToString::to_string).unwrap_or_default();
    if !is_number {
        return error;
    }
    let (value, option) = (text(ContextKind::InvalidValue), text(ContextKind::InvalidArg));
    let why =
        format!("invalid value '{value}' for '{option}': give a whole number without a unit, such as 8");
    Cli::command().error(ErrorKind::ValueValidation, why)
}

/// The error with what to type instead, where that is known.
fn with_advice(error: Error, arguments: &[OsString]) -> Error {
    let mut error = in_words(error);
    let mut root = Cli::command();
    root.build();
    let (command, depth) = command_of(&root, arguments);
    let typed = |kind| match error.get(kind) {
        Some(ContextValue::String(typed)) => Some(typed.as_str()),
        _ => None,
    };
    let advice = match error.kind() {
        ErrorKind::InvalidSubcommand if depth == 0 => typed(ContextKind::InvalidSubcommand)
            .and_then(|typed| task_for(typed).or_else(|| nested(&root, typed))),
        ErrorKind::UnknownArgument => {
            typed(ContextKind::InvalidArg).and_then(|typed| match typed.strip_prefix('-') {
                Some(option) => own_name(command, option.trim_start_matches('-'))
                    .or_else(|| own_name(command, long_with_one_dash(option, arguments)?)),
                None => {
                    value_of(command, typed).or_else(|| (depth == 1).then(|| one_target(command)).flatten())
                }
            })
        }
        _ => None,
    };
    if let Some(advice) = advice {
        error.remove(ContextKind::SuggestedArg);
        error.remove(ContextKind::SuggestedSubcommand);
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![advice.into()]));
    }
    error
}

/// What to do with a target that was typed in the place of a command.
fn task_for(typed: &str) -> Option<String> {
    let is_there = |path: &str| Path::new(path).exists();
    let target = match typed {
        typed if typed.starts_with("sim:") || is_there(typed) => typed.to_owned(),
        name if !name.contains('/') && is_there(&format!("/dev/{name}")) => format!("/dev/{name}"),
        _ => return None,
    };
    let target = shell_word(&target);
    Some(format!("a command comes first: drivelab quick {target} reads it for a minute and changes nothing"))
}

/// The commands of others that are called so, such as `trace show`.
fn nested(root: &Command, typed: &str) -> Option<String> {
    let has = |outer: &&Command| outer.find_subcommand(typed).is_some();
    let found = root.get_subcommands().filter(has);
    let found: Vec<String> = found.map(|outer| format!("drivelab {} {typed}", outer.get_name())).collect();
    (!found.is_empty()).then(|| format!("'{typed}' belongs to another command: {}", found.join(" or ")))
}

/// The name of an option of several letters that was typed with one dash, as `-bs`, of which only the first letter is unknown
/// to the parser.
fn long_with_one_dash<'a>(first: &str, arguments: &'a [OsString]) -> Option<&'a str> {
    let single = |one: &'a OsString| one.to_str()?.strip_prefix('-').filter(|name| !name.starts_with('-'));
    arguments.iter().filter_map(single).find(|name| name.len() > 1 && name.starts_with(first))
}

/// The command that was typed, and how many words it has.
fn command_of<'a>(root: &'a Command, arguments: &[OsString]) -> (&'a Command, usize) {
    let words = arguments.iter().skip(1).filter(|word| !word.as_encoded_bytes().starts_with(b"-"));
    let mut found = (root, 0);
    for word in words {
        let Some(inner) = found.0.find_subcommand(word) else { break };
        found = (inner, found.1 + 1);
    }
    found
}

/// What an option is called in this command.
fn own_name(command: &Command, typed: &str) -> Option<String> {
    let has = |name: &str| command.get_arguments().any(|arg| arg.get_long() == Some(name));
    let known = OTHER_NAMES.iter().find(|known| known.other == typed && has(known.name))?;
    let (dashes, name) = (if typed.len() == 1 { "-" } else { "--" }, known.name);
    Some(format!(
        "'{dashes}{typed}' is '--{name}' here: write '{}'",
        format!("--{name} {}", known.value).trim()
    ))
}

/// The option that a word is a value of, where it was typed without that option.
fn value_of(command: &Command, typed: &str) -> Option<String> {
    let takes = |arg: &&clap::Arg| arg.get_possible_values().iter().any(|value| value.matches(typed, false));
    let option = command.get_arguments().filter(takes).find_map(clap::Arg::get_long)?;
    Some(format!("'{typed}' is a value of --{option}: write '--{option} {typed}'"))
}

/// What to do with several targets, where a test takes one.
fn one_target(command: &Command) -> Option<String> {
    let has = |id: &str| command.get_arguments().any(|arg| arg.get_id() == id);
    let name = command.get_name();
    (has("target") && has("output")).then(|| {
        format!(
            "{name} takes one target: run it for each, with -o DIR, then compare: drivelab report DIR DIR"
        )
    })
}
