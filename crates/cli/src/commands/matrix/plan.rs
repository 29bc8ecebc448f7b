//! From arguments to a matrix with nothing left open, and back from the folder of one that goes on.

use std::path::Path;

use drivelab_block::{ByteCount, FileSystem, Geometry};
use drivelab_documents::Drive;
use drivelab_kinds::ResultKind as _;
use drivelab_kinds::matrix::{
    DemandError, LeftOutCell, Matrix, MatrixDemand, MatrixOffer, MatrixSettings, Settled,
};
use drivelab_program::find;
use drivelab_record::RunFolder;
use drivelab_runner::{Failure, environment, read_findings, refused, usage};
use drivelab_system_calls::{least_size, maker_of};

use super::MatrixJob;
use crate::args::MatrixArgs;

/// A matrix with nothing left open.
#[derive(Clone, Debug, PartialEq)]
pub struct PlannedMatrix {
    /// What is written to, as it is named from every folder.
    pub target: String,
    /// The seed of orders, addresses and data.
    pub seed: u64,
    pub settings: MatrixSettings,
    /// The drive that it was begun on; nothing is known of that before the run begins.
    pub drive: Drive,
    /// The image or the simulated drive that it was begun on; none of a drive.
    pub begun_on: Option<String>,
    /// What was asked for and left out.
    pub left_out: Vec<LeftOutCell>,
}

impl PlannedMatrix {
    pub fn in_folder(folder: &Path) -> Result<PlannedMatrix, Failure> {
        let failed = |why: &dyn std::fmt::Display| usage!("--resume: {why}");
        let (_, run) = RunFolder::open(folder).map_err(|error| failed(&error))?;
        if run.method != Matrix::NAME {
            let text =
                format!("{} is a run of {}: name the folder of a matrix", folder.display(), run.method);
            return Err(failed(&text));
        }
        let found = read_findings::<Matrix>(folder, &run)?
            .ok_or_else(|| failed(&format!("{} holds no findings: begin a new run", folder.display())))?;
        let settings = serde_json::from_value(run.settings).map_err(|error| {
            let file = folder.join("run.json");
            failed(&format!("{} is damaged ({error}): put back a whole copy", file.display()))
        })?;
        Ok(PlannedMatrix {
            target: run.target,
            seed: run.seed,
            settings,
            drive: run.drive,
            begun_on: found.begun_on,
            left_out: found.left_out,
        })
    }

    /// Refuses to go on on another image or simulated drive: the cells that are there are those of one.
    pub fn check_begun_on(&self, found: &str) -> Result<(), Failure> {
        let Some(kept) = &self.begun_on else {
            return Err(refused!(
                "--resume: the run does not say that it was begun on {found}: it is of a drive, or an earlier version made \
                 it; name that drive, or begin a new run"
            ));
        };
        if kept == found {
            return Ok(());
        }
        Err(refused!(
            "--resume: the run was begun on {kept}, and the target is {found}: name the target that it was \
            begun on, or begin a new run"
        ))
    }
}

/// What a target has: its size, and the I/O schedulers to choose from, where it is no simulated drive.
#[derive(Clone, Copy)]
pub struct TargetOffer<'a> {
    pub geometry: Geometry,
    pub schedulers: Option<&'a [String]>,
}

impl MatrixJob<'_> {
    /// The matrix on a target of this name: the run that goes on, where its settings make sense there, or a new one, which keeps
    /// on which image or simulated drive it is.
    pub fn plan(
        &self,
        offer: TargetOffer<'_>,
        target: String,
        begun_on: Option<&str>,
    ) -> Result<PlannedMatrix, Failure> {
        if let Some(resumed) = &self.resumed {
            resumed.settings.check()?;
            let settled = settle(&MatrixDemand::from_settings(&resumed.settings), offer)?;
            return check_unchanged(resumed, settled).map(|()| resumed.clone());
        }
        let (settings, left_out) = settle(&demand(self.args), offer)?;
        settings.check()?;
        let seed = self.args.options.result.seed.number;
        let begun_on = begun_on.map(str::to_owned);
        Ok(PlannedMatrix { target, seed, settings, drive: Drive::default(), begun_on, left_out })
    }
}

fn settle(demand: &MatrixDemand, offer: TargetOffer<'_>) -> Result<Settled, Failure> {
    let TargetOffer { geometry, schedulers } = offer;
    let settled = match schedulers {
        None => demand.on_simulated(&geometry),
        Some(schedulers) => demand.on_drive(&MatrixOffer { geometry, schedulers, unfit: &unfit }),
    };
    settled.map_err(|error| match error {
        DemandError::Asked(error) => error.into(),
        DemandError::NothingLeft(_) => environment!("{error}"),
    })
}

/// Refuses settings that no command line gives: whoever wrote them into the file was not this program.
fn check_unchanged(planned: &PlannedMatrix, (settings, left_out): Settled) -> Result<(), Failure> {
    if let Some(lost) = left_out.first() {
        return Err(environment!(
            "--resume: {} cannot be had any more ({}): begin a new run",
            lost.what,
            lost.why
        ));
    }
    if settings != planned.settings {
        return Err(usage!(
            "--resume: the settings in run.json are none that a matrix on this target has: begin a new run"
        ));
    }
    Ok(())
}

fn demand(args: &MatrixArgs) -> MatrixDemand {
    let asked = MatrixSettings {
        file_systems: args.fs.clone(),
        schedulers: args.schedulers.clone(),
        caching: args.caching.clone(),
        threads: args.threads.iter().flat_map(|threads| threads.0.clone()).collect(),
        work: args.work.clone(),
        runs: args.runs,
        cell_duration_ns: args.cell_duration.get(),
        file_system_bytes: args.fs_size.map(ByteCount::get),
        working_set_bytes: 0,
        block_size_bytes: args.block_size.size.get(),
        files: None,
    };
    MatrixDemand { asked, working_set: args.working_set }
}

/// Why this file system cannot be made here.
fn unfit(kind: FileSystem, size: ByteCount) -> Option<String> {
    let (program, package) = maker_of(kind);
    if find(&program).is_none() {
        return Some(format!("{program} is not installed (it comes with {package})"));
    }
    let least = least_size(kind);
    (size < least).then(|| format!("it needs {} MiB, and has {} MiB", least.get() >> 20, size.get() >> 20))
}
