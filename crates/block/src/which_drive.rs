//! Which drive it is: by what a drive is known again, and what comes of comparing two.

use std::fmt;

use crate::ByteCount;

/// What stands before a world-wide name that the kernel makes from vendor, model and serial number, since the drive has none: it
/// tells no more than those.
const MADE_NAMES: [&str; 2] = ["t10.", "nvme."];
/// What stands before the digits of a world-wide name.
const KINDS_OF_NAMES: [&str; 5] = ["naa.", "eui.", "uuid.", "nguid.", "0x"];
/// The kernel cuts the model of a SCSI or SATA drive to 16 characters, of which the last may be a space.
const SHORTEST_CUT_MODEL: usize = 15;

/// What a drive reports of itself, and by which it is known again. Whatever is absent is not known, since the drive does not
/// report it, or since the version did not keep it that made a result.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct WhichDrive {
    /// The model.
    pub model: Option<String>,
    /// The serial number.
    pub serial: Option<String>,
    /// The world-wide name as the kernel writes it: NAA, EUI-64, NGUID or UUID.
    pub wwn: Option<String>,
    /// The name of the NVMe subsystem (NQN), which all namespaces and paths of a drive have.
    pub subsystem: Option<String>,
    /// The number of the NVMe namespace.
    pub namespace: Option<u32>,
    /// The number of the partition, 0 of a whole drive.
    pub partition: Option<u32>,
    /// The first byte of the partition on its drive; none of a whole drive.
    pub start: Option<ByteCount>,
    /// What is behind a device without a serial number: the file of a loop device and where in it the
    /// device begins, or which one of this start a zram device is.
    pub behind: Option<String>,
    /// User-accessible bytes.
    pub size: Option<ByteCount>,
}

/// Where a drive is connected, which another one may be tomorrow.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DrivePlace {
    /// The kernel's name, such as `sda`.
    pub kernel_name: Option<String>,
    /// The name by its path, such as `pci-0000:00:17.0-ata-1`.
    pub path: Option<String>,
}

/// One of the facts of which [`WhichDrive`] consists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum IdentityFact {
    /// The serial number.
    Serial,
    /// The world-wide name.
    Wwn,
    /// The NVMe subsystem.
    Subsystem,
    /// The namespace.
    Namespace,
    /// The model.
    Model,
    /// The size.
    Size,
    /// The number of the partition.
    Partition,
    /// Where the partition begins.
    Start,
    /// What is behind it.
    Behind,
}

impl fmt::Display for IdentityFact {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            IdentityFact::Serial => "serial number",
            IdentityFact::Wwn => "world-wide name",
            IdentityFact::Subsystem => "NVMe subsystem",
            IdentityFact::Namespace => "namespace",
            IdentityFact::Model => "model",
            IdentityFact::Size => "size",
            IdentityFact::Partition => "partition",
            IdentityFact::Start => "first byte",
            IdentityFact::Behind => "file",
        })
    }
}

/// What comes of comparing two drives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SameDrive {
    /// Both have one world-wide name, or one file behind them, and nothing differs.
    Same,
    /// Nothing differs, and these facts are missing, without which it is not proved.
    MayBe(Vec<IdentityFact>),
    /// These facts differ.
    Another(Vec<IdentityFact>),
}

impl SameDrive {
    /// Whether it is not another one for sure.
    pub fn fits(&self) -> bool {
        !matches!(self, SameDrive::Another(_))
    }
}

