//! How a command runs the test of a kind.

use std::ops::ControlFlow;

use drivelab_kinds::Test;
use drivelab_kinds::consistency::Consistency;
use drivelab_kinds::load::Load;

use crate::cells::run_cell_test;
use crate::kind_list::for_each_kind;
use crate::request::{Claimed, TestRequest};
use crate::run_test::EndedTest;
use crate::run_tests::{TestSeries, run_test, run_tests, run_unshown};
use crate::{Ending, Failure};

/// A kind whose test a command runs.
///
/// It is implemented for each kind by itself, and not once for all: what is generic over kinds is compiled where it is used with
/// one, and a crate that called it would compile all tests again, with the loop that makes their I/Os.
pub trait RunTest: Test {
    /// Runs the test, keeps its result if a folder was named, and shows it.
    ///
    /// # Errors
    /// If it did not begin, or broke off.
    fn run(request: &TestRequest<'_, Self>) -> Result<Ending, Failure>;
}

/// Runs consistency tests one after the other, until one fails or the user ends it, and shows them next to each other.
///
/// # Errors
/// If they did not begin, or one of them broke off.
pub fn run_consistency_tests(series: &TestSeries<'_, Consistency>) -> Result<Ending, Failure> {
    run_tests(series)
}

/// Runs a load, and returns its result, which is not shown; or how it ended before it began.
///
/// # Errors
/// If it did not begin.
pub fn run_load_unshown(
    request: &TestRequest<'_, Load>,
    claimed: &mut Claimed,
) -> Result<ControlFlow<Ending, EndedTest<Load>>, Failure> {
    run_unshown(request, claimed)
}

macro_rules! implement_run {
    (recorded $kind:ty) => {
        implement_run!($kind, run_test);
    };
    (cells $kind:ty) => {
        implement_run!($kind, run_cell_test);
    };
    (shown $kind:ty) => {};
    ($kind:ty, $run:ident) => {
        impl RunTest for $kind {
            fn run(request: &TestRequest<'_, $kind>) -> Result<Ending, Failure> {
                $run(request)
            }
        }
    };
}

macro_rules! implement {
    ($($way:ident $module:ident::$kind:ident),* $(,)?) => {
        $(implement_run!($way drivelab_kinds::$module::$kind);)*
    };
}

for_each_kind!(implement);
