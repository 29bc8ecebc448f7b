//! A look at what a drive holds, from a process of its own.
//!
//! A drive that hangs keeps who reads it inside the kernel, where not even SIGKILL ends it, and so it does with who closes the
//! last descriptor of a drive of which a page is being read. So the program has itself started again to look: that process opens
//! the drive, says what it finds in typed messages, one a line, and is left to itself where it is silent for too long.

use std::path::PathBuf;
use std::sync::OnceLock;
use std::time::Duration;

use drivelab_program as program;
use serde::{Deserialize, Serialize};

use crate::checks::refuse;
use crate::signature::{Contents, contents, open_node, signatures};
use crate::{Access, DeviceNumber, DriveIdentity, Reason, SafetyError, System};

/// The hidden command that looks, in the place of the program that asked for it.
pub const LOOK_COMMAND: &str = "look-at-drive";

/// How long a drive may be silent before a list goes on without it.
const IN_A_LIST: Duration = Duration::from_secs(5);
/// How long it may be before a claim fails: a disk that has stopped needs some seconds to start.
const BEFORE_A_CLAIM: Duration = Duration::from_secs(15);

/// The program that looks.
static LOOKER: OnceLock<PathBuf> = OnceLock::new();

/// Has this program, started with [`LOOK_COMMAND`], look at drives from now on. Until then this process does it by itself.
pub fn look_by(program: PathBuf) {
    let _ = LOOKER.set(program);
}

/// What is looked for; it is the last word on the command line of the process that looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Sought {
    /// Signatures, for a list of drives: data is not looked for.
    Signatures,
    /// Signatures and data; the seed chooses the places that are read.
    Everything(u64),
    /// Only whether the drive can be opened and answers a read, also with an error.
    Answer,
}

impl Sought {
    fn patience(self) -> Duration {
        match self {
            Sought::Signatures => IN_A_LIST,
            Sought::Everything(_) | Sought::Answer => BEFORE_A_CLAIM,
        }
    }
}

/// What is said by the process that looks.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum LookMessage {
    /// The drive has answered, and more of it is read.
    Reading,
    /// That was all. What ends without it has not looked.
    Found(Contents),
}

pub(crate) fn look_at(system: &System, drive: &DriveIdentity, sought: Sought) -> Contents {
    match LOOKER.get().filter(|_| system.is_live()) {
        Some(program) => from_outside(program, drive, sought),
        None => from_here(system, drive, sought, &mut || ()),
    }
}

fn from_here(system: &System, drive: &DriveIdentity, sought: Sought, progress: &mut dyn FnMut()) -> Contents {
    let opened = match open_node(system, drive.number, &drive.kernel_name) {
        Ok(opened) => opened,
        Err(why) => {
            return Contents::not_seen(format!("what {} holds is not known ({why})", drive.kernel_name));
        }
    };
    match sought {
        Sought::Signatures => signatures(system, drive, &opened),
        Sought::Everything(seed) => contents(system, drive, &opened, seed, progress),
        Sought::Answer => {
            // An error is an answer, too.
            let _ = rustix::io::pread(&opened, &mut [0; 512], 0);
            Contents::default()
        }
    }
}

/// Refuses a drive that does not answer within some seconds: it would keep the program in the kernel. Where nothing is known of
/// it, opening it says why.
///
/// # Errors
/// [`SafetyError::Refused`], of what was to be done with it.
pub fn check_answers(system: &System, drive: &DriveIdentity, access: Access) -> Result<(), SafetyError> {
    let silence = look_at(system, drive, Sought::Answer).does_not_answer;
    let reasons = silence.into_iter().map(Reason::DoesNotAnswer).collect();
    refuse(access, drive.to_string(), reasons)
}