impl WhichDrive {
    /// Compares what a result has kept, or another drive, with this one.
    pub fn compare(&self, other: &WhichDrive) -> SameDrive {
        let differing: Vec<IdentityFact> = [
            (IdentityFact::Serial, differ(self.trimmed_serial(), other.trimmed_serial())),
            (IdentityFact::Wwn, differ(self.own_digits(), other.own_digits())),
            (IdentityFact::Subsystem, differ(self.subsystem.as_deref(), other.subsystem.as_deref())),
            (IdentityFact::Namespace, differ(self.namespace, other.namespace)),
            (IdentityFact::Model, models_differ(self.model.as_deref(), other.model.as_deref())),
            (IdentityFact::Size, differ(self.size, other.size)),
            (IdentityFact::Partition, differ(self.partition, other.partition)),
            (IdentityFact::Start, differ(self.start, other.start)),
            (IdentityFact::Behind, differ(self.behind.as_deref(), other.behind.as_deref())),
        ]
        .into_iter()
        .filter_map(|(fact, differs)| differs.then_some(fact))
        .collect();
        if !differing.is_empty() {
            return SameDrive::Another(differing);
        }
        let has_one_name = self.own_digits().is_some() && other.own_digits().is_some();
        if has_one_name || (self.behind.is_some() && other.behind.is_some()) {
            return SameDrive::Same;
        }
        let mut missing = Vec::new();
        if self.trimmed_serial().is_none() || other.trimmed_serial().is_none() {
            missing.push(IdentityFact::Serial);
        }
        missing.push(IdentityFact::Wwn);
        SameDrive::MayBe(missing)
    }

    /// The drive that it is, or is a part of: partitions of one drive are of one.
    #[must_use]
    pub fn whole(&self) -> WhichDrive {
        // The size of a partition is none of its drive.
        let size = self.size.filter(|_| self.partition == Some(0));
        WhichDrive { partition: None, start: None, size, ..self.clone() }
    }

    /// The world-wide name that is the drive's own; none where it has none, the kernel has made one from its serial number, or it
    /// is nothing but zeros.
    pub fn own_wwn(&self) -> Option<&str> {
        let name = self.wwn.as_deref().map(str::trim)?;
        let is_made = MADE_NAMES.iter().any(|kind| name.starts_with(kind));
        let is_empty = name_digits(name).chars().all(|digit| digit == '0');
        (!is_made && !is_empty).then_some(name)
    }

    fn own_digits(&self) -> Option<String> {
        self.own_wwn().map(name_digits)
    }

    fn trimmed_serial(&self) -> Option<&str> {
        self.serial.as_deref().map(str::trim).filter(|serial| !serial.is_empty())
    }
}

/// The digits of a world-wide name, of which one and the same is written as `naa.5000`, `0x5000` or `5000`.
pub fn name_digits(name: &str) -> String {
    let name = name.trim().to_ascii_lowercase();
    let digits = KINDS_OF_NAMES.iter().find_map(|kind| name.strip_prefix(kind)).unwrap_or(&name);
    digits.replace('-', "")
}

fn differ<T: PartialEq>(one: Option<T>, other: Option<T>) -> bool {
    matches!((one, other), (Some(one), Some(other)) if one != other)
}

/// Models differ, unless one is the other one as the kernel cuts it.
fn models_differ(one: Option<&str>, other: Option<&str>) -> bool {
    let (Some(one), Some(other)) = (one.map(str::trim), other.map(str::trim)) else { return false };
    let (short, long) = if one.len() <= other.len() { (one, other) } else { (other, one) };
    let is_cut = short.len() >= SHORTEST_CUT_MODEL && long.starts_with(short);
    short != long && !is_cut && !short.is_empty()
}

/// A result's drive, for [`number_drives`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacedDrive {
    /// Which one it is.
    pub which: WhichDrive,
    /// What stands for a drive without a serial number and world-wide name: where it was, in words that no other place has.
    pub place: String,
}

impl PlacedDrive {
    fn is_of(&self, other: &PlacedDrive) -> bool {
        let has_names = |drive: &WhichDrive| drive.trimmed_serial().is_some() || drive.own_wwn().is_some();
        match (has_names(&self.which), has_names(&other.which)) {
            (true, true) => {
                let has_serials =
                    self.which.trimmed_serial().is_some() == other.which.trimmed_serial().is_some();
                has_serials && self.which.whole().compare(&other.which.whole()).fits()
            }
            (false, false) => {
                self.place == other.place
                    && !models_differ(self.which.model.as_deref(), other.which.model.as_deref())
            }
            _ => false,
        }
    }
}

