//! What is said of rates that a simulated drive has because it is hot.

use crate::common::{drivelab, folder, text};

/// The summary of a test, on one line.
fn words(asked: &[&str]) -> String {
    let folder = folder();
    let kept = folder.path().join("kept");
    let shown = drivelab(&[asked, &["-o", text(&kept)]].concat()).with_code(0).stdout;
    shown.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The first two parts are read before the drive is hot; a cooler twin is as fast over all of it.
#[test]
fn a_fall_by_heat_is_none_of_the_working_set() {
    let read = |drive| words(&["working-set", drive, "--block-size", "128KiB", "--cell-duration", "20s"]);
    let hot = read("sim:tlc-nvme?size=32GiB&ambient=51C");
    assert!(hot.contains("Not shown: Random reads run at 53,407 IOPS over 512 MiB"), "{hot}");
    assert!(hot.contains("the drive throttled while it read 8 GiB and 32 GiB"), "{hot}");
    // The phases have names of their own, by which the drive's warnings name them.
    assert!(hot.contains("of the phase \"reads of 8 GiB\""), "{hot}");
    let cool = read("sim:tlc-nvme?size=32GiB");
    assert!(cool.contains("No fall: Random reads run at 53,407 IOPS over 512 MiB"), "{cool}");
}

#[test]
fn a_cliff_by_heat_is_none_of_the_flash() {
    let hot = "sim:tlc-nvme?size=8GiB&ambient=64C&thermal_throttle=98%";
    let write = |drive| words(&["consistency", drive, "--precondition", "one-pass", "--duration", "600s"]);
    let hot = write(hot);
    assert!(hot.contains("Throttled: Random writes run at"), "{hot}");
    assert!(hot.contains("with the drive throttled for 94 % of the run"), "{hot}");
    assert!(hot.contains("is where the drive began to throttle"), "{hot}");
    assert!(!hot.contains("over-provisioning than the pass began from"), "{hot}");
    let cool = write("sim:tlc-nvme?size=8GiB");
    assert!(cool.contains("Consistent:") && !cool.contains("throttle"), "{cool}");
}

#[test]
fn a_load_that_a_hot_drive_does_not_take_says_nothing_of_the_machine() {
    let drive = "sim:tlc-nvme?size=8GiB&ambient=60C&thermal_throttle=95%";
    let hot = words(&["offered-load", drive, "--block-size", "128KiB", "--limit", "500us"]);
    assert!(
        hot.contains("are not shown to last: overloaded and throttled, the drive answered 2,670"),
        "{hot}"
    );
    assert!(hot.contains("the drive throttled, and a cooler one may answer more"), "{hot}");
    assert!(!hot.contains("on this machine"), "{hot}");
}
