//! What a drive says of its own health.

/// A drive's health, or why it is not known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Health {
    /// What the drive says.
    Known(Box<HealthReport>),
    /// It is not known.
    NotAvailable(NotAvailable),
}

/// Why a drive's health is not known. It fails no run: many drives have none to tell.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotAvailable {
    /// smartctl of smartmontools is not installed.
    #[error("smartctl is not installed (package smartmontools)")]
    NoSmartctl,
    /// smartctl could not be started or read.
    #[error("smartctl could not be run ({0})")]
    NotRun(String),
    /// smartctl did not answer in time.
    #[error("smartctl did not answer in time")]
    NotAnswering,
    /// smartctl answered with something that is not its JSON.
    #[error("smartctl's answer is not understood ({0}): version 7 or later is needed")]
    NotUnderstood(String),
    /// smartctl could not ask the drive.
    #[error("smartctl could not ask the drive ({0})")]
    NotAsked(String),
    /// The drive has no health to tell.
    #[error("the drive tells nothing of its health ({0})")]
    NoSmart(String),
}

/// What a drive says of its own health. `None` wherever it does not say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HealthReport {
    /// The drive's own verdict: whether it passes.
    pub passed: Option<bool>,
    /// Its temperature, in degrees Celsius.
    pub temperature_celsius: Option<i32>,
    /// Hours it has been powered.
    pub power_on_hours: Option<u64>,
    /// The share of its rated endurance that is used, in percent; it may exceed 100.
    pub percentage_used: Option<u32>,
    /// Logical sectors that were written, by the device statistics of an ATA drive (ACS-4, 9.5.4).
    pub sectors_written: Option<u64>,
    /// Bytes of a logical block.
    pub logical_block_bytes: Option<u64>,
    /// Thousandths of a gigabyte (10^9 bytes) that a SCSI drive has written for hosts, by its page of write errors (SPC-4).
    pub scsi_megabytes_written: Option<u64>,
    /// Entries of the list of grown defects of a SCSI drive: blocks that were replaced.
    pub grown_defects: Option<u64>,
    /// Reads, writes and verifications that a SCSI drive could not correct.
    pub uncorrected_errors: Option<u64>,
    /// Whether smartctl's database has the drive. Of one that it does not have, the names of attributes are those that most
    /// drives use, and state no unit. `None` where smartctl does not say.
    pub is_in_database: Option<bool>,
    /// The attributes of an ATA drive.
    pub attributes: Vec<Attribute>,
    /// The health log of an NVMe drive; `None` also of one whose log is blank.
    pub nvme: Option<NvmeHealth>,
    /// Whether the drive answers with a health log that has nothing but zeros: it keeps none.
    pub has_blank_log: bool,
    /// The exit status of smartctl.
    pub exit: SmartctlExit,
    /// What smartctl says besides.
    pub messages: Vec<String>,
}

/// One attribute of an ATA drive.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Attribute {
    /// Its number.
    pub id: u8,
    /// smartctl's name for it.
    pub name: String,
    /// Its raw value, whose meaning is the vendor's.
    pub raw: u64,
    /// The raw value as smartctl decodes it.
    pub raw_text: String,
    /// Its normalized value, higher is better.
    pub value: Option<u8>,
    /// The lowest that value has been.
    pub worst: Option<u8>,
    /// The value at or below which it fails.
    pub threshold: Option<u8>,
    /// Whether it fails now.
    pub fails_now: bool,
    /// Whether its failing means that the drive is about to fail, rather than that it is worn.
    pub is_prefailure: bool,
}

impl Attribute {
    /// Its number, and smartctl's name for it.
    pub fn title(&self) -> String {
        format!("{} {}", self.id, self.name)
    }

    /// The numbers that are packed into the raw value, from its lowest bits up, if smartctl's text is nothing but them: three of
    /// 16 bits (`raw16` of its database, as Seagate's 188, whose lowest one counts all commands that timed out) or six of 8 bits.
    fn packed(&self) -> Option<Vec<u64>> {
        let numbers: Vec<u64> =
            self.raw_text.split(' ').map(|number| number.parse().ok()).collect::<Option<_>>()?;
        let bits = match numbers.len() {
            3 => 16,
            6 => 8,
            _ => return None,
        };
        let join = |sum: u64, number: &u64| (*number >> bits == 0).then_some(sum << bits | *number);
        let joined = numbers.iter().try_fold(0, join)?;
        (joined == self.raw).then(|| numbers.into_iter().rev().collect())
    }

