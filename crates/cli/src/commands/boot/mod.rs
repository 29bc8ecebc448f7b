//! `drivelab boot`: how long a machine takes to boot, and what its drive does meanwhile.

mod enable;
mod keep;
mod kept;
mod root_drive;
mod show;
mod systemctl;
mod trusted;
mod watch;

use drivelab_runner::{Ending, Failure, keep_private};

use crate::args::{BootArgs, BootCommand};

/// Does what was asked with boots. They name programs and when these ran, so all files are their owner's alone.
pub fn main(args: &BootArgs) -> Result<Ending, Failure> {
    match &args.command {
        BootCommand::Enable(args) => enable::enable(args),
        BootCommand::Disable(args) => enable::disable(args),
        BootCommand::Show(args) => show::main(args),
        BootCommand::Keep(args) => {
            keep_private();
            keep::main(&args.output)
        }
    }
}
