//! What is written before a drive is measured, as it is typed.

use drivelab_block::Nanos;

use super::units;

/// What is written before a drive is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precondition {
    /// Nothing.
    None,
    /// What the test works on, once, in sequence.
    Fill,
    /// The whole target, once, in sequence.
    FillAll,
    /// Random writes for this long.
    Random(Nanos),
}

impl Precondition {
    /// Reads `none`, `fill`, `fill-all`, `random:10min`.
    ///
    /// # Errors
    /// A line that says what to type instead.
    pub fn parse(text: &str) -> Result<Precondition, String> {
        match text.split_once(':') {
            None if text == "none" => Ok(Precondition::None),
            None if text == "fill" => Ok(Precondition::Fill),
            None if text == "fill-all" => Ok(Precondition::FillAll),
            Some(("random", time)) => units::duration(time).map(Precondition::Random),
            _ => {
                Err("preconditioning is none, fill, fill-all, or random:TIME such as random:10min".to_owned())
            }
        }
    }

    /// How long random writes last; no time of any other kind.
    pub fn random_time(self) -> Nanos {
        match self {
            Precondition::Random(time) => time,
            Precondition::None | Precondition::Fill | Precondition::FillAll => Nanos::ZERO,
        }
    }

    /// What `consistency` takes: none or fill.
    pub fn of_consistency(text: &str) -> Result<Precondition, String> {
        match Precondition::parse(text)? {
            kind @ (Precondition::None | Precondition::Fill) => Ok(kind),
            _ => Err("this test takes none or fill: its own random writes are what it measures".to_owned()),
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
            Precondition::Random(_) => {
                Err("a replay takes none, fill (what it touches) or fill-all".to_owned())
            }
            kind => Ok(kind),
        }
    }

    /// What `trim` takes: the time of its random writes.
    pub fn of_trim(text: &str) -> Result<Precondition, String> {
        match Precondition::parse(text)? {
            kind @ Precondition::Random(_) => Ok(kind),
            _ => {
                Err("TRIM is tried on a drive worn by random writes: write random:TIME, such as random:10min"
                    .to_owned())
            }
        }
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
        assert!(Precondition::parse("random:10").is_err_and(|error| error.contains("10s")));
    }
}
