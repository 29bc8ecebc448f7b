//! Why a drive cannot record what was asked for, or why that is not shown.

use drivelab_stats::KeepsUp;
use drivelab_view::format::{by_number, bytes, digits, long_time, percent, rate, shell_word, things};

use super::{RecorderAnswer, RecorderPlan, SeenRun};
use crate::Ended;
use crate::read_back::VerificationFindings;
use crate::stood_still::too_much;
use crate::whole::whole_part;

/// A run that falls short by no more than this share is as long, or as fast, as one that does not: its last write is missing, or
/// the headers of the recording's blocks are.
const AS_MUCH: f64 = 0.99;

impl RecorderPlan {
    pub(super) fn judge(&mut self, seen: Option<SeenRun<'_>>) {
        let refused = self.refused(seen);
        let open = match seen {
            Some(seen) => self.open(seen),
            None => vec!["nothing was measured of this drive".to_owned()],
        };
        (self.answer, self.reasons) = match (refused.is_empty(), open.is_empty()) {
            (false, _) => (RecorderAnswer::No, refused),
            (true, false) => (RecorderAnswer::NotShown, open),
            (true, true) => (RecorderAnswer::Yes, Vec::new()),
        };
    }

    /// What channels of `rate` bytes a second have brought at the end of the recording, and a drive that does not keep up with
    /// them has not taken, in bytes.
    pub(super) fn left_at_end(&self, rate: f64) -> f64 {
        let takes = self.sustained_bytes_s.unwrap_or(0.0);
        (rate - takes).max(0.0) * self.request.duration_ns as f64 / 1e9
    }

    /// How long the newest part of a recording is that the drive has room for.
    pub(super) fn kept_for(&self) -> String {
        long_time(self.size_bytes as f64 / self.total_bytes_s)
    }

    /// What stands against the recording.
    fn refused(&self, seen: Option<SeenRun<'_>>) -> Vec<String> {
        let mut reasons = Vec::new();
        if self.needed_bytes > self.size_bytes && !self.request.cyclic {
            reasons.push(format!(
                "it needs a drive of {}, and this one has {} (with --cyclic the newest {} stay)",
                bytes(self.needed_bytes as f64),
                bytes(self.size_bytes as f64),
                self.kept_for()
            ));
        }
        let Some(seen) = seen else { return reasons };
        if seen.keeps_up(self.total_bytes_s) == KeepsUp::No {
            reasons.push(format!(
                "the drive takes {} MB/s for long, and the channels bring {} MB/s: a recording of {} takes more \
                 than {} of buffer",
                rate(self.sustained_bytes_s.unwrap_or(0.0) / 1e6),
                rate(self.total_bytes_s / 1e6),
                long_time(self.request.duration_ns as f64 / 1e9),
                bytes(self.left_at_end(self.total_bytes_s))
            ));
        }
        let faulty = seen.kept.findings.verification.as_ref().map_or(0, VerificationFindings::faulty);
        if faulty > 0 {
            reasons.push(format!(
                "{} of the run {} not read back as written",
                things(faulty, "block"),
                by_number(faulty, "was", "were")
            ));
        }
        let failed = seen.stream.failed_writes;
        if failed > 0 {
            reasons.push(format!("{} of the run failed", things(failed, "write")));
        }
        reasons
    }

    /// What is not known. Notes how long a run shows whether the drive keeps up, if that is longer than the recording asks for.
    fn open(&mut self, seen: SeenRun<'_>) -> Vec<String> {
        let kept = seen.kept;
        let mut reasons = Vec::new();
        if let Some(share) = kept.settings.part_of(kept.run.drive.size_bytes) {
            reasons.push(format!(
                "the run wrote to {} of the drive (--range): what the drive does when all of it is written was not seen",
                percent(share)
            ));
        }
        if let Some(why) = too_much(&kept.run) {
            reasons.push(why);
        }
        if kept.ended() == Ended::Killed {
            reasons.push("the run was killed".to_owned());
        }
        reasons.extend(self.too_short(seen));
        if seen.rate_between_rests() < self.total_bytes_s * AS_MUCH {
            reasons.push(format!(
                "the run wrote {} MB/s, and the channels bring {} MB/s: what the drive does without the rest between writes is \
                 not known",
                rate(seen.stream.mb_s.unwrap_or(0.0)),
                rate(self.total_bytes_s / 1e6)
            ));
        }
        if seen.keeps_up(self.total_bytes_s) == KeepsUp::NotShown {
            reasons.push(self.too_few_delays(seen));
        }
        reasons
    }

    /// Why the run is too short for a yes. A run writes whole blocks.
    fn too_short(&self, seen: SeenRun<'_>) -> Option<String> {
        let wrote = seen.stream.written_bytes + seen.kept.settings.block_bytes;
        let is_as_much = wrote as f64 > self.needed_run_bytes as f64 * AS_MUCH;
        let is_as_long = self.measured_ns? as f64 >= self.needed_run_ns as f64 * AS_MUCH;
        if is_as_much && is_as_long {
            return None;
        }
        let (needed, lasting) =
            (bytes(self.needed_run_bytes as f64), long_time(self.needed_run_ns as f64 / 1e9));
        let lacking = match (is_as_much, is_as_long) {
            (true, _) => format!("a run of {lasting} or longer"),
            (false, true) => format!("a run that writes {needed} or more"),
            (false, false) => format!("a run that writes {needed} or more, for {lasting} or longer"),
        };
        Some(format!(
            "the run wrote {} in {}, {}, and to find a delay that comes once in a recording (95 % confidence) takes three of \
             them: {lacking}",
            bytes(seen.stream.written_bytes as f64),
            long_time(seen.stream.duration_s),
            lengths(self.lengths_seen()?)
        ))
    }

    /// Why the delays of a run do not show whether the drive keeps up.
    fn too_few_delays(&mut self, seen: SeenRun<'_>) -> String {
        let delays = seen.stream.seen_delays().count;
        let times = seen.stream.lengths_to_show(seen.kept.settings.block_bytes, self.total_bytes_s);
        let (took, bring) =
            (rate(self.sustained_bytes_s.unwrap_or(0.0) / 1e6), rate(self.total_bytes_s / 1e6));
        let why = if delays == 0 {
            format!(
                "the drive took {took} MB/s, and the channels bring {bring} MB/s: the run is too short to say which is more"
            )
        } else {
            format!(
                "with its {} the drive took {took} MB/s, and the channels bring {bring} MB/s: the run is too short to show how \
                 often such delays come, and so whether the drive keeps up",
                things(delays, "delay")
            )
        };
        let Some(times) = times else {
            return format!("{why}, nor would a run of a thousand times the length show it");
        };
        let longer = |amount: u64| whole_part(amount as f64 * times);
        self.needed_run_bytes = self.needed_run_bytes.max(longer(seen.stream.written_bytes));
        self.needed_run_ns = self.needed_run_ns.max(longer(self.measured_ns.unwrap_or(0)));
        format!("{why}, as a run of about {} would", long_time(self.needed_run_ns as f64 / 1e9))
    }
}

/// A number of recordings.
fn lengths(times: f64) -> String {
    if times < 1.0 {
        format!("{} of this recording", percent(times))
    } else {
        format!("{} times this recording", digits(times))
    }
}

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
