//! The rounds of a TRIM validation.

use drivelab_analysis::TrimRound;
use drivelab_block::{Engine, Geometry, Nanos, Status};
use drivelab_method::trim::{DriveState, TrimPlan};
use drivelab_method::{ConductError, LoadPlan, Pause};
use drivelab_runner::{Failure, Session};
use drivelab_sim::Counts;
use drivelab_verify::{Looks, Returned};

/// How a drive says that it does not have a command.
const NOT_SUPPORTED: Status = Status::from_code(95);
/// How often blocks are looked at in a round: before the TRIM, and twice behind it.
const LOOKS: usize = 3;

/// What is to be done.
pub struct Rounds {
    /// Where, and for how long.
    pub plan: TrimPlan,
    /// The target.
    pub geometry: Geometry,
    /// How often.
    pub count: u16,
    /// What its blocks held.
    pub looks: Looks,
    /// How long the discards took that were made last.
    pub discarding: Nanos,
}

/// What was found, as far as it came.
#[derive(Default)]
pub struct Found {
    /// Why the drive takes no TRIM, where it takes none.
    pub unsupported: Option<String>,
    /// The curves of every round; the last may lack some.
    pub rounds: Vec<TrimRound>,
    /// What trimmed blocks returned, all rounds together.
    pub returned: Returned,
    /// A simulated drive's own account of each round.
    pub accounts: Vec<Account>,
    /// Why the rounds ended early.
    pub ended: Option<Failure>,
}

/// Write amplification by a simulated drive's own account: media writes / host writes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Account {
    /// Of the random writes before the TRIM.
    pub random_writes: Option<f64>,
    /// Of the curve of the used drive.
    pub used: Option<f64>,
    /// Of the curve after the TRIM.
    pub trimmed: Option<f64>,
}

/// Checks that the target is still the one that was cleared.
type Verify<'a> = &'a dyn Fn() -> Result<(), Failure>;
/// What a simulated drive has written so far.
type Counting<'a, E> = &'a mut dyn FnMut(&mut Session<E>) -> Option<Counts>;

impl Rounds {
    /// Runs all rounds, or as many as can be.
    pub fn run<E: Engine + Send>(
        &mut self,
        session: &mut Session<E>,
        verify: Verify<'_>,
        counts: Counting<'_, E>,
    ) -> Found {
        let mut found = Found::default();
        found.ended = self.all(session, verify, counts, &mut found).err();
        found
    }

    fn all<E: Engine + Send>(
        &mut self,
        session: &mut Session<E>,
        verify: Verify<'_>,
        counts: Counting<'_, E>,
        found: &mut Found,
    ) -> Result<(), Failure> {
        verify()?;
        // Asked before hours are spent.
        found.unsupported = self.first_discard(session)?;
        if found.unsupported.is_some() {
            return Ok(());
        }
        for round in 0..self.count {
            found.rounds.push(TrimRound::default());
            found.accounts.push(Account::default());
            self.round(session, round, verify, counts, found)?;
            if session.is_interrupted() {
                break;
            }
        }
        Ok(())
    }

    /// Why the drive takes no TRIM, where it says so; whatever else goes wrong is no answer to that.
    fn first_discard<E: Engine + Send>(
        &mut self,
        session: &mut Session<E>,
    ) -> Result<Option<String>, Failure> {
        let (phase, discards) = self.plan.discard(drivelab_runner::PURGE, &self.geometry);
        match session.phase(&phase, vec![discards], None) {
            Ok(end) => self.discarding = session.took(&end),
            Err(ConductError::Engine(error)) if error.is_unsupported() => return Ok(Some(error.to_string())),
            Err(error) => return Err(session.broke(error)),
        }
        let failures = session.failures_of_last_phase();
        let refused = failures.with(NOT_SUPPORTED);
        if failures.count() > refused {
            let (failed, why) = (failures.count(), failures.words());
            let text = format!("{failed} discards failed ({why}): whether the drive takes TRIM is not known");
            return Err(Failure::Environment(text));
        }
        Ok((refused > 0).then(|| format!("it refused {refused} discards")))
    }

