//! An instrument that is read over the network.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};

/// An instrument that answers with these watts in turn, the last one for ever; `None` is silence.
pub fn instrument(answers: &'static [Option<&'static str>]) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a socket");
    let place = format!("scpi:{}", listener.local_addr().expect("an address"));
    // It goes on until the test is over.
    std::thread::spawn(move || {
        let mut asked = 0;
        for stream in listener.incoming().flatten() {
            serve(&stream, answers, &mut asked);
        }
    });
    place
}

fn serve(stream: &TcpStream, answers: &[Option<&str>], asked: &mut usize) {
    let mut out = stream;
    for line in BufReader::new(stream).lines().map_while(Result::ok) {
        let answer = if line == "*IDN?" {
            Some("ACME,PM1,7,1.0")
        } else {
            *asked += 1;
            answers[(*asked - 1).min(answers.len() - 1)]
        };
        if answer.is_some_and(|answer| out.write_all(format!("{answer}\n").as_bytes()).is_err()) {
            return;
        }
    }
}
