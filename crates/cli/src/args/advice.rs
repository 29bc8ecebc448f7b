//! The errors of the command line: each with what to type instead, where that is known.

use std::ffi::OsString;
use std::num::ParseIntError;
use std::path::Path;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Command, CommandFactory as _, Error, Parser as _};
use drivelab_documents::review::is_review_folder;
use drivelab_record::is_run_folder;
use drivelab_runner::{output, printable, say};
use drivelab_trace::is_trace_folder;
use drivelab_view::format::shell_word;

use super::{Cli, fio_job};

/// The exit code of a wrong command line.
const USAGE: i32 = 2;

/// Reads the command line, and ends the program with an error or a help text where that is to be shown.
pub fn parse() -> Cli {
    let arguments = match fio_job::expand(std::env::args_os().collect()) {
        Ok(expanded) => {
            expanded.notes.iter().for_each(|note| say!("drivelab: {note}"));
            expanded.arguments
        }
        Err(why) => {
            why.lines().for_each(|line| say!("drivelab: {line}"));
            std::process::exit(USAGE)
        }
    };
    Cli::try_parse_from(&arguments).unwrap_or_else(|error| exit(error, &arguments))
}

/// Ends the program with this error.
fn exit(error: Error, arguments: &[OsString]) -> ! {
    let words: Vec<String> = arguments.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let is_plain = words.iter().all(|word| printable(word) == *word && !word.contains('\n'));
    if is_plain || !error.use_stderr() {
        with_advice(error, &words).exit()
    }
    // The parser's colours cannot be told from what steers the terminal in an argument: such an error has none.
    let words: Vec<String> = words.iter().map(|word| on_one_line(word)).collect();
    let error = with_advice(with_plain_words(error), &words);
    output::say(error.render().to_string().trim_end());
    std::process::exit(error.exit_code())
}

/// The text with everything that steers a terminal in its escaped form, line breaks too.
fn on_one_line(text: &str) -> String {
    printable(text).replace('\n', "\\n")
}

