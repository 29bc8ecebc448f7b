//! How warm a drive is while it works: its sensors once a second, its own counters before and after, and whether it throttled.

mod limit;
mod notices;
mod reading;
mod simulated;
mod throttled;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex};

use drivelab_documents::{HeatDocument, HeatLimitDocument, Notice, SensorDocument};
use drivelab_method::Interrupt;
use drivelab_probe::{Celsius, MilliCelsius};
use drivelab_sim::SimDrive;
use drivelab_uring::{Access, NvmeQueries};

use crate::simulated_health::whole_degrees;
use crate::temperature_limit::{NoSensor, sensed};
use crate::{Failure, Real, TemperatureLimit};

pub(crate) use reading::HeatGauges;
use reading::{HeatSeen, ThrottleCounter, watch_sensors};
pub(crate) use simulated::SimulatedHeat;
pub(crate) use throttled::{DEVICE_BUSY, DEVICE_READ, DEVICE_WRITTEN, HeatSeconds};

/// Watches how warm a drive is, on a thread of its own, until it is dropped.
#[derive(Debug, Default)]
pub(crate) struct HeatWatch {
    pub gauges: HeatGauges,
    limit: Option<HeatLimitDocument>,
    counter: Option<ThrottleCounter>,
    /// That no temperature ends a run which writes.
    pub notice: Option<Notice>,
    /// The temperature, in thousandths of a degree Celsius, at which a simulated drive ended the run; 0 where it did not.
    simulated: Option<Arc<AtomicU64>>,
    /// The thread that reads the sensors ends when this is dropped.
    _end: Option<Sender<()>>,
}

impl HeatWatch {
    /// Watches a target. A temperature over the limit ends the run; a limit that was given and cannot be watched is refused, and
    /// so is a drive that is warmer already.
    pub fn start(real: &Real, limit: TemperatureLimit, interrupt: &Interrupt) -> Result<HeatWatch, Failure> {
        let sensed = sensed(real.whole_device());
        limit.check(&sensed)?;
        let notice = limit.notice(sensed.as_ref().err()).filter(|_| matches!(real.access, Access::Write(_)));
        let thermometer = sensed.ok();
        let queries = NvmeQueries::open(&real.access).ok();
        let own_limit = limit::limit_of(queries.as_ref(), thermometer.as_ref());
        let counter = queries.and_then(ThrottleCounter::new);
        let seen: Arc<Mutex<HeatSeen>> = Arc::default();
        let Some(thermometer) = thermometer else {
            return Ok(HeatWatch { limit: own_limit, counter, notice, ..HeatWatch::default() });
        };
        let gauges = HeatGauges::new(&thermometer, counter.is_some(), Arc::clone(&seen));
        let stop = limit.stop(&thermometer).map(|limit| (limit, interrupt.clone()));
        let end = watch_sensors(thermometer, counter.clone(), seen, stop, real.clock)
            .map_err(|error| Failure::no_thread("the temperature cannot be watched", &error))?;
        Ok(HeatWatch { gauges, limit: own_limit, counter, notice, simulated: None, _end: Some(end) })
    }

    /// Watches a simulated drive, which ends the run itself where it gets warmer than the limit. What stands against a limit that
    /// was given is the same as for a real one.
    pub fn of_simulated(
        drive: &mut SimDrive,
        (limit, writes): (TemperatureLimit, bool),
        interrupt: &Interrupt,
    ) -> Result<HeatWatch, Failure> {
        let now = drive.thermal().map(|thermal| Celsius(whole_degrees(thermal.milli_celsius)));
        limit.check_simulated(now)?;
        let missing = now.is_none().then_some(NoSensor::Simulated);
        let notice = limit.notice(missing.as_ref()).filter(|_| writes);
        let simulated = match limit {
            TemperatureLimit::At(celsius) => {
                // Whole degrees are compared, as those of a real drive's sensor are.
                let milli = u64::try_from(celsius).unwrap_or(0) * 1_000 + 499;
                drive.end_above(milli, interrupt.flag())
            }
            TemperatureLimit::Suggested | TemperatureLimit::Off => None,
        };
        Ok(HeatWatch { notice, simulated, ..HeatWatch::default() })
    }

    /// That the sensor of the whole drive could not be read for a part of the run.
    pub fn unread(&self) -> Option<Notice> {
        let (unread, readings) = self.gauges.seen.lock().ok().map(|seen| (seen.unread, seen.readings))?;
        let text = format!(
            "The temperature could not be read {unread} of {readings} times: it was not watched then."
        );
        (unread > 0).then_some(Notice::warning(text))
    }

    pub fn stopped_at(&self) -> Option<Celsius> {
        let simulated = self.simulated.as_ref().map(|stopped| stopped.load(Ordering::Relaxed));
        let simulated = simulated.filter(|milli| *milli > 0).map(|milli| Celsius(whole_degrees(milli)));
        simulated.or_else(|| self.gauges.seen.lock().ok()?.stopped_at)
    }

    /// The highest temperature of the whole drive so far.
    pub fn hottest(&self) -> Option<Celsius> {
        let seen = self.gauges.seen.lock().ok()?;
        seen.hottest.first().copied().flatten().map(MilliCelsius::rounded)
    }

    /// What was seen so far, and how far the counters have moved; `None` of a drive that shows nothing of it. Asks an NVMe
    /// drive, which has to be there.
    pub fn document(&self) -> Option<HeatDocument> {
        let hottest = self.gauges.seen.lock().ok()?.hottest.clone();
        let sensors = self.gauges.labels.iter().zip(hottest).filter_map(|(name, hottest)| {
            Some(SensorDocument { name: name.clone(), hottest_celsius: hottest?.degrees() })
        });
        let sensors: Vec<SensorDocument> = sensors.collect();
        let counted = self.counter.as_ref().and_then(ThrottleCounter::document);
        let is_known = !sensors.is_empty() || counted.is_some();
        is_known.then(|| HeatDocument { sensors, limit: self.limit, counted, ..HeatDocument::default() })
    }
}
