//! The tests inside the virtual machine. The kernel's command line says which scenario this is, and whether its power was cut
//! before.

#![deny(unsafe_code)]
#![allow(clippy::disallowed_methods, reason = "a test waits for a machine, and for what runs in it")]

mod bad_sectors;
mod boot;
mod contents;
mod debian;
mod every_command;
mod hangs;
mod in_use;
mod mapped;
mod multipath;
mod nvme;
mod own_controller;
mod own_disk;
mod own_nvme;
mod power_cuts;
mod program;
#[path = "../protocol.rs"]
mod protocol;
mod pulled;
mod purge;
mod rollup;
mod sanitize;
mod sata;
mod scsi;
mod secure_erase;
mod service;
mod stacked;
mod standstill;
mod twins;

use std::time::Instant;

use anyhow::{Context as _, Result};
use program::from_command_line;
use protocol::Message;

/// A test: its name, and what it does.
type Test = (&'static str, fn() -> Result<()>);

fn main() {
    println!("{}", Message::Started);
    let is_first_program = std::env::args().nth(1).is_some_and(|word| word == debian::SWITCH_ROOT);
    if let Err(error) = if is_first_program { debian::switch_root() } else { scenario() } {
        println!("{}", Message::Failed(format!("guest ... FAILED: {error:#}")));
    }
    println!("{}", Message::Done);
}

fn scenario() -> Result<()> {
    let name = from_command_line("drivelab.scenario")?.context("the command line names no scenario")?;
    let tests: &[Test] = match name.as_str() {
        "every-command" => every_command::TESTS,
        "boot" => boot::TESTS,
        "boot-overflow" => boot::OVERFLOW_TESTS,
        "debian" => debian::tests()?,
        "service" => service::tests()?,
        "multipath" => multipath::TESTS,
        "in-use" => in_use::TESTS,
        "nvme" => nvme::TESTS,
        "sata" => sata::TESTS,
        "scsi" => scsi::TESTS,
        "power-cuts" => power_cuts::TESTS,
        "pulled" => pulled::TESTS,
        "purge" => purge::TESTS,
        "own-nvme" => own_nvme::TESTS,
        "hangs" => hangs::TESTS,
        "stacked" => stacked::TESTS,
        "standstill" => standstill::TESTS,
        "twins" => twins::TESTS,
        "twins-removed" => twins::REMOVED_TESTS,
        "secure-erase" => secure_erase::TESTS,
        "bad-sectors" => bad_sectors::TESTS,
        other => anyhow::bail!("no tests of a scenario {other}"),
    };
    for (test, body) in tests {
        let began = Instant::now();
        let ended = body();
        let seconds = began.elapsed().as_secs();
        let message = match ended {
            Ok(()) => Message::Passed(format!("{name}::{test} ({seconds} s)")),
            Err(error) => Message::Failed(format!("{name}::{test} ({seconds} s) ... FAILED: {error:#}")),
        };
        println!("{message}");
    }
    Ok(())
}
