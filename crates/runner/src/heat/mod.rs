//! How warm a drive is while it works: its sensors once a second, its own counters before and after, and whether it throttled.

mod counter;
mod limit;
mod notices;
mod reading;
mod simulated;
mod throttled;

use std::sync::{Arc, Mutex};

use drivelab_method::Interrupt;
use drivelab_probe::{Celsius, MilliCelsius, Roots, Thermometer};
use drivelab_record::{HeatDocument, HeatLimitDocument, SensorDocument};
use drivelab_uring::NvmeQueries;

use crate::Real;

use counter::ThrottleCounter;
pub(crate) use reading::HeatGauges;
use reading::{HeatSeen, SensorThread};
pub(crate) use simulated::SimulatedHeat;
pub(crate) use throttled::{HeatSeconds, judge_heat};

/// Watches how warm a drive is, on a thread of its own, until it is dropped.
#[derive(Debug, Default)]
pub(crate) struct HeatWatch {
    seen: Arc<Mutex<HeatSeen>>,
    gauges: HeatGauges,
    limit: Option<HeatLimitDocument>,
    /// What an NVMe drive counts.
    counter: Option<ThrottleCounter>,
    _thread: Option<SensorThread>,
}

impl HeatWatch {
    /// Watches a target. A temperature over `limit`, or over what the sensor suggests, ends the run.
    pub fn of(real: &Real, limit: Option<Celsius>, interrupt: &Interrupt) -> HeatWatch {
        let thermometer = real.whole_device().and_then(|drive| Thermometer::of(&Roots::live(), drive));
        let queries = NvmeQueries::of(&real.access).ok();
        let own_limit = limit::limit_of(queries.as_ref(), thermometer.as_ref());
        let counter = queries.and_then(ThrottleCounter::new);
        let seen: Arc<Mutex<HeatSeen>> = Arc::default();
        let Some(thermometer) = thermometer else {
            return HeatWatch { limit: own_limit, counter, ..HeatWatch::default() };
        };
        let gauges = HeatGauges::of(&thermometer, counter.is_some(), Arc::clone(&seen));
        let limit =
            limit.unwrap_or_else(|| limit::default_stop(thermometer.driver(), thermometer.critical()));
        let stop = (limit, interrupt.clone());
        let thread = SensorThread::start(thermometer, counter.clone(), Arc::clone(&seen), stop, real.clock());
        HeatWatch { seen, gauges, limit: own_limit, counter, _thread: thread }
    }

    /// The gauges of its sensors.
    pub fn gauges(&self) -> HeatGauges {
        self.gauges.clone()
    }

    /// The temperature that ended the run.
    pub fn stopped_at(&self) -> Option<Celsius> {
        self.seen.lock().ok()?.stopped_at
    }

    /// The highest temperature of the whole drive so far.
    pub fn hottest(&self) -> Option<Celsius> {
        let seen = self.seen.lock().ok()?;
        seen.hottest.first().copied().flatten().map(MilliCelsius::rounded)
    }

    /// What was seen so far, and how far the counters have moved; `None` of a drive that shows nothing of it. Asks an NVMe
    /// drive, which has to be there.
    pub fn document(&self) -> Option<HeatDocument> {
        let hottest = self.seen.lock().ok()?.hottest.clone();
        let names = self.gauges.labels();
        let sensors = names.iter().zip(hottest).filter_map(|(name, hottest)| {
            Some(SensorDocument { name: name.clone(), hottest_celsius: hottest?.degrees() })
        });
        let sensors: Vec<SensorDocument> = sensors.collect();
        let counted = self.counter.as_ref().and_then(ThrottleCounter::document);
        let is_known = !sensors.is_empty() || counted.is_some();
        is_known.then(|| HeatDocument { sensors, limit: self.limit, counted, ..HeatDocument::default() })
    }
}
