//! What lies between the program and its store, and can fail: connections are cut after a number of bytes.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

/// Passes on what is sent in both directions.
#[derive(Clone)]
pub struct Proxy {
    pub address: SocketAddr,
    /// How many bytes are passed on before all connections are cut.
    left: Arc<AtomicI64>,
    passed: Arc<AtomicU64>,
}

impl Proxy {
    /// Starts one in front of a server.
    pub fn start(server: SocketAddr) -> Proxy {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let proxy = Proxy { address, left: Arc::new(AtomicI64::new(i64::MAX)), passed: Arc::default() };
        let passing = proxy.clone();
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                // A store that is away closes what it accepts.
                if passing.left.load(Ordering::SeqCst) > 0 {
                    let Ok(server) = TcpStream::connect(server) else { continue };
                    passing.pass(&client, &server);
                    passing.pass(&server, &client);
                }
            }
        });
        proxy
    }

    /// From now on, the store works until this number of bytes has passed.
    pub fn cut_after(&self, bytes: u64) {
        self.left.store(i64::try_from(bytes).expect("few bytes"), Ordering::SeqCst);
    }

    /// From now on, the store works.
    pub fn mend(&self) {
        self.left.store(i64::MAX, Ordering::SeqCst);
    }

    /// How many bytes have passed.
    pub fn passed(&self) -> u64 {
        self.passed.load(Ordering::SeqCst)
    }

    fn pass(&self, from: &TcpStream, to: &TcpStream) {
        let (mut from, mut to) = (from.try_clone().expect("a stream"), to.try_clone().expect("a stream"));
        let proxy = self.clone();
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(read @ 1..) = from.read(&mut bytes) {
                let length = i64::try_from(read).expect("few bytes");
                let left = proxy.left.fetch_sub(length, Ordering::SeqCst);
                let passed = usize::try_from(left.clamp(0, length)).expect("few bytes");
                proxy.passed.fetch_add(passed as u64, Ordering::SeqCst);
                if to.write_all(&bytes[..passed]).is_err() || passed < read {
                    break;
                }
            }
            let _ = (from.shutdown(Shutdown::Both), to.shutdown(Shutdown::Both));
        });
    }
}