    /// Each step is left out once the user wants to go.
    fn round<E: Engine + Send>(
        &mut self,
        session: &mut Session<E>,
        round: u16,
        verify: Verify<'_>,
        counts: Counting<'_, E>,
        found: &mut Found,
    ) -> Result<(), Failure> {
        let (plan, first) = (self.plan, u64::from(round) * 2);
        let at = usize::from(round);
        verify()?;
        self.load(session, &plan.fill())?;
        found.rounds[at].fresh = self.curve(session, DriveState::Fresh)?;
        verify()?;
        self.load(session, &plan.torture(first))?;
        // The control has the looks, too, and the time that the discards take: a drive recovers meanwhile.
        self.look(session, round)?;
        self.rest(session)?;
        for _ in 1..LOOKS {
            self.look(session, round)?;
        }
        self.looks.forget();
        let before = counts(session);
        found.rounds[at].used = self.curve(session, DriveState::Used)?;
        let used = counts(session);
        verify()?;
        self.load(session, &plan.torture(first + 1))?;
        let worn = counts(session);
        self.look(session, round)?;
        verify()?;
        self.discard(session)?;
        for _ in 1..LOOKS {
            self.look(session, round)?;
        }
        let trimmed = counts(session);
        found.returned = found.returned.plus(self.looks.judge());
        found.rounds[at].trimmed = self.curve(session, DriveState::Trimmed)?;
        found.accounts[at] = Account {
            random_writes: amplification(used, worn),
            used: amplification(before, used),
            trimmed: amplification(trimmed, counts(session)),
        };
        Ok(())
    }

    fn load<E: Engine + Send>(&self, session: &mut Session<E>, load: &LoadPlan) -> Result<(), Failure> {
        if session.is_interrupted() {
            return Ok(());
        }
        let phase = load.phase(&self.geometry, true)?;
        let workloads = load.workloads(1).map_err(|error| Failure::Usage(error.to_string()))?;
        session.phase(&phase, workloads, None).map(drop).map_err(|error| session.broke(error))
    }

    fn look<E: Engine + Send>(&self, session: &mut Session<E>, round: u16) -> Result<(), Failure> {
        self.looks.begin();
        self.load(session, &self.plan.look(round))
    }

    fn discard<E: Engine + Send>(&mut self, session: &mut Session<E>) -> Result<(), Failure> {
        if session.is_interrupted() {
            return Ok(());
        }
        let (phase, discards) = self.plan.discard("trim", &self.geometry);
        let end = session.phase(&phase, vec![discards], None).map_err(|error| session.broke(error))?;
        self.discarding = session.took(&end);
        Ok(())
    }

    /// Lets as much time pass as the discards took that were made last.
    fn rest<E: Engine + Send>(&self, session: &mut Session<E>) -> Result<(), Failure> {
        if session.is_interrupted() || self.discarding == Nanos::ZERO {
            return Ok(());
        }
        let (phase, pause) = Pause::phase("rest", self.discarding);
        session.phase(&phase, vec![pause], None).map(drop).map_err(|error| session.broke(error))
    }

    fn curve<E: Engine + Send>(
        &self,
        session: &mut Session<E>,
        state: DriveState,
    ) -> Result<Vec<drivelab_analysis::CurvePoint>, Failure> {
        if session.is_interrupted() {
            return Ok(Vec::new());
        }
        let (phase, requests, points) = self.plan.curve(state);
        session.phase(&phase, vec![requests], None).map_err(|error| session.broke(error))?;
        // What was cut short is no curve: a few of its spans would count as all of them.
        let points = points.all();
        let is_whole = points.len() as u64 == self.plan.spans().count;
        Ok(if is_whole || !session.is_interrupted() { points } else { Vec::new() })
    }
}

/// Media writes / host writes between two moments; none where no flash was written.
fn amplification(before: Option<Counts>, after: Option<Counts>) -> Option<f64> {
    let counts = after?.since(&before?);
    (counts.flash_units > 0 && counts.host_bytes > 0).then(|| counts.write_amplification())
}