/// Numbers drives, so that what is of one drive has one number. A result that lacks the world-wide name is of the only drive
/// that it fits, and where it fits several, of one of its own: of which of them is not known. The first drive has the number 0.
pub fn number_drives(drives: &[PlacedDrive]) -> Vec<usize> {
    let mut numbers: Vec<Option<usize>> = vec![None; drives.len()];
    let mut groups: Vec<Vec<usize>> = Vec::new();
    // Those that have the name of their own come first: they say how many drives of one serial number there are.
    let (named, others): (Vec<usize>, Vec<usize>) =
        (0..drives.len()).partition(|place| drives[*place].which.own_wwn().is_some());
    for place in named {
        let found = groups.iter().position(|group| drives[group[0]].is_of(&drives[place]));
        note_group(&mut groups, &mut numbers, found, place);
    }
    let with_names = groups.len();
    for place in others {
        let fitting = |range: std::ops::Range<usize>| {
            range.filter(|group| drives[groups[*group][0]].is_of(&drives[place])).collect::<Vec<usize>>()
        };
        let found = match fitting(0..with_names)[..] {
            [only] => Some(only),
            _ => fitting(with_names..groups.len()).first().copied(),
        };
        note_group(&mut groups, &mut numbers, found, place);
    }
    in_order_of_places(&numbers)
}

fn note_group(
    groups: &mut Vec<Vec<usize>>,
    numbers: &mut [Option<usize>],
    found: Option<usize>,
    place: usize,
) {
    let group = found.unwrap_or(groups.len());
    match groups.get_mut(group) {
        Some(known) => known.push(place),
        None => groups.push(vec![place]),
    }
    numbers[place] = Some(group);
}

