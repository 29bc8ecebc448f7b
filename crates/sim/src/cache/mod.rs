//! What stands between the host and the dense cells.

mod coarse_map;
mod write_buffer;

pub(crate) use coarse_map::CoarseMap;
pub(crate) use write_buffer::WriteBuffer;
