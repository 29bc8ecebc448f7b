//! The guard over the source, and the licences of dependencies.

mod guard;
mod licences;