/// The same groups, numbered in the order in which they come.
fn in_order_of_places(numbers: &[Option<usize>]) -> Vec<usize> {
    let mut order: Vec<Option<usize>> = Vec::new();
    let mut numbered = Vec::with_capacity(numbers.len());
    for number in numbers {
        let place = order.iter().position(|known| known == number).unwrap_or_else(|| {
            order.push(*number);
            order.len() - 1
        });
        numbered.push(place);
    }
    numbered
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drive(serial: &str, wwn: &str) -> WhichDrive {
        let text = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        WhichDrive {
            model: Some("QEMU HARDDISK".to_owned()),
            serial: text(serial),
            wwn: text(wwn),
            size: Some(ByteCount::new(1 << 30)),
            partition: Some(0),
            ..WhichDrive::default()
        }
    }

    #[test]
    fn one_world_wide_name_proves_it_and_what_is_missing_leaves_it_open() {
        let missing = |one: &WhichDrive, other: &WhichDrive| match one.compare(other) {
            SameDrive::MayBe(missing) => missing,
            found => panic!("{found:?}"),
        };
        let own = drive("SAME", "naa.5000c500a1b2c3d4");
        assert_eq!(own.compare(&drive("SAME", "0x5000C500A1B2C3D4")), SameDrive::Same);
        assert_eq!(own.compare(&drive("", "naa.5000c500a1b2c3d4")), SameDrive::Same);
        assert_eq!(missing(&own, &drive("SAME", "")), [IdentityFact::Wwn]);
        assert_eq!(missing(&drive("", ""), &drive("SAME", "")), [IdentityFact::Serial, IdentityFact::Wwn]);
        // Names that are made from the serial number, or are empty, prove no more than that.
        for made in ["t10.ATA     QEMU HARDDISK   SAME", "nvme.8086-53-4d-00000001", "naa.0000000000000000"] {
            assert_eq!(missing(&drive("SAME", made), &drive("SAME", made)), [IdentityFact::Wwn], "{made}");
        }
    }

    #[test]
    fn each_fact_that_differs_is_named() {
        let own = drive("SAME", "naa.5");
        let differs = |other: &WhichDrive| match own.compare(other) {
            SameDrive::Another(differing) => differing,
            found => panic!("{found:?}"),
        };
        assert_eq!(differs(&drive("SAME", "naa.6")), [IdentityFact::Wwn]);
        assert_eq!(differs(&drive("OTHER", "naa.6")), [IdentityFact::Serial, IdentityFact::Wwn]);
        assert_eq!(differs(&WhichDrive { partition: Some(1), ..own.clone() }), [IdentityFact::Partition]);
        let begins = |at| WhichDrive { start: Some(ByteCount::new(at)), ..own.clone() };
        assert_eq!(begins(1 << 20).compare(&begins(2 << 20)), SameDrive::Another(vec![IdentityFact::Start]));
        assert_eq!(
            differs(&WhichDrive { size: Some(ByteCount::new(1)), ..own.clone() }),
            [IdentityFact::Size]
        );
        let other_model = WhichDrive { model: Some("QEMU HARDDISK 2".to_owned()), ..own.clone() };
        assert_eq!(differs(&other_model), [IdentityFact::Model]);
        let cut = |model: &str| WhichDrive { model: Some(model.to_owned()), ..WhichDrive::default() };
        assert!(cut("Samsung SSD 870").compare(&cut("Samsung SSD 870 EVO 1TB")).fits());
    }

    #[test]
    fn namespaces_of_one_drive_are_others_and_a_file_proves_a_loop_device() {
        let namespace =
            |number| WhichDrive { namespace: Some(number), ..drive("SAME", "nvme.8086-53-4d-00000001") };
        assert_eq!(namespace(1).compare(&namespace(2)), SameDrive::Another(vec![IdentityFact::Namespace]));
        let file = |name: &str| WhichDrive { behind: Some(name.to_owned()), ..WhichDrive::default() };
        assert_eq!(file("a (inode 1)").compare(&file("a (inode 1)")), SameDrive::Same);
        assert_eq!(
            file("a (inode 1)").compare(&file("a (inode 2)")),
            SameDrive::Another(vec![IdentityFact::Behind])
        );
    }

    #[test]
    fn results_are_numbered_by_their_drives() {
        let placed = |which: WhichDrive, place: &str| PlacedDrive { which, place: place.to_owned() };
        let part = WhichDrive { partition: Some(2), size: Some(ByteCount::new(1)), ..drive("SAME", "naa.5") };
        let of = |drives: &[PlacedDrive]| number_drives(drives);
        // Whole drives of other sizes are others, which partitions cannot say.
        let larger = WhichDrive { size: Some(ByteCount::new(1 << 40)), ..drive("SAME", "") };
        let part_of_one = WhichDrive { wwn: None, ..part.clone() };
        let [larger, small, part_of_one] = [(larger, "a"), (drive("SAME", ""), "b"), (part_of_one, "c")]
            .map(|(one, place)| placed(one, place));
        assert_eq!(of(&[larger, small, part_of_one])[..2], [0, 1]);
        // An older result without the name is of the only drive that it fits; partitions are of their drive.
        let [old, first, second] =
            [drive("SAME", ""), drive("SAME", "naa.5"), drive("SAME", "naa.6")].map(|one| placed(one, "a"));
        let part = placed(part, "b");
        assert_eq!(of(&[old.clone(), first.clone(), part.clone()]), [0, 0, 0]);
        // Where there are two of them, it is not known of which one it is.
        assert_eq!(of(&[old.clone(), first, second, part, old]), [0, 1, 2, 1, 0]);
        let nameless = |place: &str| placed(drive("", ""), place);
        assert_eq!(of(&[nameless("sda on a"), nameless("sdb on a"), nameless("sda on a")]), [0, 1, 0]);
    }
}
