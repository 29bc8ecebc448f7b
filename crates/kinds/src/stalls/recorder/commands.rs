//! The commands that a plan leads to.

use drivelab_view::format::shell_word;

use super::{RecorderAnswer, RecorderPlan};

/// As many channels a command is written out for.
const CHANNELS_SHOWN: u32 = 8;

impl RecorderPlan {
    /// The `stream record` command of the recording; none where it is not shown that the drive can make it.
    pub fn record_command(&self) -> Option<String> {
        let is_possible = self.answer == RecorderAnswer::Yes && !self.is_simulated;
        let ring = self.ring_bytes.filter(|_| is_possible)?;
        let ring = ring >> 20;
        let channel = |number: u32| format!(" --channel cam{number}=pipe:cam{number},ring={ring}MiB");
        let channels: String = (0..self.request.channels.min(CHANNELS_SHOWN)).map(channel).collect();
        let more = if self.request.channels > CHANNELS_SHOWN { " ..." } else { "" };
        let seconds = self.request.duration_ns / 1_000_000_000;
        let target = shell_word(&self.target);
        let cyclic = if self.request.cyclic { " --cyclic" } else { "" };
        let confirmed = self.confirmed();
        Some(format!(
            "drivelab stream record {target}{channels}{more} --duration {seconds}s{cyclic}{confirmed}"
        ))
    }

    /// What the command to record leaves to the user; none where there is no such command.
    pub(super) fn sources(&self) -> Option<String> {
        self.record_command()?;
        let names: Vec<String> =
            (0..self.request.channels.min(CHANNELS_SHOWN)).map(|number| format!("cam{number}")).collect();
        Some(format!(
            "Each channel is read from a named pipe that its source writes to: mkfifo {} makes them. What the drive holds is \
             lost.",
            names.join(" ")
        ))
    }

    /// The options by which the drive is given up.
    fn confirmed(&self) -> String {
        if self.is_simulated {
            return String::new();
        }
        let serial = self.confirmation.as_ref();
        let serial = serial.map_or_else(String::new, |serial| format!(" --serial={}", shell_word(serial)));
        format!("{serial} --destroy-data")
    }

    /// The `stalls` command that would show what is not shown; none where nothing is open. It writes at the rate of the
    /// recording, as fast and for as long as a yes needs.
    pub fn measure_command(&self) -> Option<String> {
        let (target, confirmed) = (shell_word(&self.target), self.confirmed());
        let seconds = self.needed_run_ns.div_ceil(1_000_000_000);
        let rate = rate_option(self.total_bytes_s);
        (self.answer == RecorderAnswer::NotShown).then(|| {
            format!("drivelab stalls {target} --rate {rate} --duration {seconds}s{confirmed} -o stalls")
        })
    }
}

/// A rate as an option takes it, rounded up to three digits or more.
fn rate_option(bytes_s: f64) -> String {
    match bytes_s {
        fast @ 100e6.. => format!("{}MB/s", (fast / 1e6).ceil()),
        slow => format!("{}kB/s", (slow / 1e3).ceil()),
    }
}
