//! Keeping a boot that the kernel has traced from its first moment. There is no systemd here: a script answers in its place.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

use crate::Test;
use crate::program::{device_of, ended, run, succeeds};

/// The tests of a boot that fits into the buffer, in order.
pub const TESTS: &[Test] =
    &[("a_boot_is_kept_whole_and_tracing_ends", a_boot_is_kept_whole_and_tracing_ends)];
/// The tests of one that does not.
pub const OVERFLOW_TESTS: &[Test] =
    &[("a_full_buffer_keeps_what_came_first", a_full_buffer_keeps_what_came_first)];

const BOOTS: &str = "/tmp/boots";

/// systemctl: the boot is over once there is a file with the time of its end.
const SYSTEMCTL: &str = "#!/bin/sh
case \"$*\" in
is-system-running*) while [ ! -s /tmp/finish ]; do sleep 0.1; done ;;
*default.target*) echo Id=multi-user.target; echo ActiveEnterTimestampMonotonic=$(cat /tmp/finish) ;;
*Firmware*) echo UserspaceTimestampMonotonic=2000000
  [ -s /tmp/finish ] && echo FinishTimestampMonotonic=$(cat /tmp/finish) ;;
*)
  printf 'Id=one.service\\nIOReadBytes=4096\\n'
  printf 'InactiveExitTimestampMonotonic=2100000\\nActiveEnterTimestampMonotonic=2600000\\n' ;;
esac
exit 0
";

fn a_boot_is_kept_whole_and_tracing_ends() -> Result<()> {
    let drive = device_of("alpha")?;
    let keeper = begin_keeping()?;
    run(&format!("/busybox/dd if={drive} of=/dev/null bs=64k count=128 iflag=direct"))?;
    let boot = end_boot(keeper)?;
    let one = &boot["findings"]["boots"][0];
    let read = one["read_bytes"].as_u64().context("bytes that were read")?;
    ensure!(read >= 8 << 20, "8 MiB were read, {read} are known: {one}");
    let dd = one["programs"].as_array().context("programs")?.iter().find(|program| program["name"] == "dd");
    let own = dd.and_then(|dd| dd["read_bytes"].as_u64());
    ensure!(own == Some(8 << 20), "dd read 8 MiB: {dd:?}");
    ensure!(
        one["notices"].as_array().is_some_and(|notices| notices.len() == 1),
        "root is on no drive: {one}"
    );
    ensure!(one["seconds"]["kernel"] == 2.0 && one["units"][0]["took_s"] == 0.5, "the times: {one}");
    // What the kernel traced before any program ran: the drives' partition tables are read by its threads.
    let early = one["programs"].as_array().context("programs")?.iter().any(|program| {
        program["name"].as_str().is_some_and(|name| name.starts_with("kworker"))
            && program["requests"].as_u64() > Some(0)
    });
    ensure!(early, "nothing is known of the time before the first program: {one}");
    let setting = |name: &str| fs::read_to_string(format!("/sys/kernel/tracing/{name}"));
    ensure!(setting("events/block/enable")?.trim() == "0", "the events are still on");
    let left = setting("per_cpu/cpu0/buffer_size_kb")?;
    ensure!(left.trim().parse::<u64>().is_ok_and(|kib| kib < 2048), "the buffer was not given back: {left}");
    Ok(())
}

fn a_full_buffer_keeps_what_came_first() -> Result<()> {
    let drive = device_of("alpha")?;
    let keeper = begin_keeping()?;
    run(&format!("/busybox/dd if={drive} of=/dev/null bs=4k count=64 iflag=direct"))?;
    run(&format!("/busybox/dd if={drive} of=/dev/null bs=512 count=8000 iflag=direct"))?;
    let boot = end_boot(keeper)?;
    let one = &boot["findings"]["boots"][0];
    let notices = one["notices"].to_string();
    ensure!(notices.contains("--buffer"), "the reader is not told: {notices}");
    let reads = one["requests"].as_u64().context("requests")?;
    ensure!((64..8000).contains(&reads), "{reads} of 8,064 are known");
    let dd = one["programs"].as_array().context("programs")?.iter().find(|program| program["name"] == "dd");
    let own = dd.and_then(|dd| dd["read_bytes"].as_u64());
    ensure!(own > Some(64 * 4096), "what came first is missing: {dd:?}");
    Ok(())
}

/// Starts the unit's program, as systemd does early in a boot.
fn begin_keeping() -> Result<Child> {
    let script = "/bin/systemctl";
    fs::write(script, SYSTEMCTL)?;
    fs::set_permissions(script, fs::Permissions::from_mode(0o755))?;
    let mut command = Command::new("/bin/drivelab");
    command.args(["boot", "keep", "--output", BOOTS]);
    let keeper = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    sleep(Duration::from_secs(1));
    Ok(keeper)
}

/// Ends the boot; what is shown of it.
fn end_boot(keeper: Child) -> Result<Value> {
    // The kernel tells its uptime in hundredths of a second, rounded down: what was read last is before that.
    sleep(Duration::from_millis(50));
    let uptime = fs::read_to_string("/proc/uptime")?;
    let seconds: f64 = uptime.split(' ').next().context("an uptime")?.parse()?;
    fs::write("/tmp/finish", format!("{:.0}\n", seconds * 1e6))?;
    let kept = ended(&keeper.wait_with_output()?);
    ensure!(kept.code == Some(0), "{kept:?}");
    let folders: Vec<PathBuf> = fs::read_dir(BOOTS)?.flatten().map(|entry| entry.path()).collect();
    ensure!(folders.len() == 1, "one boot leaves one folder: {folders:?}");
    succeeds(&format!("boot show {BOOTS}"))
}
