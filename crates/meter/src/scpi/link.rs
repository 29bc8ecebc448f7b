//! A line to an instrument: questions out, lines back, and never a wait without end.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::os::fd::OwnedFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::OFlags;
use rustix::io::Errno;
use rustix::termios::{ControlModes, OptionalActions, QueueSelector, tcflush, tcgetattr, tcsetattr};
use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create, timerfd_settime,
};

use crate::{MeterError, ScpiPlace};

const LONGEST_LINE: usize = 1024;
/// Bytes that are read at a time.
const PIECE: usize = 256;

#[derive(Debug)]
pub(super) struct Link {
    /// A socket or a serial port: both are read and written as files.
    wire: File,
    /// What came and is no whole line yet.
    pending: Vec<u8>,
    patience: Duration,
    /// Tells when the patience for an answer is over, however many pieces it comes in.
    timer: OwnedFd,
}

impl Link {
    pub(super) fn open(place: &ScpiPlace, patience: Duration) -> Result<Link, MeterError> {
        let opened = match place {
            ScpiPlace::Network { host, port } => connected(host, *port, patience),
            ScpiPlace::Serial { path, speed } => serial(path, *speed),
        };
        let timer = timerfd_create(TimerfdClockId::Monotonic, TimerfdFlags::CLOEXEC | TimerfdFlags::NONBLOCK);
        let timer = timer.map_err(|error| gone(&error.into()))?;
        let wire = opened.map_err(|error| MeterError::Unreachable(error.to_string()))?;
        Ok(Link { wire, pending: Vec::new(), patience, timer })
    }

    /// Asks, and takes the next line for the answer. What lies there already answers no question that is still open.
    pub(super) fn ask(&mut self, question: &str) -> Result<String, MeterError> {
        self.pending.clear();
        self.drain()?;
        let line = format!("{question}\n");
        self.wire.write_all(line.as_bytes()).map_err(|error| {
            if error.kind() == ErrorKind::WouldBlock { MeterError::Silent } else { gone(&error) }
        })?;
        self.line()
    }

    /// The next line, without its end.
    pub(super) fn line(&mut self) -> Result<String, MeterError> {
        self.arm().map_err(|error| gone(&error.into()))?;
        loop {
            if let Some(end) = self.pending.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.pending.drain(..=end).collect();
                return Ok(String::from_utf8_lossy(&line).trim().to_owned());
            }
            if self.pending.len() > LONGEST_LINE {
                let start = String::from_utf8_lossy(&self.pending[..32]).into_owned();
                return Err(MeterError::NotANumber(format!("{start}... without an end")));
            }
            self.wait()?;
            let mut piece = [0; PIECE];
            match self.wire.read(&mut piece) {
                Ok(0) => return Err(MeterError::Gone("it closed the connection".to_owned())),
                Ok(length) => self.pending.extend_from_slice(&piece[..length]),
                Err(error) if [ErrorKind::WouldBlock, ErrorKind::Interrupted].contains(&error.kind()) => {}
                Err(error) => return Err(gone(&error)),
            }
        }
    }

    /// Throws away what came unasked. One that never stops talking is found out when its line has no end.
    fn drain(&mut self) -> Result<(), MeterError> {
        let mut piece = [0; PIECE];
        for _ in 0..LONGEST_LINE {
            match self.wire.read(&mut piece) {
                Ok(0) => return Err(MeterError::Gone("it closed the connection".to_owned())),
                Ok(_) => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(()),
                Err(error) => return Err(gone(&error)),
            }
        }
        Ok(())
    }

    fn arm(&self) -> rustix::io::Result<()> {
        let value = Timespec::try_from(self.patience).map_err(|_| Errno::INVAL)?;
        let none = Timespec { tv_sec: 0, tv_nsec: 0 };
        let once = Itimerspec { it_interval: none, it_value: value };
        timerfd_settime(&self.timer, TimerfdTimerFlags::empty(), &once).map(drop)
    }

    /// Waits for something to read; the patience is over where only the timer has something.
    fn wait(&self) -> Result<(), MeterError> {
        let mut both = [PollFd::new(&self.wire, PollFlags::IN), PollFd::new(&self.timer, PollFlags::IN)];
        match poll(&mut both, None) {
            Ok(_) if !both[1].revents().is_empty() => Err(MeterError::Silent),
            Ok(_) | Err(Errno::INTR) => Ok(()),
            Err(error) => Err(gone(&error.into())),
        }
    }
}

fn gone(error: &io::Error) -> MeterError {
    MeterError::Gone(error.to_string())
}

/// A connection to the first address of the host that takes one.
fn connected(host: &str, port: u16, patience: Duration) -> io::Result<File> {
    let mut last = io::Error::new(ErrorKind::NotFound, format!("{host} has no address"));
    for address in (host, port).to_socket_addrs()? {
        match TcpStream::connect_timeout(&address, patience) {
            Ok(stream) => {
                // A question is one small packet that must not wait for more.
                stream.set_nodelay(true)?;
                stream.set_nonblocking(true)?;
                return Ok(File::from(OwnedFd::from(stream)));
            }
            Err(error) => last = error,
        }
    }
    Err(last)
}

/// A serial line: raw, 8 data bits, no parity, 1 stop bit, no modem that could hang up.
fn serial(path: &Path, speed: u32) -> io::Result<File> {
    let flags = i32::try_from((OFlags::NOCTTY | OFlags::NONBLOCK).bits()).unwrap_or(0);
    let port = OpenOptions::new().read(true).write(true).custom_flags(flags).open(path)?;
    let mut modes = tcgetattr(&port)?;
    modes.make_raw();
    modes.control_modes &= !(ControlModes::PARENB | ControlModes::CSTOPB | ControlModes::CSIZE);
    modes.control_modes |= ControlModes::CS8 | ControlModes::CREAD | ControlModes::CLOCAL;
    modes.set_speed(speed)?;
    tcsetattr(&port, OptionalActions::Now, &modes)?;
    tcflush(&port, QueueSelector::IOFlush)?;
    Ok(port)
}
