//! Figures of energy, matrices and streams against arithmetic of the tests.

mod energy_track;
mod matrix;
mod stalls;
