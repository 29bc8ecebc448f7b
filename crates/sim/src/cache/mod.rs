//! What stands between the host and the dense cells.

#![expect(
    clippy::cast_possible_truncation,
    reason = "a drive has fewer than 2^32 units, places and blocks: checked when its profile is made"
)]

mod coarse_map;
mod map_cache;
mod write_buffer;

pub(crate) use coarse_map::CoarseMap;
pub(crate) use map_cache::MapCache;
pub(crate) use write_buffer::WriteBuffer;
