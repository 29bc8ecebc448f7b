//! Whether a drive is warm: its temperature no longer rises while the work stays the same.

use drivelab_block::Nanos;

/// How far apart two readings are.
const READ_EVERY: u64 = 10_000_000_000;
/// Readings of the last minute: one every ten seconds.
const MINUTE: u64 = 6;
/// Readings of the five minutes in which the temperature may rise by less than [`WarmUp::RISE_MAX`].
const WINDOW: u64 = 30;
/// The most readings: those of a week.
const READINGS_MAX: usize = 60_480;
/// How many readings of a minute there have to be.
const LEAST: usize = 3;

/// The temperature of a drive that is read until it is warm, once every ten seconds.
///
/// It is warm when the mean of the last minute is less than 1 K above the mean of the minute that ended five minutes before,
/// which is known after six minutes at the earliest. A minute has six readings, of which three suffice. A drive that cools down
/// is warm by that, too.
///
/// Sensors that show whole kelvins do not make it warm too early: where the temperature rises by 1 K or more within five
/// minutes, its rounded value does so as well. Nor do they keep it from ever being warm: the rounded value of a
/// temperature that approaches its end changes no more after some time, and the means even out one that changes back and forth.
/// The method is drivelab's own.
#[derive(Clone, Debug, Default)]
pub struct WarmUp {
    /// The number of the interval of ten seconds at whose end each was taken, and the degrees Celsius, oldest first.
    readings: Vec<(u64, f64)>,
}

impl WarmUp {
    /// From which rise within five minutes on a drive is not warm yet, in kelvins.
    pub const RISE_MAX: f64 = 1.0;
    /// The time in which the rise is measured.
    pub const WITHIN: Nanos = Nanos::new(WINDOW * READ_EVERY);
    /// The time after which the rise is known first.
    pub const SHORTEST: Nanos = Nanos::new((WINDOW + MINUTE) * READ_EVERY);

    /// No reading yet, and room for those of this time, a week at most, so that nothing is allocated meanwhile.
    pub fn with_room(time: Nanos) -> WarmUp {
        let count = usize::try_from(time.get() / READ_EVERY + 1).unwrap_or(usize::MAX);
        WarmUp { readings: Vec::with_capacity(count.min(READINGS_MAX)) }
    }

    /// Whether a reading is due this long after the beginning: ten seconds after the one before, or after the beginning.
    pub fn is_due(&self, elapsed: Nanos) -> bool {
        self.readings.last().map_or(0, |(number, _)| *number) < elapsed.get() / READ_EVERY
    }

    /// Takes the degrees Celsius at a moment after the beginning, as far as there is room.
    pub fn add(&mut self, elapsed: Nanos, celsius: f64) {
        if self.readings.len() < self.readings.capacity() {
            self.readings.push((elapsed.get() / READ_EVERY, celsius));
        }
    }

    /// By how many kelvins the temperature has risen within the five minutes until the last reading, as the means of minutes;
    /// `None` before it was read for six minutes, and where readings are missing.
    pub fn rise(&self) -> Option<f64> {
        let (last, _) = *self.readings.last()?;
        let mean_until = |end: u64| {
            let first = (end + 1).checked_sub(MINUTE).filter(|first| *first > 0)?;
            let within = self.readings.iter().filter(|(number, _)| (first..=end).contains(number));
            let (count, sum) =
                within.fold((0_usize, 0.0), |(count, sum), (_, celsius)| (count + 1, sum + celsius));
            (count >= LEAST).then_some(sum / count as f64)
        };
        Some(mean_until(last)? - mean_until(last.checked_sub(WINDOW)?)?)
    }

    /// The same at a moment after the beginning; `None` also where the last reading is more than a minute old.
    pub fn rise_at(&self, elapsed: Nanos) -> Option<f64> {
        let (last, _) = *self.readings.last()?;
        self.rise().filter(|_| elapsed.get() / READ_EVERY <= last + MINUTE)
    }

