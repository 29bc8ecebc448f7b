//! `drivelab man`.

use std::io;

use clap::{Command, CommandFactory as _};
use clap_mangen::Man;

use drivelab_runner::output::OwnFile;
use drivelab_runner::{Ending, Failure, output};

use crate::args::{Cli, ManArgs};

/// Prints the manual page, or writes one a command into a folder.
pub fn main(args: &ManArgs) -> Result<Ending, Failure> {
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

/// A page of the manual.
struct ManualPage {
    /// The name of its file.
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
