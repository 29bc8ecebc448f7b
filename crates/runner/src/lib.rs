//! Runs a test on a drive that is real or simulated: from a target's name to a running engine, and from its completions to a
//! kept run. Only this crate names the engines.

#![forbid(unsafe_code)]
#![allow(
    clippy::missing_errors_doc,
    reason = "every error is a `Failure`: a line for the user that says what is wrong and what to type instead"
)]

#[macro_use]
mod exit;
#[macro_use]
pub mod output;

mod account;
mod audit;
mod awake_processors;
mod begin;
mod cell_line;
mod cells;
mod conditions;
mod confirm;
mod dry_run;
mod failures;
mod flags;
mod free_folder;
mod heartbeat;
mod heat;
mod kept_summary;
mod kernel_watch;
mod kind_list;
mod kinds;
mod link_conditions;
mod live;
mod machine_watch;
mod manifest;
mod manifest_writer;
mod many_results;
mod marks;
mod media_watch;
pub mod missing;
mod named_target;
mod nap;
mod nvme_conditions;
mod nvme_paths;
mod options;
mod over_provisioning;
mod page;
mod parent_progress;
mod power;
mod power_states;
mod printable;
mod private;
mod progress;
mod progress_line;
mod purge;
mod quiet;
mod read_observers;
mod read_records;
mod recording;
mod request;
mod results;
mod run_kind;
mod run_test;
mod run_tests;
mod seen_health;
mod served;
mod session;
pub mod sharing;
pub mod signals;
mod silences;
mod simulated_health;
mod slow_drive;
mod stream_watch;
mod target;
mod temperature_limit;
mod tested_drive;
mod tested_engine;
#[cfg(test)]
mod tests;
mod unrecorded;
mod watch;

pub use account::Account;
pub use begin::begin_real;
use begin::begin_simulated;
pub use conditions::{machine_conditions, monotonic, started_at_unix, started_now, unix_nanos, unix_seconds};
pub use confirm::{check_safety, lasting_serials};
pub use dry_run::{dry_run, print_plans};
pub use exit::{Ending, Failure, PlannedTest};
use failures::Failures;
pub use flags::{check_flags, check_serials, check_temperature_limit};
pub use free_folder::{folder_complaint, free_room};
pub use heartbeat::Heartbeat;
pub use kept_summary::KeptSummary;
use kernel_watch::KernelWatch;
pub use kinds::{KINDS, KindEntry, Opened, kind_of, tests_with_simulated_energy};
pub use live::{CommandPath, LiveStream, LiveTrace, check_live_file};
use machine_watch::{MACHINE, MachineWatch};
pub use manifest::{ResultName, new_manifest};
pub use media_watch::counters_of;
pub use named_target::{NamedTarget, room_in};
use nap::look_every;
pub use nap::{nap, try_again};
pub use options::{MeterOptions, SafetyOptions};
pub use over_provisioning::find_over_provisioning;
pub use page::{Outputs, REREAD_MAX, Remade, check_page, open_by_kind, records_of, remake_page, report};
pub use parent_progress::ParentProgress;
pub use power::{ENERGY_FILE, check_meter, check_volts, monotonic_s};
use power::{Metering, POWER_FILE};
pub use printable::{PrintableWriter, one_line, printable};
pub use private::keep_private;
pub use progress_line::ProgressLine;
pub use purge::{PurgeReadBack, Purged, asked_of, plan_purge, purge, unlock_own};
pub use quiet::Quiet;
use read_observers::{ReadbackChecker, StreamChecker};
use recording::DeviceRecording;
pub use recording::{
    EventRecorder, OwnFiles, RecordedDrive, RecordingWatch, identities_of, names_by_number, recorded_drives,
};
pub use request::{Claimed, TestRequest};
pub use results::{Destination, Printed, open as open_result, read_findings};
pub use run_kind::{RunTest, run_consistency_tests, run_load_unshown};
pub use run_test::EndedTest;
pub use run_tests::{TestSeries, check_task_meter};
use session::{Finished, add_unsent, not_created};
pub use session::{RunSession, Start};
pub use silences::SilentWorkers;
use stream_watch::StreamWatch;
pub use target::{Real, TargetName, drive_of, geometry_of, gone, is_simulated};
pub use temperature_limit::{
    NOT_ENDED_BY_HEAT, TemperatureLimit, refuse_temperature_limit, unwatched_simulated,
};
pub use unrecorded::{HostMonitors, UnrecordedRun, UnrecordedStart};
pub use watch::Watch;
