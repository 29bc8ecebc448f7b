//! ATA SECURITY ERASE UNIT, on a drive of our own behind the kernel's driver.

use std::fs;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};

use crate::Test;
use crate::contents::{PATTERN, fill, read};
use crate::own_disk::{OwnDisk, SERIAL};
use crate::program::{device_of, drivelab, ended, from_command_line, succeeds, wait_until};

/// The tests, in order: the drive of the first one serves all of them.
pub const TESTS: &[Test] =
    &[("a_drive_is_erased_refused_and_cut_off", a_drive_is_erased_refused_and_cut_off)];

/// How long an erase takes: long enough that a busy machine cuts it off in its middle.
const TAKES: Duration = Duration::from_secs(3);
/// How long the program has until it has set a password.
const PATIENCE: Duration = Duration::from_secs(60);
/// How often the power is cut at least.
const CUTS_MIN: u32 = 5;
/// The password of another user.
const OTHERS: [u8; 32] = [7; 32];

/// A drive, and the words that purge it.
struct Bench {
    disk: OwnDisk,
    drive: String,
    purge: String,
}

fn a_drive_is_erased_refused_and_cut_off() -> Result<()> {
    let disk = OwnDisk::connected(TAKES)?;
    let drive = device_of(SERIAL)?;
    let purge = format!("purge {drive} --serial {SERIAL} --destroy-data");
    let bench = Bench { disk, drive, purge };
    bench.is_planned().context("a plan")?;
    let whole = bench.is_erased().context("an erase")?;
    bench.frozen_is_refused().context("a frozen drive")?;
    bench.locked_is_refused().context("a locked drive")?;
    bench.own_password_is_taken_away().context("a password that is left")?;
    bench.a_cut_of_the_drive_alone_leaves_no_password().context("a power cut of the drive alone")?;
    let rounds: u32 = from_command_line("drivelab.rounds")?.context("no number of rounds")?.parse()?;
    bench.no_password_is_left(whole, rounds.max(CUTS_MIN)).context("power cuts")
}

impl Bench {
    fn holds_nothing(&self) -> Result<bool> {
        let data = read(&self.drive)?;
        Ok(data.len() == 16 << 20 && data.iter().all(|byte| *byte == 0))
    }

    fn is_planned(&self) -> Result<()> {
        let planned = drivelab(&format!("{} --dry-run", self.purge))?;
        println!("{}{}", planned.output, planned.complaint);
        ensure!(planned.code == Some(0), "{planned:?}");
        for words in ["ATA SECURITY ERASE UNIT (enhanced)", "the drive estimates 2 min"] {
            ensure!(planned.output.contains(words), "{words}: {planned:?}");
        }
        ensure!(self.disk.state().password.is_none(), "a plan has set a password");
        Ok(())
    }

    /// How long the whole purge takes.
    fn is_erased(&self) -> Result<Duration> {
        fill(&self.drive)?;
        let began = Instant::now();
        let purged = succeeds(&self.purge)?;
        let whole = began.elapsed();
        println!("{purged} in {whole:?}");
        ensure!(self.disk.state().erases == 1 && self.disk.state().password.is_none(), "not erased");
        ensure!(purged["zeros"] == 64 && self.holds_nothing()?, "data is still there: {purged}");
        let log = fs::read_to_string("/tmp/.local/state/drivelab/audit.log")?;
        let lines =
            ["by ATA SECURITY ERASE UNIT (enhanced)", "\"drivelab\" set in", "no ATA password left in"];
        for words in lines {
            ensure!(log.contains(words), "{words} is not in the audit log: {log}");
        }
        Ok(whole)
    }

    fn frozen_is_refused(&self) -> Result<()> {
        fill(&self.drive)?;
        self.disk.state().is_frozen = true;
        for how in ["auto", "secure-erase"] {
            let refused = drivelab(&format!("{} --purge {how}", self.purge))?;
            println!("{}", refused.complaint);
            ensure!(refused.code == Some(3), "{refused:?}");
            ensure!(refused.complaint.contains("systemctl suspend"), "{refused:?}");
        }
        self.disk.state().power_cut();
        ensure!(self.disk.state().blocks.iter().all(|byte| *byte == PATTERN), "the drive was changed");
        Ok(())
    }

