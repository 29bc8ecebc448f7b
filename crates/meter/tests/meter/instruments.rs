//! Instruments that speak SCPI: on a socket of this machine, and at the other end of a pseudo-terminal.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::thread::JoinHandle;
use std::time::Duration;

use drivelab_meter::{Meter, MeterError, MeterSpec, Reading};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::tcgetattr;

/// How long ago a meter was read before.
const A_TENTH: Duration = Duration::from_millis(100);

/// What an instrument does with a question.
enum Does {
    /// Answers with this line.
    Says(&'static str),
    /// Says nothing.
    Waits,
    /// Answers what it owes from before, and this as well.
    SaysLate(&'static str, &'static str),
    /// Closes the connection.
    Closes,
}

/// An instrument that does these things in turn with questions for a value, and always says its name. It ends when
/// it has done all.
fn instrument(question: &'static str, does: Vec<Does>) -> (String, JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a socket");
    let place = format!("scpi:{}", listener.local_addr().expect("an address"));
    let serve = move || {
        let mut does = does.into_iter();
        let mut left = true;
        while left {
            let (stream, _) = listener.accept().expect("a connection");
            left = converse(stream, question, &mut does);
        }
    };
    (place, std::thread::spawn(serve))
}

/// One connection; whether there is more to do in another.
fn converse(stream: TcpStream, question: &str, does: &mut impl Iterator<Item = Does>) -> bool {
    let mut out = stream.try_clone().expect("a second handle");
    for line in BufReader::new(stream).lines() {
        let Ok(line) = line else { return true };
        if line == "*IDN?" {
            out.write_all(b"ACME,PM1,007,1.0\n").expect("it is read");
            continue;
        }
        assert_eq!(line, question);
        match does.next() {
            Some(Does::Says(text)) => out.write_all(format!("{text}\r\n").as_bytes()).expect("it is read"),
            Some(Does::SaysLate(late, text)) => {
                out.write_all(format!("{late}\n{text}\n").as_bytes()).expect("it is read");
            }
            Some(Does::Waits) => {}
            Some(Does::Closes) => return true,
            None => return false,
        }
    }
    does.size_hint().0 > 0
}

fn open(meter: &str, volts: Option<f64>) -> Result<Meter, String> {
    let spec: MeterSpec = meter.parse().expect("a meter");
    Meter::open(&spec, Path::new("/nowhere"), volts, Duration::from_millis(300))
}

#[test]
fn an_instrument_that_fails_in_every_way_never_gives_a_wrong_figure_and_is_found_again() {
    let (place, server) = instrument(
        "MEAS:POW?",
        vec![
            Does::Says("+5.000E+00"), // Taken by `open`.
            Does::Says("4.25"),
            Does::Says("9.91E37"),
            Does::Says("OVERLOAD"),
            Does::Says("1.5W"),
            Does::Waits,
            Does::Says("4.5"),
            Does::Closes,
            Does::Says("1e30"),
            Does::SaysLate("4.75", "8.0"),
            Does::Says("5"),
        ],
    );
    let mut meter = open(&place, None).expect("an instrument");
    assert_eq!(meter.identity(), Some("ACME,PM1,007,1.0"));
    assert_eq!(meter.read(A_TENTH), Ok(Reading::Watts(4.25)));
    assert_eq!(meter.read(A_TENTH), Err(MeterError::NoValue("9.91E37".to_owned())));
    assert_eq!(meter.read(A_TENTH), Err(MeterError::NotANumber("OVERLOAD".to_owned())));
    assert_eq!(meter.read(A_TENTH), Err(MeterError::NotANumber("1.5W".to_owned())));
    assert_eq!(meter.read(A_TENTH), Err(MeterError::Silent));
    assert_eq!(meter.read(A_TENTH), Ok(Reading::Watts(4.5)));
    assert!(matches!(meter.read(A_TENTH), Err(MeterError::Gone(_))));
    assert!(matches!(meter.read(A_TENTH), Err(MeterError::Impossible(_))));
    assert_eq!(meter.read(A_TENTH), Ok(Reading::Watts(4.75)));
    // The second line of the answer before answers nothing.
    assert_eq!(meter.read(A_TENTH), Ok(Reading::Watts(5.0)));
    drop(meter);
    server.join().expect("no question that was not expected");
}

#[test]
fn an_ammeter_is_asked_for_its_current_and_one_that_knows_no_power_is_told_so() {
    let (place, server) = instrument("MEAS:CURR?", vec![Does::Says("0.5"), Does::Says("2.5E-1")]);
    let mut meter = open(&place, Some(12.0)).expect("an ammeter");
    assert_eq!(meter.read(A_TENTH), Ok(Reading::Watts(3.0)));
    drop(meter);
    server.join().expect("no question that was not expected");
    let (place, server) = instrument("MEAS:POW?", vec![Does::Waits]);
    let text = open(&place, None).expect_err("silent");
    assert!(text.contains("--volts"), "{text}");
    server.join().expect("no question that was not expected");
}

#[test]
fn an_instrument_that_never_ends_its_line_or_is_not_there_is_given_up() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a socket");
    let place = format!("scpi:{}", listener.local_addr().expect("an address"));
    let server = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("a connection");
        while stream.write_all(&[b'7'; 64]).is_ok() {}
    });
    let refused = open(&place, None).expect_err("no answer has an end");
    assert!(refused.contains("which is not one number"), "{refused}");
    server.join().expect("it ends with the connection");
    let refused = open(&place, None).expect_err("no one listens");
    assert!(refused.contains("it cannot be reached"), "{refused}");
}

#[test]
fn a_serial_line_is_raw_and_of_the_speed_that_was_asked_for() {
    let near = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a pseudo-terminal");
    grantpt(&near).expect("granted");
    unlockpt(&near).expect("unlocked");
    let name = ptsname(&near, Vec::new()).expect("a name").into_string().expect("plain");
    // Held open, so that the line is there before and after the meter.
    let far = std::fs::OpenOptions::new().read(true).write(true).open(&name).expect("the far end");
    let mut near = std::fs::File::from(near);
    let server = std::thread::spawn(move || {
        let mut line = Vec::new();
        let mut byte = [0];
        let mut asked = 0;
        while asked < 3 {
            near.read_exact(&mut byte).expect("a question");
            line.push(byte[0]);
            if byte[0] != b'\n' {
                continue;
            }
            asked += 1;
            let answer: &[u8] = if line == b"*IDN?\n" { b"ACME,SER,1,1\r\n" } else { b"+1.25E+00\r\n" };
            near.write_all(answer).expect("an answer");
            line.clear();
        }
        near
    });
    let mut meter = open(&format!("scpi:{name}@115200"), None).expect("an instrument");
    assert_eq!(meter.read(A_TENTH), Ok(Reading::Watts(1.25)));
    assert_eq!(tcgetattr(&far).expect("modes").output_speed(), 115_200);
    drop(server.join().expect("three questions"));
}
