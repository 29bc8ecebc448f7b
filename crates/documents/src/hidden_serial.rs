//! Serial numbers that are not to be shown: a page that is published says which drive it is without them.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use xxhash_rust::xxh3::xxh3_64;

/// A shorter serial number is hidden where it stands alone, and not within a sentence: it could be any number there.
const SHORTEST_IN_TEXT: usize = 4;

/// What stands before the digits of a world-wide name.
const KINDS: [&str; 5] = ["naa.", "eui.", "uuid.", "nvme.", "0x"];

/// Serial numbers, each with what stands in its place: `hidden-` and four hexadecimal digits that are made from it. One drive
/// has the same digits in all its results, so that results can still be told to be of one drive; another drive has the same
/// ones with a chance of 1 in 65,536. The serial number cannot be found from them.
#[derive(Clone, Debug, Default)]
pub struct HiddenSerials(Vec<(String, String)>);

impl HiddenSerials {
    /// Hides these serial numbers and world-wide names, of which the kernel and udev write the kind or `0x` before the digits.
    pub fn from_serials<'a>(serials: impl IntoIterator<Item = &'a str>) -> HiddenSerials {
        let serials = serials.into_iter().map(|serial| without_kind(serial.trim()));
        let serials = serials.filter(|serial| !serial.is_empty());
        HiddenSerials(serials.map(|serial| (serial.to_owned(), stand_in(serial))).collect())
    }

    /// The same value without the serial numbers, wherever a text in it has one: in the path of a device, in a line of the
    /// kernel, in the arguments of a command.
    ///
    /// # Panics
    /// Where the value does not survive being written as JSON and read again, as everything does that documents are made of.
    pub fn apply<T: Serialize + DeserializeOwned>(&self, value: T) -> T {
        if self.0.is_empty() {
            return value;
        }
        let mut document = serde_json::to_value(value).expect("it has string keys only");
        self.hide_in(&mut document);
        serde_json::from_value(document).expect("what was written is read again")
    }

    /// The same text without the serial numbers.
    pub fn in_text(&self, text: &str) -> String {
        self.0.iter().fold(text.to_owned(), |text, (serial, stand_in)| replace(&text, serial, stand_in))
    }

    fn hide_in(&self, value: &mut Value) {
        match value {
            Value::String(text) => *text = self.in_text(text),
            Value::Array(values) => values.iter_mut().for_each(|value| self.hide_in(value)),
            Value::Object(fields) => fields.values_mut().for_each(|value| self.hide_in(value)),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}

fn without_kind(name: &str) -> &str {
    KINDS.iter().find_map(|kind| name.strip_prefix(kind)).unwrap_or(name)
}

fn stand_in(serial: &str) -> String {
    format!("hidden-{:04x}", xxh3_64(serial.as_bytes()) & 0xffff)
}

/// Replaces the serial number where it stands as a word: it is no part of a longer one.
fn replace(text: &str, serial: &str, stand_in: &str) -> String {
    if text.trim() == serial {
        return stand_in.to_owned();
    }
    if serial.len() < SHORTEST_IN_TEXT {
        return text.to_owned();
    }
    let is_part = |one: Option<char>| one.is_some_and(char::is_alphanumeric);
    let (mut replaced, mut rest) = (String::new(), text);
    while let Some(place) = rest.find(serial) {
        let (before, behind) = (&rest[..place], &rest[place + serial.len()..]);
        let of_name = before.strip_suffix("0x").unwrap_or(before);
        let is_word = !is_part(of_name.chars().next_back()) && !is_part(behind.chars().next());
        replaced.push_str(before);
        replaced.push_str(if is_word { stand_in } else { serial });
        rest = behind;
    }
    replaced + rest
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_serial_number_is_hidden_wherever_it_stands_and_no_other_text_is_changed() {
        let hidden = HiddenSerials::from_serials(["S649NX0R123"]);
        let document = json!({
            "serial": "S649NX0R123",
            "lines": ["/dev/disk/by-id/nvme-Samsung_980_S649NX0R123-part1", "XS649NX0R123 is another one"],
            "rate": 0.1,
            "count": 18_446_744_073_709_551_615_u64,
        });
        let stand_in = stand_in("S649NX0R123");
        let expected = json!({
            "serial": stand_in,
            "lines": [
                format!("/dev/disk/by-id/nvme-Samsung_980_{stand_in}-part1"),
                "XS649NX0R123 is another one"
            ],
            "rate": 0.1,
            "count": 18_446_744_073_709_551_615_u64,
        });
        assert_eq!(hidden.apply(document), expected);
    }

    #[test]
    fn a_world_wide_name_is_hidden_in_each_of_its_forms() {
        let hidden = HiddenSerials::from_serials(["naa.5002538d40a1b2c3"]);
        let stand_in = stand_in("5002538d40a1b2c3");
        assert_eq!(
            hidden.in_text("disk/by-id/wwn-0x5002538d40a1b2c3"),
            format!("disk/by-id/wwn-0x{stand_in}")
        );
        assert_eq!(hidden.in_text("naa.5002538d40a1b2c3"), format!("naa.{stand_in}"));
    }

    #[test]
    fn a_short_serial_number_is_hidden_where_it_stands_alone() {
        let hidden = HiddenSerials::from_serials(["1", ""]);
        assert_eq!(hidden.apply(json!(["1", "1 of 2 writes"])), json!([stand_in("1"), "1 of 2 writes"]));
        // The shortest that is hidden in a text, and one that is shorter.
        let hidden = HiddenSerials::from_serials(["A123", "B12"]);
        assert_eq!(hidden.in_text("A123 and B12"), format!("{} and B12", stand_in("A123")));
    }

    #[test]
    fn two_drives_are_told_apart() {
        let (one, other) = (HiddenSerials::from_serials(["WD-100"]), HiddenSerials::from_serials(["WD-101"]));
        assert_ne!(one.in_text("WD-100"), other.in_text("WD-101"));
        assert_eq!(one.in_text(" WD-100 "), one.in_text("WD-100"));
    }
}
