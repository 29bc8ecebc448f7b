//! Reads the machine that the tests run on, whatever it is: nothing may fail, and what is told makes sense.

use std::path::Path;
use std::time::Duration;

use drivelab_probe::{Roots, device_conditions, environment, health, judge};

#[test]
fn this_machine_tells_what_it_is() {
    let seen = environment(&Roots::live());
    println!("{seen:#?}");
    assert!(seen.kernel_release.is_some());
    assert!(seen.cpus_online.is_some_and(|count| count > 0));
    assert!(seen.memory.is_some_and(|memory| memory.get() > 1 << 20));
}

#[test]
fn every_block_device_shows_its_conditions() {
    let Ok(names) = std::fs::read_dir("/sys/block") else {
        return drivelab_testbed::skipped("there is no /sys/block");
    };
    for name in names.filter_map(|name| name.ok()?.file_name().into_string().ok()) {
        let conditions = device_conditions(&Roots::live(), &name);
        assert!(conditions.iter().any(|condition| condition.name == "logical block (bytes)"), "{name}");
        assert!(conditions.iter().all(|condition| !condition.value.contains('[')), "{name}");
    }
}

#[test]
fn a_path_that_is_no_drive_has_no_health_and_is_no_error() {
    let answer = health(Path::new("/dev/null"), Duration::from_secs(30));
    println!("{answer:?}");
    let _ = judge(&answer);
}
