//! What is exported: rollups, and the rollup of a recording that goes on.

mod busy_host;
mod live;
mod rollup;
