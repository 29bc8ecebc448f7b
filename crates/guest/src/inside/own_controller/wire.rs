//! The PDUs of NVMe/TCP: a command with its data comes in, data and a completion go out. Nothing has a digest, and all data
//! that is written comes in the capsule of its command.

use std::io::{self, Read as _, Write as _};
use std::net::TcpStream;
use std::sync::{Mutex, PoisonError};
use std::thread;

use super::answers::{Answer, Connection, Controller};

const CONNECTION_REQUEST: u8 = 0x00;
const CONNECTION_RESPONSE: u8 = 0x01;
const COMMAND: u8 = 0x04;
const RESPONSE: u8 = 0x05;
const DATA_TO_HOST: u8 = 0x07;
/// The flag of the last data of a command.
const LAST: u8 = 0x04;
/// The most data of one PDU that the host may send, in bytes.
const DATA_MAX: u32 = 128 << 10;

/// Serves one connection, which is one queue, to its end.
///
/// # Errors
/// Where the connection ends, or brings what is no command.
pub fn serve(mut stream: TcpStream, controller: &Mutex<Controller>) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut connection = Connection::default();
    loop {
        let (kind, data_at, pdu) = receive(&mut stream)?;
        match kind {
            CONNECTION_REQUEST => {
                let mut answer = header(CONNECTION_RESPONSE, 0, 128, 0, 128);
                answer.resize(128, 0);
                answer[12..16].copy_from_slice(&DATA_MAX.to_le_bytes());
                stream.write_all(&answer)?;
            }
            COMMAND => {
                let command = pdu.get(8..72).ok_or(io::ErrorKind::InvalidData)?;
                let data = if data_at == 0 { &[][..] } else { pdu.get(data_at..).unwrap_or(&[]) };
                let mut controller = controller.lock().unwrap_or_else(PoisonError::into_inner);
                let answer = controller.answer(&mut connection, command, data);
                let delay = controller.delay(&connection, command);
                drop(controller);
                thread::sleep(delay);
                send(&mut stream, command, &answer)?;
            }
            _ => return Err(io::ErrorKind::InvalidData.into()),
        }
    }
}

/// The next PDU: its type, where its data begins, and all of it.
fn receive(stream: &mut TcpStream) -> io::Result<(u8, usize, Vec<u8>)> {
    let mut pdu = vec![0; 8];
    stream.read_exact(&mut pdu)?;
    let length = u32::from_le_bytes([pdu[4], pdu[5], pdu[6], pdu[7]]) as usize;
    pdu.resize(length.clamp(8, 1 << 20), 0);
    stream.read_exact(&mut pdu[8..])?;
    Ok((pdu[0], usize::from(pdu[3]), pdu))
}

fn header(kind: u8, flags: u8, header: u8, data_at: u8, length: usize) -> Vec<u8> {
    let mut pdu = vec![kind, flags, header, data_at];
    pdu.extend(u32::try_from(length).unwrap_or(u32::MAX).to_le_bytes());
    pdu
}

fn send(stream: &mut TcpStream, command: &[u8], answer: &Answer) -> io::Result<()> {
    let (result, status, data) = match answer {
        // The answer to a request for events that never come.
        Answer::Never => return Ok(()),
        Answer::Result(result) => (*result, 0, &[][..]),
        Answer::Data(data) => (0, 0, &data[..]),
        Answer::Status(status) => (0, *status, &[][..]),
    };
    if !data.is_empty() {
        let mut pdu = header(DATA_TO_HOST, LAST, 24, 24, 24 + data.len());
        pdu.extend([command[2], command[3], 0, 0, 0, 0, 0, 0]);
        pdu.extend(u32::try_from(data.len()).unwrap_or(u32::MAX).to_le_bytes());
        pdu.extend([0; 4]);
        pdu.extend(data);
        stream.write_all(&pdu)?;
    }
    let mut pdu = header(RESPONSE, 0, 24, 0, 24);
    pdu.extend(result.to_le_bytes());
    pdu.extend([0, 0, 0, 0, command[2], command[3]]);
    pdu.extend((status << 1).to_le_bytes());
    stream.write_all(&pdu)
}
