//! `drivelab image`.

use std::path::PathBuf;

use drivelab_image::{Detached, ImageError, ImageName, attach, detach, mount};

use super::output;
use crate::args::{ImageArgs, ImageCommand};
use crate::exit::{Ending, Failure};

/// Attaches, mounts or detaches an image, and says what was done.
pub fn main(args: &ImageArgs) -> Result<Ending, Failure> {
    let said = match &args.command {
        ImageCommand::Attach(args) => {
            format!("{}: attached as {}\n", args.image, attach(&ImageName::parse(&args.image))?.display())
        }
        ImageCommand::Mount(args) => {
            if !args.folder.is_dir() {
                let folder = args.folder.display();
                return Err(Failure::Usage(format!("{folder} is no folder: make it first, or name another")));
            }
            let node = mount(&ImageName::parse(&args.image), &args.folder)?;
            format!("{}: attached as {}, mounted on {}\n", args.image, node.display(), args.folder.display())
        }
        ImageCommand::Detach(args) => {
            let Detached { gone, going } = detach(&ImageName::parse(&args.image))?;
            let line = |what: &str, nodes: &[PathBuf]| match nodes {
                [] => String::new(),
                nodes => format!("{}: {what} {}\n", args.image, named(nodes)),
            };
            line("detached from", &gone) + &line("to be detached by the end of who has it open:", &going)
        }
    };
    output::print(&said)
}

fn named(nodes: &[PathBuf]) -> String {
    nodes.iter().map(|node| node.display().to_string()).collect::<Vec<_>>().join(", ")
}

impl From<ImageError> for Failure {
    fn from(error: ImageError) -> Failure {
        match error {
            ImageError::NotAFile(_)
            | ImageError::Empty(_)
            | ImageError::NoNumber { .. }
            | ImageError::NoTable(_)
            | ImageError::NoPartition { .. }
            | ImageError::NotAttached(_) => Failure::Usage(error.to_string()),
            ImageError::Attached { .. } => Failure::Refused(error.to_string()),
            ImageError::Io { .. } | ImageError::Damaged { .. } | ImageError::Program(_) => {
                Failure::Environment(error.to_string())
            }
        }
    }
}
