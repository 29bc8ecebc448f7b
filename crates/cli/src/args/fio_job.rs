//! `load --fio-job FILE`: a job of fio as options of `load`.

use std::ffi::OsString;
use std::path::Path;

use drivelab_files::{SMALL, read_text};
use drivelab_fio::{Amount, FioJob, JobRate, JobReadWrite};
use drivelab_view::format::shell_word;

/// The option.
const OPTION: &str = "--fio-job";
/// The command that has it.
const COMMAND: &str = "load";

/// A command line, and what its user has to know of how it came about.
pub struct Expanded {
    pub arguments: Vec<OsString>,
    pub notes: Vec<String>,
}

/// The command line with the options that the job stands for in the place of its file's name; options that were typed as well
/// come before those of the job. A command line without a job stays as it is. An error has a line for each reason.
pub fn expand(arguments: Vec<OsString>) -> Result<Expanded, String> {
    let unchanged = |arguments| Ok(Expanded { arguments, notes: Vec::new() });
    let Some(command) = arguments.iter().position(|word| word == COMMAND) else {
        return unchanged(arguments);
    };
    let Some((file, rest)) = taken_out(&arguments) else { return unchanged(arguments) };
    let text = read_text(Path::new(&file), SMALL)
        .map_err(|error| format!("{OPTION} {}: {error}: name a job file of fio", file.to_string_lossy()))?;
    let named = |why: String| {
        let file = file.to_string_lossy();
        why.lines().map(|line| format!("{file}: {line}")).collect::<Vec<_>>().join("\n")
    };
    let job = FioJob::parse(&text).map_err(named)?;
    let typed = |option: &str| rest.iter().any(|word| is_option(&word.to_string_lossy(), option));
    let ends = ["--duration", "--bytes"].into_iter().any(typed);
    let options = options(&job, ends).map_err(named)?;
    // A share of reads goes with a mix alone: with another kind of load, which was typed, it means nothing.
    let is_replaced = |option: &str| typed(option) || option == "--read-percent" && typed("--rw");
    let options = options.into_iter().filter(|(option, _)| !is_replaced(option));
    let options: Vec<String> = options.map(|(option, value)| format!("{option}={value}")).collect();
    let has_target = rest.get(command + 1).is_some_and(|word| !word.to_string_lossy().starts_with('-'));
    let target = job.filename.clone().filter(|_| !has_target);
    let words: Vec<String> = target.into_iter().chain(options).collect();
    let mut arguments = rest;
    let behind = command + 1;
    arguments.splice(behind..behind, words.into_iter().map(OsString::from));
    let said: Vec<String> =
        arguments[command..].iter().map(|word| shell_word(&word.to_string_lossy())).collect();
    let mut notes = vec![format!("the job '{}' is: drivelab {}", job.name, said.join(" "))];
    notes.extend(job.notes.iter().cloned().chain(differences(&job)));
    Ok(Expanded { arguments, notes })
}

/// The name of the file, and the command line without it.
fn taken_out(arguments: &[OsString]) -> Option<(OsString, Vec<OsString>)> {
    let place = arguments.iter().position(|word| is_option(&word.to_string_lossy(), OPTION))?;
    let mut rest = arguments.to_vec();
    let word = rest.remove(place).to_string_lossy().into_owned();
    let file = match word.split_once('=') {
        Some((_, file)) => file.into(),
        None if place < rest.len() => rest.remove(place),
        None => return None,
    };
    Some((file, rest))
}

fn is_option(word: &str, option: &str) -> bool {
    word == option || word.strip_prefix(option).is_some_and(|value| value.starts_with('='))
}

/// The options of `load` that do what the job does, which needs no end of its own if one was typed.
fn options(job: &FioJob, has_typed_end: bool) -> Result<Vec<(&'static str, String)>, String> {
    let mut all = vec![("--rw", rw(job.rw).to_owned())];
    if job.rw == JobReadWrite::Randrw {
        all.push(("--read-percent", format!("{}%", job.read_percent)));
    }
    all.push(("--block-size", format!("{}B", job.block_size)));
    all.push(("--queue-depth", job.iodepth.to_string()));
    if job.numjobs > 1 {
        all.push(("--threads", job.numjobs.to_string()));
    }
    let jobs = u64::from(job.numjobs);
    all.extend(job.rate.map(|rate| match rate {
        JobRate::Bytes(bytes) => ("--rate", format!("{}B/s", bytes.saturating_mul(jobs))),
        JobRate::Ios(ios) => ("--rate", format!("{}/s", ios.saturating_mul(jobs))),
    }));
    all.extend(range(job)?.map(|range| ("--range", range)));
    all.extend(end(job, has_typed_end)?);
    if job.compress_percent > 0 {
        all.push(("--compressibility", format!("{}%", job.compress_percent)));
    }
    all.extend(job.seed.map(|seed| ("--seed", seed.to_string())));
    Ok(all)
}

fn rw(rw: JobReadWrite) -> &'static str {
    match rw {
        JobReadWrite::Read => "read",
        JobReadWrite::Write => "write",
        JobReadWrite::Trim => "discard",
        JobReadWrite::Randread => "randread",
        JobReadWrite::Randwrite => "randwrite",
        JobReadWrite::Randrw => "randrw",
    }
}

/// The part of the target; none where it is all of it.
fn range(job: &FioJob) -> Result<Option<String>, String> {
    let start = job.offset.unwrap_or(match job.size {
        Some(Amount::Percent(_)) => Amount::Percent(0),
        _ => Amount::Bytes(0),
    });
    Ok(match (start, job.size) {
        (Amount::Bytes(0), None) => None,
        (Amount::Bytes(start), None) => Some(format!("{start}B-100%")),
        (Amount::Percent(start), None) => Some(format!("{start}%-100%")),
        (Amount::Bytes(start), Some(Amount::Bytes(size))) => {
            Some(format!("{start}B-{}B", start.saturating_add(size)))
        }
        (Amount::Percent(start), Some(Amount::Percent(size))) if start + size <= 100 => {
            Some(format!("{start}%-{}%", start + size))
        }
        _ => {
            return Err(
                "offset and size are of two kinds: give both in bytes, or both in per cent".to_owned()
            );
        }
    })
}

/// When it ends.
fn end(job: &FioJob, has_typed_end: bool) -> Result<Vec<(&'static str, String)>, String> {
    let duration = job.runtime_ms.map(|millis| ("--duration", format!("{millis}ms")));
    let bytes = match job.size {
        Some(Amount::Bytes(size)) if !job.time_based => {
            let all = size.saturating_mul(u64::from(job.numjobs));
            Some(("--bytes", format!("{all}B")))
        }
        _ => None,
    };
    if duration.is_none() && bytes.is_none() && !has_typed_end {
        return Err("the job has no end: give runtime, or size in bytes, or type --duration".to_owned());
    }
    Ok(duration.into_iter().chain(bytes).collect())
}

/// What drivelab does in another way than fio.
fn differences(job: &FioJob) -> Vec<String> {
    let is_random = matches!(job.rw, JobReadWrite::Randread | JobReadWrite::Randwrite | JobReadWrite::Randrw);
    let mut all = Vec::new();
    if is_random && job.has_random_map {
        let text =
            "each place is drawn from all blocks; fio without norandommap goes to each block once first";
        all.push(text.to_owned());
    }
    if job.numjobs > 1 && !is_random {
        all.push(
            "the threads share the part of the target; each process of fio goes over all of it".to_owned(),
        );
    }
    if job.rate.is_some() {
        all.push("the rate is a schedule that does not wait for answers; fio's waits for them".to_owned());
    }
    all
}
