//! The events of some devices, on all processors.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;

use crate::TracerError;
use crate::instance::Instance;

/// The size of a page of the ring buffer.
pub const PAGE_BYTES: usize = 4096;

/// Which events a device has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Events {
    /// Requests, from their issue to the device to its completion.
    Requests,
    /// None but those above the driver (`/sys/block/X/mq` is not there: zram, md, dm): from when an I/O was asked
    /// for to its completion.
    Bios,
}

impl Events {
    const fn names(self) -> &'static [&'static str] {
        match self {
            Events::Requests => &["block_rq_issue", "block_rq_complete", "block_rq_requeue"],
            Events::Bios => &["block_bio_queue", "block_bio_complete"],
        }
    }
}

/// A device whose events are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Watched {
    /// Its major number.
    pub major: u32,
    /// Its minor number.
    pub minor: u32,
    /// Which of its events.
    pub events: Events,
}

/// How much of a page was filled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Filled {
    /// There was no event.
    Nothing,
    /// It is still being filled, or the rest of one that was read before it was full.
    Partly,
    /// There may be more.
    Wholly,
}

/// Fetches events while it lives; what is switched on for it is switched off when it is dropped.
#[derive(Debug)]
pub struct Tracer {
    /// Before the instance, which cannot be removed while they are open.
    processors: Vec<Processor>,
    formats: Vec<String>,
    instance: Instance,
}

/// The ring buffer of one processor.
#[derive(Debug)]
struct Processor {
    number: u32,
    pages: File,
    statistics: PathBuf,
}

impl Tracer {
    /// Switches on the events of these devices, with `buffer_kib` KiB of ring buffer for each processor. Times
    /// are those of `CLOCK_MONOTONIC`. What finds no room in the buffers is lost and counted; what is in them
    /// stays.
    ///
    /// # Errors
    /// Where tracefs or the events are missing, not allowed, or too large for the memory.
    pub fn start(devices: &[Watched], buffer_kib: u64) -> Result<Tracer, TracerError> {
        let instance = Instance::create()?;
        instance.set("tracing_on", "0")?;
        if fs::exists(instance.file("buffer_subbuf_size_kb")).unwrap_or(false) {
            instance.set("buffer_subbuf_size_kb", "4")?;
        }
        let sized = fs::write(instance.file("buffer_size_kb"), buffer_kib.to_string());
        sized.map_err(|error| match error.kind() {
            ErrorKind::OutOfMemory => TracerError::NoMemory { kib: buffer_kib },
            _ => TracerError::io(&instance.file("buffer_size_kb"), error),
        })?;
        instance.set("trace_clock", "mono")?;
        instance.set("options/overwrite", "0")?;
        let mut formats = Vec::new();
        for events in [Events::Requests, Events::Bios] {
            let filter = filter(devices, events);
            for name in events.names().iter().filter(|_| !filter.is_empty()) {
                formats.push(switch_on(&instance, name, &filter)?);
            }
        }
        let processors = processors(&instance)?;
        instance.set("tracing_on", "1")?;
        Ok(Tracer { processors, formats, instance })
    }

    /// The `format` files of the events that are switched on: where each field is.
    pub fn formats(&self) -> &[String] {
        &self.formats
    }

    /// How many processors have a ring buffer.
    pub fn processors(&self) -> usize {
        self.processors.len()
    }

    /// Takes the next page of a processor, counted from 0. It never waits.
    ///
    /// The kernel also hands out a page that is still being filled, and the rest of it later: whoever asked on and
    /// on would get pages of an event or two for ever.
    ///
    /// # Errors
    /// Where the kernel gives none for another reason than that there is none.
    pub fn read(&mut self, processor: usize, page: &mut [u8; PAGE_BYTES]) -> io::Result<Filled> {
        match self.processors[processor].pages.read(page) {
            Ok(0) => Ok(Filled::Nothing),
            Ok(PAGE_BYTES) => Ok(filled(page)),
            Ok(_) => Err(io::Error::other("the kernel gave a part of a page")),
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {
                Ok(Filled::Nothing)
            }
            Err(error) => Err(error),
        }
    }

    /// Switches the events off; what is in the buffers can still be read.
    ///
    /// # Errors
    /// Where the kernel does not let it.
    pub fn stop(&mut self) -> Result<(), TracerError> {
        self.instance.set("tracing_on", "0")
    }

    /// Events that found no room, for each processor that has a buffer: its number and how many.
    ///
    /// # Errors
    /// Where the kernel does not say.
    pub fn losses(&self) -> io::Result<Vec<(u32, u64)>> {
        let losses = self.processors.iter().map(|processor| {
            let text = fs::read_to_string(&processor.statistics)?;
            Ok((processor.number, lost(&text)))
        });
        losses.collect()
    }
}

/// A page ends where the next event did not fit; those of block devices are far below 256 bytes. The bytes in use
/// are the lower 20 bits of the header's second word.
fn filled(page: &[u8; PAGE_BYTES]) -> Filled {
    let in_use = page[8..].first_chunk().map_or(0, |bytes| u64::from_ne_bytes(*bytes)) & 0xF_FFFF;
    if in_use > PAGE_BYTES as u64 - 256 { Filled::Wholly } else { Filled::Partly }
}

/// The condition under which an event is kept; empty where no device has such events. The kernel keeps a device's
/// number with 20 bits of minor.
fn filter(devices: &[Watched], events: Events) -> String {
    let wanted = devices.iter().filter(|device| device.events == events);
    let conditions: Vec<String> = wanted
        .map(|device| format!("dev == {}", u64::from(device.major) << 20 | u64::from(device.minor)))
        .collect();
    conditions.join(" || ")
}

