//! What goes by a schedule of virtual time: the drive's meter, its health, its temperature.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use drivelab_block::{Instant, Nanos};

use super::SimDrive;
use crate::energy::{EnergyMeter, nanojoules};
use crate::health::{HealthLog, HealthReadings, HealthWatch};
use crate::heat::{DriveHeat, HeatLog, HeatReading};
use crate::profile::Profile;
use crate::truth::Counts;

/// What is done when, and when the next of it is due: one comparison where time moves on, however many there are.
#[derive(Debug)]
pub(super) struct WatchReadings {
    due: u64,
    meter: Option<EnergyMeter>,
    watch: Option<HealthWatch>,
    heat: Option<DriveHeat>,
    /// The temperatures so far, where they are to be kept.
    heat_log: Option<Vec<HeatReading>>,
    /// Where the latest temperature is shown, in thousandths of a degree Celsius.
    shown_heat: Option<Arc<AtomicU64>>,
    /// Where a temperature ends the run.
    end: Option<HeatEnd>,
}

/// A temperature that ends the run.
#[derive(Debug)]
struct HeatEnd {
    /// The highest that does not, in thousandths of a degree Celsius.
    above: u64,
    flag: Arc<AtomicBool>,
    /// What it was when it ended the run.
    ended_at: Arc<AtomicU64>,
}

impl WatchReadings {
    /// Nothing is read; the temperature is that of a drive that has one.
    pub(super) fn new(heat: Option<DriveHeat>) -> WatchReadings {
        let mut readings = WatchReadings {
            due: u64::MAX,
            meter: None,
            watch: None,
            heat,
            heat_log: None,
            shown_heat: None,
            end: None,
        };
        readings.settle();
        readings
    }

    /// Works out what is due next.
    fn settle(&mut self) {
        let meter = self.meter.as_ref().map(|meter| meter.due);
        let watch = self.watch.as_ref().map(|watch| watch.due);
        let heat = self.heat.as_ref().map(|heat| heat.due);
        self.due = meter.into_iter().chain(watch).chain(heat).min().unwrap_or(u64::MAX);
    }
}

impl SimDrive {
    /// Begins to read a meter of the drive's energy, ten times a second of virtual time, and less often in a run of hours.
    pub fn begin_metering(&mut self) {
        self.readings.meter = Some(EnergyMeter::new(self.now));
        // The first reading is taken before anything is asked of the drive.
        self.read_until(self.now);
    }

    /// What the meter said since it was begun: when, and the joules since the drive was made.
    pub fn energy_readings(&self) -> &[(Instant, f64)] {
        self.readings.meter.as_ref().map_or(&[], |meter| &meter.readings)
    }

    /// What the drive draws while it does nothing, in watts.
    pub fn idle_watts(&self) -> f64 {
        self.energy.idle_power as f64 / 1e6
    }

    /// The drive's health counters; `None` where it keeps none.
    pub fn health(&self) -> Option<HealthLog> {
        self.health_at(self.now)
    }

    fn health_at(&self, at: u64) -> Option<HealthLog> {
        let wear = self.mechanism.flash().map(|flash| flash.ftl.wear());
        let delays = self.delays.happened.len() as u64;
        HealthLog::read(&self.health, &self.lifetime(), (wear, self.thermal()), (delays, at))
    }

    /// The drive's temperature in the last whole second of virtual time, and how it throttled so far; `None` where the
    /// profile has no thermal model.
    pub fn thermal(&self) -> Option<HeatLog> {
        let heat = self.readings.heat.as_ref()?;
        let throttled = Nanos::from_secs(heat.throttled_seconds);
        Some(HeatLog { milli_celsius: heat.milli_celsius(), transitions: heat.transitions, throttled })
    }

    /// The temperature of a new drive with this profile, in thousandths of a degree Celsius; `None` where it has no thermal
    /// model.
    pub fn resting_milli_celsius(profile: &Profile) -> Option<u64> {
        let parameters = &profile.parameters;
        DriveHeat::new(&parameters.thermal, parameters.energy.idle_power).map(|heat| heat.milli_celsius())
    }

    /// The temperature at which the drive throttles, in thousandths of a degree Celsius; `None` where it never does.
    pub fn thermal_limit(&self) -> Option<u64> {
        self.readings.heat.as_ref()?.limit()
    }

