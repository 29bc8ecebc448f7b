//! The energy counters of processor packages: `/sys/class/powercap/intel-rapl:N`
//! (Documentation/power/powercap/powercap.rst). AMD's processors have the same files.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::{MeterError, sysfs};

/// More than any processor package draws, in watts.
const MOST_WATTS: f64 = 10_000.0;

#[derive(Debug)]
struct Package {
    counter: PathBuf,
    /// Where the counter begins anew, in microjoules.
    range: u64,
    last: u64,
}

/// The packages; what lies within them (`core`, `uncore`) is in their counters already.
#[derive(Debug)]
pub(crate) struct Rapl {
    packages: Vec<Package>,
    microjoules: u64,
    /// What was said when a counter was set back: what it had counted in between nobody knows.
    lost: Option<String>,
}

impl Rapl {
    /// The packages below `root`, if there are any. The error names a counter that cannot be read: since 2020 only root may.
    pub(crate) fn find(root: &Path) -> Result<Option<Rapl>, (PathBuf, io::Error)> {
        let class = root.join("sys/class/powercap");
        let mut packages = Vec::new();
        for name in sysfs::names(&class) {
            let folder = class.join(&name);
            let is_zone =
                name.strip_prefix("intel-rapl:").is_some_and(|number| number.parse::<u32>().is_ok());
            let called = sysfs::text(&folder.join("name")).unwrap_or_default();
            if !is_zone || !called.starts_with("package") {
                continue;
            }
            let counter = folder.join("energy_uj");
            let text = sysfs::text(&counter).map_err(|error| (counter.clone(), error))?;
            let range =
                sysfs::text(&folder.join("max_energy_range_uj")).ok().and_then(|text| text.parse().ok());
            if let (Ok(last), Some(range)) = (text.parse(), range) {
                packages.push(Package { counter, range, last });
            }
        }
        Ok((!packages.is_empty()).then_some(Rapl { packages, microjoules: 0, lost: None }))
    }

    /// The energy since the meter was opened, in joules; the last one that was told is at most `since` ago.
    pub(crate) fn joules(&mut self, since: Duration) -> Result<f64, MeterError> {
        if let Some(text) = &self.lost {
            return Err(MeterError::Impossible(text.clone()));
        }
        let mut all = Vec::with_capacity(self.packages.len());
        for package in &self.packages {
            let text = sysfs::text(&package.counter)
                .map_err(|error| MeterError::Gone(format!("{}: {error}", package.counter.display())))?;
            let now = text.parse().map_err(|_| MeterError::NotANumber(text))?;
            match package.step(now, since.as_secs_f64()) {
                Ok(step) => all.push((now, step)),
                Err(Wrong::ForNow(text)) => return Err(MeterError::Impossible(text)),
                Err(Wrong::ForGood(text)) => {
                    self.lost = Some(text.clone());
                    return Err(MeterError::Impossible(text));
                }
            }
        }
        // Only where every package answered is any of them moved on: a later reading has the rest.
        for (package, (now, step)) in self.packages.iter_mut().zip(all) {
            package.last = now;
            self.microjoules += step;
        }
        Ok(self.microjoules as f64 / 1e6)
    }
}

impl Package {
    /// Microjoules since the last reading, so many seconds ago. A counter that is less than it was has begun anew.
    fn step(&self, now: u64, seconds: f64) -> Result<u64, Wrong> {
        let step =
            if now >= self.last { now - self.last } else { (now + self.range).saturating_sub(self.last) };
        let text = || format!("{now} microjoules after {} (of at most {})", self.last, self.range);
        // Half a range between two readings is minutes of full load: the counter went back, and may go on.
        if now > self.range || step > self.range / 2 {
            return Err(Wrong::ForNow(text()));
        }
        // A counter moves in steps of about a millisecond, which a reading right behind another has in it.
        let most = MOST_WATTS * (seconds + 0.01) * 1e6;
        if step as f64 > most { Err(Wrong::ForGood(text())) } else { Ok(step) }
    }
}

/// Why a step cannot be.
enum Wrong {
    ForNow(String),
    /// More than a package can draw: the counter began anew, by a sleep of the machine for one. What it had counted until then
    /// nobody knows, and after some time the step would look possible.
    ForGood(String),
}
