//! A drive between a recording and its target that hangs.

use std::cell::Cell;
use std::rc::Rc;

use drivelab_block::{EngineError, Nanos};
use drivelab_stream::writer::TargetDisk;
use drivelab_uring::{BlockWrite, BlockWriter, EndedOperation};

/// A drive that answers nothing from some operation on, until it is told to answer again.
pub struct Hanging {
    ring: BlockWriter,
    /// How many operations it answers before it hangs.
    answers: usize,
    answers_again: Rc<Cell<bool>>,
    answered: usize,
    held: Vec<EndedOperation>,
    has_given_up: bool,
}

impl Hanging {
    /// What makes such a drive of a target's ring. It hangs after so many operations.
    pub fn around(
        answers: usize,
        answers_again: &Rc<Cell<bool>>,
    ) -> impl FnOnce(BlockWriter) -> Hanging + use<> {
        let answers_again = Rc::clone(answers_again);
        move |ring| Hanging {
            ring,
            answers,
            answers_again,
            answered: 0,
            held: Vec::new(),
            has_given_up: false,
        }
    }
}

impl TargetDisk for Hanging {
    fn ring(&mut self) -> &mut BlockWriter {
        &mut self.ring
    }

    fn write(&mut self, write: BlockWrite) -> Result<(), EngineError> {
        assert!(!self.has_given_up, "a write to a drive that was given up");
        self.ring.write(write)
    }

    fn flush(&mut self, token: u64) -> Result<(), EngineError> {
        assert!(!self.has_given_up, "a flush of a drive that was given up");
        self.ring.flush(token)
    }

    fn wait(&mut self, patience: Nanos, ended: &mut Vec<EndedOperation>) -> Result<(), EngineError> {
        self.ring.wait(patience, &mut self.held)?;
        let left = if self.answers_again.get() { usize::MAX } else { self.answers - self.answered };
        let answered = self.held.len().min(left);
        self.answered = self.answered.saturating_add(answered);
        ended.extend(self.held.drain(..answered));
        Ok(())
    }

    fn in_flight(&mut self) -> usize {
        self.ring.in_flight() + self.held.len()
    }

    fn give_up(&mut self) {
        self.has_given_up = true;
        self.held.clear();
        self.ring.give_up();
    }
}
