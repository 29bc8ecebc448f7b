//! From which temperature on a drive protects itself, and from which on a run does.

use drivelab_documents::{HeatLimitDocument, HeatLimitKind};
use drivelab_probe::{Celsius, Thermometer};

use crate::nvme_conditions::{AskNvme, controller_facts, thermal_thresholds};

/// The lowest temperature at which the drive throttles or warns, where it reports one; else the limit of its sensor.
pub fn limit_of(
    drive: Option<&impl AskNvme>,
    thermometer: Option<&Thermometer>,
) -> Option<HeatLimitDocument> {
    let sensor = || Some(limit(thermometer?.warning?, HeatLimitKind::Sensor));
    drive.and_then(reported).or_else(sensor)
}

fn reported(drive: &impl AskNvme) -> Option<HeatLimitDocument> {
    let facts = controller_facts(drive)?;
    let set = thermal_thresholds(drive, &facts).into_iter().flat_map(|set| [set.light, set.heavy]).flatten();
    let set = set.map(|celsius| limit(celsius, HeatLimitKind::ThermalManagement));
    let warning = facts.warning.map(|celsius| limit(celsius, HeatLimitKind::Warning));
    set.chain(warning).min_by_key(|limit| limit.celsius)
}

fn limit(celsius: Celsius, kind: HeatLimitKind) -> HeatLimitDocument {
    HeatLimitDocument { celsius: celsius.0, kind }
}

#[cfg(test)]
mod tests {
    use super::*;
    use drivelab_uring::{NvmeAnswer, NvmeQuery};

    /// A drive that warns at 85 degrees, whose host may set thresholds.
    struct Made {
        thresholds: Option<u32>,
        warning: u16,
    }

    impl AskNvme for Made {
        fn answer(&self, query: NvmeQuery) -> Option<NvmeAnswer> {
            let mut data = vec![0; 4096];
            data[266..268].copy_from_slice(&self.warning.to_le_bytes());
            data[322] = 1;
            match query {
                NvmeQuery::Controller => Some(NvmeAnswer { result: 0, data }),
                _ => Some(NvmeAnswer { result: self.thresholds?, data: Vec::new() }),
            }
        }
    }

    #[test]
    fn the_lowest_limit_counts() {
        let of = |thresholds, warning| limit_of(Some(&Made { thresholds, warning }), None);
        let kelvins = |light: u32, heavy: u32| Some(light << 16 | heavy);
        let warning = Some(limit(Celsius(85), HeatLimitKind::Warning));
        assert_eq!(of(None, 358), warning);
        assert_eq!(of(Some(0), 358), warning);
        assert_eq!(of(kelvins(368, 373), 358), warning, "thresholds above the warning");
        let light = Some(limit(Celsius(77), HeatLimitKind::ThermalManagement));
        assert_eq!(of(kelvins(350, 355), 358), light);
        assert_eq!(of(None, 0), None);
        assert_eq!(limit_of(None::<&Made>, None), None);
    }
}
