//! The thread that reads the sensors, the gauges that show what it read last, and what an NVMe drive counts of its own heat.

use std::ops::ControlFlow;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use drivelab_block::{Instant, Nanos};
use drivelab_documents::ThermalCountersDocument;
use drivelab_method::Interrupt;
use drivelab_probe::nvme::ThermalCounters;
use drivelab_probe::{Celsius, MilliCelsius, SensorDriver, Thermometer};
use drivelab_record::Gauge;
use drivelab_uring::{Clock, NvmeQueries, NvmeQuery};

use crate::look_every;

/// How often the sensors of an NVMe drive are read: the kernel asks for its health log, which waits for no I/O, and no more
/// often than that.
const EVERY: Duration = Duration::from_secs(1);
/// How often others are. The kernel asks a SATA drive with a command that waits for all others, so that each reading costs a
/// moment of the run: seldom enough to show in few I/Os, often enough for a drive that takes minutes to warm up.
const SELDOM: Duration = Duration::from_secs(10);
/// The unit of the gauges.
const DEGREES: &str = "°C";
/// What the gauges read.
const SUBJECT: &str = "temperature";
/// The gauge of the drive's own counter of throttling, and its unit: what it has counted since the run began.
pub const COUNTER: (&str, &str) = ("throttling counted", "s");

/// What the sensors have shown so far, in their order.
#[derive(Debug, Default)]
pub struct HeatSeen {
    latest: Vec<Option<MilliCelsius>>,
    latest_at: Instant,
    /// For how many seconds the drive has throttled since the run began, by its own counter.
    throttled_s: Option<u32>,
    pub hottest: Vec<Option<MilliCelsius>>,
    pub stopped_at: Option<Celsius>,
    /// How often the sensor of the whole drive was read, and how often it showed nothing.
    pub readings: u32,
    pub unread: u32,
}

impl HeatSeen {
    fn note(&mut self, shown: Vec<Option<MilliCelsius>>, throttled_s: Option<u32>, at: Instant) {
        self.readings += 1;
        self.unread += u32::from(shown.first().copied().flatten().is_none());
        self.hottest.resize(shown.len(), None);
        for (hottest, shown) in self.hottest.iter_mut().zip(&shown) {
            *hottest = (*hottest).max(*shown);
        }
        (self.latest, self.latest_at, self.throttled_s) = (shown, at, throttled_s);
    }
}

/// Reads the sensors once, and then on a thread until what this returns is dropped. A drive that hangs keeps that thread waiting,
/// and no other one. A temperature over that of `stop` raises the interrupt.
pub fn watch_sensors(
    thermometer: Thermometer,
    counter: Option<ThrottleCounter>,
    seen: Arc<Mutex<HeatSeen>>,
    stop: Option<(Celsius, Interrupt)>,
    clock: Clock,
) -> std::io::Result<Sender<()>> {
    let every = period(thermometer.driver);
    let read = move || {
        let shown = thermometer.read();
        let main = shown.first().copied().flatten().map(MilliCelsius::rounded);
        // The limit does not wait for the counter.
        if let Some((limit, interrupt)) = &stop
            && main.is_some_and(|main| main > *limit)
            && let Ok(mut seen) = seen.lock()
            && seen.stopped_at.is_none()
        {
            seen.stopped_at = main;
            interrupt.raise();
        }
        let throttled_s = counter.as_ref().and_then(ThrottleCounter::seconds);
        if let Ok(mut seen) = seen.lock() {
            seen.note(shown, throttled_s, clock.now());
        }
        ControlFlow::Continue(())
    };
    let _ = read();
    look_every(every, "watch", read)
}

fn period(driver: SensorDriver) -> Duration {
    match driver {
        SensorDriver::Nvme => EVERY,
        SensorDriver::Other => SELDOM,
    }
}

/// The sensors of a drive as gauges of a run.
#[derive(Clone, Debug, Default)]
pub struct HeatGauges {
    pub seen: Arc<Mutex<HeatSeen>>,
    /// What the kernel calls the sensors.
    pub labels: Vec<String>,
    /// Whether the drive counts for how long it throttles.
    has_counter: bool,
    /// How old a reading may be that is shown.
    age: Nanos,
}

impl HeatGauges {
    /// The gauges of these sensors, of which `seen` has the readings.
    pub fn new(thermometer: &Thermometer, has_counter: bool, seen: Arc<Mutex<HeatSeen>>) -> HeatGauges {
        let labels = thermometer.sensors.iter().map(|sensor| sensor.label.clone()).collect();
        let every = u64::try_from(period(thermometer.driver).as_nanos()).unwrap_or(u64::MAX);
        // A reading that takes longer leaves a gap.
        HeatGauges { seen, labels, has_counter, age: Nanos::new(every * 2) }
    }

    /// The gauges: the sensors, and then the drive's counter of throttling.
    pub fn gauges(&self) -> impl Iterator<Item = Gauge> + '_ {
        let counter = self.has_counter.then(counter_gauge);
        self.labels.iter().map(|label| temperature_gauge(label)).chain(counter)
    }

    /// What the sensor of the whole drive showed last, in degrees Celsius.
    pub fn latest(&self) -> Option<f64> {
        let seen = self.seen.lock().ok()?;
        Some(seen.latest.first().copied()??.degrees())
    }

    /// What each of them showed last before `now`; none of what is too old.
    pub fn at(&self, now: Instant) -> Vec<Option<f64>> {
        let shown = self.seen.lock().ok().filter(|seen| now.since(seen.latest_at) <= self.age);
        let degrees = |place: usize| Some(shown.as_ref()?.latest.get(place).copied()??.degrees());
        let counter = self.has_counter.then(|| shown.as_ref()?.throttled_s.map(f64::from));
        (0..self.labels.len()).map(degrees).chain(counter).collect()
    }
}

