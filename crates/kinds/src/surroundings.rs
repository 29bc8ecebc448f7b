//! The conditions that change figures and do not follow from the drive.

use drivelab_documents::Condition;

/// The group of the conditions of a PCI device.
pub const PCIE: &str = "PCIe";
/// The kernel's policy for the power management of links.
pub const ASPM_POLICY: &str = "ASPM policy";
/// How the IOMMU treats the device.
pub const IOMMU: &str = "IOMMU";

/// What of a machine and its settings changes figures, by group and name.
const SURROUNDINGS: [(&str, &str); 8] = [
    ("System", "Kernel"),
    ("System", "Processor"),
    ("System", "Hypervisor"),
    ("System", "Frequency governor"),
    ("Block layer", "scheduler"),
    ("Block layer", "write cache"),
    (PCIE, ASPM_POLICY),
    (PCIE, IOMMU),
];

/// Those of these conditions that change figures and do not follow from the drive.
pub fn surroundings(conditions: &[Condition]) -> impl Iterator<Item = &Condition> {
    conditions.iter().filter(|line| SURROUNDINGS.contains(&(line.group.as_str(), line.name.as_str())))
}

/// The names of those in which these results differ. A simulated drive has none, and differs in none.
pub(crate) fn differing(of_results: &[&[Condition]]) -> Vec<&'static str> {
    let have_any: Vec<_> =
        of_results.iter().filter(|conditions| surroundings(conditions).next().is_some()).collect();
    let value = |conditions: &[Condition], (group, name): (&str, &str)| {
        let line = conditions.iter().find(|line| line.group == group && line.name == name);
        line.map(|line| line.value.clone())
    };
    let differs = |key: &&(&'static str, &'static str)| {
        have_any.windows(2).any(|pair| value(pair[0], **key) != value(pair[1], **key))
    };
    SURROUNDINGS.iter().filter(differs).map(|(_, name)| *name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn real_drives_differ_in_what_is_not_the_drive_and_simulated_ones_in_nothing() {
        let of = |kernel: &str, model: &str| {
            vec![Condition::new("System", "Kernel", kernel), Condition::new("Drive", "Model", model)]
        };
        let (old, new, simulated) =
            (of("6.1", "A"), of("6.18", "B"), vec![Condition::new("Drive", "Clock", "virtual")]);
        assert_eq!(differing(&[&old, &new]), ["Kernel"]);
        assert!(differing(&[&old, &of("6.1", "B"), &simulated]).is_empty());
        let with_cache =
            [old.clone(), vec![Condition::new("Block layer", "write cache", "write back")]].concat();
        assert_eq!(differing(&[&old, &with_cache]), ["write cache"]);
    }
}
