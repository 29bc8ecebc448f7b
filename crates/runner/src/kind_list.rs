//! The list of the kinds of results: a new kind is a line of it.

/// Hands the kinds, in the order of their names, to a macro that makes something of each, with how their tests are done:
/// `recorded` (each I/O is recorded), `cells` (I/Os are counted and timed), or `shown` (a command of its own makes the result).
macro_rules! for_each_kind {
    ($make:ident) => {
        $make! {
            recorded consistency::Consistency,
            shown energy::Energy,
            recorded fill::Fill,
            recorded load::Load,
            cells matrix::Matrix,
            recorded offered_load::OfferedLoad,
            cells paths::Paths,
            cells pts::Pts,
            recorded quick::Quick,
            recorded replay::Replay,
            recorded stalls::Stalls,
            recorded trim::Trim,
            recorded wake::Wake,
            recorded working_set::WorkingSet,
        }
    };
}

pub(crate) use for_each_kind;
