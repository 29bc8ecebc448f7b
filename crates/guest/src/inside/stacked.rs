//! Drives that the kernel makes of others: the device mapper's delay, error and flakey, a RAID array, and drives of the
//! hypervisor (virtio).

use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

use crate::Test;
use crate::bad_sectors::check_failed;
use crate::mapped::{Mapped, SECTORS};
use crate::program::{Ended, device_of, drivelab, run, succeeds};

/// The tests, in order.
pub const TESTS: &[Test] = &[
    ("a_virtio_drive_is_known_by_its_serial", a_virtio_drive_is_known_by_its_serial),
    ("a_delay_of_the_drive_is_found", a_delay_of_the_drive_is_found),
    ("requests_over_the_border_of_two_parts_are_done", requests_over_the_border_of_two_parts_are_done),
    ("sectors_that_fail_are_named", sectors_that_fail_are_named),
    ("a_drive_that_loses_writes_is_found_out", a_drive_that_loses_writes_is_found_out),
    ("a_drive_that_fails_everything_ends_the_run", a_drive_that_fails_everything_ends_the_run),
    (
        "members_of_an_array_are_refused_and_the_array_is_not",
        members_of_an_array_are_refused_and_the_array_is_not,
    ),
];

/// How long a write to the slow drive takes at least.
const DELAY_MS: u64 = 80;

fn a_virtio_drive_is_known_by_its_serial() -> Result<()> {
    let drive = device_of("virt-a")?;
    let refused = drivelab(&format!("load {drive} --rw write --bytes 1MiB --serial virt-b --destroy-data"))?;
    ensure!(refused.code == Some(4), "{refused:?}");
    let words = format!(
        "consistency {drive} --serial virt-a --destroy-data --duration 3s --range 0%-25% -o /tmp/virtio"
    );
    let found = succeeds(&words)?;
    ensure!(found["run"]["drive"]["serial"] == "virt-a", "{}", found["run"]["drive"]);
    Ok(())
}

fn a_delay_of_the_drive_is_found() -> Result<()> {
    let below = device_of("alpha")?;
    // Reads pass at once.
    let slow = Mapped::new("slow", "delay", &below, &format!("0 {below} 0 {DELAY_MS}"))?;
    let refused = drivelab(&format!("load {below} --rw write --bytes 1MiB --serial alpha --destroy-data"))?;
    ensure!(refused.code == Some(4), "the drive below was taken: {refused:?}");
    let service = |target: &str, rw: &str| -> Result<u64> {
        let words = format!("load {target} --rw {rw} --queue-depth 1 --duration 3s");
        let found = succeeds(&words)?;
        let median = found.pointer("/findings/ios/summary/service_ns/p50").and_then(Value::as_u64);
        median.with_context(|| format!("no median: {}", found["findings"]))
    };
    let (written, read) = (service(&slow.confirmed(), "randwrite")?, service(&slow.node, "randread")?);
    ensure!(written >= DELAY_MS * 1_000_000, "a write took {written} ns");
    ensure!(read < written, "a read took {read} ns, a write {written} ns");
    Ok(())
}

/// The device mapper splits such a request, and answers that it would have to wait if it was sent so that it must not.
fn requests_over_the_border_of_two_parts_are_done() -> Result<()> {
    let below = device_of("alpha")?;
    let parts = |border: u64| {
        format!("0 {border} linear {below} 0\n{border} {} linear {below} {border}\n", SECTORS - border)
    };
    // In the middle of a request, whatever its size.
    let two = Mapped::by_table("two", &parts(65_537))?;
    let written = two.confirmed();
    let loads = [
        format!("load {} --rw read --block-size 1MiB --queue-depth 4 --duration 3s", two.node),
        format!("load {written} --rw write --block-size 1MiB --queue-depth 4 --bytes 128MiB"),
        format!("load {written} --rw write --block-size 1MiB --queue-depth 4 --rate 400/s --duration 3s"),
        format!("load {written} --rw randrw --block-size 64KiB --queue-depth 32 --threads 2 --duration 3s"),
        format!(
            "load {written} --rw randwrite --block-size 1MiB --queue-depth 8 --range 16MiB-56MiB --bytes 256MiB --verify end"
        ),
        format!("consistency {written} --duration 4s --precondition none"),
        format!("stalls {written} --block-size 1MiB --queue-depth 4 --duration 4s"),
    ];
    let mut again = Vec::new();
    for words in loads {
        let found = succeeds(&words)?;
        ensure!(found["run"]["outcome"]["failed"] == 0, "{words}: {}", found["run"]["notices"]);
        let conditions = found["run"]["conditions"].as_array().cloned().unwrap_or_default();
        again.extend(conditions.into_iter().find(|line| line["name"] == "sent again"));
    }
    println!("{again:?}");
    ensure!(!again.is_empty(), "the device mapper has let every request over the border pass at once");
    record_frames_over_the_border(&two)
}

