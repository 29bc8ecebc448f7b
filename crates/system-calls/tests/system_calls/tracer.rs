//! The kernel's own tracefs: what is switched on for a tracer is switched off with it, and what a kill left goes.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use drivelab_program::Owner;
use drivelab_system_calls::tracer::{Events, Filled, PAGE_BYTES, Tracer, Watched};
use drivelab_testbed::{Loop, events_can_be_had, eventually, instances_folder, loops_can_be_made, run};

/// The instances of this program are told apart by their number alone.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// The instances of this program: other tests have theirs.
fn own() -> Vec<PathBuf> {
    let owner = Owner::this_program();
    let entries = fs::read_dir(instances_folder().expect("tracefs")).expect("tracefs").flatten();
    entries
        .filter(|entry| Owner::of_instance(&entry.file_name().to_string_lossy()) == owner)
        .map(|entry| entry.path())
        .collect()
}

fn setting(instance: &Path, name: &str) -> String {
    fs::read_to_string(instance.join(name)).expect(name).trim().to_owned()
}

fn watched(device: &Loop, events: Events) -> Watched {
    let numbers = fs::read_to_string(format!("/sys/block/{}/dev", device.name())).expect("its number");
    let (major, minor) = numbers.trim().split_once(':').expect("two numbers");
    Watched { major: major.parse().expect("a number"), minor: minor.parse().expect("a number"), events }
}

/// Pages of all processors that hold an event.
fn pages(tracer: &mut Tracer) -> usize {
    let mut page = [0; PAGE_BYTES];
    let mut found = 0;
    for processor in 0..tracer.buffers.processors() {
        while tracer.buffers.read(processor, &mut page).expect("pages") != Filled::Nothing {
            found += 1;
        }
    }
    found
}

#[test]
fn a_tracer_has_the_events_of_its_device_alone_and_leaves_nothing_switched_on() {
    if !(events_can_be_had() && loops_can_be_made()) {
        return;
    }
    let _alone = ONE_AT_A_TIME.lock().expect("no other test of this file failed");
    let device = Loop::of_zeros(8);
    let number = watched(&device, Events::Requests);
    // A process that cannot be: the kernel's largest number is 2^22.
    let abandoned = instances_folder().expect("tracefs").join("drivelab-4999999-1-0");
    fs::create_dir(&abandoned).expect("an instance");

    let mut tracer = Tracer::start(&[number], 128).expect("events");
    assert!(!abandoned.exists(), "what a killed program left");
    let [instance] = own().try_into().expect("one instance of its own");
    assert_eq!(setting(&instance, "tracing_on"), "1");
    assert_eq!(setting(&instance, "options/overwrite"), "0", "what is full drops what comes");
    assert!(setting(&instance, "trace_clock").contains("[mono]"));
    assert_eq!(setting(&instance, "events/block/block_rq_issue/enable"), "1");
    let filter = format!("dev == {}", u64::from(number.major) << 20 | u64::from(number.minor));
    assert_eq!(setting(&instance, "events/block/block_rq_issue/filter"), filter, "its own device alone");
    assert_eq!(setting(&instance, "events/block/block_bio_queue/enable"), "0", "no device has these");
    assert_eq!(tracer.formats.len(), 3);
    assert!(tracer.formats[0].contains("name: block_rq_issue"), "{}", tracer.formats[0]);

    let from = format!("if={}", device.node.display());
    let read = || run("dd", &[&from, "of=/dev/null", "bs=1M", "iflag=direct", "status=none"]);
    read();
    assert!(pages(&mut tracer) > 0);
    assert!(tracer.buffers.losses().expect("counts").iter().all(|(_, lost)| *lost == 0));
    tracer.stop().expect("switched off");
    read();
    assert_eq!(pages(&mut tracer), 0, "nothing after the stop");

    drop(tracer);
    assert!(eventually(|| own().is_empty()), "{:?}", own());
}

#[test]
fn a_buffer_that_is_full_counts_what_it_drops() {
    if !(events_can_be_had() && loops_can_be_made()) {
        return;
    }
    let _alone = ONE_AT_A_TIME.lock().expect("no other test of this file failed");
    let device = Loop::of_zeros(8);
    let mut tracer = Tracer::start(&[watched(&device, Events::Requests)], 4).expect("events");
    // 2048 requests with two events each are more than a few pages hold.
    let from = format!("if={}", device.node.display());
    run("dd", &[&from, "of=/dev/null", "bs=4k", "iflag=direct", "status=none"]);
    tracer.stop().expect("switched off");
    let lost: u64 = tracer.buffers.losses().expect("counts").iter().map(|(_, lost)| *lost).sum();
    assert!(lost > 0);
    assert!(pages(&mut tracer) > 0, "what came first is kept");
}
