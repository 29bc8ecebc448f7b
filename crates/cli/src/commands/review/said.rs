//! What a review says before it begins: each step, how long it takes at most, and what it writes.

use drivelab_block::Nanos;
use drivelab_runner::output::{long_time, say as print_line};
use drivelab_view::format::percent;

use super::Review;
use super::planned::{RehearsedSteps, ReviewPlanTotals};

/// Prints the steps of each target with what they take, and what all take together.
pub fn say(rehearsed: &RehearsedSteps, review: &Review, rated_tbw: Option<f64>) {
    for (place, target) in review.record.targets.iter().enumerate() {
        print_line(&target.target);
        let own = review.record.steps.iter().enumerate().filter(|(_, step)| step.target == place);
        for (number, step) in own {
            let what = match (&step.ended, &step.left_out) {
                (Some(_), _) => "done".to_owned(),
                (None, Some(why)) => format!("left out: {why}"),
                (None, None) => in_words(&rehearsed.together(number, |one| one == number)),
            };
            print_line(format_args!("  {:<12} {what}", step.test));
        }
        let together = rehearsed.together(0, |step| review.record.steps[step].target == place);
        let share = rated_tbw.map(|terabytes| together.written.get() as f64 / (terabytes * 1e12));
        let bound = if together.is_written_open { "at least " } else { "" };
        let share = share.map(|share| format!(", {bound}{} of its rated endurance", percent(share)));
        print_line(format_args!("  {:<12} {}{}", "together", in_words(&together), share.unwrap_or_default()));
    }
    if review.record.targets.len() > 1 {
        print_line("all");
        print_line(format_args!("  {:<12} {}", "together", in_words(&rehearsed.together(0, |_| true))));
    }
    if review.record.targets.iter().any(|target| target.identity.is_none()) {
        print_line(
            "The times of simulated drives are simulated: here their tests take a small part of them.",
        );
    }
}

/// How fast a drive answers on which a replay takes as long as its trace did.
const AS_RECORDED: &str = "as fast as those of the traces";

fn in_words(together: &ReviewPlanTotals) -> String {
    if together.at_assumed_rate() == Nanos::ZERO && !together.is_time_open {
        return "nothing is written".to_owned();
    }
    let time = long_time(together.at_assumed_rate());
    let open = if together.is_time_open { ", and a time that is not known before" } else { "" };
    let recorded = together.time.recorded > Nanos::ZERO;
    // How long reading back takes depends on the drive.
    let bound = if together.time.read_back > Nanos::ZERO { "about" } else { "at most" };
    let time = match (together.time.unpaced.get() > 0, recorded) {
        _ if together.at_assumed_rate() == Nanos::ZERO => "how long it takes is not known before".to_owned(),
        (true, true) => {
            format!("about {time} where the drive moves 500 MB/s and answers {AS_RECORDED}{open}")
        }
        (true, false) => {
            format!("about {time} where the drive moves 500 MB/s, and longer on a slower one{open}")
        }
        (false, true) => format!("about {time} where the drive answers {AS_RECORDED}{open}"),
        (false, false) => format!("{bound} {time}{open}"),
    };
    match (together.written.get(), together.is_written_open) {
        (0, false) => format!("{time}; nothing is written"),
        (_, false) => format!("{time}; {} are written", together.written),
        (0, true) => format!("{time}; how much is written depends on the drive"),
        (_, true) => format!("{time}; at least {} are written", together.written),
    }
}
