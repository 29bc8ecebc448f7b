//! drivelab beside its peers. Every figure is a ratio within one round of an interleaved run, and what is
//! printed is the median of the rounds: absolute figures of a shared machine mean little.
//!
//! Needs root, zram, fio, and `target/release/drivelab` (`make bench` builds it).

#![forbid(unsafe_code)]

mod arrivals;
mod file_systems;
mod fio;
mod loop_device;
mod ours;
mod replay;
mod rounds;
mod simulated;
mod stream;
mod throughput;
mod tracepoint;
mod traces;
mod verified;
mod zram;

use std::process::ExitCode;

/// A bench: it measures, and gives back its table.
type Bench = fn() -> anyhow::Result<String>;

fn main() -> ExitCode {
    let benches: [(&str, Bench); 9] = [
        ("4 KiB random reads from zram, 32 in flight, one core", throughput::bench),
        ("Poisson arrivals: rate obtained / rate asked", arrivals::bench),
        ("A replay: 200 thousand Poisson arrivals at 20 thousand a second", replay::bench),
        ("The simulated drive", simulated::bench),
        ("Traces, one core", traces::bench),
        ("Streams: four channels to a raw device", stream::bench),
        ("Stalls: blocks that are verified, on a file in memory", verified::bench),
        ("Random writes that are verified, 32 in flight, on a file in memory", verified::random_bench),
        ("Threads through a file system", file_systems::bench),
    ];
    let chosen: Vec<String> = std::env::args().skip(1).collect();
    let mut code = ExitCode::SUCCESS;
    for (title, bench) in benches {
        if !chosen.is_empty() && !chosen.iter().any(|word| title.contains(word.as_str())) {
            continue;
        }
        println!("\n{title}\n");
        match bench() {
            Ok(table) => print!("{table}"),
            Err(error) => {
                println!("  not measured: {error:#}");
                code = ExitCode::FAILURE;
            }
        }
    }
    code
}