/// The recorder of streams writes with several in flight, and reads all of it back.
fn record_frames_over_the_border(two: &Mapped) -> Result<()> {
    let (node, written) = (&two.node, two.confirmed());
    let channel = "cam=synthetic,size=200kB,rate=100/s";
    succeeds(&format!("stream record {written} --channel {channel} --duration 8s"))?;
    let checked = drivelab(&format!("stream check {node} --json"))?;
    ensure!(checked.code == Some(0), "{checked:?}");
    Ok(())
}

fn sectors_that_fail_are_named() -> Result<()> {
    let below = device_of("alpha")?;
    let kept = |from: u64, until: u64| format!("{from} {} linear {below} {from}\n", until - from);
    let [first, second] = [4_096, 77_777];
    let stretches = [
        kept(0, first),
        format!("{first} 1 error\n"),
        kept(first + 1, second),
        format!("{second} 1 error\n"),
        kept(second + 1, SECTORS),
    ];
    let holed = Mapped::by_table("holed", &stretches.concat())?;
    let words = format!("load {} --rw read --block-size 64KiB --bytes 64MiB --queue-depth 1", holed.node);
    let found = drivelab(&format!("{words} --json"))?;
    ensure!(found.code == Some(1), "{found:?}");
    check_failed(&found.document()?, ("read", &[4_096, 77_696]))
}

fn a_drive_that_loses_writes_is_found_out() -> Result<()> {
    let below = device_of("alpha")?;
    // Eight seconds in which it keeps what is written, and two in which it says so and does not.
    let lying = Mapped::new("lying", "flakey", &below, "8 2 1 drop_writes")?;
    let words =
        format!("stalls {} --block-size 64KiB --rate 2MB/s --duration 15s -o /tmp/lying", lying.confirmed());
    let ended = drivelab(&words)?;
    println!("{}", ended.output.lines().take(4).collect::<Vec<_>>().join(" | "));
    ensure!(ended.code == Some(1), "{ended:?}");
    ensure!(ended.output.contains("not as"), "the lost writes are not told: {ended:?}");
    Ok(())
}

fn a_drive_that_fails_everything_ends_the_run() -> Result<()> {
    let below = device_of("alpha")?;
    let failing = Mapped::new("failing", "flakey", &below, "20 3600")?;
    let began = Instant::now();
    let words =
        format!("consistency {} --duration 600s --precondition none -o /tmp/failing", failing.confirmed());
    let ended = drivelab(&words)?;
    println!("{} s: {}", began.elapsed().as_secs(), ended.complaint.lines().last().unwrap_or_default());
    ensure!(ended.code == Some(1), "{ended:?}");
    ensure!(began.elapsed() < Duration::from_secs(120), "it went on for {} s", began.elapsed().as_secs());
    ensure!(drivelab("report /tmp/failing")?.code == Some(1), "the result is not that of a failed run");
    Ok(())
}

fn members_of_an_array_are_refused_and_the_array_is_not() -> Result<()> {
    let members = [device_of("virt-a")?, device_of("virt-b")?];
    run("modprobe raid1")?;
    let [first, second] = &members;
    run(&format!(
        "mdadm --create /dev/md0 --run --level=1 --raid-devices=2 --assume-clean --metadata=1.2 {first} {second}"
    ))?;
    thread::sleep(Duration::from_secs(1));
    let refused: Vec<Ended> = members
        .iter()
        .zip(["virt-a", "virt-b"])
        .map(|(drive, serial)| {
            drivelab(&format!("load {drive} --rw write --bytes 1MiB --serial {serial} --destroy-data"))
        })
        .collect::<Result<_>>()?;
    ensure!(refused.iter().all(|ended| ended.code == Some(4)), "{refused:?}");
    ensure!(refused.iter().all(|ended| ended.complaint.contains("md0")), "{refused:?}");
    let found = succeeds("load /dev/md0 --rw randwrite --duration 3s --serial md0 --destroy-data")?;
    println!("{}", found["run"]["drive"]);
    run("mdadm --stop /dev/md0")?;
    Ok(())
}
