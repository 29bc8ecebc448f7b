//! `drivelab decode`: what the numbers of errors mean.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufRead, BufReader, Read as _};
use std::path::Path;

use drivelab_decode::{Bit, KernelLogDecoder, NvmeStatus, ata_error, ata_status, nvme_status, serr};
use drivelab_inspect::InspectionDocument;
use drivelab_inspect::decode::{DecodeFindings, Register};
use drivelab_runner::{Ending, Failure, output, usage};
use drivelab_view::format::{count, things};

use crate::args::{DecodeWhat, NumberArgs};

/// The longest line of a log that is looked at.
const LONGEST_LINE: u64 = 1 << 20;

pub fn main(what: &DecodeWhat) -> Result<Ending, Failure> {
    match what {
        DecodeWhat::Serr(number) => bits(Register::Serr, number, &serr(number.value)),
        DecodeWhat::AtaStatus(number) => bits(Register::AtaStatus, number, &ata_status(byte(number)?)),
        DecodeWhat::AtaError(number) => bits(Register::AtaError, number, &ata_error(byte(number)?)),
        DecodeWhat::NvmeStatus(number) => nvme(number),
        DecodeWhat::KernelLog { file, all } => kernel_log(file, *all),
    }
}

fn byte(number: &NumberArgs) -> Result<u8, Failure> {
    u8::try_from(number.value)
        .map_err(|_| usage!("{:#x} does not fit into that register, which has 8 bits", number.value))
}

fn bits(register: Register, number: &NumberArgs, bits: &[Bit]) -> Result<Ending, Failure> {
    if number.json.is_asked {
        return print_document(register, number, bits.to_vec(), None);
    }
    let mut text = format!("{} {:#x}\n", register.word(), number.value);
    if bits.is_empty() {
        text += "  no bit is set\n";
    }
    for Bit { bit, name, meaning } in bits {
        let _ = writeln!(text, "  bit {bit:<3} {name:<12} {meaning}");
    }
    output::print(&text)
}

fn nvme(number: &NumberArgs) -> Result<Ending, Failure> {
    let field = u16::try_from(number.value).ok().filter(|field| *field < 1 << 15).ok_or_else(|| {
        usage!("{:#x} does not fit into a status field, which has 15 bits without the phase", number.value)
    })?;
    let status = nvme_status(field);
    if number.json.is_asked {
        return print_document(Register::NvmeStatus, number, Vec::new(), Some(status));
    }
    let NvmeStatus { status_code_type, status_code, kind, name, retry_delay, more, do_not_retry } = status;
    let mut text = format!(
        "nvme-status {field:#x}\n  {name}\n  status code type {status_code_type} ({kind}), status code {status_code:#04x}\n"
    );
    if do_not_retry {
        text += "  do not retry: the same command would fail again\n";
    }
    if more {
        text += "  more: the error information log has more of it\n";
    }
    if retry_delay > 0 {
        let _ = writeln!(text, "  retry after the controller's command retry delay {retry_delay}");
    }
    output::print(&text)
}

fn print_document(
    register: Register,
    number: &NumberArgs,
    bits: Vec<Bit>,
    nvme: Option<NvmeStatus>,
) -> Result<Ending, Failure> {
    output::print_json(&InspectionDocument::new(DecodeFindings { register, value: number.value, bits, nvme }))
}

/// Prints the lines of a log that have codes, and below each what these mean.
fn kernel_log(path: &Path, prints_all: bool) -> Result<Ending, Failure> {
    if path == Path::new("-") {
        return explain(std::io::stdin().lock(), prints_all);
    }
    let file = File::open(path).map_err(|error| Failure::io(&path.display().to_string(), &error))?;
    explain(BufReader::new(file), prints_all)
}

fn explain(mut lines: impl BufRead, prints_all: bool) -> Result<Ending, Failure> {
    let (mut line, mut decoder) = (Vec::new(), KernelLogDecoder::default());
    let (mut read, mut explained) = (0_u64, 0_u64);
    loop {
        line.clear();
        let length = (&mut lines).take(LONGEST_LINE).read_until(b'\n', &mut line);
        if length.map_err(|error| Failure::io("the log cannot be read", &error))? == 0 {
            break;
        }
        read += 1;
        let text = String::from_utf8_lossy(&line);
        let meanings = decoder.meanings(text.trim_end());
        if !prints_all && meanings.is_empty() {
            continue;
        }
        explained += u64::from(!meanings.is_empty());
        let mut out = format!("{}\n", text.trim_end());
        for meaning in meanings {
            let _ = writeln!(out, "    {meaning}");
        }
        output::print(&out)?;
    }
    output::say(match explained {
        0 => format!("None of {} has a code of an error that is known.", things(read, "line")),
        1 => format!("1 of {} has a code that is explained.", things(read, "line")),
        some => format!("{} of {} have codes that are explained.", count(some as f64), things(read, "line")),
    });
    Ok(Ending::Passed)
}
