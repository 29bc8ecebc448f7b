//! Where the fields of an event are, as its `format` file says.

use std::collections::HashMap;
use std::sync::Arc;

use super::RawEvent;
use crate::event::What;

/// The trace points that are looked at, and what each means.
const EVENTS: [(&str, What); 7] = [
    ("block_rq_issue", What::Issued),
    ("block_rq_complete", What::Completed),
    ("block_rq_requeue", What::Requeued),
    ("block_bio_queue", What::Queued),
    ("block_bio_complete", What::Completed),
    ("block_bio_backmerge", What::Merged),
    ("block_bio_frontmerge", What::MergedInFront),
];

/// A field's place in an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Field {
    offset: usize,
    size: usize,
}

/// Where the fields of one trace point are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    number: u16,
    what: What,
    device: Field,
    sector: Field,
    sectors: Field,
    letters: Field,
    error: Option<Field>,
    command: Option<Field>,
}

impl Layout {
    /// Reads a `format` file; `None` where it is not that of a trace point that is looked at.
    pub fn parse(text: &str) -> Option<Layout> {
        let name = event_name(text)?;
        let (_, what) = EVENTS.into_iter().find(|(event, _)| *event == name)?;
        let number = event_number(text)?;
        let fields = fields(text);
        let field = |name: &str| fields.get(name).copied();
        Some(Layout {
            number,
            what,
            device: field("dev")?,
            sector: field("sector")?,
            sectors: field("nr_sector")?,
            letters: field("rwbs")?,
            error: field("error"),
            command: field("comm"),
        })
    }

    fn read(&self, data: &[u8]) -> Option<RawEvent> {
        Some(RawEvent {
            what: self.what,
            device: self.device.u32(data)?,
            sector: self.sector.u64(data)?,
            sectors: self.sectors.u32(data)?,
            error: self.error.map_or(Some(0), |error| Some(error.u32(data)?.cast_signed()))?,
            letters: self.letters.text(data)?,
            command: self.command.map_or(Some([0; 16]), |command| command.text(data))?,
        })
    }
}

impl Field {
    pub(super) fn bytes(self, data: &[u8]) -> Option<&[u8]> {
        data.get(self.offset..self.offset.checked_add(self.size)?)
    }

    pub(super) fn u32(self, data: &[u8]) -> Option<u32> {
        self.bytes(data)?.first_chunk().map(|bytes| u32::from_ne_bytes(*bytes))
    }

    fn u64(self, data: &[u8]) -> Option<u64> {
        self.bytes(data)?.first_chunk().map(|bytes| u64::from_ne_bytes(*bytes))
    }

    /// Text of at most 16 bytes.
    pub(super) fn text(self, data: &[u8]) -> Option<[u8; 16]> {
        let bytes = self.bytes(data)?;
        let mut text = [0; 16];
        let length = bytes.len().min(text.len());
        text[..length].copy_from_slice(&bytes[..length]);
        Some(text)
    }
}

/// The name of the trace point whose `format` file this is.
pub(super) fn event_name(text: &str) -> Option<&str> {
    text.lines().find_map(|line| line.strip_prefix("name: ")).map(str::trim)
}

/// The number by which its events are known in the ring.
pub(super) fn event_number(text: &str) -> Option<u16> {
    text.lines().find_map(|line| line.strip_prefix("ID: "))?.trim().parse().ok()
}

/// The places of all its fields, by their names.
pub(super) fn fields(text: &str) -> HashMap<String, Field> {
    text.lines().filter_map(field).collect()
}

/// A line such as `field:char rwbs[10]; offset:34; size:10; signed:0;`, with tabs for blanks.
fn field(line: &str) -> Option<(String, Field)> {
    let mut parts = line.trim().strip_prefix("field:")?.split(';').map(str::trim);
    let declaration = parts.next()?;
    let name = declaration.split_whitespace().next_back()?.split('[').next()?.to_owned();
    let mut number = |key: &str| parts.next()?.strip_prefix(key)?.parse().ok();
    Some((name, Field { offset: number("offset:")?, size: number("size:")? }))
}

/// The layouts of all trace points that are looked at.
#[derive(Clone, Debug, Default)]
pub struct Layouts(Arc<[Layout]>);

impl Layouts {
    /// All of these.
    pub fn new(layouts: Vec<Layout>) -> Layouts {
        Layouts(layouts.into())
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The event that these bytes are; `None` where it is not looked at, or its bytes are too few.
    pub(super) fn read(&self, data: &[u8]) -> Option<RawEvent> {
        let number = u16::from_ne_bytes(*data.first_chunk()?);
        self.0.iter().find(|layout| layout.number == number)?.read(data)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_format_file_gives_places() {
        let text = "name: block_rq_complete\nID: 2107\nformat:\n\
            \tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n\
            \tfield:dev_t dev;\toffset:8;\tsize:4;\tsigned:0;\n\
            \tfield:sector_t sector;\toffset:16;\tsize:8;\tsigned:0;\n\
            \tfield:unsigned int nr_sector;\toffset:24;\tsize:4;\tsigned:0;\n\
            \tfield:int error;\toffset:28;\tsize:4;\tsigned:1;\n\
            \tfield:char rwbs[10];\toffset:34;\tsize:10;\tsigned:0;\n";
        let layout = Layout::parse(text).expect("a layout");
        assert_eq!((layout.number, layout.what), (2107, What::Completed));
        assert_eq!(layout.letters, Field { offset: 34, size: 10 });
        assert_eq!(layout.command, None);
        assert_eq!(Layout::parse("name: sched_switch\nID: 1\n"), None);
    }
}
