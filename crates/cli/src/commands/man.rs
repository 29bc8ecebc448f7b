//! `drivelab man`.

use clap::CommandFactory as _;
use clap_mangen::Man;

use crate::args::{Cli, ManArgs};
use crate::exit::{Ending, Failure};

/// Prints the manual page, or writes one a command into a folder.
pub fn main(args: &ManArgs) -> Result<Ending, Failure> {
    let command = Cli::command();
    match &args.dir {
        Some(folder) => std::fs::create_dir_all(folder)
            .and_then(|()| clap_mangen::generate_to(command, folder))
            .map_err(|error| Failure::io(&folder.display().to_string(), &error))?,
        None => Man::new(command)
            .render(&mut std::io::stdout())
            .map_err(|error| Failure::io("the page cannot be printed", &error))?,
    }
    Ok(Ending::Passed)
}
