//! A fill in words, before anything is done.

use drivelab_block::{ByteCount, Nanos};
use drivelab_view::format::{bytes, counted, seconds};

use super::FillPlan;
use crate::{Outline, PlannedTime};

/// What would be done.
pub(super) fn outline(plan: &FillPlan) -> Outline {
    let mut sentences: Vec<String> = plan.purge().outline("the range").into_iter().collect();
    sentences.push(format!("{} are written once, in sequence", bytes(plan.bytes().get() as f64)));
    let rests: Vec<Nanos> = plan.rests().collect();
    if rests.is_empty() {
        let time = PlannedTime { unpaced: plan.bytes(), ..PlannedTime::default() };
        return Outline { sentences, written: Some(plan.bytes()), time: Some(time) };
    }
    let levels = plan.levels();
    let listed: Vec<String> = levels.iter().map(|percent| format!("{percent} %")).collect();
    sentences.push(format!(
        "then the range is filled to {}, and {} written on twice as far as the drive was fast: how much that is depends on \
         the drive",
        listed.join(", "),
        if rests.len() == 1 { "for one rest".to_owned() } else { format!("for each of {} rests", counted(rests.len())) }
    ));
    let rested = rests.iter().map(|rest| rest.get()).sum::<u64>().saturating_mul(levels.len() as u64);
    sentences.push(format!("rests of {} in all", seconds(Nanos::new(rested).as_secs_f64())));
    let settling = plan.settling();
    let settled = settling.get().saturating_mul(rests.len() as u64).saturating_mul(levels.len() as u64);
    sentences.push(format!(
        "and before each of them what was written there is discarded, the drive rests {}, and its cache is filled",
        seconds(settling.as_secs_f64())
    ));
    // How much is written at the levels is known; how far the drive is fast is not.
    let share: f64 = 1.0 + levels.iter().sum::<f64>() / 100.0;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few times a drive")]
    let unpaced = ByteCount::new((plan.bytes().get() as f64 * share) as u64);
    let time =
        PlannedTime { timed: Nanos::new(rested.saturating_add(settled)), unpaced, ..PlannedTime::default() };
    Outline { sentences, written: None, time: Some(time) }
}
