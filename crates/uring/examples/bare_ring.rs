//! The yardstick of the engine: 4 KiB random reads, 32 in flight, through a ring and nothing else. No request is
//! kept, timed or recorded; what is missing to this figure is what measuring costs.
//!
//! `bare_ring DEVICE SECONDS` prints I/Os a second.

use std::fs::OpenOptions;
use std::io::{Seek as _, SeekFrom};
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use drivelab_workload::Seed;
use io_uring::{IoUring, opcode, types};

const DEPTH: u16 = 32;
const LENGTH: u32 = 4096;
const BLOCK: usize = LENGTH as usize;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, device, seconds] = &arguments[..] else { anyhow::bail!("usage: bare_ring DEVICE SECONDS") };
    let flags = libc::O_DIRECT | libc::O_NOATIME;
    let mut file = OpenOptions::new().read(true).custom_flags(flags).open(device).context("the device")?;
    let blocks = file.seek(SeekFrom::End(0))? / BLOCK as u64;
    // Never freed: an error below leaves reads in flight.
    let area = Box::leak(vec![0u8; BLOCK * (usize::from(DEPTH) + 1)].into_boxed_slice());
    let start = area.as_mut_ptr().wrapping_add(area.as_ptr().align_offset(BLOCK));
    let address = |slot: u16| start.wrapping_add(usize::from(slot) * BLOCK);
    let mut ring = IoUring::builder().setup_single_issuer().setup_defer_taskrun().build(u32::from(DEPTH))?;
    ring.submitter().register_files(&[file.as_raw_fd()])?;
    let vectors: Vec<libc::iovec> =
        (0..DEPTH).map(|slot| libc::iovec { iov_base: address(slot).cast(), iov_len: BLOCK }).collect();
    // SAFETY: the buffers stay for as long as the program.
    unsafe { ring.submitter().register_buffers(&vectors)? };
    let mut draw = Seed::new(1).draw();
    let mut entry = |slot: u16| {
        opcode::ReadFixed::new(types::Fixed(0), address(slot), LENGTH, slot)
            .offset(draw.below(blocks) * BLOCK as u64)
            .build()
            .user_data(u64::from(slot))
    };
    for slot in 0..DEPTH {
        // SAFETY: see the registration.
        unsafe { ring.submission().push(&entry(slot))? };
    }
    #[expect(clippy::disallowed_methods, reason = "a yardstick has a clock")]
    let began = Instant::now();
    let lasts = Duration::from_secs(seconds.parse()?);
    let mut done = 0u64;
    let mut in_flight = u64::from(DEPTH);
    while in_flight > 0 {
        ring.submit_and_wait(1)?;
        let over = began.elapsed() >= lasts;
        let slots: Vec<(u64, i32)> = ring
            .completion()
            .map(|entry: io_uring::cqueue::Entry| (entry.user_data(), entry.result()))
            .collect();
        for (slot, result) in slots {
            ensure!(u32::try_from(result) == Ok(LENGTH), "a read failed with {result}");
            done += 1;
            in_flight -= 1;
            if !over {
                // SAFETY: the slot's read is complete.
                unsafe { ring.submission().push(&entry(u16::try_from(slot)?))? };
                in_flight += 1;
            }
        }
    }
    println!("{:.0}", done as f64 / began.elapsed().as_secs_f64());
    Ok(())
}
