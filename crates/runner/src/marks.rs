//! Asking a thread that watches something to look now, and waiting until it has.

use std::sync::mpsc::{Receiver, Sender, channel};

/// Asks for a look now, and is answered by being dropped once the thread has looked.
#[derive(Debug)]
pub struct Mark(#[expect(dead_code, reason = "the answer is that it goes")] Sender<()>);

#[derive(Clone, Debug)]
pub struct Marks(Sender<Mark>);

impl Marks {
    /// Both ends. The thread's end is disconnected once all of the others are dropped.
    pub fn new() -> (Marks, Receiver<Mark>) {
        let (marks, marked) = channel();
        (Marks(marks), marked)
    }

    /// Has the thread look, and returns when it has; at once where the thread has ended.
    pub fn ask(&self) {
        let (looked, has_looked) = channel();
        if self.0.send(Mark(looked)).is_ok() {
            let _ = has_looked.recv();
        }
    }
}
