//! The options that are known and not read: which change nothing here, and what to do about the others.

/// What only fio's output, or its way of starting its jobs, depends on.
const IGNORED: [&str; 32] = [
    "clat_percentiles",
    "continue_on_error",
    "cpus_allowed_policy",
    "description",
    "disable_bw_measurement",
    "disable_clat",
    "disable_lat",
    "disable_slat",
    "disk_util",
    "exitall",
    "fallocate",
    "gtod_reduce",
    "group_reporting",
    "hipri",
    "invalidate",
    "iodepth_batch_complete_max",
    "iodepth_batch_complete_min",
    "lat_percentiles",
    "log_avg_msec",
    "name",
    "new_group",
    "percentile_list",
    "per_job_logs",
    "random_generator",
    "randrepeat",
    "slat_percentiles",
    "stonewall",
    "thread",
    "unified_rw_reporting",
    "unlink",
    "write_bw_log",
    "write_lat_log",
];

/// What drivelab has another way for, or none.
const REFUSED: [(&str, &str); 22] = [
    ("bsrange", "drivelab load has one size of I/O: give bs"),
    ("bssplit", "drivelab load has one size of I/O: give bs"),
    ("blocksize_range", "drivelab load has one size of I/O: give bs"),
    ("directory", "drivelab load works on a drive or one file: give filename"),
    ("nrfiles", "drivelab load works on a drive or one file: give filename"),
    ("filesize", "give size"),
    ("fsync", "drivelab load flushes with --verify end --flush-every N"),
    ("fdatasync", "drivelab load flushes with --verify end --flush-every N"),
    ("sync", "drivelab load does not write synchronously"),
    ("verify", "take it out, and give --verify end"),
    ("do_verify", "take it out, and give --verify end"),
    ("verify_pattern", "take it out, and give --verify end"),
    ("ramp_time", "drivelab keeps every second: take it out, and look at the seconds that you want"),
    ("thinktime", "drivelab load has no pauses: give rate_iops for a rate on a schedule"),
    ("rate_min", "drivelab load does not end below a rate"),
    ("latency_target", "`drivelab offered-load` finds the load at which a latency passes a limit"),
    ("steadystate", "`drivelab consistency` and `drivelab pts` judge steady state"),
    ("read_iolog", "`drivelab replay` replays it, after `drivelab trace import`"),
    ("replay_redirect", "`drivelab replay` replays a trace, after `drivelab trace import`"),
    ("zonemode", "drivelab load does not work by zones"),
    ("random_distribution", "drivelab load draws every place with the same probability"),
    ("startdelay", "drivelab load begins at once"),
];

/// Refuses an option that is not read, with what to do, unless it changes nothing of what is measured, or only what fio prints.
pub fn check_unread(name: &str) -> Result<(), &'static str> {
    if IGNORED.contains(&name) || name.starts_with("write_") && name.ends_with("_log") {
        return Ok(());
    }
    let known = REFUSED.iter().find(|(refused, _)| *refused == name);
    Err(known.map_or(
        "this option is not taken: take it out, and look for one in `drivelab load --help`",
        |(_, why)| why,
    ))
}
