//! From the arguments that all tests share to the request for one.

use drivelab_kinds::Test;
use drivelab_runner::{MeterOptions, SafetyOptions, TestRequest};

use crate::args::ResultArgs;

/// The arguments that all tests share.
#[derive(Clone, Copy)]
pub struct SharedArgs<'a> {
    result: &'a ResultArgs,
    safety: &'a SafetyOptions,
    meter: &'a MeterOptions,
}

impl<'a> SharedArgs<'a> {
    /// These arguments.
    pub fn new(result: &'a ResultArgs, safety: &'a SafetyOptions, meter: &'a MeterOptions) -> SharedArgs<'a> {
        SharedArgs { result, safety, meter }
    }

    /// The request for a test of a new run.
    pub fn request<T: Test>(
        self,
        target: &'a str,
        settings: T::Settings,
        input: T::Input,
    ) -> TestRequest<'a, T> {
        TestRequest {
            target,
            reached_by: None,
            goes_on: false,
            settings,
            input,
            seed: self.result.seed(),
            destination: self.result.destination(),
            safety: self.safety,
            meter: self.meter,
        }
    }
}
