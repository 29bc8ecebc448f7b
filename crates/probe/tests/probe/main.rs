//! What is read of machines and drives.

mod health_answers;
mod this_machine;
