//! Simulated drives with delays, freezes, heat and caches drawn at random, and what recordings on each of them meet.

use serde_json::Value;

use crate::common::drivelab;

/// What each recording writes, in bytes.
const RECORDING: f64 = 200e6;
/// Recordings by which an answer is judged.
const RECORDINGS: usize = 20;
/// Columns of a run's course of backlogs.
const COLUMNS: usize = 1_000;
/// Bytes of a block of a recording, and those of them that are its header.
const BLOCK: f64 = 1_048_576.0;
const HEADER: f64 = 4096.0;
/// Bytes of the longest frame, by default.
const FRAME: f64 = 2e6;

/// Numbers from a seed (Steele and others, `SplitMix`, 2014).
struct Draws(u64);

impl Draws {
    fn share(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((mixed ^ (mixed >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn between(&mut self, least: f64, most: f64) -> f64 {
        least + self.share() * (most - least)
    }

    /// Each power of ten alike.
    fn of_any_size(&mut self, least: f64, most: f64) -> f64 {
        self.between(least.ln(), most.ln()).exp()
    }

    fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a share below 1 of a short list"
        )]
        let place = (self.share() * all.len() as f64) as usize;
        all[place]
    }
}

/// A kind of drive: its profile, about how fast it is written, and whether what it takes depends on what it holds.
#[derive(Clone, Copy)]
struct Profile {
    name: &'static str,
    bytes_s: f64,
    changes: bool,
}

const PROFILES: [Profile; 8] = [
    Profile { name: "consistent?size=4GiB", bytes_s: 370e6, changes: false },
    Profile { name: "mx200-250?size=4GiB", bytes_s: 450e6, changes: false },
    Profile { name: "x300s-128?size=4GiB", bytes_s: 400e6, changes: false },
    Profile { name: "sm2246en?size=4GiB", bytes_s: 400e6, changes: false },
    Profile { name: "enterprise-nvme?size=4GiB", bytes_s: 1500e6, changes: false },
    Profile { name: "hdd-7200?size=4GiB", bytes_s: 150e6, changes: true },
    Profile { name: "tlc-nvme?size=4GiB", bytes_s: 1500e6, changes: true },
    Profile { name: "qlc-slc?size=8GiB", bytes_s: 1000e6, changes: true },
];

/// A drive, a recording for it, and the run that is to show whether it can.
pub struct Drawn {
    target: String,
    seed: u64,
    changes: bool,
    /// Bytes a second of the channel.
    rate: f64,
    /// How many recordings the run lasts.
    lengths: f64,
    is_paced: bool,
}

/// What a plan said, and in how far that was wrong.
pub struct Judged {
    pub answer: String,
    /// The share of recordings that do not fit the buffer of a yes, or 1 for a no of a drive that keeps up.
    pub wrong: f64,
}

impl Drawn {
    /// The drive of this number.
    pub fn of(seed: u64) -> Drawn {
        let mut draws = Draws(seed);
        let profile = draws.one_of(&PROFILES);
        let rate = profile.bytes_s * draws.of_any_size(0.1, 1.2);
        let lasts = RECORDING / rate;
        let mut target = format!("sim:{}", profile.name);
        let kind = draws.one_of(&["none", "bytes", "bytes", "time", "time", "both", "heat"]);
        if kind == "bytes" || kind == "both" {
            let every = RECORDING * draws.of_any_size(0.05, 30.0);
            let delay_us = lasts * 1e6 * draws.of_any_size(0.02, 0.5);
            let (spacing, length) = (every * draws.between(0.0, 0.5), delay_us * draws.between(0.0, 0.5));
            target += &format!("&delay_every={every:.0}B&delay_every_deviation={spacing:.0}B");
            target += &format!("&delay={delay_us:.0}us&delay_deviation={length:.0}us");
        }
        if kind == "time" || kind == "both" {
            let every_us = lasts * 1e6 * draws.of_any_size(0.05, 30.0);
            let freeze_us = (every_us * draws.between(0.01, 0.4)).min(lasts * 1e6);
            target += &format!("&freeze_every={every_us:.0}us&freeze_for={freeze_us:.0}us");
        }
        if kind == "heat" && !target.contains("hdd") {
            let resistance = draws.between(5.0, 15.0);
            let capacity = (lasts * draws.of_any_size(0.3, 5.0)).max(1.1) / resistance;
            let limit = 25.0 + resistance * draws.between(1.0, 6.0);
            target +=
                &format!("&thermal_resistance={resistance:.2}K/W&heat_capacity={:.0}mJ/K", capacity * 1e3);
            target += &format!("&ambient=25C&thermal_limit={limit:.0}C&thermal_hysteresis=3C");
            target += &format!("&thermal_throttle={:.0}%", draws.between(20.0, 95.0));
        }
        let (lengths, is_paced) = (draws.of_any_size(1.0, 10.0), draws.share() < 0.7);
        // What is recorded on a drive that was written for long meets it warm.
        let changes = profile.changes || kind == "heat";
        Drawn { target, seed, changes, rate, lengths, is_paced }
    }