/// The error with what was typed in its escaped form.
fn with_plain_words(mut error: Error) -> Error {
    let words: Vec<(ContextKind, ContextValue)> = error
        .context()
        .filter_map(|(kind, value)| match value {
            ContextValue::String(text) => Some((kind, ContextValue::String(on_one_line(text)))),
            ContextValue::Strings(texts) => {
                let texts = texts.iter().map(|text| on_one_line(text)).collect();
                Some((kind, ContextValue::Strings(texts)))
            }
            _ => None,
        })
        .collect();
    for (kind, value) in words {
        error.insert(kind, value);
    }
    error
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
fn with_advice(error: Error, arguments: &[String]) -> Error {
    let mut error = in_words(error);
    let mut root = Cli::command();
    root.build();
    let (command, depth) = command_of(&root, arguments);
    let typed = |kind| match error.get(kind) {
        Some(ContextValue::String(typed)) => Some(typed.as_str()),
        Some(ContextValue::Strings(typed)) => typed.first().map(String::as_str),
        _ => None,
    };
    let invalid = typed(ContextKind::InvalidArg);
    let advice = match error.kind() {
        ErrorKind::InvalidSubcommand if depth == 0 => {
            typed(ContextKind::InvalidSubcommand).and_then(|typed| {
                task_for(typed).or_else(|| nested(&root, typed)).or_else(|| match typed {
                    "compare" | "diff" => Some("results are compared by: drivelab report DIR DIR".to_owned()),
                    _ => None,
                })
            })
        }
        ErrorKind::UnknownArgument => invalid.and_then(|typed| match typed.strip_prefix('-') {
            Some(option) => unknown_option(command, option, arguments)
                .or_else(|| option_of_others(&root, command, option)),
            None => unknown_word(command, depth, typed, arguments),
        }),
        ErrorKind::MissingRequiredArgument => invalid
            .and_then(|missing| missing_of(command, missing, arguments))
            .or_else(|| example(command, invalid)),
        ErrorKind::ArgumentConflict if command.get_name() == "review" => resumed(arguments),
        ErrorKind::InvalidValue if typed(ContextKind::InvalidValue) == Some("") => {
            invalid.map(|option| format!("write a value after it: '{option}'"))
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

/// What to type in place of an option, of which the first dash is taken off, that this command lacks.
fn unknown_option(command: &Command, option: &str, arguments: &[String]) -> Option<String> {
    let whole = long_with_one_dash(option, arguments);
    if option.starts_with(|letter: char| letter.is_ascii_digit()) {
        let value = whole.unwrap_or(option);
        return Some(format!("no value is below zero: write '{value}' in place of '-{value}'"));
    }
    let typed = |name: &str| arguments.iter().find(|typed| typed.trim_start_matches('-').starts_with(name));
    let own = |name: &str| {
        own_name(
            command,
            name,
            typed(name).map_or(2, |typed| typed.len() - typed.trim_start_matches('-').len()),
        )
    };
    own(option.trim_start_matches('-')).or_else(|| own(whole?))
}

/// What to type in place of a word that this command has no place for.
fn unknown_word(command: &Command, depth: usize, typed: &str, arguments: &[String]) -> Option<String> {
    after_equals(command, arguments)
        .or_else(|| value_of(command, typed))
        .or_else(|| after_two_dashes(command, typed, arguments))
        .or_else(|| match command.get_name() {
            "label" => {
                Some(format!("the name of a result has an option: write '--label {}'", shell_word(typed)))
            }
            "drives" => Some(format!(
                "drives lists all drives and takes no target: drivelab quick {} reads one",
                shell_word(typed)
            )),
            _ => None,
        })
        .or_else(|| (depth == 1).then(|| one_target(command)).flatten())
}

/// The commands that have an option of this name, of which the first dash is taken off, where this one has none.
fn option_of_others(root: &Command, command: &Command, option: &str) -> Option<String> {
    let name = option.strip_prefix('-')?;
    let nested =
        root.get_subcommands().flat_map(|outer| std::iter::once(outer).chain(outer.get_subcommands()));
    let others: Vec<&str> =
        nested.filter(|other| has(other, name)).filter_map(Command::get_bin_name).collect();
    (!others.is_empty()).then(|| {
        let (called, others) = (command.get_bin_name().unwrap_or_default(), others.join(", "));
        format!("{called} has no --{name}; these commands have it: {others}")
    })
}

/// How the value is written of an option that can stand without one: after an equals sign.
fn after_equals(command: &Command, arguments: &[String]) -> Option<String> {
    let takes = |typed: &str| {
        let name = typed.strip_prefix("--");
        command
            .get_arguments()
            .any(|arg| arg.get_long() == name && name.is_some() && arg.is_require_equals_set())
    };
    let is_value = |word: &str| word.starts_with(|letter: char| letter.is_ascii_digit());
    let [option, value] = arguments.windows(2).find(|pair| takes(&pair[0]) && is_value(&pair[1]))? else {
        return None;
    };
    Some(format!("the value of {option} stands after an equals sign: write '{option}={value}'"))
}

/// What to do with a target that was typed in the place of a command.
fn task_for(typed: &str) -> Option<String> {
    let is_there = |path: &str| Path::new(path).exists();
    let target = match typed {
        typed if typed.starts_with("sim:") || is_there(typed) => typed.to_owned(),
        name if !name.contains('/') && is_there(&format!("/dev/{name}")) => format!("/dev/{name}"),
        _ => return None,
    };
    let (path, target) = (Path::new(&target), shell_word(&target));
    let command = if is_trace_folder(path) && !is_run_folder(path) {
        format!("trace show {target} shows the trace")
    } else if is_run_folder(path) || is_review_folder(path) {
        format!("report {target} shows the result")
    } else if path.is_dir() {
        format!("index {target} shows the results below it")
    } else if path.is_file() && may_be_trace(path) {
        format!("trace import {target} -o FOLDER makes a trace of it")
    } else {
        format!("quick {target} reads it for a minute and changes nothing")
    };
    Some(format!("a command comes first: drivelab {command}"))
}

/// Whether a file is called as files of other tools that hold traces are.
fn may_be_trace(path: &Path) -> bool {
    const ENDINGS: [&str; 8] = ["csv", "txt", "log", "gz", "bz2", "xz", "zst", "trace"];
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    name.contains("blktrace") || ENDINGS.iter().any(|ending| name.ends_with(&format!(".{ending}")))
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
fn long_with_one_dash<'a>(first: &str, arguments: &'a [String]) -> Option<&'a str> {
    let single = |one: &'a String| one.strip_prefix('-').filter(|name| !name.starts_with('-'));
    let name = |one: &'a str| one.split_once('=').map_or(one, |(name, _)| name);
    let mut names = arguments.iter().filter_map(single).map(name);
    names.find(|name| name.len() > 1 && name.starts_with(first))
}

/// The command that was typed, and how many words it has.
fn command_of<'a>(root: &'a Command, arguments: &[String]) -> (&'a Command, usize) {
    let words = arguments.iter().skip(1).filter(|word| !word.starts_with('-'));
    let mut found = (root, 0);
    for word in words {
        let Some(inner) = found.0.find_subcommand(word) else { break };
        found = (inner, found.1 + 1);
    }
    found
}

/// The command line as it is typed into a shell, with a word put in at this place.
fn with_word(arguments: &[String], place: usize, word: &str) -> String {
    let (before, after) = arguments.split_at(place.clamp(1, arguments.len()));
    let words = before.iter().skip(1).map(|word| shell_word(word));
    let words = words.chain([word.into()]).chain(after.iter().map(|word| shell_word(word)));
    format!("drivelab {}", words.collect::<Vec<_>>().join(" "))
}

/// The option that a word is a value of, where it was typed without that option.
fn value_of(command: &Command, typed: &str) -> Option<String> {
    let takes = |arg: &&Arg| arg.get_possible_values().iter().any(|value| value.matches(typed, false));
    let option = command.get_arguments().filter(takes).find_map(Arg::get_long)?;
    Some(format!("'{typed}' is a value of --{option}: write '--{option} {typed}'"))
}

/// Where a command to run was typed, which stands after two dashes.
fn after_two_dashes(command: &Command, typed: &str, arguments: &[String]) -> Option<String> {
    command.get_positionals().find(|arg| arg.is_last_set())?;
    let place = arguments.iter().rposition(|word| word == typed)?;
    Some(format!("the command to run stands after two dashes: {}", with_word(arguments, place, "--")))
}

/// What to do with several targets, where a test takes one.
fn one_target(command: &Command) -> Option<String> {
    let name = command.get_name();
    let takes_target = command.get_positionals().any(|arg| arg.get_id() == "target");
    (takes_target && has(command, "output")).then(|| {
        format!(
            "{name} takes one target: run it for each, with -o DIR, then compare: drivelab report DIR DIR"
        )
    })
}

/// The first example of a command's help that has what is missing, or else the first one.
fn example(command: &Command, missing: Option<&str>) -> Option<String> {
    let help = command.get_after_help()?.to_string();
    let called = command.get_bin_name()?;
    let option = missing.and_then(|missing| missing.split(' ').next()).filter(|word| word.starts_with("--"));
    let mut lines: Vec<&str> = help.lines().map(str::trim).filter(|line| line.starts_with(called)).collect();
    lines.sort_by_key(|line| option.is_some_and(|option| !line.split([' ', '=']).any(|word| word == option)));
    Some(format!("for example: {}", lines.first()?))
}

/// What is left out where a review goes on.
fn resumed(arguments: &[String]) -> Option<String> {
    let place = arguments.iter().position(|word| word == "--resume")?;
    let folder = shell_word(arguments.get(place + 1)?);
    let command = format!("drivelab review --resume {folder}");
    Some(format!("the folder knows its targets and its plan, which are left out: {command}"))
}

/// What to add where an argument is missing: the folder of what is made, or that of a result.
fn missing_of(command: &Command, missing: &str, arguments: &[String]) -> Option<String> {
    if missing.starts_with("--output") {
        let file = arguments.iter().skip(1).rfind(|word| Path::new(word).is_file());
        let name = file.and_then(|file| Path::new(file).file_name()?.to_str()?.split('.').next());
        let folder = name.filter(|name| !name.is_empty() && !Path::new(name).exists()).unwrap_or("DIR");
        let whole = with_word(arguments, arguments.len(), &format!("-o {}", shell_word(folder)));
        return Some(format!("-o names the folder that keeps it: {whole}"));
    }
    let what = [
        (
            "<TARGET>",
            "a target is a drive, a file or a simulated drive such as sim:sm2246en: `drivelab` alone lists the drives",
        ),
        (
            "<TRACE>",
            "a trace is the folder that `drivelab trace record` or `drivelab trace import` made, or one of \
             drivelab's own such as shipped:compile",
        ),
    ];
    if let Some((_, what)) = what.iter().find(|(name, _)| missing.starts_with(name)) {
        return Some((*what).to_owned());
    }
    if !missing.starts_with("<DIR>") {
        return None;
    }
    let is_taken = |pair: &&[String]| {
        let option = pair[0].strip_prefix("--");
        option.is_some_and(|name| {
            command.get_arguments().any(|arg| arg.get_long() == Some(name) && takes_path(arg))
        })
    };
    let Some([option, value]) = arguments.windows(2).find(is_taken) else {
        return Some("name the folder of a result: `drivelab` alone lists those in this folder".to_owned());
    };
    let called = command.get_bin_name()?;
    Some(format!(
        "'{value}' was taken as the value of {option}: write '{called} DIR {option} {}', with the folder of a result as DIR",
        shell_word(value)
    ))
}

/// Whether the value of an option is a file or folder.
fn takes_path(arg: &Arg) -> bool {
    let names = arg.get_value_names().unwrap_or_default();
    names.iter().any(|name| ["DIR", "FILE"].contains(&name.as_str()))
}

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

/// Each other name. Where it stands for several options of a command, the first one is meant.
pub const OTHER_NAMES: &[OtherName] = &[
    other("bs", "block-size"),
    other("iodepth", "queue-depth"),
    other("jobs", "threads"),
    other("numjobs", "threads"),
    other("runtime", "duration"),
    other("rwmixread", "read-percent"),
    other("duration", "cell-duration"),
    other("bytes", "cell-bytes"),
    other("bytes", "working-set"),
    other("bytes", "moved"),
    other("rate", "loads"),
    other("resume", "verify-after-crash"),
    other("device", "trace-device"),
    other("channel", "only"),
    other("file", "replay-on"),
    other("to", "format"),
    other("o", "report"),
    OtherName { other: "html", name: "report", value: "FILE" },
    OtherName { other: "html", name: "output", value: "DIR" },
];

/// What to do in this command without an option that other programs have, or other commands.
fn without_option(command: &Command, typed: &str) -> Option<String> {
    match typed {
        "pdf" => Some("a page is HTML: open it in a browser, which prints it as PDF".to_owned()),
        "filename" | "target" => {
            let is_target = |arg: &&Arg| ["target", "targets"].contains(&arg.get_id().as_str());
            let name = command.get_positionals().find(is_target)?.get_value_names()?.first()?;
            let called = command.get_bin_name()?;
            Some(format!("a target is named without an option: write '{called} {name}'"))
        }
        "resume" => {
            let text =
                "review, matrix and stalls go on with a result that was cut off; this command begins anew";
            Some(text.to_owned())
        }
        "verbose" | "v" | "quiet" | "silent" | "q" => {
            let all = if has(command, "json") { ": --json prints all figures" } else { "" };
            Some(format!("there is no option for more or less output{all}"))
        }
        _ => None,
    }
}

fn has(command: &Command, name: &str) -> bool {
    command.get_arguments().any(|arg| arg.get_long() == Some(name))
}

/// What an option of this name, typed with that many dashes before it, is called in this command, or what to do without it.
fn own_name(command: &Command, typed: &str, dashes: usize) -> Option<String> {
    let dashes = "-".repeat(dashes);
    let mut known = OTHER_NAMES.iter().filter(|known| known.other == typed);
    if let Some(OtherName { name, value, .. }) = known.clone().find(|known| has(command, known.name)) {
        let own = format!("--{name} {value}");
        return Some(format!("'{dashes}{typed}' is '--{name}' here: write '{}'", own.trim()));
    }
    if let Some(advice) = without_option(command, typed) {
        return Some(advice);
    }
    let elsewhere = known.next()?.name;
    let name = command.get_name();
    let root = Cli::command();
    let others: Vec<&str> =
        root.get_subcommands().filter(|one| has(one, typed)).map(Command::get_name).collect();
    if !others.is_empty() {
        return Some(format!("'{dashes}{typed}' is an option of {}: {name} has none", others.join(", ")));
    }
    Some(format!("'{dashes}{typed}' is '--{elsewhere}' in other commands: {name} has none"))
}
