//! How fast the simulator is: sequential fill, then random 4 KiB writes in steady state, through the engine.
//!
//! `cargo run --release -p drivelab-sim --example speed -- [SPEC] [MILLIONS OF WRITES]`

use rustix::time::{ClockId, clock_gettime};

use drivelab_block::{
    Batch, ByteCount, Engine, Extent, Instant, Limits, Op, OpSet, PhaseId, QueueId, Request, Sector,
    SectorCount,
};
use drivelab_sim::{SimDrive, Spec};

const DEPTH: u32 = 32;
/// 256 GiB of raw flash at 7 %.
const BAR: &str = "sm2246en?size=256901976064&over_provisioning=7%&collect=interleaved";

fn request(op: Op, start: u64, sectors: u32) -> Request {
    Request {
        intended_at: Instant::ORIGIN,
        extent: Extent { start: Sector::new(start), length: SectorCount::new(sectors) },
        op,
        phase: PhaseId(0),
        queue: QueueId(0),
    }
}

/// Seconds of processor time so far: on a shared machine the time of day says little.
fn processor_seconds() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// A closed loop of `count` writes; returns the processor seconds it took.
fn run(drive: &mut SimDrive, count: u64, mut next: impl FnMut() -> (u64, u32)) -> f64 {
    let started = processor_seconds();
    let mut batch = Batch::with_capacity(DEPTH as usize);
    let (mut submitted, mut completed) = (0, 0);
    while completed < count {
        while submitted < count && submitted - completed < u64::from(DEPTH) {
            let (start, sectors) = next();
            drive.submit(request(Op::Write, start, sectors)).expect("the depth was prepared");
            submitted += 1;
        }
        batch.clear();
        drive.reap(Instant::NEVER, &mut batch).expect("requests are in flight");
        completed += batch.as_slice().len() as u64;
    }
    processor_seconds() - started
}

/// Bytes of memory that the process holds.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    status.split_whitespace().nth(1).and_then(|pages| pages.parse::<u64>().ok()).unwrap_or(0) * 4096
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let spec = arguments.next().unwrap_or_else(|| BAR.to_owned());
    let millions: u64 = arguments.next().map_or(Ok(60), |text| text.parse())?;
    let profile = Spec::parse(&spec)?;
    let mut drive = SimDrive::new(&profile, 1);
    let max_transfer = ByteCount::new(128 << 10);
    drive.prepare(Limits { queue_depth: DEPTH, max_transfer, ops: OpSet::EMPTY.with(Op::Write) })?;
    let sectors = profile.user_capacity().whole_sectors();

    let mut position = 0;
    let fill = run(&mut drive, sectors / 256, || {
        position += 256;
        (position - 256, 256)
    });
    println!("sequential fill of {}: {fill:.2} s", profile.user_capacity());

    let units = sectors / 8;
    let mut state = 7u64;
    let mut random = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (((u128::from(state) * u128::from(units)) >> 64) as u64 * 8, 8)
    };
    // Until every block was written over: steady state.
    run(&mut drive, units / 2, &mut random);
    let before = drive.ground_truth().lifetime;
    let virtual_start = drive.now();
    let count = millions * 1_000_000;
    let seconds = run(&mut drive, count, &mut random);
    let truth = drive.ground_truth();
    let virtual_seconds = drive.now().since(virtual_start).as_secs_f64();
    let amplification = truth.lifetime.since(&before).write_amplification();
    println!(
        "steady state: {:.2} M host writes/s, {:.1} M flash writes/s, write amplification {amplification:.3}, alpha {:.4}",
        count as f64 / seconds / 1e6,
        count as f64 * amplification / seconds / 1e6,
        profile.alpha(profile.user_capacity()),
    );
    println!("virtual: {:.0} IOPS over {virtual_seconds:.0} s", count as f64 / virtual_seconds);
    let raw = profile.raw_capacity().get() as f64;
    println!(
        "memory: {:.0} MB, {:.2} GB a TB of raw flash",
        resident() as f64 / 1e6,
        resident() as f64 * 1e3 / raw
    );
    Ok(())
}
