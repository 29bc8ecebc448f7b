//! What makes a machine keep a trace of each boot: a unit, accounting by systemd, and parameters of the kernel through the boot
//! loader's own files.

mod loader;
mod look;
mod obstacle;
mod unit;

use std::fmt;
use std::path::PathBuf;

use crate::command_line::TraceParameters;

pub use loader::BootLoader;
pub use look::Enabled;
pub use obstacle::NoSetup;
pub use unit::UNIT;

const UNIT_FILE: &str = "/etc/systemd/system/drivelab-boot.service";
/// Makes systemd count what each unit reads, writes and takes of the processors.
const ACCOUNTING_FILE: &str = "/etc/systemd/system.conf.d/drivelab-boot.conf";
/// The first line of every file that is made, by which it is known again.
const MARK: &str = "# Made by `drivelab boot enable`; `drivelab boot disable` removes it.";

/// How a machine is to keep its boots.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setup {
    /// The program that keeps them.
    pub program: PathBuf,
    /// The folder that they are kept in.
    pub boots: PathBuf,
    /// What the kernel is booted with.
    pub parameters: TraceParameters,
    /// How it gets its parameters.
    pub loader: BootLoader,
}

/// One thing that is done, as root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// A file is written, with the folders it lies in.
    Write {
        /// Its place.
        path: PathBuf,
        /// What it holds.
        text: String,
    },
    /// A file that was written by an earlier [`Step::Write`] is removed.
    Remove {
        /// Its place.
        path: PathBuf,
    },
    /// A command is run.
    Run {
        /// The program.
        program: &'static str,
        /// Its arguments.
        arguments: Vec<String>,
    },
}

impl Step {
    fn write(path: &str, lines: &[&str]) -> Step {
        let text = format!("{MARK}\n{}\n", lines.join("\n"));
        Step::Write { path: path.into(), text }
    }

    fn remove(path: &str) -> Step {
        Step::Remove { path: path.into() }
    }

    fn run(program: &'static str, arguments: &[&str]) -> Step {
        Step::Run { program, arguments: arguments.iter().map(ToString::to_string).collect() }
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Step::Write { path, text } => {
                write!(f, "write {}:", path.display())?;
                text.lines().try_for_each(|line| write!(f, "\n    {line}"))
            }
            Step::Remove { path } => write!(f, "remove {}", path.display()),
            Step::Run { program, arguments } => {
                write!(f, "run {program}")?;
                arguments.iter().try_for_each(|argument| write!(f, " {argument}"))
            }
        }
    }
}

impl Setup {
    /// What has to be done, in this order. Until the last step succeeds, the next boot is an ordinary one.
    pub fn steps(&self) -> Vec<Step> {
        let unit = unit::text(self);
        let accounting = ["[Manager]", "DefaultCPUAccounting=yes", "DefaultIOAccounting=yes"];
        let mut steps = vec![
            Step::write(UNIT_FILE, &unit.iter().map(String::as_str).collect::<Vec<_>>()),
            Step::write(ACCOUNTING_FILE, &accounting),
        ];
        steps.extend(self.loader.add(self.parameters));
        steps.push(Step::run("systemctl", &["enable", UNIT]));
        steps
    }
}

/// What takes everything away again that was found.
pub fn disable(enabled: &Enabled) -> Vec<Step> {
    let mut steps = Vec::new();
    if enabled.has_unit {
        steps.push(Step::run("systemctl", &["disable", UNIT]));
        steps.push(Step::remove(UNIT_FILE));
    }
    if enabled.has_accounting {
        steps.push(Step::remove(ACCOUNTING_FILE));
    }
    steps.extend(enabled.loader.map(BootLoader::remove).into_iter().flatten());
    if !steps.is_empty() {
        steps.push(Step::run("systemctl", &["daemon-reload"]));
    }
    steps
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    fn setup(loader: BootLoader) -> Setup {
        Setup {
            program: "/usr/local/bin/drivelab".into(),
            boots: "/var/lib/drivelab/boots".into(),
            parameters: TraceParameters { buffer_kib: 8192 },
            loader,
        }
    }

    /// Does what changes files, below another root.
    fn carry_out(root: &Path, steps: &[Step]) {
        let below = |path: &Path| root.join(path.strip_prefix("/").expect("a whole path"));
        for step in steps {
            match step {
                Step::Write { path, text } => {
                    let path = below(path);
                    fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
                    fs::write(path, text).expect("a file");
                }
                Step::Remove { path } => fs::remove_file(below(path)).expect("it is there"),
                Step::Run { .. } => {}
            }
        }
    }

    #[test]
    fn everything_that_was_written_is_removed_again() {
        for loader in BootLoader::ALL {
            let root = tempfile::tempdir().expect("a folder");
            carry_out(root.path(), &setup(loader).steps());
            let enabled = Enabled::read(root.path()).expect("all is ours");
            assert_eq!(enabled.loader, Some(loader));
            carry_out(root.path(), &disable(&enabled));
            let left = Enabled::read(root.path()).expect("nothing");
            assert_eq!(disable(&left), [], "nothing is left of {loader:?}");
        }
    }

    #[test]
    fn a_half_made_setup_is_removed_too() {
        let root = tempfile::tempdir().expect("a folder");
        let steps = setup(BootLoader::Grub).steps();
        carry_out(root.path(), &steps[1..]);
        let enabled = Enabled::read(root.path()).expect("all is ours");
        assert!(!enabled.has_unit && enabled.has_accounting);
        let words: Vec<String> = disable(&enabled).iter().map(ToString::to_string).collect();
        assert_eq!(
            words,
            [
                "remove /etc/systemd/system.conf.d/drivelab-boot.conf",
                "remove /etc/default/grub.d/drivelab-boot.cfg",
                "run update-grub",
                "run systemctl daemon-reload",
            ]
        );
    }

    #[test]
    fn a_file_of_others_is_left_alone() {
        let root = tempfile::tempdir().expect("a folder");
        let path = root.path().join("etc/systemd/system");
        fs::create_dir_all(&path).expect("folders");
        fs::write(path.join("drivelab-boot.service"), "[Unit]\n").expect("a file");
        let error = Enabled::read(root.path()).expect_err("of others").to_string();
        assert!(error.contains("/etc/systemd/system/drivelab-boot.service"), "{error}");
    }
}
