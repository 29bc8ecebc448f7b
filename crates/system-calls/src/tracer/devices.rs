//! The events of some devices, on all processors.

use std::fs;
use std::io::ErrorKind;

use crate::tracer::TracerError;
use crate::tracer::buffers::Buffers;
use crate::tracer::instance::Instance;

/// Which events a device has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Events {
    /// Requests, from their issue to the device to its completion.
    Requests,
    /// None but those above the driver (`/sys/block/X/mq` is not there: zram, md, dm): from when an I/O was asked
    /// for to its completion. The head of an NVMe drive with native multipath has no `mq` either, but its paths have.
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

/// Fetches events while it lives; what is switched on for it is switched off when it is dropped.
#[derive(Debug)]
pub struct Tracer {
    /// The ring buffers. They go before the instance, which cannot be removed while they are open.
    pub buffers: Buffers,
    /// The `format` files of the events that are switched on: where each field is.
    pub formats: Vec<String>,
    devices: Vec<Watched>,
    instance: Instance,
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
            ErrorKind::OutOfMemory => TracerError::NoMemory(buffer_kib),
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
        let buffers = Buffers::open(&instance.file("per_cpu"))?;
        instance.set("tracing_on", "1")?;
        Ok(Tracer { buffers, formats, devices: devices.to_vec(), instance })
    }

    /// Keeps the events of another device, too, from now on. It has to be of a kind of which one is watched already.
    ///
    /// # Errors
    /// Where the kernel does not let it.
    pub fn watch_also(&mut self, device: Watched) -> Result<(), TracerError> {
        self.devices.push(device);
        let filter = filter(&self.devices, device.events);
        for name in device.events.names() {
            self.instance.set(&format!("events/block/{name}/filter"), &filter)?;
        }
        Ok(())
    }

    /// Switches the events off; what is in the buffers can still be read.
    ///
    /// # Errors
    /// Where the kernel does not let it.
    pub fn stop(&mut self) -> Result<(), TracerError> {
        self.instance.set("tracing_on", "0")
    }
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
        ErrorKind::NotFound => TracerError::NoEvents(format.clone()),
        _ => TracerError::io(&format, error),
    })?;
    instance.set(&format!("{folder}/filter"), filter)?;
    instance.set(&format!("{folder}/enable"), "1")?;
    Ok(text)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn a_filter_names_the_devices_that_have_such_events() {
        let device = |minor, events| Watched { major: 8, minor, events };
        let devices = [device(0, Events::Requests), device(16, Events::Requests), device(1, Events::Bios)];
        assert_eq!(filter(&devices, Events::Requests), "dev == 8388608 || dev == 8388624");
        assert_eq!(filter(&devices, Events::Bios), "dev == 8388609");
        assert_eq!(filter(&devices[..2], Events::Bios), "");
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
        let buffers = Buffers::open(&instance.file("per_cpu")).expect("three");
        let tracer = Tracer { buffers, formats: Vec::new(), devices: Vec::new(), instance };
        assert_eq!(tracer.buffers.losses().expect("counts"), [(0, 0), (2, 2), (10, 10)]);
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
        assert!(matches!(error, TracerError::NoEvents(_)), "{error}");
    }
}
