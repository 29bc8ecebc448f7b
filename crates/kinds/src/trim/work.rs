//! What a validation of TRIM does.

use drivelab_block::Nanos;
use drivelab_documents::Notice;
use drivelab_method::{DiscardPurpose, LoadPlan};
use drivelab_stats::{PhaseAnalysis, TrimRound};
use drivelab_workload::verify::Returned;

use super::Trim;
use super::findings::{DriveState, RoundAmplification, TrimFindings, TrimmedReads};
use super::plan::TrimPlan;
use super::view::broken_claims;
use crate::one_load::run_to_end;
use crate::{
    CommandPurge, DiscardOutcome, DriveResult, DriveUnderTest, ReadContents, RecordedTest, TestSetup,
    WrittenCounts,
};

/// How often blocks are looked at in a round: before the TRIM, and twice after it.
const LOOKS: usize = 3;

impl RecordedTest for Trim {
    fn setup(plan: &TrimPlan) -> TestSetup {
        TestSetup { contents: ReadContents::Looks(plan.looks.clone()), ..TestSetup::default() }
    }

    /// All rounds, or as many as can be.
    fn run<D: DriveUnderTest>(plan: &TrimPlan, drive: &mut D, found: &mut TrimFindings) -> DriveResult<D> {
        found.logical_block_bytes = plan.geometry.logical_block;
        found.claims = drive.discard_claims();
        let mut work = TrimWork {
            plan,
            drive,
            found,
            rounds: Vec::new(),
            returned: Returned::default(),
            discarding: Nanos::ZERO,
        };
        let ended = work.all();
        work.conclude();
        for sentence in broken_claims(found) {
            drive.notice(Notice::warning(sentence));
        }
        ended
    }
}

/// The rounds under way.
struct TrimWork<'a, D> {
    plan: &'a TrimPlan,
    drive: &'a mut D,
    found: &'a mut TrimFindings,
    /// The curves of every round; the last one may lack some.
    rounds: Vec<TrimRound>,
    /// What trimmed blocks returned, all rounds together.
    returned: Returned,
    /// How long the discards took that were made last.
    discarding: Nanos,
}

impl<D: DriveUnderTest> TrimWork<'_, D> {
    fn all(&mut self) -> DriveResult<D> {
        self.drive.check_target()?;
        if let CommandPurge::Done(done) = self.drive.purge_by_command(self.plan.settings.purge)? {
            self.drive.notice(done);
        }
        // Asked before hours are spent.
        match self.drive.discard(DiscardPurpose::Purge, self.plan.discards())? {
            DiscardOutcome::Taken(took) => self.discarding = took,
            DiscardOutcome::Unsupported(why) => {
                self.found.unsupported_because = Some(why);
                return Ok(());
            }
            DiscardOutcome::Failed(why) => {
                let text = format!("{why}: whether the drive takes TRIM is not known.");
                self.drive.notice(Notice::failure(text));
                return Ok(());
            }
        }
        if let Some(pass) = &self.plan.one_pass {
            self.drive.notice(pass.notice());
        }
        self.conclude();
        for round in 0..self.plan.settings.rounds {
            self.rounds.push(TrimRound::default());
            self.round(round)?;
            self.conclude();
            if self.drive.is_interrupted() {
                break;
            }
        }
        Ok(())
    }

    /// Concludes from what there is, and keeps that.
    fn conclude(&mut self) {
        let Returned { zeros, old, other, varying } = self.returned;
        let blocks = self.returned.blocks();
        self.found.trimmed_reads = TrimmedReads { blocks, zeros, old, other, varying };
        self.found.conclude(&self.rounds);
        self.drive.keep::<Trim>(self.found);
    }

    /// Each step is left out once the user wants the test to end.
    fn round(&mut self, round: u16) -> DriveResult<D> {
        let (plan, first) = (self.plan, u64::from(round) * 2);
        self.drive.check_target()?;
        self.load(&plan.fill())?;
        self.curve(DriveState::Fresh)?;
        self.drive.check_target()?;
        self.load(&plan.random_writes(first))?;
        // The control has the looks, too, and the time that the discards take: a drive recovers meanwhile.
        self.look(round)?;
        self.drive.rest("rest", self.discarding)?;
        for _ in 1..LOOKS {
            self.look(round)?;
        }
        plan.looks.forget();
        let before = self.drive.written();
        self.curve(DriveState::Used)?;
        let used = self.drive.written();
        self.drive.check_target()?;
        self.load(&plan.random_writes(first + 1))?;
        let preconditioned = self.drive.written();
        self.look(round)?;
        self.drive.check_target()?;
        self.trim()?;
        for _ in 1..LOOKS {
            self.look(round)?;
        }
        let trimmed = self.drive.written();
        self.returned = self.returned.plus(plan.looks.judge());
        self.curve(DriveState::Trimmed)?;
        let last = self.drive.written();
        // A round without random writes on flash has no account.
        let random_writes_amplification = amplification(used, preconditioned);
        self.found.simulation.extend(random_writes_amplification.map(|_| RoundAmplification {
            random_writes_amplification,
            used_amplification: amplification(before, used),
            trimmed_amplification: amplification(trimmed, last),
        }));
        Ok(())
    }

    fn load(&mut self, load: &LoadPlan) -> DriveResult<D> {
        if self.drive.is_interrupted() {
            return Ok(());
        }
        run_to_end(self.drive, &self.plan.geometry, load)?;
        self.count_failures();
        Ok(())
    }

    fn look(&mut self, round: u16) -> DriveResult<D> {
        self.plan.looks.begin();
        self.load(&self.plan.look(round))
    }

    fn trim(&mut self) -> DriveResult<D> {
        if self.drive.is_interrupted() {
            return Ok(());
        }
        if let DiscardOutcome::Taken(took) = self.drive.discard(DiscardPurpose::Trim, self.plan.discards())? {
            self.discarding = took;
        }
        self.count_failures();
        Ok(())
    }

    fn curve(&mut self, state: DriveState) -> DriveResult<D> {
        if self.drive.is_interrupted() {
            return Ok(());
        }
        let (phase, requests, points) = self.plan.curve(state);
        let spans = self.plan.spans();
        let bytes = drivelab_block::ByteCount::new(spans.count * spans.bytes.get());
        self.drive.phase(&phase, vec![requests], Some(bytes))?;
        self.count_failures();
        // What was cut short is no curve: a few of its spans would count as all of them.
        let points = points.all();
        let is_whole = points.len() as u64 == spans.count || !self.drive.is_interrupted();
        if let Some(round) = self.rounds.last_mut().filter(|_| is_whole) {
            match state {
                DriveState::Fresh => round.fresh = points,
                DriveState::Used => round.used = points,
                DriveState::Trimmed => round.trimmed = points,
            }
        }
        Ok(())
    }

    fn count_failures(&mut self) {
        self.found.failed_ios += self.drive.last_phase().map_or(0, PhaseAnalysis::failed);
    }
}

fn amplification(earlier: Option<WrittenCounts>, now: Option<WrittenCounts>) -> Option<f64> {
    now?.since(earlier?)?.write_amplification().map(|(amplification, _)| amplification)
}
