//! `drivelab man`.

use clap::CommandFactory as _;
use clap_mangen::Man;

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
    clap_mangen::generate_to(command, folder).map_err(|error| Failure::not_written(folder, &error))?;
    Ok(Ending::Passed)
}
