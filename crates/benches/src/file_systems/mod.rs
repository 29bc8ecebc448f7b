//! Work through a file system, beside bonnie++ and fio's `psync`: the same file system on the same device, made anew for each,
//! as little memory for each as makes the page cache smaller than the files, and a device as fast as a SATA drive. On one as
//! fast as memory it is what a program does between two calls that is compared, and how often it goes through a file.

mod bonnie;
mod memory;
mod mounted;
mod psync;
mod throttle;

use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context as _, Result};

use crate::loop_device::LoopDevice;
use crate::ours;
use crate::rounds::{Lane, table};
use memory::MemoryLimit;
use throttle::Throttle;

const ROUNDS: usize = 5;
/// The length of the device.
const DEVICE: u64 = 3 << 30;
/// What the large files hold together.
const MIB: u64 = 1024;
/// The most that the device reads or writes in a second, in bytes.
const DEVICE_RATE: u64 = 400_000_000;
/// What every program may have of memory, its page cache included.
const MEMORY: u64 = 512 << 20;
/// The same for random writes: so little that nearly all of them go to the device. With more of both, how many end in a page
/// that waits to be written anyway is chance, and one program's rate differs twofold from run to run.
const SLOW_DEVICE_RATE: u64 = 100_000_000;
const LITTLE_MEMORY: u64 = 128 << 20;
/// The threads beside fio.
const THREADS: u32 = 4;

/// Work of a matrix, and what its peers call it.
struct Pair {
    work: &'static str,
    peer: &'static str,
}

/// drivelab and each of its peers in turn, on a loop device over a file of the current folder's file system.
pub fn bench() -> Result<String> {
    let folder = tempfile::tempdir_in(".")?;
    let device = LoopDevice::over(&folder.path().join("image"), DEVICE)?;
    // Whatever lies beneath has every block before anybody is timed.
    device.fill()?;
    let with_room = with_room(&device)?;
    let memory = MemoryLimit::set(LITTLE_MEMORY)?;
    let _throttle = Throttle::at(device.path(), SLOW_DEVICE_RATE)?;
    let random_writes = Pair { work: "random-write", peer: "fio, psync, randwrite" };
    Ok(with_room + "\n" + &beside_fio(&device, &memory, &[random_writes])?)
}

/// Everything but random writes.
fn with_room(device: &LoopDevice) -> Result<String> {
    let memory = MemoryLimit::set(MEMORY)?;
    let _throttle = Throttle::at(device.path(), DEVICE_RATE)?;
    let pairs = [
        Pair { work: "seq-write", peer: "fio, psync, write" },
        Pair { work: "seq-read", peer: "fio, psync, read" },
        Pair { work: "random-read", peer: "fio, psync, randread" },
    ];
    Ok(beside_bonnie(device, &memory)? + "\n" + &beside_fio(device, &memory, &pairs)?)
}

fn beside_bonnie(device: &LoopDevice, memory: &MemoryLimit) -> Result<String> {
    let pairs = [
        Pair { work: "seq-write", peer: "bonnie++, block write" },
        Pair { work: "rewrite", peer: "bonnie++, rewrite" },
        Pair { work: "seq-read", peer: "bonnie++, block read" },
    ];
    let mut lanes = Lanes::new(&pairs);
    for round in 0..ROUNDS {
        let theirs = || bonnie::run(device.path(), MIB, memory);
        let ours =
            || pairs.iter().map(|pair| work(device, memory, pair.work, 1)).collect::<Result<Vec<f64>>>();
        lanes.take(round, ours, || Ok(theirs()?.to_vec()))?;
    }
    Ok(lanes.text("0.9 to 1.1"))
}

fn beside_fio(device: &LoopDevice, memory: &MemoryLimit, pairs: &[Pair]) -> Result<String> {
    let mut lanes = Lanes::new(pairs);
    for round in 0..ROUNDS {
        let each = |one: &dyn Fn(&Pair) -> Result<f64>| pairs.iter().map(one).collect::<Result<Vec<f64>>>();
        let theirs = || each(&|pair| psync::run(device.path(), pair.work, MIB, THREADS, memory));
        lanes.take(round, || each(&|pair| work(device, memory, pair.work, THREADS)), theirs)?;
    }
    Ok(lanes.text("0.95 to 1.05"))
}

/// Both contestants' figures in MB/s, a pair of works after the other.
struct Lanes {
    ours: Vec<Lane>,
    theirs: Vec<Lane>,
}

impl Lanes {
    fn new(pairs: &[Pair]) -> Lanes {
        Lanes {
            ours: pairs
                .iter()
                .map(|pair| Lane::new(&format!("drivelab matrix, {}", pair.work), None))
                .collect(),
            theirs: pairs.iter().map(|pair| Lane::new(pair.peer, None)).collect(),
        }
    }

    /// One round, in which each goes first as often as the other.
    fn take(
        &mut self,
        round: usize,
        ours: impl Fn() -> Result<Vec<f64>>,
        theirs: impl Fn() -> Result<Vec<f64>>,
    ) -> Result<()> {
        let (mine, others) = if round.is_multiple_of(2) {
            let mine = ours()?;
            (mine, theirs()?)
        } else {
            let others = theirs()?;
            (ours()?, others)
        };
        self.ours.iter_mut().zip(mine).for_each(|(lane, figure)| lane.figures.push(figure));
        self.theirs.iter_mut().zip(others).for_each(|(lane, figure)| lane.figures.push(figure));
        Ok(())
    }

    fn text(self, goal: &str) -> String {
        let mut text = String::new();
        for (ours, theirs) in self.ours.iter().zip(self.theirs) {
            text += &table(ours, &[theirs], "MB/s");
        }
        let _ = writeln!(text, "  goal: {goal}");
        text
    }
}

/// The MB/s of one cell of a matrix.
fn work(device: &LoopDevice, memory: &MemoryLimit, work: &str, threads: u32) -> Result<f64> {
    let target = device.path().display().to_string();
    let serial = format!("--serial={}", name(device.path())?);
    let (threads, bytes) = (threads.to_string(), format!("{MIB}MiB"));
    let mut command = memory.command(ours::program().get_program());
    command.args(["matrix", &target, &serial, "--destroy-data", "--fs", "ext4", "--caching", "buffered"]);
    command.args(["--work", work, "--threads", &threads, "--working-set", &bytes, "--fs-size", "3GiB"]);
    command.args(["--block-size", "64KiB", "--runs", "1", "--cell-duration", "3s", "--json"]);
    let document = ours::document(&mut command)?;
    let run = &document["findings"]["cells"][0]["runs"][0];
    let (bytes, elapsed_ns) = (run["bytes"].as_f64(), run["elapsed_ns"].as_f64());
    Ok(bytes.context("no bytes")? / elapsed_ns.context("no time")? * 1e3)
}

fn name(device: &Path) -> Result<String> {
    Ok(device.file_name().context("a device")?.to_string_lossy().into_owned())
}
