//! What an option is called by other programs, or by other commands of this one, and what to do where there is no such option.

use clap::{Arg, Command, CommandFactory as _};

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

/// The names of the commands that have an option of this name.
fn commands_with(option: &str) -> Vec<String> {
    let root = Cli::command();
    root.get_subcommands().filter(|one| has(one, option)).map(|one| one.get_name().to_owned()).collect()
}

/// What an option of this name, typed with that many dashes before it, is called in this command, or what to do without it.
pub fn own_name(command: &Command, typed: &str, dashes: usize) -> Option<String> {
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
    let others = commands_with(typed);
    if !others.is_empty() {
        return Some(format!("'{dashes}{typed}' is an option of {}: {name} has none", others.join(", ")));
    }
    Some(format!("'{dashes}{typed}' is '--{elsewhere}' in other commands: {name} has none"))
}
