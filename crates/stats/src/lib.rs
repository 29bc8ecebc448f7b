//! What a stream of completions says about a drive.
//!
//! Analysis reads completions and nothing else: it knows no device, no file, no clock and no output. The
//! same completions in the same order give identical results, whether they come live or from disk: counts,
//! sums and sums of squares are exact integers.

#![forbid(unsafe_code)]

mod bunching;
mod cliff;
mod consistency;
mod course;
mod distribution;
mod draws;
mod energy;
mod evenness;
mod failed_ios;
mod fidelity;
mod gauges;
mod heat;
mod histogram;
mod interval;
mod joined;
mod lapses;
mod loop_kind;
mod matrix;
mod median;
mod moments;
mod phase;
mod plateaus;
mod pts;
mod quick;
mod replayed;
mod run;
mod series;
mod stalls;
mod standstill;
mod steady;
mod throttle;
mod traced;
mod trim;
mod unsent;
mod unserved;
mod warm_up;
mod whole;

pub use bunching::{
    BURST, Bunching, Chance, Clustering, ClusteringShown, Dispersion, Episode, IN_BURSTS, Judgement,
    NotShown, Period, PermutationTest, SlowIos, SlowThreshold, THRESHOLDS, Threshold, ThresholdOrigin,
    Thresholds, WINDOWS,
};
pub use cliff::{CLIFF_FALL, Cliff, Fresh};
pub use consistency::{AskedRate, ConsistencyFigures, Pace, RateDrift, RateFigures};
pub use course::{AddressMap, Course, CourseBin, LONG_IDLE};
pub use distribution::{Distribution, FEW_BEYOND, LatencyDistance, is_lower_bound, thinned_tail};
pub use energy::{
    Baseline, Estimate, NoPower, PowerInterval, PowerKind, PowerPoint, PowerTrack, PowerWindow, TaskEnergy,
    battery_minutes, share_saved,
};
pub use evenness::{Evenness, Mode, NEAR_MEDIAN};
pub use failed_ios::{FailedIos, FailedPlace};
use fidelity::Fidelity;
pub use gauges::{GaugeCourse, Gauged, RunSpan};
pub use heat::HeatMap;
use histogram::BUCKETS;
pub use histogram::{LatencyHistogram, LogBins, bucket_of, bucket_range};
pub use interval::{IntervalEnds, MeanInterval, MeansRatio};
pub use lapses::{
    FailedIosDocument, LapsesDocument, LongestSilenceDocument, NamedPhases, NotAsWrittenDocument,
    PhaseMoment, UnansweredIosDocument, is_zero,
};
pub use loop_kind::LoopKind;
pub use matrix::{
    Axis, CellComparison, ComparedCells, LEAST_BLOCKS, LeaderFindings, MatrixCell, MatrixRun, MatrixSummary,
    PairVerdict, Position, RatioOfCells, RunLatency, compare, drift,
};
pub use median::median;
pub use moments::Moments;
pub use phase::{OpAnalysis, PhaseAnalysis};
pub use plateaus::{CURVE_STEPS_MIN, KNEE_FACTOR, Knee, MedianInterval, Plateau, Plateaus};
pub use pts::{CellTable, PtsSample};
pub use quick::{CurvePoint, mean_rate, total_rate};
pub use replayed::ReplayAnalysis;
pub use run::RunAnalysis;
pub use series::{Bin, Series};
pub use stalls::{
    Backlog, BufferCurve, Delay, DelayFigures, DeviceTimes, KeepsUp, SeenDelays, SeenWrites, StreamWrite,
    StreamWrites,
};
pub use standstill::{DelayedIos, JudgedTime, JudgedTimes, Standstill, StandstillCause, Standstills};
use steady::SteadyState;
pub use steady::{ROUNDS_NEEDED, steady_state};
pub use throttle::{
    HeatPoint, ThrottleFrom, ThrottledPhase, ThrottlingEffect, counted_throttling, throttling,
};
pub use traced::waiting;
pub use traced::{DeviceOp, Latency, SIZE_CLASSES, Shares, TraceAnalysis, TracedOp, size_class_bytes};
pub use trim::{SpeedRatio, TrimFigures, TrimRound, TrimVerdict};
pub use unsent::Unsent;
pub use unserved::{SILENCE_MIN, Silence, UnansweredIos, Unserved};
pub use warm_up::WarmUp;
use whole::whole;
