//! What the tests inside tell the program outside: a line each, on a serial port of their own.

use std::fmt;
use std::str::FromStr;

/// Begins each message, and no other line.
const MARK: &str = "@drivelab ";

/// A message of the tests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message {
    /// The tests begin.
    Started,
    /// The test of this name passed.
    Passed(String),
    /// A test failed: its name, and why.
    Failed(String),
    /// The device of this name is to be pulled.
    Unplug(String),
    /// The whole machine is to be paused for so many seconds.
    Pause(u32),
    /// The drive of this name is to do so many I/Os a second from now on; 0 is as many as it can.
    Throttle(String, u32),
    /// What the hypervisor has counted of the drive of this name is to be looked at.
    Count(String),
    /// So many bytes were read from the drive of this name, by the tests' account, until the hypervisor's count was looked at.
    HasRead(String, u64),
    /// What the tests want to know after the next boot, without white space.
    Note(String),
    /// The power is to be cut.
    CutPower,
    /// All tests of the scenario are done.
    Done,
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(MARK)?;
        match self {
            Message::Started => f.write_str("started "),
            Message::Passed(test) => write!(f, "passed {test}"),
            // A message is one line.
            Message::Failed(why) => write!(f, "failed {}", why.replace('\n', " | ")),
            Message::Unplug(device) => write!(f, "unplug {device}"),
            Message::Pause(seconds) => write!(f, "pause {seconds}"),
            Message::Throttle(device, iops) => write!(f, "throttle {device} {iops}"),
            Message::Count(device) => write!(f, "count {device}"),
            Message::HasRead(device, bytes) => write!(f, "has-read {device} {bytes}"),
            Message::Note(text) => write!(f, "note {text}"),
            Message::CutPower => f.write_str("cut-power "),
            Message::Done => f.write_str("done "),
        }
    }
}

/// A line that is no message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoMessage;

impl FromStr for Message {
    type Err = NoMessage;

    fn from_str(line: &str) -> Result<Message, NoMessage> {
        let (word, rest) = line.strip_prefix(MARK).and_then(|rest| rest.split_once(' ')).ok_or(NoMessage)?;
        match word {
            "started" => Ok(Message::Started),
            "passed" => Ok(Message::Passed(rest.to_owned())),
            "failed" => Ok(Message::Failed(rest.to_owned())),
            "unplug" => Ok(Message::Unplug(rest.to_owned())),
            "pause" => rest.parse().map(Message::Pause).map_err(|_| NoMessage),
            "throttle" => {
                let (device, iops) = rest.split_once(' ').ok_or(NoMessage)?;
                Ok(Message::Throttle(device.to_owned(), iops.parse().map_err(|_| NoMessage)?))
            }
            "count" => Ok(Message::Count(rest.to_owned())),
            "has-read" => {
                let (device, bytes) = rest.split_once(' ').ok_or(NoMessage)?;
                Ok(Message::HasRead(device.to_owned(), bytes.parse().map_err(|_| NoMessage)?))
            }
            "note" => Ok(Message::Note(rest.to_owned())),
            "cut-power" => Ok(Message::CutPower),
            "done" => Ok(Message::Done),
            _ => Err(NoMessage),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Message;

    #[test]
    fn a_message_is_read_as_it_was_written() {
        let failed = Message::Failed("quick: two lines | of it".to_owned());
        let note = Message::Note("12".to_owned());
        let throttle = Message::Throttle("alpha".to_owned(), 0);
        let passed = Message::Passed("quick".to_owned());
        let counts = [Message::Count("fast".to_owned()), Message::HasRead("fast".to_owned(), 1 << 40)];
        let others = [passed, failed, note, throttle, Message::Pause(3), Message::CutPower, Message::Done];
        for message in counts.into_iter().chain(others) {
            assert_eq!(message.to_string().parse(), Ok(message));
        }
        assert!("drivelab: a line of its own".parse::<Message>().is_err());
    }
}
