//! How long machines took to boot, and what their drives did meanwhile.

mod findings;
mod io;
mod report;
mod view;

pub use findings::{
    BootComparison, BootFindings, BootPeak, BootProcessorUse, BootSeconds, BootedDrive, BootedTarget,
    OneBoot, ProgramFindings, UnitFindings,
};
pub use io::BootIo;
pub use report::{BootPage, BootReport, which_booted};
pub use view::view;
