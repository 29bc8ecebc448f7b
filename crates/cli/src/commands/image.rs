//! `drivelab image`.

use drivelab_image::{ImageError, ImageName, attach, detach, mount};

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
            let gone = detach(&ImageName::parse(&args.image))?;
            let nodes: Vec<String> = gone.iter().map(|node| node.display().to_string()).collect();
            format!("{}: detached from {}\n", args.image, nodes.join(", "))
        }
    };
    output::print(&said)
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
