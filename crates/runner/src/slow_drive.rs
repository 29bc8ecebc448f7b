//! A word while a drive is waited for that may not answer.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use crate::output;

/// From when on that is said.
const SLOW_FROM: Duration = Duration::from_secs(5);

/// Does something that looks at a drive, and says on stderr where that takes more than some seconds.
pub fn saying_where_slow<T>(name: &str, ask: impl FnOnce() -> T) -> T {
    let (done, ended) = channel::<()>();
    std::thread::scope(|scope| {
        let wait = move || {
            if ended.recv_timeout(SLOW_FROM) == Err(RecvTimeoutError::Timeout) {
                let seconds = SLOW_FROM.as_secs();
                output::say(format_args!(
                    "drivelab: the look at {name} has taken {seconds} s so far; if the drive stays silent, it will be refused"
                ));
            }
        };
        // Without the thread it is waited for in silence.
        let _ = std::thread::Builder::new().name("wait-drive".to_owned()).spawn_scoped(scope, wait);
        let answer = ask();
        drop(done);
        answer
    })
}
