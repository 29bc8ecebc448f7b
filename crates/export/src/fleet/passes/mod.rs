//! What is summed up while the rollups are read, each time for something else.

mod first;
mod run_sums;
mod slow;

use std::sync::Arc;

use crate::rollup::RollupRow;
use drivelab_block::Op;

pub use first::{DriveSums, FirstPass, SlowLimits, VersionSums};
pub use run_sums::{RunDevice, RunDevices, RunName};
pub use slow::{HourSums, ReadTimes, SecondPass, SlowUnits, ThirdPass};

use crate::fleet::registry::{DeviceNumbers, Registry};
use crate::fleet::source::RollupPlace;

pub const OPS: usize = 4;

pub fn place_of(op: Op) -> usize {
    usize::from(op.code())
}

/// What takes rows of rollups.
pub trait Pass {
    /// A file begins, with the devices of its run.
    fn begin(&mut self, place: &RollupPlace);

    /// A row of it, and which device it is of; none where the table of drives does not know it.
    fn take(&mut self, row: &RollupRow, device: Option<DeviceNumbers>);
}

/// Finds devices by their names; rows of one device follow each other.
pub struct DeviceFinder<'a> {
    devices: &'a [(String, DeviceNumbers)],
    last: Option<(Arc<str>, Option<DeviceNumbers>)>,
}

impl<'a> DeviceFinder<'a> {
    pub fn new(registry: &'a Registry, place: &RollupPlace) -> DeviceFinder<'a> {
        DeviceFinder { devices: registry.devices_of(&place.host, &place.run), last: None }
    }

    pub fn find(&mut self, name: &Arc<str>) -> Option<DeviceNumbers> {
        if let Some((last, numbers)) = &self.last
            && (Arc::ptr_eq(last, name) || last == name)
        {
            return *numbers;
        }
        let found = self.devices.iter().find(|(device, _)| **device == **name).map(|(_, numbers)| *numbers);
        self.last = Some((Arc::clone(name), found));
        found
    }
}

/// An element of a list that grows as far as it is asked for.
pub fn grown<T: Default>(list: &mut Vec<T>, place: usize) -> &mut T {
    if place >= list.len() {
        list.resize_with(place + 1, T::default);
    }
    &mut list[place]
}