/// The gauge of a sensor; one without a label is that of the whole drive.
pub fn temperature_gauge(label: &str) -> Gauge {
    let label: String = label.chars().filter(|letter| !",()[]".contains(*letter)).collect();
    Gauge { name: format!("{SUBJECT} {label}").trim_end().to_owned(), unit: DEGREES.to_owned() }
}

/// The gauge of the drive's own counter of throttling.
pub fn counter_gauge() -> Gauge {
    let (name, unit) = COUNTER;
    Gauge { name: name.to_owned(), unit: unit.to_owned() }
}

pub fn is_temperature(gauge: &Gauge) -> bool {
    gauge.unit == DEGREES
}

/// The counters of a drive since the run began.
#[derive(Clone, Debug)]
pub struct ThrottleCounter {
    queries: NvmeQueries,
    before: ThermalCounters,
}

impl ThrottleCounter {
    /// Counts from now on; `None` of a drive that does not answer.
    pub fn new(queries: NvmeQueries) -> Option<ThrottleCounter> {
        let before = counters(&queries)?;
        Some(ThrottleCounter { queries, before })
    }

    /// For how many seconds the drive has throttled since then. Asks the drive, which has to be there.
    pub fn seconds(&self) -> Option<u32> {
        let moved = self.moved()?;
        Some(moved.light_seconds.saturating_add(moved.heavy_seconds))
    }

    /// How far each counter has moved since then. Asks the drive, which has to be there.
    pub fn document(&self) -> Option<ThermalCountersDocument> {
        let moved = self.moved()?;
        Some(ThermalCountersDocument {
            warning_minutes: moved.warning_minutes,
            critical_minutes: moved.critical_minutes,
            thermal_1_transitions: moved.light_transitions,
            thermal_2_transitions: moved.heavy_transitions,
            thermal_1_seconds: moved.light_seconds,
            thermal_2_seconds: moved.heavy_seconds,
        })
    }

    fn moved(&self) -> Option<ThermalCounters> {
        Some(counters(&self.queries)?.since(&self.before))
    }
}

fn counters(queries: &NvmeQueries) -> Option<ThermalCounters> {
    let answer = queries.ask(NvmeQuery::HealthLog).ok()?;
    ThermalCounters::parse(&answer.data)
}

#[cfg(test)]
mod tests {
    use super::*;
    use drivelab_probe::Roots;
    use std::fs;

    #[test]
    fn gauges_show_the_latest_reading_until_it_is_too_old() {
        let root = tempfile::tempdir().expect("a folder");
        let folder = root.path().join("sys/class/block/nvme0n1/device/hwmon3");
        fs::create_dir_all(&folder).expect("a folder");
        let put = |name: &str, text: &str| fs::write(folder.join(name), text).expect("a file");
        put("name", "nvme\n");
        put("temp1_input", "41850\n");
        put("temp1_label", "Composite\n");
        put("temp2_input", "bad\n");
        put("temp2_label", "Sensor 1, (left)\n");
        let thermometer = Thermometer::find(&Roots::at(root.path()), "nvme0n1").expect("sensors");
        let seen: Arc<Mutex<HeatSeen>> = Arc::default();
        let gauges = HeatGauges::new(&thermometer, true, Arc::clone(&seen));
        let names: Vec<String> = gauges.gauges().map(|gauge| gauge.name).collect();
        assert_eq!(names, ["temperature Composite", "temperature Sensor 1 left", "throttling counted"]);
        let at = |seconds: u64| Instant::from_nanos(seconds * 1_000_000_000);
        let note = |at| seen.lock().expect("no panic").note(thermometer.read(), Some(7), at);
        note(at(10));
        assert_eq!(gauges.at(at(11)), [Some(41.85), None, Some(7.0)]);
        assert_eq!(gauges.at(at(13)), [None, None, None]);
        put("temp1_input", "39850\n");
        note(at(13));
        assert_eq!(gauges.at(at(13)), [Some(39.85), None, Some(7.0)]);
        assert_eq!(seen.lock().expect("no panic").hottest, [Some(MilliCelsius(41_850)), None]);
    }

    #[test]
    fn a_drive_over_the_limit_ends_the_run() {
        let root = tempfile::tempdir().expect("a folder");
        let folder = root.path().join("sys/class/block/sda/device/hwmon/hwmon0");
        fs::create_dir_all(&folder).expect("a folder");
        fs::write(folder.join("temp1_input"), "70000\n").expect("a file");
        let thermometer = Thermometer::find(&Roots::at(root.path()), "sda").expect("a sensor");
        for (limit, stopped) in [(70, None), (69, Some(Celsius(70)))] {
            let (seen, interrupt) = (Arc::default(), Interrupt::default());
            let stop = Some((Celsius(limit), interrupt.clone()));
            let started = watch_sensors(thermometer.clone(), None, Arc::clone(&seen), stop, Clock::start());
            started.expect("a thread");
            let found = seen.lock().expect("no panic").stopped_at;
            assert_eq!((found, interrupt.is_raised()), (stopped, stopped.is_some()));
        }
    }
}
