//! What is written before a drive is measured, as it is typed.

use drivelab_block::Nanos;

use super::units;

/// What is written before a drive is measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Precondition {
    /// Nothing.
    None,
    /// What the test works on, once, in sequence.
    Fill,
    /// The whole target, once, in sequence.
    FillAll,
    /// Random writes for this long.
    Random(Nanos),
    /// The flash of the drive, once, so that it is in the steady state of random writes; the over-provisioning of the drive in
    /// per cent, where it was given.
    OnePass(Option<f64>),
}

/// The most over-provisioning that is taken, in per cent.
const OVER_PROVISIONING_MAX: f64 = 400.0;

impl Precondition {
    /// Reads `none`, `fill`, `fill-all`, `random:10min`, `one-pass`, `one-pass:7%` for a command that takes `these`, which the
    /// error about any other word lists.
    fn of_words(text: &str, these: &str) -> Result<Precondition, String> {
        match text.split_once(':') {
            None if text == "none" => Ok(Precondition::None),
            None if text == "fill" => Ok(Precondition::Fill),
            None if text == "fill-all" => Ok(Precondition::FillAll),
            Some(("random", time)) => units::duration(time).map(Precondition::Random),
            None if text == "one-pass" => Ok(Precondition::OnePass(None)),
            Some(("one-pass", share)) => one_pass(share),
            _ => Err(format!("there is no such preconditioning: write {these}")),
        }
    }

    /// How long random writes last; no time of any other kind.
    pub fn random_time(self) -> Nanos {
        if let Precondition::Random(time) = self { time } else { Nanos::ZERO }
    }

    /// Reads what fits a command that takes `these`; `why` it takes no other, in words that `write` and these follow.
    fn fitting(
        text: &str,
        these: &str,
        fits: impl Fn(Precondition) -> bool,
        why: &str,
    ) -> Result<Precondition, String> {
        match Precondition::of_words(text, these)? {
            kind if fits(kind) => Ok(kind),
            _ => Err(format!("{why} write {these}")),
        }
    }

    /// What `consistency` takes: none, fill or one-pass.
    pub fn of_consistency(text: &str) -> Result<Precondition, String> {
        let these = "none, fill, one-pass, or one-pass:PERCENT such as one-pass:7%";
        let fits = |kind| !matches!(kind, Precondition::FillAll | Precondition::Random(_));
        Precondition::fitting(text, these, fits, "the random writes of this test are what it measures:")
    }

    /// What `pts` takes: one-pass.
    pub fn of_pts(text: &str) -> Result<Precondition, String> {
        let these = "one-pass, or one-pass:PERCENT such as one-pass:7%";
        let why = "these tests write the range twice in sequence, as the specification has it: leave the option out for that, or";
        Precondition::fitting(text, these, |kind| matches!(kind, Precondition::OnePass(_)), why)
    }

    /// What a test that only reads takes: none or fill.
    pub fn of_reads(text: &str) -> Result<Precondition, String> {
        let fits = |kind| matches!(kind, Precondition::None | Precondition::Fill);
        Precondition::fitting(text, "none or fill", fits, "this test reads a drive that was written once:")
    }

    /// What `replay` takes: none, fill or fill-all.
    pub fn of_replay(text: &str) -> Result<Precondition, String> {
        let these = "none, fill (what the replay touches) or fill-all";
        let fits = |kind| !matches!(kind, Precondition::Random(_) | Precondition::OnePass(_));
        Precondition::fitting(text, these, fits, "a replay takes no random writes before it:")
    }

    /// What `trim` takes: the time of its random writes, or one-pass.
    pub fn of_trim(text: &str) -> Result<Precondition, String> {
        let these = "random:TIME such as random:10min, one-pass, or one-pass:PERCENT such as one-pass:7%";
        let fits = |kind| matches!(kind, Precondition::Random(_) | Precondition::OnePass(_));
        Precondition::fitting(text, these, fits, "TRIM is tried on a drive worn by random writes:")
    }
}

/// Reads the over-provisioning of a drive, of which there is some.
fn one_pass(share: &str) -> Result<Precondition, String> {
    match units::percent(share)? {
        percent if percent > 0.0 && percent <= OVER_PROVISIONING_MAX => {
            Ok(Precondition::OnePass(Some(percent)))
        }
        _ => Err(format!(
            "the over-provisioning of a drive is (flash - user capacity) / user capacity, above 0% and at most \
             {OVER_PROVISIONING_MAX}%: write one-pass:7%, for example"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_is_read_and_nothing_else() {
        let parse = |text: &str| Precondition::of_words(text, "none or random:10min");
        assert_eq!(parse("none"), Ok(Precondition::None));
        assert_eq!(parse("fill"), Ok(Precondition::Fill));
        assert_eq!(parse("fill-all"), Ok(Precondition::FillAll));
        assert_eq!(parse("random:10min"), Ok(Precondition::Random(Nanos::from_secs(600))));
        for wrong in ["", "random", "10min", "fill:2"] {
            assert!(parse(wrong).is_err_and(|error| error.contains("random:10min")), "{wrong}");
        }
        assert_eq!(parse("one-pass"), Ok(Precondition::OnePass(None)));
        assert_eq!(parse("one-pass:7.5%"), Ok(Precondition::OnePass(Some(7.5))));
        for wrong in
            ["one-pass:", "one-pass:0%", "one-pass:-7%", "one-pass:7", "one-pass:nan%", "one-pass:500%"]
        {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
        assert!(parse("random:10").is_err_and(|error| error.contains("10s")));
    }
}