    /// What it counts, and under which names: each of the numbers that are packed into it counts by itself.
    fn counters(&self) -> Vec<(String, u64)> {
        let Some(packed) = self.packed() else { return vec![(self.title(), self.count())] };
        let (of, title) = (packed.len(), self.title());
        let name =
            |part: usize| if part == 0 { title.clone() } else { format!("{title} ({} of {of})", part + 1) };
        packed.into_iter().enumerate().map(|(part, number)| (name(part), number)).collect()
    }

    /// What it counts: the lowest of the numbers that are packed into it, or else the number with which smartctl's decoded text
    /// begins; the raw value where that is no number.
    pub fn count(&self) -> u64 {
        if let Some(packed) = self.packed() {
            return packed[0];
        }
        let digits =
            self.raw_text.len() - self.raw_text.trim_start_matches(|sign: char| sign.is_ascii_digit()).len();
        let (number, rest) = self.raw_text.split_at(digits);
        let is_whole = rest.is_empty() || rest.starts_with([' ', '(', '/', 'h']);
        number.parse().ok().filter(|_| is_whole).unwrap_or(self.raw)
    }
}

/// The health log of an NVMe drive (log page 02h).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NvmeHealth {
    /// Bit 0 spare is low, 1 temperature, 2 degraded, 3 read-only, 4 its memory backup failed.
    pub critical_warning: u8,
    /// Spare blocks left, in percent.
    pub available_spare_percent: Option<u32>,
    /// The share of spare below which the drive warns, in percent.
    pub spare_threshold_percent: Option<u32>,
    /// The log's counters, under the names smartctl gives them (`data_units_written`, `media_errors`).
    pub counters: Vec<(String, u64)>,
}

/// A figure that moved between two looks at a drive's health.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The attribute, the counter or the state.
    pub name: String,
    /// What it was.
    pub before: u64,
    /// What it is.
    pub after: u64,
}

impl HealthReport {
    /// Every counter: an ATA drive's attributes (`5 Reallocated_Sector_Ct`) as smartctl decodes them, an NVMe drive's log, a
    /// SCSI drive's counts.
    pub fn counters(&self) -> Vec<(String, u64)> {
        let attributes = self.attributes.iter().flat_map(Attribute::counters);
        let log = self.nvme.iter().flat_map(|nvme| nvme.counters.iter().cloned());
        let scsi = [
            ("grown_defects", self.grown_defects),
            ("uncorrected_errors", self.uncorrected_errors),
            ("megabytes_written", self.scsi_megabytes_written),
        ];
        let scsi = scsi.into_iter().filter_map(|(name, count)| Some((name.to_owned(), count?)));
        attributes.chain(log).chain(scsi).collect()
    }

    /// What is no counter, and tells how a drive is: an NVMe drive's warnings (a bit each) and its spare in percent, and
    /// whether a drive passes its own check (1 or 0).
    fn states(&self) -> impl Iterator<Item = (String, u64)> {
        let log = self.nvme.as_ref();
        let spare = log.and_then(|log| log.available_spare_percent).map(u64::from);
        let warnings = log.map(|log| u64::from(log.critical_warning));
        let states = [
            ("critical_warning", warnings),
            ("available_spare", spare),
            ("passed", self.passed.map(u64::from)),
        ];
        states.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)))
    }

    /// The counters and states that moved from `self` to `later`.
    pub fn changes(&self, later: &HealthReport) -> Vec<Change> {
        let before: Vec<(String, u64)> = self.counters().into_iter().chain(self.states()).collect();
        let was = |name: &str| before.iter().find(|(known, _)| known == name).map(|(_, value)| *value);
        let moved = |(name, after): (String, u64)| {
            let before = was(&name).filter(|before| *before != after)?;
            Some(Change { name, before, after })
        };
        later.counters().into_iter().chain(later.states()).filter_map(moved).collect()
    }
}

/// The exit status of smartctl. Bits 0 to 2 mean that it could not ask, or not all of it; bits 3 to 7 are findings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SmartctlExit(pub u8);

impl SmartctlExit {
    /// Whether the drive was not asked: the command line was wrong, or the device could not be opened.
    pub fn says_not_asked(self) -> bool {
        self.has(0) || self.has(1)
    }

    /// Whether a command to the drive failed, or what it answered has a wrong checksum: not all of its health is known.
    pub fn says_in_part(self) -> bool {
        self.has(2)
    }

    /// Whether the bit of this number, 0 to 7, is set.
    pub(crate) fn has(self, bit: u8) -> bool {
        self.0 & (1 << bit) != 0
    }
}