fn switch_on(instance: &Instance, event: &str, filter: &str) -> Result<String, TracerError> {
    let folder = format!("events/block/{event}");
    let format = instance.file(&format!("{folder}/format"));
    let text = fs::read_to_string(&format).map_err(|error| match error.kind() {
        ErrorKind::NotFound => TracerError::NoEvents { path: format.clone() },
        _ => TracerError::io(&format, error),
    })?;
    instance.set(&format!("{folder}/filter"), filter)?;
    instance.set(&format!("{folder}/enable"), "1")?;
    Ok(text)
}

fn processors(instance: &Instance) -> Result<Vec<Processor>, TracerError> {
    let folder = instance.file("per_cpu");
    let entries = fs::read_dir(&folder).map_err(|error| TracerError::io(&folder, error))?;
    let mut processors = Vec::new();
    for entry in entries.flatten() {
        let name = entry.file_name();
        let number = name.to_string_lossy().strip_prefix("cpu").and_then(|number| number.parse().ok());
        let Some(number) = number else { continue };
        processors.push(Processor::open(number, &entry.path())?);
    }
    processors.sort_by_key(|processor| processor.number);
    Ok(processors)
}

impl Processor {
    fn open(number: u32, folder: &Path) -> Result<Processor, TracerError> {
        let path = folder.join("trace_pipe_raw");
        let nonblocking = OFlags::NONBLOCK.bits().cast_signed();
        let pages = OpenOptions::new().read(true).custom_flags(nonblocking).open(&path);
        let pages = pages.map_err(|error| TracerError::io(&path, error))?;
        Ok(Processor { number, pages, statistics: folder.join("stats") })
    }
}

/// What `per_cpu/cpuN/stats` counts as lost, whatever the reason.
fn lost(statistics: &str) -> u64 {
    let lost = ["overrun", "commit overrun", "dropped events"];
    let counts = statistics.lines().filter_map(|line| line.split_once(": "));
    counts
        .filter(|(name, _)| lost.contains(name))
        .filter_map(|(_, count)| count.trim().parse::<u64>().ok())
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filter_names_the_devices_that_have_such_events() {
        let device = |minor, events| Watched { major: 8, minor, events };
        let devices = [device(0, Events::Requests), device(16, Events::Requests), device(1, Events::Bios)];
        assert_eq!(filter(&devices, Events::Requests), "dev == 8388608 || dev == 8388624");
        assert_eq!(filter(&devices, Events::Bios), "dev == 8388609");
        assert_eq!(filter(&devices[..2], Events::Bios), "");
    }

    #[test]
    fn every_kind_of_loss_is_counted() {
        let text = "entries: 90\noverrun: 3\ncommit overrun: 4\nbytes: 800\noldest event ts:  2.5\ndropped events: 5\n";
        assert_eq!(lost(text), 12);
    }

    /// What the kernel shows of an instance, as far as this crate reads it.
    fn instance(folder: &Path, processors: &[u32]) -> Instance {
        for processor in processors {
            let folder = folder.join(format!("per_cpu/cpu{processor}"));
            fs::create_dir_all(&folder).expect("a folder");
            fs::write(folder.join("trace_pipe_raw"), []).expect("a file");
            fs::write(folder.join("stats"), format!("overrun: {processor}\n")).expect("a file");
        }
        fs::create_dir_all(folder.join("events/block/block_rq_issue")).expect("a folder");
        fs::write(folder.join("events/block/block_rq_issue/format"), "name: block_rq_issue\n")
            .expect("a file");
        Instance::at(folder.to_owned())
    }

    #[test]
    fn processors_are_in_the_order_of_their_numbers_and_keep_them() {
        let folder = tempfile::tempdir().expect("a folder");
        let instance = instance(folder.path(), &[10, 2, 0]);
        fs::create_dir(folder.path().join("per_cpu/other")).expect("a folder");
        let tracer =
            Tracer { processors: processors(&instance).expect("three"), formats: Vec::new(), instance };
        assert_eq!(tracer.losses().expect("counts"), [(0, 0), (2, 2), (10, 10)]);
        drop(tracer);
        let read = |name: &str| fs::read_to_string(folder.path().join(name)).ok();
        assert_eq!(read("tracing_on").as_deref(), Some("0"), "switched off, though the folder cannot go");
        assert_eq!(read("events/enable").as_deref(), Some("0"));
    }

    #[test]
    fn an_event_is_switched_on_with_its_filter_and_a_missing_one_is_named() {
        let folder = tempfile::tempdir().expect("a folder");
        let instance = instance(folder.path(), &[0]);
        let format = switch_on(&instance, "block_rq_issue", "dev == 1").expect("it is there");
        assert_eq!(format, "name: block_rq_issue\n");
        let setting =
            |name: &str| fs::read_to_string(instance.file(&format!("events/block/block_rq_issue/{name}")));
        assert_eq!(setting("filter").expect("a filter"), "dev == 1");
        assert_eq!(setting("enable").expect("a switch"), "1");
        let error = switch_on(&instance, "block_rq_requeue", "dev == 1").expect_err("no such event");
        assert!(matches!(error, TracerError::NoEvents { .. }), "{error}");
    }

    #[test]
    fn a_page_with_room_for_another_event_is_not_full() {
        let page = |in_use: u64| {
            let mut page = [0; PAGE_BYTES];
            // Above the lower 20 bits lie flags, such as that of events that were missed.
            page[8..16].copy_from_slice(&(1 << 31 | in_use).to_ne_bytes());
            filled(&page)
        };
        assert_eq!(page(40), Filled::Partly);
        assert_eq!(page(4096 - 256), Filled::Partly);
        assert_eq!(page(4096 - 255), Filled::Wholly);
    }
}
