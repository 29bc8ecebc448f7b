//! `drivelab boot enable` and `disable`: what the kernel and systemd are told, and by which program.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use drivelab_boot::{BootLoader, Enabled, NoSetup, Setup, Step, TraceParameters};
use drivelab_files::write_whole;
use drivelab_program::{answer, find};
use drivelab_runner::{Ending, Failure, environment, output, usage};

use crate::args::BootEnableArgs;

/// How long a boot loader's program may be silent: `update-grub` looks at every drive.
const PATIENCE: Duration = Duration::from_secs(300);
/// The least and the most memory of a processor's buffer, in KiB.
const BUFFER_KIB: std::ops::RangeInclusive<u64> = 64..=1 << 20;

/// What `--print` ends with.
const NOTHING_CHANGED: &str = "Nothing was changed (--print).\n";

/// Sets the machine up, or says how.
pub fn enable(args: &BootEnableArgs) -> Result<Ending, Failure> {
    let buffer_kib = args.buffer.get() >> 10;
    if !BUFFER_KIB.contains(&buffer_kib) {
        return Err(usage!("--buffer: a processor's buffer is between 64KiB and 1GiB, such as 8MiB"));
    }
    if args.output.is_relative() {
        return Err(usage!("--output: name a folder from the root on, such as /var/lib/boots"));
    }
    let root = Path::new("/");
    let parameters = TraceParameters { buffer_kib };
    let loader =
        args.boot_loader.map_or_else(|| BootLoader::detect(root), Ok).map_err(|why| environment!("{why}"))?;
    let enabled = Enabled::read(root).map_err(|why| environment!("{why}"))?;
    if let Some(before) = enabled.loader.filter(|before| *before != loader) {
        return Err(usage!(
            "it is enabled with --boot-loader {}: type drivelab boot disable first",
            before.word()
        ));
    }
    let program = if args.print {
        std::env::current_exe().map_err(|error| path_not_known(&error))?
    } else {
        own_path()?
    };
    let setup = Setup { program, boots: args.output.clone(), parameters, loader };
    if args.print {
        say_steps(&setup.steps())?;
        if loader == BootLoader::Manual {
            output::print(&format!("add to the kernel's command line:\n    {parameters}\n"))?;
        }
        return output::print(NOTHING_CHANGED);
    }
    if let Some(why) = NoSetup::find(root) {
        return Err(environment!("{why}"));
    }
    check_root()?;
    carry_out(&setup.steps(), enabled.has_unit)?;
    output::print(&format!(
        "each boot from now on is kept in {}: restart the machine, then type drivelab boot show\n",
        args.output.display()
    ))
}

/// Takes everything away again, or says how.
pub fn disable(print: bool) -> Result<Ending, Failure> {
    let enabled = Enabled::read(Path::new("/")).map_err(|why| environment!("{why}"))?;
    let steps = drivelab_boot::disable(&enabled);
    if steps.is_empty() {
        return output::print("nothing was enabled\n");
    }
    if print {
        say_steps(&steps)?;
        return output::print(NOTHING_CHANGED);
    }
    check_root()?;
    steps.iter().try_for_each(perform)?;
    let by_hand = "; take the parameters off the kernel's command line yourself";
    let by_hand = if enabled.loader == Some(BootLoader::Manual) { by_hand } else { "" };
    output::print(&format!("boots are no longer kept{by_hand}; those that were kept are still there\n"))
}

fn path_not_known(error: &std::io::Error) -> Failure {
    Failure::io("the path of this program is not known", error)
}

fn check_root() -> Result<(), Failure> {
    if rustix::process::geteuid().is_root() {
        return Ok(());
    }
    Err(environment!("only root can do that: put sudo in front, or look at it with --print"))
}

fn say_steps(steps: &[Step]) -> Result<Ending, Failure> {
    let lines: Vec<String> = steps.iter().map(|step| format!("{step}\n")).collect();
    output::print(&lines.concat())
}

/// Does one step after the other. Where one fails, what those before it wrote is taken away again.
fn carry_out(steps: &[Step], was_enabled: bool) -> Result<(), Failure> {
    for (place, step) in steps.iter().enumerate() {
        if let Err(failure) = perform(step) {
            // What was there before is of the same kind: it stays, with the newer text.
            if !was_enabled {
                for before in steps[..place].iter().rev() {
                    if let Step::Write { path, .. } = before {
                        let _ = fs::remove_file(path);
                    }
                }
            }
            return Err(failure);
        }
    }
    Ok(())
}

fn perform(step: &Step) -> Result<(), Failure> {
    match step {
        Step::Write { path, text } => write(path, text),
        Step::Remove { path } => {
            fs::remove_file(path).map_err(|error| Failure::io(&path.display().to_string(), &error))
        }
        Step::Run { program, arguments } => run(program, arguments),
    }
}

/// Writes a file whole or not at all, and brings it to the drive: the next thing that happens may be a restart.
fn write(path: &Path, text: &str) -> Result<(), Failure> {
    let failed = |error: std::io::Error| Failure::io(&path.display().to_string(), &error);
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(failed)?;
    }
    write_whole(path, text.as_bytes()).map_err(failed)
}

fn run(name: &str, arguments: &[String]) -> Result<(), Failure> {
    let program = find(name).ok_or_else(|| environment!("{name} is not installed"))?;
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let failed = |why: String| environment!("{}: {why}", [&[name], &arguments[..]].concat().join(" "));
    match answer(&program, &arguments, None, PATIENCE) {
        Ok(answer) if answer.status.success() => Ok(()),
        Ok(answer) => Err(failed(answer.failure())),
        Err(error) => Err(failed(format!("{error:?}"))),
    }
}

/// Others may write.
const WRITABLE: u32 = 0o022;
/// Of a folder that others may write to, only its owner removes files: /tmp.
const STICKY: u32 = 0o1000;

/// The path of this program, where nobody but root can put another one in its place: a unit runs it as root.
pub fn own_path() -> Result<PathBuf, Failure> {
    let path = std::env::current_exe().and_then(fs::canonicalize).map_err(|error| path_not_known(&error))?;
    match path.ancestors().find(|part| !is_of_root_alone(part)) {
        None if !path.starts_with("/tmp") && !path.starts_with("/run") => Ok(path),
        None => Err(refusal(&path, "it does not outlive a boot")),
        Some(part) => Err(refusal(&path, &format!("others than root can write to {}", part.display()))),
    }
}

fn refusal(path: &Path, why: &str) -> Failure {
    let path = path.display();
    environment!(
        "{path} would be run as root at every boot, and {why}: type sudo install {path} /usr/local/bin/drivelab, and enable with \
         that"
    )
}

fn is_of_root_alone(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|metadata| {
        let others = metadata.mode() & WRITABLE != 0 && metadata.mode() & STICKY == 0;
        metadata.uid() == 0 && !others
    })
}
