//! One option, one meaning: a test that walks all commands.

use std::collections::BTreeMap;

use clap::{Arg, Command, CommandFactory as _};

use super::Cli;

/// An option of a command.
struct Found {
    command: String,
    arg: Arg,
}

impl Found {
    fn help(&self) -> String {
        self.arg.get_help().map(ToString::to_string).unwrap_or_default()
    }

    /// The type of its value, and what stands for it in the help.
    fn value(&self) -> String {
        let kind = format!("{:?}", self.arg.get_value_parser().type_id());
        let names: Vec<&str> =
            self.arg.get_value_names().unwrap_or_default().iter().map(|name| name.as_str()).collect();
        format!("{kind} {}", names.join(" "))
    }
}

fn walk(command: &Command, path: &str, found: &mut BTreeMap<String, Vec<Found>>) {
    for arg in command.get_arguments().filter(|arg| !arg.is_hide_set()) {
        if let Some(name) = arg.get_long() {
            found
                .entry(name.to_owned())
                .or_default()
                .push(Found { command: path.to_owned(), arg: arg.clone() });
        }
    }
    for inner in command.get_subcommands() {
        walk(inner, format!("{path} {}", inner.get_name()).trim(), found);
    }
}

#[test]
fn print() {
    let mut command = Cli::command();
    command.build();
    let mut found = BTreeMap::new();
    walk(&command, "", &mut found);
    for (name, options) in &found {
        println!("--{name}");
        let mut seen: Vec<String> = Vec::new();
        for option in options {
            let line = format!("{} | {}", option.value(), option.help());
            if !seen.contains(&line) {
                println!("    {}: {line}", option.command);
                seen.push(line);
            }
        }
    }
}
