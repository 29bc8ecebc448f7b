//! `drivelab stream plan`: can a drive record some channels for some time?

use std::path::{Path, PathBuf};

use drivelab_documents::review::{ReviewRecord, is_review_folder};
use drivelab_kinds::ResultKind as _;
use drivelab_kinds::stalls::{
    RecorderAnswer, RecorderDrive, RecorderPlan, RecorderRequest, Stalls, view_of_recorder,
};
use drivelab_record::{RunFolder, is_run_folder};
use drivelab_runner::{Ending, Failure, NamedTarget, Outputs, TargetName, kind_of, open_result, usage};
use drivelab_stream::layout::HEADER_BYTES;
use drivelab_view::Page;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::args::StreamPlanArgs;
use crate::commands::folders::named_twice;
use crate::commands::review::results_of;

/// Bytes of a block of a recording, where nothing else is asked for.
const BLOCK: u64 = 1 << 20;

/// Bytes a second that no channel brings more than.
const MAX_CHANNEL_BYTES_S: f64 = 1e12;

/// The document of `stream plan`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StreamPlanDocument {
    /// Always [`StreamPlanDocument::SCHEMA`].
    pub schema: String,
    /// What is known of the recording.
    pub findings: RecorderPlan,
}

impl StreamPlanDocument {
    /// The name and version of the document.
    pub const SCHEMA: &'static str = "drivelab.stream-plan/1";
}

/// Says whether each drive can record what was asked for, and with which buffers. The exit code is 1 where that is not shown of
/// every one.
pub fn main(args: &StreamPlanArgs) -> Result<Ending, Failure> {
    let page = args.page.checked()?;
    let request = RecorderRequest {
        channels: args.channels,
        channel_bytes_s: args.rate.bytes(args.frame),
        duration_ns: args.lasting.get(),
        frame_bytes: args.frame.get(),
        cyclic: args.cyclic,
        block: (BLOCK, HEADER_BYTES as u64),
    };
    if request.channel_bytes_s > MAX_CHANNEL_BYTES_S {
        return Err(usage!("--rate: a channel brings at most 1TB/s, such as 40MB/s"));
    }
    if let Some(twice) = named_twice(&args.on) {
        return Err(usage!("--on {} is named twice: name it once", args.on[twice]));
    }
    let plans: Vec<RecorderPlan> = args.on.iter().map(|on| plan_on(request, on)).collect::<Result<_, _>>()?;
    let outputs = Outputs { page, json: args.json.is_asked, ..Outputs::default() };
    let can_all = plans.iter().all(|plan| plan.answer == RecorderAnswer::Yes);
    let ending = if can_all { Ending::Passed } else { Ending::CheckFailed };
    let shown = Page::from_view(view_of_recorder(&plans));
    let documents: Vec<StreamPlanDocument> = plans
        .into_iter()
        .map(|findings| StreamPlanDocument { schema: StreamPlanDocument::SCHEMA.to_owned(), findings })
        .collect();
    outputs.make(&shown, &documents)?;
    Ok(ending)
}

/// The plan by the result in a folder, or on a drive of which nothing was measured.
fn plan_on(request: RecorderRequest, on: &str) -> Result<RecorderPlan, Failure> {
    let in_review = in_review(Path::new(on))?;
    let folder = in_review.as_deref().unwrap_or(Path::new(on));
    if is_run_folder(folder) {
        let (_, run) = RunFolder::open(folder)?;
        if run.method != Stalls::NAME {
            return Err(usage!(
                "{on} is a result of {}, not of drivelab stalls: name one of that",
                run.method
            ));
        }
        let kept = open_result::<Stalls>(folder)?;
        let (target, drive) = (kept.run.target.as_str(), &kept.run.drive);
        let (size_bytes, is_simulated) = (drive.size_bytes, drive.simulated);
        // A drive without a serial number is confirmed by the kernel's name for it.
        let known = drive.serial.as_ref().or(drive.kernel_name.as_ref()).map(String::as_str);
        let confirmation = known.filter(|_| !kept.run.hides_serial && !is_simulated);
        let drive = RecorderDrive { target, confirmation, size_bytes, is_simulated, run: Some(&kept) };
        return Ok(RecorderPlan::judge_drive(request, drive));
    }
    if folder.is_dir() {
        return Err(usage!(
            "{on} holds no result of drivelab stalls (it has no run.json): name the folder that -o made"
        ));
    }
    let is_manifest = folder.file_name().is_some_and(|name| name == "run.json");
    if let Some(own) = folder.parent().filter(|own| is_manifest && is_run_folder(own)) {
        return Err(usage!("{on} is a file of a result: name its folder, --on {}", own.display()));
    }
    let target = NamedTarget::look_up(TargetName::parse(on)?)?;
    let geometry = target.geometry(None).ok_or_else(|| {
        usage!("{on} is not there: name a drive, or the folder of a result of drivelab stalls")
    })?;
    let is_simulated = matches!(target.name, TargetName::Simulated(_));
    let size_bytes = geometry.capacity.get();
    let confirmation = target.confirmation();
    let confirmation = confirmation.as_deref();
    Ok(RecorderPlan::judge_drive(
        request,
        RecorderDrive { target: on, confirmation, size_bytes, is_simulated, run: None },
    ))
}

/// The only result of `stalls` in a review; none where the folder is none of a review.
fn in_review(folder: &Path) -> Result<Option<PathBuf>, Failure> {
    if !is_review_folder(folder) {
        return Ok(None);
    }
    let (record, _) = ReviewRecord::read(folder).map_err(|error| usage!("{error}"))?;
    let is_of_stalls = |run: &PathBuf| kind_of(run).is_some_and(|kind| kind.name == Stalls::NAME);
    let runs = results_of(folder, &record).into_iter().map(|(_, run)| run).filter(is_of_stalls);
    let mut runs: Vec<PathBuf> = runs.collect();
    let shown = folder.display();
    match runs.len() {
        0 => Err(usage!(
            "{shown} is a review without a result of drivelab stalls: measure the drive with it first"
        )),
        1 => Ok(runs.pop()),
        _ => {
            let names: Vec<String> = runs.iter().map(|run| run.display().to_string()).collect();
            let text = format!("{shown} is a review with several results of drivelab stalls: name one of ");
            Err(Failure::Usage(text + &names.join(", ")))
        }
    }
}