    /// Bytes a second of the recording with the headers of its blocks.
    fn written_bytes_s(&self) -> f64 {
        self.rate * BLOCK / (BLOCK - HEADER)
    }

    /// In words, for one of which the answer is wrong.
    pub fn described(&self) -> String {
        let pace = if self.is_paced { "at its rate" } else { "as fast as it goes" };
        let (rate, lengths) = (self.rate / 1e6, self.lengths);
        format!("{rate:.1} MB/s on {}, by a run of {lengths:.2} recordings {pace}", self.target)
    }

    /// How long so many recordings last, as an option takes it.
    fn time(&self, lengths: f64) -> String {
        format!("{:.0}us", lengths * RECORDING / self.rate * 1e6)
    }

    fn stalls(&self, seed: u64, lengths: f64, rate: Option<f64>, more: &[&str]) -> String {
        let (seed, time) = (seed.to_string(), self.time(lengths));
        let rate = rate.map(|rate| format!("{:.0}kB/s", rate / 1e3));
        let mut asked = vec!["stalls", &self.target, "--block-size", "1MiB", "--verify", "no"];
        asked.extend(["--seed", &seed, "--duration", &time]);
        asked.extend(rate.iter().flat_map(|rate| ["--rate", rate]));
        drivelab(&[&asked[..], more].concat()).with_code(0).stdout
    }

    /// Makes the run and the plan, and holds the answer against recordings on the same drive, of other seeds.
    pub fn judge(&self) -> Judged {
        let folder = crate::stream_plan::folder();
        let run = crate::stream_plan::text(folder.path()).to_owned() + "/run";
        self.stalls(self.seed, self.lengths, self.is_paced.then_some(self.rate * 1.01), &["-o", &run]);
        let rate = format!("{:.0}kB/s", self.rate / 1e3);
        let asked = ["stream", "plan", "--rate", &rate, "--for", &self.time(1.0), "--on", &run, "--json"];
        let plan = drivelab(&asked).json();
        let found = &plan["findings"];
        let answer = found["answer"].as_str().expect("an answer").to_owned();
        let wrong = match answer.as_str() {
            "yes" => {
                let ring = found["ring_bytes"].as_f64().expect("a buffer");
                let too_large = self.backlogs().iter().filter(|one| **one + FRAME + BLOCK > ring).count();
                too_large as f64 / RECORDINGS as f64
            }
            "no" => f64::from(u8::from(self.keeps_up())),
            _ => 0.0,
        };
        Judged { answer, wrong }
    }

    /// The largest backlogs of recordings at their own rate: of one after the other in a long run; on a drive that a long run
    /// changes, of the first four on new drives.
    fn backlogs(&self) -> Vec<f64> {
        let (runs, each) = if self.changes { (5, RECORDINGS / 5) } else { (1, RECORDINGS) };
        let mut all = Vec::new();
        for run in 0..runs {
            let seed = self.seed + 1_000_000 + run;
            let courses = self.long_run(seed, each as f64)["backlogs"].clone();
            let course = courses.as_array().and_then(|courses| courses.first()).cloned();
            let columns: Vec<f64> = course
                .and_then(|course| {
                    Some(course["largest_bytes"].as_array()?.iter().filter_map(Value::as_f64).collect())
                })
                .unwrap_or_else(|| vec![f64::INFINITY; COLUMNS]);
            all.extend(columns.chunks(COLUMNS / each).map(|part| part.iter().copied().fold(0.0, f64::max)));
        }
        all
    }

    /// Whether the drive takes as much as the recording brings in the long run, also near its end.
    fn keeps_up(&self) -> bool {
        let curve = self.long_run(self.seed + 1_000_000, RECORDINGS as f64)["buffer_curve"].clone();
        let number = |key: &str| curve[key].as_f64().expect("a number");
        let is_in_time =
            |busy: &str, writes: &str| number(busy) <= number(writes) * BLOCK / self.written_bytes_s() * 1e9;
        is_in_time("busy_ns", "writes") && is_in_time("late_busy_ns", "late_writes")
    }

    fn long_run(&self, seed: u64, lengths: f64) -> Value {
        let shown = self.stalls(seed, lengths, Some(self.written_bytes_s()), &["--json"]);
        let document: Value = serde_json::from_str(&shown).expect("a document");
        document["findings"]["stream"].clone()
    }
}
