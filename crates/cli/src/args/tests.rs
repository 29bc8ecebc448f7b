//! One option, one meaning: a test that walks all commands.

use std::collections::BTreeMap;

use clap::{Arg, Command, CommandFactory as _};
use drivelab_runner::{KINDS, tests_with_simulated_energy};

use super::Cli;
use super::advice::{OTHER_NAMES, OtherName};

#[test]
fn the_help_names_every_test_with_the_account_of_a_simulated_drive() {
    let named: Vec<&str> =
        KINDS.iter().filter(|kind| kind.shows_simulated_energy).map(|kind| kind.name).collect();
    assert!(["wake", "working-set", "offered-load"].iter().all(|name| named.contains(name)), "{named:?}");
    let help = options()["meter"][0].help();
    assert!(help.ends_with(&format!("account, with {})", tests_with_simulated_energy())), "{help}");
}

/// What an option means that several commands describe in their own words: how each description begins.
const MEANINGS: &[(&str, &str)] = &[
    ("block-size", "Bytes of one"),
    ("bytes", "Stop after this many bytes"),
    ("cell-duration", "How long each cell lasts"),
    ("duration", "Stop after this"),
    ("format", "The format of the file"),
    ("fs", "The file system"),
    ("hide-serial", "Leave serial numbers out of"),
    ("host", "The machine that"),
    ("label", "What the result is called"),
    ("output", "Keep"),
    ("precondition", "What is written before"),
    ("purge", "How the drive is purged"),
    ("queue-depth", "I/Os in flight"),
    ("rate", "Open loop: "),
    ("rated-tbw", "The endurance that"),
    ("report", "Write the page to this file"),
    ("rests", "Rest so long"),
    ("resume", "Go on with the"),
    ("runs", "Repetitions"),
    ("threads", "Threads"),
];

/// Options that take a single value in one command and a list of such values in another.
const LISTS: &[&str] = &["threads"];

/// Other names of options that are options of other commands, where they mean something else.
const OF_OTHERS: &[&str] = &["bytes", "channel", "device", "duration", "rate", "resume", "to"];

/// An option of a command.
struct FoundOption {
    command: String,
    arg: Arg,
}

impl FoundOption {
    fn help(&self) -> String {
        self.arg.get_help().map(ToString::to_string).unwrap_or_default()
    }

    fn value_type(&self) -> String {
        format!("{:?}", self.arg.get_value_parser().type_id())
    }

    /// What stands for the value in the help; a list is called as one of its values.
    fn value_name(&self) -> String {
        let names = self.arg.get_value_names().unwrap_or_default();
        let names: Vec<&str> = names.iter().map(|name| name.trim_end_matches(",...")).collect();
        names.join(" ")
    }
}

/// All options of all commands, by their names; what every program has (`--help`, `--version`) is left out.
fn options() -> BTreeMap<String, Vec<FoundOption>> {
    fn walk(command: &Command, path: &str, found: &mut BTreeMap<String, Vec<FoundOption>>) {
        for arg in command.get_arguments() {
            let Some(name) = arg.get_long().filter(|name| !["help", "version"].contains(name)) else {
                continue;
            };
            let option = FoundOption { command: path.to_owned(), arg: arg.clone() };
            found.entry(name.to_owned()).or_default().push(option);
        }
        for inner in command.get_subcommands().filter(|inner| inner.get_name() != "help") {
            walk(inner, format!("{path} {}", inner.get_name()).trim(), found);
        }
    }
    let mut command = Cli::command();
    command.build();
    let mut found = BTreeMap::new();
    walk(&command, "", &mut found);
    found
}

fn meaning(name: &str) -> Option<&'static str> {
    MEANINGS.iter().find(|(known, _)| *known == name).map(|(_, begins)| *begins)
}

/// What is wrong with an option that several commands have.
fn faults(name: &str, options: &[FoundOption]) -> Vec<String> {
    let first = &options[0];
    let mut faults = Vec::new();
    for option in options {
        let both = format!("--{name} of `{}` and `{}`", first.command, option.command);
        if option.value_type() != first.value_type() && !LISTS.contains(&name) {
            faults.push(format!("{both}: {} and {}", first.value_type(), option.value_type()));
        }
        if option.value_name() != first.value_name() {
            faults.push(format!("{both}: {} and {}", first.value_name(), option.value_name()));
        }
        let is_meant = match meaning(name) {
            Some(begins) => option.help().starts_with(begins),
            None => option.help() == first.help(),
        };
        if !is_meant {
            faults.push(format!("{both}: {:?} and {:?}", first.help(), option.help()));
        }
    }
    faults
}

#[test]
fn an_option_means_one_thing_in_all_commands() {
    let options = options();
    let faults: Vec<String> = options.iter().flat_map(|(name, options)| faults(name, options)).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    let gone = MEANINGS.iter().filter(|(name, _)| !options.contains_key(*name)).collect::<Vec<_>>();
    assert!(gone.is_empty(), "no command has {gone:?} any more");
}

#[test]
fn a_meaning_has_one_name() {
    let options = options();
    let mut faults = Vec::new();
    for OtherName { other, name, .. } in OTHER_NAMES {
        let commands = |name: &str| options.get(name).into_iter().flatten().map(|option| &option.command);
        if commands(name).next().is_none() {
            faults.push(format!("no command has --{name}, which is to stand for --{other}"));
        }
        let is_used =
            |other_of: &String| !OF_OTHERS.contains(other) || commands(name).any(|own| own == other_of);
        faults.extend(
            commands(other)
                .filter(|command| is_used(command))
                .map(|command| format!("--{other} of `{command}`: this is called --{name}")),
        );
    }
    let mut helps: BTreeMap<String, &str> = BTreeMap::new();
    for (name, found) in options.iter().flat_map(|(name, found)| found.iter().map(move |one| (name, one))) {
        if let Some(other) = helps.insert(found.help(), name).filter(|other| other != name) {
            faults.push(format!("--{name} and --{other} are both {:?}", found.help()));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn every_option_is_described() {
    let silent = |(name, found): (&String, &Vec<FoundOption>)| {
        found.iter().any(|option| option.help().is_empty() && !option.arg.is_hide_set()).then(|| name.clone())
    };
    let silent: Vec<String> = options().iter().filter_map(silent).collect();
    assert!(silent.is_empty(), "{silent:?}");
}
