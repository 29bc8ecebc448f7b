//! The drives of the scenario: pairs that look alike, each of a size of its own.

use std::fs;
use std::thread;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};

use crate::program::wait_until;

/// How long a drive may take to appear or to go.
const PATIENCE: Duration = Duration::from_secs(20);

/// What two drives have alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alike {
    /// The serial number, and each has a world-wide name of its own.
    Serial,
    /// The serial number, and they have no world-wide name.
    SerialAlone,
    /// They have neither.
    Nothing,
    /// Both.
    Wwn,
}

/// Two drives that look alike.
#[derive(Clone, Copy, Debug)]
pub struct Pair {
    /// In which they are alike.
    pub alike: Alike,
    /// As a column of a table is called.
    pub head: &'static str,
    /// Their serial number.
    pub serial: Option<&'static str>,
    /// How long each of them is, in MiB, by which they are found.
    pub mebibytes: u64,
}

/// Every pair, as the hypervisor makes it.
pub const PAIRS: [Pair; 4] = [
    Pair { alike: Alike::Serial, head: "one serial", serial: Some("SAME"), mebibytes: 64 },
    Pair { alike: Alike::SerialAlone, head: "one serial, no WWN", serial: Some("BARE"), mebibytes: 65 },
    Pair { alike: Alike::Nothing, head: "no serial", serial: None, mebibytes: 66 },
    Pair { alike: Alike::Wwn, head: "one WWN", serial: Some("CLONE"), mebibytes: 67 },
];

/// A drive as it is connected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Twin {
    /// The kernel's name.
    pub name: String,
    /// Its place: host, channel, target and unit.
    pub place: String,
    /// What confirms it alone.
    pub whole: String,
    /// What would confirm it if it were alone.
    pub short: String,
}

impl Twin {
    /// Its node.
    pub fn node(&self) -> String {
        format!("/dev/{}", self.name)
    }

    /// All that has to be said before it is written.
    pub fn confirmed(&self) -> String {
        format!("--serial={} --destroy-data", self.whole)
    }

    /// A sum of all that it holds.
    pub fn checksum(&self) -> Result<u64> {
        let bytes = fs::read(self.node())?;
        // FNV-1a by words: any write would change it.
        let words = bytes.chunks_exact(8).map(|word| u64::from_le_bytes(word.try_into().unwrap_or_default()));
        Ok(words.fold(0xcbf2_9ce4_8422_2325, |sum, word| (sum ^ word).wrapping_mul(0x0100_0000_01b3)))
    }

    /// Takes it away, as if it were pulled.
    pub fn remove(&self) -> Result<()> {
        fs::write(format!("/sys/block/{}/device/delete", self.name), "1")?;
        wait_until(PATIENCE, "the drive stays", || fs::metadata(self.node()).is_err())
    }
}

impl Pair {
    /// Both drives, in the order of their places.
    pub fn drives(&self) -> Result<[Twin; 2]> {
        let mut found = self.found()?;
        ensure!(found.len() == 2, "{} drives of {} MiB", found.len(), self.mebibytes);
        let second = found.pop().context("a second drive")?;
        Ok([found.pop().context("a first drive")?, second])
    }

    /// The drives that are there.
    pub fn found(&self) -> Result<Vec<Twin>> {
        let mut found = Vec::new();
        for entry in fs::read_dir("/sys/block")?.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let sectors: u64 = fs::read_to_string(entry.path().join("size"))?.trim().parse()?;
            if name.starts_with("sd") && sectors == self.mebibytes << 11 {
                found.push(self.twin(name)?);
            }
        }
        found.sort_by(|one, other| one.place.cmp(&other.place));
        Ok(found)
    }

    fn twin(&self, name: String) -> Result<Twin> {
        let device = fs::canonicalize(format!("/sys/block/{name}/device"))?;
        let place = device.file_name().context("a place")?.to_string_lossy().into_owned();
        // The last device of a bus on the way is the controller.
        let mut bus = device
            .iter()
            .filter_map(|part| part.to_str())
            .filter(|part| part.matches(':').count() == 2 && part.contains('.'));
        let controller = bus.next_back().context("a controller")?;
        let mark = if self.alike == Alike::Serial {
            fs::read_to_string(device.join("wwid"))?.trim().to_owned()
        } else {
            format!("pci-{controller}-scsi-{place}")
        };
        // The name of the kernel stands for a serial number.
        let short = self.serial.map_or_else(|| name.clone(), str::to_owned);
        Ok(Twin { whole: format!("{short}@{mark}"), short, name, place })
    }

    /// Has the kernel look for drives until both are there again.
    pub fn bring_back(&self) -> Result<()> {
        for host in fs::read_dir("/sys/class/scsi_host")?.flatten() {
            let _ = fs::write(host.path().join("scan"), "- - -");
        }
        wait_until(PATIENCE, "the drive does not come back", || {
            self.found().is_ok_and(|found| found.len() == 2)
        })?;
        // Its node comes a moment after its folder.
        thread::sleep(Duration::from_millis(500));
        Ok(())
    }
}
