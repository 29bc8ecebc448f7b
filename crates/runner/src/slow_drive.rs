//! Words while a drive is waited for that may not answer.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// How long smartctl may take.
pub const SMARTCTL_PATIENCE: Duration = Duration::from_secs(20);
/// From when on it is said that a look at a drive takes long.
const SLOW_FROM: Duration = Duration::from_secs(5);

/// Does something that looks at a drive, and says on stderr where that takes more than some seconds.
pub fn saying_where_slow<T>(name: &str, ask: impl FnOnce() -> T) -> T {
    let say = |times: u64| {
        if times == 1 {
            let seconds = SLOW_FROM.as_secs();
            say!(
                "drivelab: the look at {name} has taken {seconds} s so far; if the drive stays silent, it will be refused"
            );
        }
    };
    saying_meanwhile(SLOW_FROM, say, ask)
}

/// Does a long work, and has `say` called each time that so much more time has passed, with how many times that was.
pub fn saying_meanwhile<T>(every: Duration, say: impl Fn(u64) + Send, work: impl FnOnce() -> T) -> T {
    let (done, ended) = channel::<()>();
    std::thread::scope(|scope| {
        let wait = move || {
            for times in 1.. {
                if ended.recv_timeout(every) != Err(RecvTimeoutError::Timeout) {
                    break;
                }
                say(times);
            }
        };
        // Without the thread it is waited for in silence.
        let _ = std::thread::Builder::new().name("wait-drive".to_owned()).spawn_scoped(scope, wait);
        let answer = work();
        drop(done);
        answer
    })
}