    /// Begins to keep the temperature of every virtual second: 32 bytes each, and nothing of a drive without a thermal model.
    pub fn begin_heat_log(&mut self) {
        self.readings.heat_log = Some(Vec::new());
    }

    /// The temperatures since [`SimDrive::begin_heat_log`], oldest first.
    pub fn heat_log(&self) -> &[HeatReading] {
        self.readings.heat_log.as_deref().unwrap_or_default()
    }

    /// The temperature in thousandths of a degree Celsius, which is from now on changed once a virtual second; `None` where the
    /// profile has no thermal model.
    pub fn show_heat(&mut self) -> Option<Arc<AtomicU64>> {
        let shown = Arc::new(AtomicU64::new(self.readings.heat.as_ref()?.milli_celsius()));
        self.readings.shown_heat = Some(Arc::clone(&shown));
        Some(shown)
    }

    /// Sets a flag once the drive is warmer than this, in thousandths of a degree Celsius: at the end of the virtual second in
    /// which it gets so. What comes back is how warm it was then, and 0 before; `None` where the profile has no thermal model.
    pub fn end_above(&mut self, milli_celsius: u64, flag: Arc<AtomicBool>) -> Option<Arc<AtomicU64>> {
        self.readings.heat.as_ref()?;
        let ended_at = Arc::new(AtomicU64::new(0));
        self.readings.end = Some(HeatEnd { above: milli_celsius, flag, ended_at: Arc::clone(&ended_at) });
        Some(ended_at)
    }

    /// Begins to read the drive's health in virtual time, by the rules of the watch of a real drive: now; whenever the count of
    /// suspicions has grown, within a second, at most twice a minute; and at the end. Returns whether the drive keeps any
    /// health counters.
    pub fn begin_health_watch(&mut self, suspicions: Arc<AtomicU64>) -> bool {
        self.readings.watch = self.health().map(|first| HealthWatch::new(self.now, first, suspicions));
        self.readings.settle();
        self.readings.watch.is_some()
    }

    /// Ends the watch; returns what was read, oldest first: nothing where none was begun.
    pub fn end_health_watch(&mut self) -> HealthReadings {
        let last = self.health();
        let watch = self.readings.watch.take();
        self.readings.settle();
        watch.map(|watch| watch.finish(self.now, last)).unwrap_or_default()
    }

    #[inline]
    pub(super) fn advance(&mut self, to: u64) {
        if to >= self.readings.due {
            self.read_until(to);
        }
        self.now = self.now.max(to);
    }

    /// Takes every reading that is due until `to`, in the order of time.
    #[cold]
    fn read_until(&mut self, to: u64) {
        self.readings.settle();
        while self.readings.due <= to {
            let at = self.readings.due;
            // Nothing was asked of the drive since: its counts change only by what it does by itself.
            if let Some(flash) = self.mechanism.flash_mut() {
                flash.collect_while_idle(at);
            }
            let counts = self.lifetime();
            let saved = self.saved_until(at);
            self.step_heat(&counts, at, saved);
            if let Some(meter) = &mut self.readings.meter {
                meter.read(&self.energy, &counts, at, saved);
            }
            if let Some(mut watch) = self.readings.watch.take() {
                if watch.due <= at {
                    watch.look(at, self.thermal(), || self.health_at(at));
                }
                self.readings.watch = Some(watch);
            }
            self.readings.settle();
        }
    }

    fn step_heat(&mut self, counts: &Counts, at: u64, saved: u128) {
        let Some(heat) = self.readings.heat.as_mut().filter(|heat| heat.due <= at) else { return };
        if heat.step(nanojoules(&self.energy, counts, at, saved)) {
            self.mechanism.controller().slow_by(heat.slowed_by());
        }
        if let Some(shown) = &self.readings.shown_heat {
            shown.store(heat.milli_celsius(), Ordering::Relaxed);
        }
        if let Some(end) = &self.readings.end
            && heat.milli_celsius() > end.above
            && !end.flag.swap(true, Ordering::Relaxed)
        {
            end.ended_at.store(heat.milli_celsius(), Ordering::Relaxed);
        }
        if let Some(log) = &mut self.readings.heat_log {
            let host_bytes = counts.host_bytes + counts.host_read_bytes;
            log.push(HeatReading {
                at: Instant::from_nanos(at),
                milli_celsius: heat.milli_celsius(),
                host_bytes,
                throttled_seconds: heat.throttled_seconds,
            });
        }
    }
}
