//! How warm a drive is while it works: its sensors once a second, its own counters before and after, and whether it throttled.

mod limit;
mod reading;
mod simulated;
mod throttled;

use std::sync::{Arc, Mutex};

use drivelab_method::Interrupt;
use drivelab_probe::nvme::{ThermalCounters, ThermalLog};
use drivelab_probe::{Celsius, MilliCelsius, Roots, Thermometer};
use drivelab_record::{HeatDocument, HeatLimitDocument, SensorDocument, ThermalCountersDocument};
use drivelab_uring::{NvmeQueries, NvmeQuery};

use crate::Real;

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
    /// The controller of an NVMe drive, and its counters before the run.
    nvme: Option<(NvmeQueries, ThermalCounters)>,
    _thread: Option<SensorThread>,
}

impl HeatWatch {
    /// Watches a target. A temperature over `limit`, or over what the sensor suggests, ends the run.
    pub fn of(real: &Real, limit: Option<Celsius>, interrupt: &Interrupt) -> HeatWatch {
        let thermometer = real.whole_device().and_then(|drive| Thermometer::of(&Roots::live(), drive));
        let queries = NvmeQueries::of(&real.access).ok();
        let own_limit = limit::limit_of(queries.as_ref(), thermometer.as_ref());
        let nvme = queries.and_then(|queries| {
            let before = counters(&queries)?;
            Some((queries, before))
        });
        let seen: Arc<Mutex<HeatSeen>> = Arc::default();
        let Some(thermometer) = thermometer else {
            return HeatWatch { limit: own_limit, nvme, ..HeatWatch::default() };
        };
        let gauges = HeatGauges::of(&thermometer, Arc::clone(&seen));
        let limit =
            limit.unwrap_or_else(|| limit::default_stop(thermometer.driver(), thermometer.critical()));
        let stop = (limit, interrupt.clone());
        let thread = SensorThread::start(thermometer, Arc::clone(&seen), stop, real.clock());
        HeatWatch { seen, gauges, limit: own_limit, nvme, _thread: thread }
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
        let counted = self.nvme.as_ref().and_then(|(queries, before)| {
            let moved = counters(queries)?.since(before);
            Some(ThermalCountersDocument {
                warning_minutes: moved.warning_minutes,
                critical_minutes: moved.critical_minutes,
                thermal_1_transitions: moved.light_transitions,
                thermal_2_transitions: moved.heavy_transitions,
                thermal_1_seconds: moved.light_seconds,
                thermal_2_seconds: moved.heavy_seconds,
            })
        });
        let is_known = !sensors.is_empty() || counted.is_some();
        is_known.then(|| HeatDocument { sensors, limit: self.limit, counted, ..HeatDocument::default() })
    }
}

fn counters(queries: &NvmeQueries) -> Option<ThermalCounters> {
    let answer = queries.ask(NvmeQuery::HealthLog).ok()?;
    Some(ThermalLog::parse(&answer.data)?.counters)
}
