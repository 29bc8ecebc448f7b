//! The machine that a run was done on.

use std::collections::BTreeSet;

use drivelab_block::ByteCount;

use crate::Roots;

/// What of the machine bears on results. `None` wherever the machine does not tell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Environment {
    /// The kernel's release: `6.18.4-amd64`.
    pub kernel_release: Option<String>,
    /// The distribution, as it calls itself.
    pub distribution: Option<String>,
    /// The processor's model.
    pub cpu_model: Option<String>,
    /// Processors online.
    pub cpus_online: Option<u32>,
    /// Memory that the kernel manages.
    pub memory: Option<ByteCount>,
    /// The hypervisor, where the machine is a virtual one; "of unknown kind" where only that is known.
    pub hypervisor: Option<String>,
    /// What the kernel reads time from.
    pub clocksource: Option<String>,
    /// The policies of the CPU's frequency, each once.
    pub cpu_governors: Vec<String>,
    /// What the kernel's command line says of mitigations (`mitigations=`).
    pub mitigations: Option<String>,
    /// The CPU's weaknesses that the kernel reports as open.
    pub vulnerable_to: Vec<String>,
    /// Whether each core runs more than one thread.
    pub threads_share_cores: Option<bool>,
}

/// Reads the machine.
pub fn environment(roots: &Roots) -> Environment {
    let processors = roots.text("proc/cpuinfo").unwrap_or_default();
    Environment {
        kernel_release: roots.text("proc/sys/kernel/osrelease"),
        distribution: distribution(roots),
        cpu_model: ["model name", "Model", "cpu model", "Hardware", "uarch"]
            .iter()
            .find_map(|key| field(&processors, key)),
        cpus_online: roots.text("sys/devices/system/cpu/online").and_then(|list| count_of(&list)),
        memory: memory(roots),
        hypervisor: hypervisor(roots, &processors),
        clocksource: roots.text("sys/devices/system/clocksource/clocksource0/current_clocksource"),
        cpu_governors: governors(roots),
        mitigations: roots.text("proc/cmdline").and_then(|line| mitigations(&line)),
        vulnerable_to: vulnerable_to(roots),
        threads_share_cores: roots.text("sys/devices/system/cpu/smt/active").map(|active| active == "1"),
    }
}

/// The value of `key : value` in a table such as /proc/cpuinfo.
fn field(table: &str, key: &str) -> Option<String> {
    let value = table.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        (name.trim() == key).then(|| value.trim().to_owned())
    })?;
    (!value.is_empty()).then_some(value)
}

fn distribution(roots: &Roots) -> Option<String> {
    let text = roots.text("etc/os-release").or_else(|| roots.text("usr/lib/os-release"))?;
    let name = text.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="))?;
    Some(name.trim_matches(['"', '\'']).to_owned())
}

fn memory(roots: &Roots) -> Option<ByteCount> {
    let total = field(&roots.text("proc/meminfo")?, "MemTotal")?;
    let kib: u64 = total.split_whitespace().next()?.parse().ok()?;
    Some(ByteCount::new(kib.checked_mul(1024)?))
}

/// How many numbers a list such as `0-3,8` names.
fn count_of(list: &str) -> Option<u32> {
    let mut count = 0_u32;
    for part in list.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last): (u32, u32) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
        count = count.checked_add(last.checked_sub(first)?.checked_add(1)?)?;
    }
    Some(count)
}

fn hypervisor(roots: &Roots, processors: &str) -> Option<String> {
    if let Some(kind) = roots.text("sys/hypervisor/type") {
        return Some(kind);
    }
    let is_virtual =
        field(processors, "flags").is_some_and(|flags| flags.split(' ').any(|flag| flag == "hypervisor"));
    let vendor = roots.text("sys/class/dmi/id/sys_vendor");
    let product = roots.text("sys/class/dmi/id/product_name");
    let known =
        ["QEMU", "KVM", "VMware", "VirtualBox", "Xen", "Bochs", "Amazon EC2", "Google", "Virtual Machine"];
    let named =
        [vendor, product].into_iter().flatten().find(|text| known.iter().any(|name| text.contains(name)));
    named.filter(|_| is_virtual).or_else(|| is_virtual.then(|| "of unknown kind".to_owned()))
}

fn governors(roots: &Roots) -> Vec<String> {
    let folder = "sys/devices/system/cpu/cpufreq";
    let found: BTreeSet<String> = roots
        .names(folder)
        .iter()
        .filter_map(|policy| roots.text(format!("{folder}/{policy}/scaling_governor")))
        .collect();
    found.into_iter().collect()
}

fn mitigations(command_line: &str) -> Option<String> {
    command_line.split_whitespace().find_map(|word| word.strip_prefix("mitigations=")).map(String::from)
}

fn vulnerable_to(roots: &Roots) -> Vec<String> {
    let folder = "sys/devices/system/cpu/vulnerabilities";
    let open = |name: &String| {
        roots.text(format!("{folder}/{name}")).is_some_and(|state| state.starts_with("Vulnerable"))
    };
    roots.names(folder).into_iter().filter(open).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::path::Path;

    fn write(root: &Path, path: &str, text: &str) {
        let path = root.join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    }

    #[test]
    fn the_machine_is_read_from_its_files() {
        let root = tempfile::tempdir().expect("a folder");
        let root = root.path();
        write(
            root,
            "proc/cpuinfo",
            "processor\t: 0\nmodel name\t: Example CPU 9\nflags\t\t: fpu hypervisor\n",
        );
        write(root, "proc/meminfo", "MemTotal:       16384 kB\nMemFree: 1 kB\n");
        write(root, "proc/sys/kernel/osrelease", "6.18.4\n");
        write(root, "proc/cmdline", "quiet mitigations=off\n");
        write(root, "etc/os-release", "NAME=x\nPRETTY_NAME=\"Example Linux 13\"\n");
        write(root, "sys/devices/system/cpu/online", "0-3,8\n");
        write(root, "sys/class/dmi/id/sys_vendor", "QEMU\n");
        write(root, "sys/devices/system/cpu/cpufreq/policy0/scaling_governor", "performance\n");
        write(root, "sys/devices/system/cpu/cpufreq/policy1/scaling_governor", "performance\n");
        write(root, "sys/devices/system/cpu/vulnerabilities/meltdown", "Vulnerable\n");
        write(root, "sys/devices/system/cpu/vulnerabilities/l1tf", "Not affected\n");
        let seen = environment(&Roots::at(root));
        assert_eq!(seen.cpu_model.as_deref(), Some("Example CPU 9"));
        assert_eq!(seen.distribution.as_deref(), Some("Example Linux 13"));
        assert_eq!(seen.cpus_online, Some(5));
        assert_eq!(seen.memory, Some(ByteCount::new(16384 * 1024)));
        assert_eq!(seen.hypervisor.as_deref(), Some("QEMU"));
        assert_eq!(seen.cpu_governors, ["performance"]);
        assert_eq!(seen.mitigations.as_deref(), Some("off"));
        assert_eq!(seen.vulnerable_to, ["meltdown"]);
    }

    #[test]
    fn a_machine_that_shows_nothing_is_no_error() {
        let root = tempfile::tempdir().expect("a folder");
        assert_eq!(environment(&Roots::at(root.path())), Environment::default());
    }

    #[test]
    fn lists_of_processors_are_counted() {
        assert_eq!(count_of("0"), Some(1));
        assert_eq!(count_of("0-1,4-7"), Some(6));
        assert_eq!(count_of("3-1"), None);
        assert_eq!(count_of("x"), None);
        assert_eq!(count_of("0-4294967295"), None);
    }
}