    fn locked_is_refused(&self) -> Result<()> {
        self.disk.state().password = Some(OTHERS);
        let unlocked = drivelab(&self.purge)?;
        println!("{}", unlocked.complaint);
        ensure!(unlocked.code == Some(3), "{unlocked:?}");
        ensure!(unlocked.complaint.contains("not drivelab's"), "{unlocked:?}");
        ensure!(self.disk.state().password == Some(OTHERS), "the password was changed");
        self.disk.state().power_cut();
        let locked = drivelab(&self.purge)?;
        println!("{}", locked.complaint);
        ensure!(locked.code == Some(4) && locked.complaint.contains("not drivelab's"), "{locked:?}");
        let mut state = self.disk.state();
        ensure!(state.password == Some(OTHERS) && state.is_locked, "the password was changed");
        ensure!(state.wrong <= 1, "{} wrong passwords were told", state.wrong);
        ensure!(state.blocks.iter().all(|byte| *byte == PATTERN), "the drive was changed");
        (state.password, state.is_locked) = (None, false);
        Ok(())
    }

    /// A password that is left by a kill alone is taken away by a purge that then does something else.
    fn own_password_is_taken_away(&self) -> Result<()> {
        self.disk.state().password = Some(own_password());
        let ended = drivelab(&format!("{} --purge discard", self.purge))?;
        println!("{}", ended.complaint);
        ensure!(ended.code == Some(3) && ended.complaint.contains("takes no discards"), "{ended:?}");
        ensure!(ended.complaint.contains("was taken away"), "it is not said: {ended:?}");
        ensure!(self.disk.state().password.is_none(), "the password is still there");
        Ok(())
    }

    /// The drive alone loses its power, and drivelab goes on.
    fn a_cut_of_the_drive_alone_leaves_no_password(&self) -> Result<()> {
        let purge = self.begun()?;
        self.password_is_set()?;
        thread::sleep(TAKES / 2);
        self.disk.state().power_cut();
        let ended = ended(&purge.wait_with_output()?);
        println!("{}", ended.complaint);
        ensure!(ended.code == Some(3) && ended.complaint.contains("has no password"), "{ended:?}");
        let state = self.disk.state();
        ensure!(state.password.is_none() && !state.is_locked, "a password is left");
        Ok(())
    }

    fn begun(&self) -> Result<Child> {
        let mut command = Command::new("/bin/drivelab");
        command.args(self.purge.split_whitespace()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().context("drivelab cannot be run")
    }

    fn password_is_set(&self) -> Result<()> {
        wait_until(PATIENCE, "no password is set", || self.disk.state().password.is_some())
    }

    /// Cuts the power, and the program with it: at moments all over a purge, and at moments all over its erase. The next purge
    /// takes the password away.
    fn no_password_is_left(&self, whole: Duration, rounds: u32) -> Result<()> {
        let mut left = 0;
        for round in 0..rounds {
            fill(&self.drive)?;
            let mut purge = self.begun()?;
            let part = |of: Duration| of * (2 * round + 1) / (2 * rounds);
            if round % 2 == 0 {
                thread::sleep(part(whole));
            } else {
                self.password_is_set()?;
                thread::sleep(part(TAKES / 2));
            }
            purge.kill()?;
            self.disk.state().power_cut();
            purge.wait()?;
            left += u32::from(self.disk.state().password.is_some());
            let again = drivelab(&self.purge)?;
            ensure!(again.code == Some(0), "round {round}: {again:?}");
            let state = self.disk.state();
            ensure!(state.password.is_none() && !state.is_locked, "round {round}: a password is left");
            drop(state);
            ensure!(self.holds_nothing()?, "round {round}: data is still there");
        }
        println!("of {rounds} cuts {left} left the password in the drive, and none after the next purge");
        ensure!(left > 0, "no cut came while the password was set");
        Ok(())
    }
}

/// drivelab's password, as it is in a drive.
fn own_password() -> [u8; 32] {
    let mut password = [0; 32];
    password[..8].copy_from_slice(b"drivelab");
    password
}
