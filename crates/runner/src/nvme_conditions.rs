//! What an NVMe drive reports of itself and how the kernel has set it, among the conditions of a run.

use drivelab_block::ByteCount;
use drivelab_documents::Condition;
use drivelab_probe::nvme::{
    BlockFormat, ControllerFacts, HostMemory, IdleTransition, NamespaceFormats, PowerState,
    ThermalThresholds, current_power_state, idle_transitions, is_enabled,
};
use drivelab_probe::{Roots, default_latency_us, join_distinct, latency_tolerances};
use drivelab_uring::{NvmeAnswer, NvmeFeature, NvmeQuery};
use drivelab_view::format::block_size;

/// The group of these conditions.
const NVME: &str = "NVMe";

/// Asks a controller, which may refuse to answer.
pub(crate) trait AskNvme {
    fn answer(&self, query: NvmeQuery) -> Option<NvmeAnswer>;
}

impl AskNvme for drivelab_uring::NvmeQueries {
    fn answer(&self, query: NvmeQuery) -> Option<NvmeAnswer> {
        self.ask(query).ok()
    }
}

/// What a controller answers about itself.
pub(crate) fn controller_facts(drive: &impl AskNvme) -> Option<ControllerFacts> {
    ControllerFacts::parse(&drive.answer(NvmeQuery::Controller)?.data)
}

/// The temperatures at which a drive throttles at the host's wish.
pub(crate) fn thermal_thresholds(drive: &impl AskNvme, facts: &ControllerFacts) -> Option<ThermalThresholds> {
    let answer = || drive.answer(NvmeQuery::Feature(NvmeFeature::ThermalThresholds));
    let answer = facts.has_thermal_thresholds.then(answer).flatten()?;
    Some(ThermalThresholds::parse(answer.result))
}

/// How the kernel lets an NVMe drive enter power states; nothing of another drive.
pub(crate) fn latency_conditions(roots: &Roots, whole_name: &str) -> Vec<Condition> {
    let tolerances = latency_tolerances(roots, whole_name);
    let tolerances = tolerances.iter().map(|tolerance| Some(tolerance.to_string()));
    let Some(tolerance) = join_distinct(tolerances) else { return Vec::new() };
    let default = default_latency_us(roots).map(|micros| format!("{micros} us"));
    let found = [
        ("longest power state latency by default", default),
        ("longest power state latency", Some(tolerance)),
    ];
    found.into_iter().filter_map(|(name, value)| Some(Condition::new(NVME, name, value?))).collect()
}

/// What the controller of a drive answers: its power states and when it enters them, its memory, its cache, its formats and its
/// temperature limits. What it does not answer is left out.
pub(crate) fn nvme_conditions(drive: &impl AskNvme) -> Vec<Condition> {
    let Some(facts) = controller_facts(drive) else { return Vec::new() };
    let feature = |feature| drive.answer(NvmeQuery::Feature(feature));
    let mut lines: Vec<Condition> = facts.power_states.iter().enumerate().map(power_state).collect();
    if let Some(answer) = feature(NvmeFeature::PowerState) {
        let value = current_power_state(answer.result).to_string();
        let line = Condition::new(NVME, "power state at the start", value);
        lines.push(Condition { changes_by_itself: true, ..line });
    }
    if facts.has_idle_transitions {
        lines.extend(
            feature(NvmeFeature::IdleTransitions).into_iter().flat_map(|answer| transitions(&answer)),
        );
    }
    if let Some(wish) = facts.host_memory {
        let now = feature(NvmeFeature::HostMemory);
        let now =
            now.and_then(|answer| HostMemory::parse(answer.result, &answer.data)).map(|now| match now {
                HostMemory::NotEnabled => "none".to_owned(),
                HostMemory::Enabled(size) => binary(size),
            });
        lines.extend(now.map(|now| Condition::new(NVME, "host memory buffer", now)));
        lines.push(Condition::new(NVME, "host memory buffer preferred", binary(wish.preferred)));
        let least = |least: ByteCount| Condition::new(NVME, "host memory buffer at least", binary(least));
        lines.extend((wish.least.get() > 0).then(|| least(wish.least)));
    }
    lines.extend(write_cache(&facts, feature(NvmeFeature::WriteCache).as_ref()));
    let namespace = drive.answer(NvmeQuery::Namespace);
    let formats = namespace.and_then(|answer| NamespaceFormats::parse(&answer.data));
    lines.extend(formats.iter().flat_map(formats_in_words));
    lines.extend(limits(&facts, thermal_thresholds(drive, &facts)));
    lines
}

/// Memory is counted in binary units.
fn binary(size: ByteCount) -> String {
    block_size(size.get() as f64)
}

fn power_state((number, state): (usize, &PowerState)) -> Condition {
    let watts = state.max_microwatts.map(|microwatts| format!("at most {} W", microwatts as f64 / 1e6));
    let serves = if state.is_operational { "operational" } else { "non-operational" };
    let entry = state.entry_us.map(|micros| format!("entry {micros} us"));
    let exit = state.exit_us.map(|micros| format!("exit {micros} us"));
    let parts: Vec<String> = [watts, Some(serves.to_owned()), entry, exit].into_iter().flatten().collect();
    Condition::new(NVME, format!("power state {number}"), parts.join(", "))
}

/// Whether the drive enters power states by itself, and after which idle times.
fn transitions(answer: &NvmeAnswer) -> Vec<Condition> {
    let is_on = is_enabled(answer.result);
    let name = "autonomous power state transitions";
    let mut lines = vec![Condition::new(NVME, name, if is_on { "on" } else { "off" })];
    let table = idle_transitions(&answer.data).filter(|_| is_on).unwrap_or_default();
    let mut kinds: Vec<(u8, u32)> = Vec::new();
    for one in &table {
        if !kinds.contains(&(one.to, one.idle_ms)) {
            kinds.push((one.to, one.idle_ms));
        }
    }
    lines.extend(kinds.into_iter().map(|kind| entered(kind, &table)));
    lines
}

