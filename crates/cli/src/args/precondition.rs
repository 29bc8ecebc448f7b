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
    /// Reads `none`, `fill`, `fill-all`, `random:10min`, `one-pass`, `one-pass:7%`.
    ///
    /// # Errors
    /// A line that says what to type instead.
    pub fn parse(text: &str) -> Result<Precondition, String> {
        match text.split_once(':') {
            None if text == "none" => Ok(Precondition::None),
            None if text == "fill" => Ok(Precondition::Fill),
            None if text == "fill-all" => Ok(Precondition::FillAll),
            Some(("random", time)) => units::duration(time).map(Precondition::Random),
            None if text == "one-pass" => Ok(Precondition::OnePass(None)),
            Some(("one-pass", share)) => one_pass(share),
            _ => Err(
                "preconditioning is none, fill, fill-all, random:TIME such as random:10min, one-pass, or \
                      one-pass:PERCENT such as one-pass:7%"
                    .to_owned(),
            ),
        }
    }

    /// How long random writes last; no time of any other kind.
    pub fn random_time(self) -> Nanos {
        match self {
            Precondition::Random(time) => time,
            Precondition::None | Precondition::Fill | Precondition::FillAll | Precondition::OnePass(_) => {
                Nanos::ZERO
            }
        }
    }

    /// What `consistency` takes: none, fill or one-pass.
    pub fn of_consistency(text: &str) -> Result<Precondition, String> {
        match Precondition::parse(text)? {
            kind @ (Precondition::None | Precondition::Fill | Precondition::OnePass(_)) => Ok(kind),
            Precondition::FillAll | Precondition::Random(_) => {
                Err("this test takes none, fill or one-pass: its own random writes are what it measures"
                    .to_owned())
            }
        }
    }

    /// What `pts` takes: one-pass.
    pub fn of_pts(text: &str) -> Result<Precondition, String> {
        match Precondition::parse(text)? {
            kind @ Precondition::OnePass(_) => Ok(kind),
            _ => Err("these tests write the range twice in sequence, as the specification has it: leave the option \
                      out for that, or write one-pass"
                .to_owned()),
        }
    }

    /// What a test that only reads takes: none or fill.
    pub fn of_reads(text: &str) -> Result<Precondition, String> {
        match Precondition::parse(text)? {
            kind @ (Precondition::None | Precondition::Fill) => Ok(kind),
            _ => Err("this test takes none or fill: it reads a drive that was written once".to_owned()),
        }
    }

    /// What `replay` takes: none, fill or fill-all.
    pub fn of_replay(text: &str) -> Result<Precondition, String> {
        match Precondition::parse(text)? {
            Precondition::Random(_) | Precondition::OnePass(_) => {
                Err("a replay takes none, fill (what it touches) or fill-all".to_owned())
            }
            kind => Ok(kind),
        }
    }

    /// What `trim` takes: the time of its random writes, or one-pass.
    pub fn of_trim(text: &str) -> Result<Precondition, String> {
        match Precondition::parse(text)? {
            kind @ (Precondition::Random(_) | Precondition::OnePass(_)) => Ok(kind),
            Precondition::None | Precondition::Fill | Precondition::FillAll => {
                Err("TRIM is tried on a drive worn by random writes: write random:TIME, such as random:10min, or \
                     one-pass"
                    .to_owned())
            }
        }
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
        assert_eq!(Precondition::parse("none"), Ok(Precondition::None));
        assert_eq!(Precondition::parse("fill"), Ok(Precondition::Fill));
        assert_eq!(Precondition::parse("fill-all"), Ok(Precondition::FillAll));
        assert_eq!(Precondition::parse("random:10min"), Ok(Precondition::Random(Nanos::from_secs(600))));
        for wrong in ["", "random", "10min", "fill:2"] {
            assert!(Precondition::parse(wrong).is_err_and(|error| error.contains("random:10min")), "{wrong}");
        }
        assert_eq!(Precondition::parse("one-pass"), Ok(Precondition::OnePass(None)));
        assert_eq!(Precondition::parse("one-pass:7.5%"), Ok(Precondition::OnePass(Some(7.5))));
        for wrong in
            ["one-pass:", "one-pass:0%", "one-pass:-7%", "one-pass:7", "one-pass:nan%", "one-pass:500%"]
        {
            assert!(Precondition::parse(wrong).is_err(), "{wrong}");
        }
        assert!(Precondition::parse("random:10").is_err_and(|error| error.contains("10s")));
    }
}