fn from_outside(looker: &std::path::Path, drive: &DriveIdentity, sought: Sought) -> Contents {
    let name = &drive.kernel_name;
    let patience = sought.patience();
    let (number, word) = (drive.number.to_string(), in_json(&sought));
    let arguments = [LOOK_COMMAND, name, &number, &word];
    let why = match program::answer_of_group(looker, &arguments, patience) {
        Ok(said) if said.status.success() => match read_messages(&said.output) {
            Some(contents) => return contents,
            None => "it did not say all".to_owned(),
        },
        Ok(said) => said.failure(),
        Err(program::NoAnswer::Silent) => {
            return Contents {
                does_not_answer: Some(format!(
                    "{name} does not answer (it was waited for {} s)",
                    patience.as_secs()
                )),
                ..Contents::default()
            };
        }
        Err(program::NoAnswer::NotRun(error)) => error.to_string(),
        Err(program::NoAnswer::Endless) => "it said too much".to_owned(),
    };
    Contents::not_seen(format!("what {name} holds is not known (the process that looked failed: {why})"))
}

/// What was found; none where the last message is missing, or one is not known.
fn read_messages(output: &[u8]) -> Option<Contents> {
    let mut found = None;
    for line in output.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        if let LookMessage::Found(contents) = serde_json::from_slice(line).ok()? {
            found = Some(contents);
        }
    }
    found
}

/// Text and numbers have a form in JSON.
fn in_json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

/// Looks at the drive with this kernel name and number (`8:0`), and hands over what is said of it, a line at a time. `word` is
/// what is sought.
pub fn tell_contents(name: &str, number: &str, word: &str, tell: &mut dyn FnMut(&str)) {
    let mut say = |message: &LookMessage| tell(&in_json(message));
    let system = System::live();
    let drive = DeviceNumber::parse(number).and_then(|number| DriveIdentity::read(&system, number));
    let Some(drive) = drive.filter(|drive| drive.kernel_name == name) else {
        let why = format!("what {name} holds is not known (it is not there any more)");
        return say(&LookMessage::Found(Contents::not_seen(why)));
    };
    // What ends without its last message has not looked.
    let Ok(sought) = serde_json::from_str(word) else { return };
    let found = from_here(&system, &drive, sought, &mut || say(&LookMessage::Reading));
    say(&LookMessage::Found(found));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Signature;

    #[test]
    fn what_was_told_is_what_was_found_and_an_end_that_is_missing_is_no_answer() {
        let signature =
            Signature { device: "sda1".into(), kind: "ext4".into(), label: Some("photos\n".into()) };
        let found = Contents {
            signatures: vec![signature],
            nonzero_at: Some(512),
            not_probed: true,
            not_known: vec!["sda2 could not be opened".into()],
            does_not_answer: None,
        };
        let reading = in_json(&LookMessage::Reading) + "\n";
        let told = reading.clone() + &in_json(&LookMessage::Found(found.clone())) + "\n";
        assert_eq!(told.lines().count(), 2, "a line each, whatever a label holds");
        assert_eq!(read_messages(told.as_bytes()), Some(found));
        assert_eq!(read_messages(reading.as_bytes()), None);
        assert_eq!(read_messages(&told.as_bytes()[..told.len() - 9]), None);
        assert_eq!(read_messages((told + "{\"signature\": 7}\n").as_bytes()), None);
        assert_eq!(read_messages(b""), None);
    }

    #[test]
    fn what_is_sought_is_read_as_it_was_written() {
        for sought in
            [Sought::Signatures, Sought::Everything(0), Sought::Everything(u64::MAX), Sought::Answer]
        {
            assert_eq!(serde_json::from_str(&in_json(&sought)).ok(), Some(sought));
        }
        assert!(serde_json::from_str::<Sought>("all").is_err());
    }

    #[test]
    fn a_looker_that_fails_has_not_looked() {
        let folder = tempfile::tempdir().expect("a folder");
        let system = System::rooted_at(folder.path());
        std::fs::create_dir_all(system.sys("dev/block/8:0")).expect("a drive");
        let drive = DriveIdentity::read(&system, DeviceNumber { major: 8, minor: 0 }).expect("a drive");
        for looker in ["/bin/false", "/bin/true", "/nowhere/drivelab"] {
            let found = from_outside(std::path::Path::new(looker), &drive, Sought::Signatures);
            assert_eq!((found.is_empty(), found.not_known.len()), (false, 1), "{looker}: {found:?}");
        }
    }
}
