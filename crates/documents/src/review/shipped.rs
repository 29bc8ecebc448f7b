//! The plans that come with the program.

use drivelab_block::worded_enum;

use crate::review::ReviewPlan;

worded_enum! {
    /// A plan that comes with the program.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum ShippedPlan {
        /// A first look: minutes, and at most a write of the whole drive.
        Short = "short",
        /// An afternoon and a night.
        Standard = "standard",
        /// Days.
        Full = "full",
    }
}

impl ShippedPlan {
    /// The text of the plan, to begin a plan of one's own from.
    pub const fn text(self) -> &'static str {
        match self {
            ShippedPlan::Short => include_str!("plans/short.toml"),
            ShippedPlan::Standard => include_str!("plans/standard.toml"),
            ShippedPlan::Full => include_str!("plans/full.toml"),
        }
    }

    /// The plan.
    ///
    /// # Panics
    /// Never: a test reads each of them.
    pub fn plan(self) -> ReviewPlan {
        ReviewPlan::parse(self.text()).expect("a test reads it")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shipped_plan_is_read() {
        for plan in ShippedPlan::ALL {
            assert!(plan.plan().steps.len() > 2, "{}", plan.word());
            assert_eq!(ShippedPlan::of_word(plan.word()), Some(plan));
        }
    }
}
