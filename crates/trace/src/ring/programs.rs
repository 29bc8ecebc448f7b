//! Which programs ran while a trace was taken, and when: by the events of their beginning and their end.

use std::collections::HashMap;

use super::PAGE_BYTES;
use super::layout::{Field, event_name, event_number, fields};
use super::page::RingPage;
use super::until_nul;

/// A program that ran.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramRun {
    /// The number of its process.
    pub pid: u32,
    /// Its name, at most 15 bytes, as the kernel has it.
    pub name: String,
    /// When it began, in nanoseconds on the clock of the events.
    pub began: u64,
    /// When it ended; none where it still ran at the end of the trace.
    pub ended: Option<u64>,
}

/// Collects programs from pages of the kernel's ring buffer.
#[derive(Debug)]
pub struct Programs {
    layouts: Vec<ProgramLayout>,
    events: Vec<(u64, ProgramEvent)>,
}

/// Where the fields of the events are by which a program begins or ends.
#[derive(Clone, Copy, Debug)]
struct ProgramLayout {
    number: u16,
    pid: Field,
    /// Where the length and the place of the program's path are, in 16 bits each; none of the end of a program.
    path: Option<Field>,
}

#[derive(Debug)]
enum ProgramEvent {
    Began { pid: u32, name: String },
    Ended { pid: u32 },
}

/// The longest name of a program that the kernel keeps.
const LONGEST_NAME: usize = 15;

impl Programs {
    /// Reads where the fields are from `format` files; those of other events are passed over.
    pub fn new(formats: &[String]) -> Programs {
        let layouts = formats.iter().filter_map(|text| ProgramLayout::parse(text)).collect();
        Programs { layouts, events: Vec::new() }
    }

    /// Takes a page. What is damaged of it is left out: the trace of the same page reports it.
    pub fn page(&mut self, page: Box<[u8; PAGE_BYTES]>) {
        let Ok(mut page) = RingPage::new(page) else { return };
        while let Ok(Some((at, place))) = page.next() {
            if let Some(event) = self.event(&page.bytes[place]) {
                self.events.push((at, event));
            }
        }
    }

    fn event(&self, data: &[u8]) -> Option<ProgramEvent> {
        let number = u16::from_ne_bytes(*data.first_chunk()?);
        let layout = self.layouts.iter().find(|layout| layout.number == number)?;
        let pid = layout.pid.u32(data)?;
        Some(match layout.path {
            Some(path) => ProgramEvent::Began { pid, name: program_name(path, data)? },
            None => ProgramEvent::Ended { pid },
        })
    }

    /// All programs, in the order of their beginning. A process that becomes another program ends the one it was. Threads,
    /// and processes that never became a program of their own, are left out.
    pub fn finish(mut self) -> Vec<ProgramRun> {
        self.events.sort_by_key(|(at, _)| *at);
        let mut running: HashMap<u32, usize> = HashMap::new();
        let mut runs: Vec<ProgramRun> = Vec::new();
        for (at, event) in self.events {
            let (ProgramEvent::Began { pid, .. } | ProgramEvent::Ended { pid }) = event;
            if let Some(place) = running.remove(&pid) {
                runs[place].ended = Some(at);
            }
            if let ProgramEvent::Began { pid, name } = event {
                running.insert(pid, runs.len());
                runs.push(ProgramRun { pid, name, began: at, ended: None });
            }
        }
        runs
    }
}

impl ProgramLayout {
    /// Reads a `format` file; `None` where it is that of another event.
    fn parse(text: &str) -> Option<ProgramLayout> {
        let fields = fields(text);
        let field = |name: &str| fields.get(name).copied();
        let path = match event_name(text)? {
            "sched_process_exec" => Some(field("filename")?),
            "sched_process_exit" => None,
            _ => return None,
        };
        Some(ProgramLayout { number: event_number(text)?, pid: field("pid")?, path })
    }
}

fn program_name(path: Field, data: &[u8]) -> Option<String> {
    let place = path.u32(data)?;
    let (offset, length) = ((place & 0xFFFF) as usize, (place >> 16) as usize);
    let path = until_nul(data.get(offset..offset.checked_add(length)?)?);
    let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or(path);
    Some(String::from_utf8_lossy(&name[..name.len().min(LONGEST_NAME)]).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXEC: &str = "name: sched_process_exec\nID: 310\nformat:\n\
        \tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\
        \tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n\
        \tfield:__data_loc char[] filename;\toffset:8;\tsize:4;\tsigned:0;\n\
        \tfield:pid_t pid;\toffset:12;\tsize:4;\tsigned:1;\n\
        \tfield:pid_t old_pid;\toffset:16;\tsize:4;\tsigned:1;\n";
    const EXIT: &str = "name: sched_process_exit\nID: 311\nformat:\n\
        \tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n\
        \tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n\
        \tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;\n";

    /// A page with these events, each so long after the one before.
    fn page(events: &[(u32, Vec<u8>)]) -> Box<[u8; PAGE_BYTES]> {
        let mut page = Box::new([0; PAGE_BYTES]);
        let mut at = 16;
        for (delta, data) in events {
            let mut data = data.clone();
            data.resize(data.len().next_multiple_of(4), 0);
            let words = u32::try_from(data.len() / 4).expect("a short event");
            page[at..at + 4].copy_from_slice(&(delta << 5 | words).to_ne_bytes());
            page[at + 4..at + 4 + data.len()].copy_from_slice(&data);
            at += 4 + data.len();
        }
        page[8..16].copy_from_slice(&(at as u64 - 16).to_ne_bytes());
        page
    }

    /// Where the path begins in an event.
    const PATH_AT: u32 = 20;

    fn exec(pid: u32, path: &str) -> Vec<u8> {
        let mut data = vec![0; 20];
        data[..2].copy_from_slice(&310u16.to_ne_bytes());
        let length = u32::try_from(path.len() + 1).expect("a path");
        data[8..12].copy_from_slice(&(length << 16 | PATH_AT).to_ne_bytes());
        data[12..16].copy_from_slice(&pid.to_ne_bytes());
        data.extend(path.as_bytes());
        data.push(0);
        data
    }

    fn exit(pid: u32) -> Vec<u8> {
        let mut data = vec![0; 28];
        data[..2].copy_from_slice(&311u16.to_ne_bytes());
        data[24..28].copy_from_slice(&pid.to_ne_bytes());
        data
    }

    #[test]
    fn programs_begin_become_others_and_end() {
        let mut programs = Programs::new(&[EXIT.to_owned(), EXEC.to_owned()]);
        programs.page(page(&[(100, exec(7, "/usr/bin/udevadm")), (50, exit(8)), (50, exit(7))]));
        let path = "/lib/systemd/systemd-modules-load";
        programs.page(page(&[(10, exec(9, "/bin/sh")), (140, exec(9, path))]));
        let found = programs.finish();
        let run = |pid, name: &str, began, ended| ProgramRun { pid, name: name.to_owned(), began, ended };
        let expected = [
            run(9, "sh", 10, Some(150)),
            run(7, "udevadm", 100, Some(200)),
            run(9, "systemd-modules", 150, None),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn a_path_outside_of_its_event_is_left_out() {
        let mut data = exec(7, "/bin/true");
        data[8..12].copy_from_slice(&(600 << 16 | PATH_AT).to_ne_bytes());
        let mut programs = Programs::new(&[EXEC.to_owned()]);
        programs.page(page(&[(1, data)]));
        assert_eq!(programs.finish(), []);
    }
}
