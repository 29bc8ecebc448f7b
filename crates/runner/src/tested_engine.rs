//! The engines that a test can run on: that of real drives, and the simulated drive.

use drivelab_block::Engine;
use drivelab_sim::SimDrive;
use drivelab_uring::UringEngine;

/// An engine that a test can run on. A simulated drive tells of itself what a real one is watched for from outside.
pub trait TestedEngine: Engine + Send + Sized + 'static {
    /// Whether the kernel logs why I/Os fail: not those of a simulated drive.
    const HAS_KERNEL_LOG: bool = true;

    /// The simulated drive that it is; none of a real one.
    fn simulated(&self) -> Option<&SimDrive> {
        None
    }

    /// The same, to ask it for what only it knows.
    fn simulated_mut(&mut self) -> Option<&mut SimDrive> {
        None
    }
}

impl TestedEngine for UringEngine {}

impl TestedEngine for SimDrive {
    const HAS_KERNEL_LOG: bool = false;

    fn simulated(&self) -> Option<&SimDrive> {
        Some(self)
    }

    fn simulated_mut(&mut self) -> Option<&mut SimDrive> {
        Some(self)
    }
}