fn entered((to, idle_ms): (u8, u32), table: &[IdleTransition]) -> Condition {
    let from = table.iter().filter(|one| (one.to, one.idle_ms) == (to, idle_ms));
    let from: Vec<String> = from.map(|one| one.from.to_string()).collect();
    let states = if from.len() == 1 { "state" } else { "states" };
    let name = format!("power state {to} entered after {idle_ms} ms idle");
    Condition::new(NVME, name, format!("from {states} {}", from.join(", ")))
}

fn write_cache(facts: &ControllerFacts, answer: Option<&NvmeAnswer>) -> Option<Condition> {
    let value = match answer {
        _ if !facts.has_volatile_cache => "none",
        Some(answer) if is_enabled(answer.result) => "enabled",
        Some(_) => "disabled",
        None => return None,
    };
    Some(Condition::new(NVME, "volatile write cache", value))
}

fn formats_in_words(formats: &NamespaceFormats) -> Vec<Condition> {
    let mut lines = vec![Condition::new(NVME, "namespace format", format_in_words(&formats.current))];
    if !formats.others.is_empty() {
        let others: Vec<String> = formats.others.iter().map(format_in_words).collect();
        lines.push(Condition::new(NVME, "other namespace formats", others.join("; ")));
    }
    lines
}

fn format_in_words(format: &BlockFormat) -> String {
    let metadata = match format.metadata_bytes {
        0 => String::new(),
        bytes => format!(" + {bytes} bytes of metadata"),
    };
    // The words of the specification.
    let performance = match format.relative_performance {
        0 => "best",
        1 => "better",
        2 => "good",
        _ => "degraded",
    };
    let BlockFormat { index, data_bytes, .. } = format;
    format!("{index}: {data_bytes} bytes{metadata}, {performance} performance")
}

/// The temperatures at which the drive warns, gives up, and throttles at the host's wish.
fn limits(facts: &ControllerFacts, set: Option<ThermalThresholds>) -> Vec<Condition> {
    let found = [
        ("warning temperature", facts.warning),
        ("critical temperature", facts.critical),
        ("light throttling from", set.and_then(|set| set.light)),
        ("heavy throttling from", set.and_then(|set| set.heavy)),
    ];
    let line = |(name, limit): (&str, Option<_>)| Some(Condition::new(NVME, name, format!("{}", limit?)));
    found.into_iter().filter_map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A drive that answers what is in it, and refuses the rest.
    struct Made(Vec<(NvmeQuery, u32, Vec<u8>)>);

    impl AskNvme for Made {
        fn answer(&self, query: NvmeQuery) -> Option<NvmeAnswer> {
            let found = self.0.iter().find(|(known, _, _)| *known == query)?;
            Some(NvmeAnswer { result: found.1, data: found.2.clone() })
        }
    }

    fn controller() -> Vec<u8> {
        let mut data = vec![0; 4096];
        (data[263], data[265], data[272], data[525]) = (1, 1, 0x10, 1);
        data[266..268].copy_from_slice(&358_u16.to_le_bytes());
        data[2048..2050].copy_from_slice(&825_u16.to_le_bytes());
        data[2080..2082].copy_from_slice(&50_u16.to_le_bytes());
        data[2083] = 0b11;
        data[2088..2092].copy_from_slice(&8_000_u32.to_le_bytes());
        data
    }

    #[test]
    fn every_answer_is_a_line_and_no_answer_is_none() {
        let mut table = vec![0; 256];
        table[0..4].copy_from_slice(&(100_u32 << 8 | 1 << 3).to_le_bytes());
        let mut namespace = vec![0; 4096];
        (namespace[25], namespace[130], namespace[131], namespace[134]) = (1, 9, 2, 12);
        let feature = NvmeQuery::Feature;
        let drive = Made(vec![
            (NvmeQuery::Controller, 0, controller()),
            (NvmeQuery::Namespace, 0, namespace),
            (feature(NvmeFeature::PowerState), 1, Vec::new()),
            (feature(NvmeFeature::WriteCache), 1, Vec::new()),
            (feature(NvmeFeature::IdleTransitions), 1, table),
        ]);
        let found = nvme_conditions(&drive);
        let lines: Vec<(&str, &str)> =
            found.iter().map(|line| (line.name.as_str(), line.value.as_str())).collect();
        let expected = [
            ("power state 0", "at most 8.25 W, operational"),
            ("power state 1", "at most 0.005 W, non-operational, exit 8000 us"),
            ("power state at the start", "1"),
            ("autonomous power state transitions", "on"),
            ("power state 1 entered after 100 ms idle", "from state 0"),
            ("host memory buffer preferred", "64 KiB"),
            ("volatile write cache", "enabled"),
            ("namespace format", "0: 512 bytes, good performance"),
            ("other namespace formats", "1: 4096 bytes, best performance"),
            ("warning temperature", "85 °C"),
        ];
        assert_eq!(lines, expected);
        let moving: Vec<&str> =
            found.iter().filter(|line| line.changes_by_itself).map(|line| line.name.as_str()).collect();
        assert_eq!(moving, ["power state at the start"]);
        assert!(nvme_conditions(&Made(Vec::new())).is_empty());
        assert!(nvme_conditions(&Made(vec![(NvmeQuery::Controller, 0, vec![0; 100])])).is_empty());
    }
}
