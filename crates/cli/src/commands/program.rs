//! What the program says of itself: `drivelab man`, `completions` and `profiles`.

use std::fmt::Write as _;
use std::io;

use clap::{Command, CommandFactory as _};
use clap_mangen::Man;
use drivelab_block::ByteCount;
use drivelab_runner::output::OwnFile;
use drivelab_runner::{Ending, Failure, output, usage};
use drivelab_sim::{Spec, keys, shipped_profiles, shipped_toml, sizes};

use crate::args::{Cli, CompletionsArgs, ManArgs, ProfilesArgs};

/// Prints the manual page, or writes one a command into a folder.
pub fn print_manual(args: &ManArgs) -> Result<Ending, Failure> {
    let command = Cli::command();
    let Some(folder) = &args.output else {
        let mut page = Vec::new();
        Man::new(command)
            .render(&mut page)
            .map_err(|error| Failure::io("the page cannot be made", &error))?;
        return output::print(&String::from_utf8_lossy(&page));
    };
    output::make_folder(folder)?;
    let mut pages = Vec::new();
    let mut command = command.disable_help_subcommand(true);
    command.build();
    add_pages(command, &mut pages).map_err(|error| Failure::io("the page cannot be made", &error))?;
    // Nothing is written unless everything can be.
    Failure::all(
        pages.iter().filter_map(|page| output::check_place(&folder.join(&page.name), OwnFile::Manual).err()),
    )?;
    for page in pages {
        output::write_file(&folder.join(page.name), &page.text, OwnFile::Manual)?;
    }
    Ok(Ending::Passed)
}

struct ManualPage {
    name: String,
    text: Vec<u8>,
}

/// Makes the page of a command and those of the commands below it.
fn add_pages(command: Command, pages: &mut Vec<ManualPage>) -> io::Result<()> {
    for below in command.get_subcommands().filter(|below| !below.is_hide_set()) {
        add_pages(below.clone(), pages)?;
    }
    let man = Man::new(command);
    let mut text = Vec::new();
    man.render(&mut text)?;
    pages.push(ManualPage { name: man.get_filename(), text });
    Ok(())
}

pub fn print_completions(args: &CompletionsArgs) -> Result<Ending, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "drivelab", &mut script);
    output::print(&String::from_utf8_lossy(&script))
}

const WIDTH: usize = 100;

/// Lists the simulated drives and the keys that can be overridden, or prints what one is made of.
pub fn print_profiles(args: &ProfilesArgs) -> Result<Ending, Failure> {
    match &args.profile {
        Some(name) => output::print(toml_of(name)?),
        None => list(),
    }
}

/// The text that a profile of one's own begins with.
fn toml_of(name: &str) -> Result<&'static str, Failure> {
    let name = name.strip_prefix("sim:").unwrap_or(name);
    shipped_toml(name).ok_or_else(|| match Spec::parse(name) {
        Ok(_) => usage!("{name} is a profile of your own: `drivelab profiles` lists the others"),
        Err(error) => error.into(),
    })
}

fn list() -> Result<Ending, Failure> {
    let mut text = String::from(
        "Simulated drives (sim:PROFILE, sim:FILE.toml; keys as in sim:PROFILE?KEY=VALUE&KEY=VALUE)\n\n",
    );
    for name in shipped_profiles() {
        let profile = Spec::parse(name)?;
        let size = profile.user_capacity().to_string();
        let (least, most) = sizes(name);
        let sizes = format!("sizes from {} to {}", binary(least), binary(most));
        let about = format!("{}; {sizes}", profile.description());
        entry(&mut text, &format!("  {name:<12} {size:>9}  "), &about);
    }
    text += "\n  drivelab profiles PROFILE prints one as TOML, to be changed and used as sim:FILE.toml.\n";
    text += "\nKeys\n\n";
    for key in keys() {
        let range = if key.range.is_empty() { String::new() } else { format!(", {}", key.range) };
        let what = format!("{} ({}{range})", key.doc, key.unit);
        entry(&mut text, &format!("  {:<22} ", key.name), &what);
    }
    output::print(&text)
}

/// A size in the largest binary unit that it is a whole number of.
fn binary(size: ByteCount) -> String {
    let units = [("TiB", 40), ("GiB", 30), ("MiB", 20)];
    let fits = units.into_iter().find(|(_, bits)| size.get().is_multiple_of(1 << bits));
    fits.map_or_else(|| size.to_string(), |(unit, bits)| format!("{} {unit}", size.get() >> bits))
}

/// Adds a head and what is said of it, as many lines as it takes, each below the first.
fn entry(text: &mut String, head: &str, what: &str) {
    let margin = head.chars().count();
    let mut column = margin;
    text.push_str(head);
    for (number, word) in what.split_whitespace().enumerate() {
        let length = word.chars().count();
        if number > 0 && column + 1 + length > WIDTH {
            let _ = write!(text, "\n{:margin$}", "");
            column = margin;
        } else if number > 0 {
            text.push(' ');
            column += 1;
        }
        text.push_str(word);
        column += length;
    }
    text.push('\n');
}