    /// Whether the drive is warm.
    pub fn is_warm(&self) -> bool {
        self.rise().is_some_and(|rise| rise < WarmUp::RISE_MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOUND_S: u64 = 12 * 3_600;

    /// The seconds after which a drive with this temperature is warm.
    fn warm_after(celsius: impl Fn(f64) -> f64) -> Option<u64> {
        let mut warm_up = WarmUp::with_room(Nanos::from_secs(BOUND_S));
        (1..=BOUND_S).find(|second| {
            let elapsed = Nanos::from_secs(*second);
            if warm_up.is_due(elapsed) {
                warm_up.add(elapsed, celsius(*second as f64));
            }
            warm_up.is_warm()
        })
    }

    /// T(t) = end - range e^(-t / tau). The rise within 300 s is range (e^(300 / tau) - 1) times the mean of e^(-t / tau) over
    /// the six readings of the last minute.
    fn expected(range: f64, tau: f64) -> u64 {
        let rise = |at: u64| {
            let mean = (0..6).map(|number| (-((at - 10 * number) as f64) / tau).exp()).sum::<f64>() / 6.0;
            range * (300.0_f64 / tau).exp_m1() * mean
        };
        (36..10_000).map(|number| number * 10).find(|at| rise(*at) < 1.0).expect("it ends")
    }

    #[test]
    fn an_exponential_is_warm_when_its_formula_says_so() {
        for tau in [20.0, 90.0, 240.0, 600.0, 1_500.0] {
            for range in [0.5, 3.0, 17.3, 60.0] {
                let found = warm_after(|at| 25.0 + range * (1.0 - (-at / tau).exp()));
                assert_eq!(found, Some(expected(range, tau)), "{range} K with {tau} s");
            }
        }
        assert_eq!(warm_after(|at| 60.0 - at / 100.0), Some(360), "it cools down");
        assert_eq!(warm_after(|at| 25.0 + at / 299.0), None, "1 K and more within 300 s for ever");
    }

    /// Rounded to whole kelvins a drive is not warm before its temperature rises by less than 1 K in five minutes, and it is warm
    /// six minutes after its sensor changed last, at the latest.
    #[test]
    fn whole_kelvins_make_it_warm_neither_too_early_nor_never() {
        for tau in [20.0, 90.0, 240.0, 600.0, 1_500.0] {
            for range in [3.0, 17.3, 41.9, 60.0] {
                let celsius = |at: f64| 25.2 + range * (1.0 - (-at / tau).exp());
                let found = warm_after(|at| celsius(at).round()).expect("it ends");
                let lowest_rise = celsius(found as f64) - celsius(found as f64 - 300.0);
                assert!(
                    found == 360 || lowest_rise < 1.0,
                    "{range} K with {tau} s: {lowest_rise} K at {found} s"
                );
                let last_change = (0..BOUND_S).rfind(|at| {
                    (celsius(*at as f64).round() - celsius(*at as f64 + 1.0).round()).abs() > 0.5
                });
                let latest = last_change.unwrap_or(0) + 10 + 360;
                assert!(found <= latest, "{range} K with {tau} s: {found} s, and {latest} s at most");
            }
        }
    }

    #[test]
    fn a_sensor_that_fell_silent_says_nothing_of_the_last_minutes() {
        let mut warm_up = WarmUp::with_room(Nanos::from_secs(3_600));
        (1..=42).for_each(|number| warm_up.add(Nanos::from_secs(number * 10), number as f64));
        assert_eq!(warm_up.rise_at(Nanos::from_secs(480)), Some(30.0));
        assert_eq!(warm_up.rise_at(Nanos::from_secs(490)), None);
    }

    #[test]
    fn a_sensor_that_shows_nothing_makes_no_drive_warm() {
        let mut warm_up = WarmUp::with_room(Nanos::from_secs(3_600));
        for second in (10..3_600).step_by(10).filter(|second| *second < 60 || *second > 240) {
            assert!(warm_up.is_due(Nanos::from_secs(second)));
            warm_up.add(Nanos::from_secs(second), 40.0);
            // Three readings of either minute suffice.
            assert_eq!(
                warm_up.rise().is_some(),
                (360..=380).contains(&second) || second >= 570,
                "{second} s"
            );
        }
    }
}
