//! Instruments that speak SCPI (SCPI-99, IEEE 488.2).

mod link;
mod number;

use std::time::Duration;

use link::Link;
use number::number;

use crate::{MeterError, ScpiPlace};

/// Lines that are passed over until an instrument says its name: answers that came too late for their question.
const STALE_LINES: usize = 8;

/// An instrument.
#[derive(Debug)]
pub(crate) struct Scpi {
    place: ScpiPlace,
    patience: Duration,
    /// The voltage that an ammeter's current is multiplied with.
    volts: Option<f64>,
    /// What it calls itself.
    pub identity: String,
    /// `None` after an answer went wrong: what comes next might be the answer to an earlier question, so the line is
    /// opened anew.
    link: Option<Link>,
}

impl Scpi {
    pub(crate) fn open(place: ScpiPlace, volts: Option<f64>, patience: Duration) -> Result<Scpi, MeterError> {
        let mut link = Link::open(&place, patience)?;
        let identity = link.ask("*IDN?")?;
        Ok(Scpi { place, patience, volts, identity, link: Some(link) })
    }

    /// The power in watts: asked for, or of the current where a voltage is known.
    pub(crate) fn watts(&mut self) -> Result<f64, MeterError> {
        let mut link = match self.link.take() {
            Some(link) => link,
            None => self.reopened()?,
        };
        let question = if self.volts.is_some() { "MEAS:CURR?" } else { "MEAS:POW?" };
        let value = number(&link.ask(question)?)?;
        self.link = Some(link);
        Ok(value * self.volts.unwrap_or(1.0))
    }

    /// The line anew, with the same instrument at its end and no old answer in it.
    fn reopened(&self) -> Result<Link, MeterError> {
        let mut link = Link::open(&self.place, self.patience)?;
        let mut line = link.ask("*IDN?")?;
        for _ in 0..STALE_LINES {
            if line == self.identity {
                return Ok(link);
            }
            line = link.line()?;
        }
        Err(MeterError::Gone("another instrument answers".to_owned()))
    }
}
