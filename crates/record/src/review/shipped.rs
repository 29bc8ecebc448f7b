//! The plans that come with the program.

use crate::review::ReviewPlan;

/// A plan that comes with the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShippedPlan {
    /// A first look: minutes, and at most a write of the whole drive.
    Short,
    /// An afternoon and a night.
    Standard,
    /// Days.
    Full,
}

impl ShippedPlan {
    /// All of them.
    pub const ALL: [ShippedPlan; 3] = [ShippedPlan::Short, ShippedPlan::Standard, ShippedPlan::Full];

    /// The name, as it is typed.
    pub const fn name(self) -> &'static str {
        match self {
            ShippedPlan::Short => "short",
            ShippedPlan::Standard => "standard",
            ShippedPlan::Full => "full",
        }
    }

    /// The plan with this name.
    pub fn named(name: &str) -> Option<ShippedPlan> {
        ShippedPlan::ALL.into_iter().find(|plan| plan.name() == name)
    }

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
            assert!(plan.plan().steps.len() > 2, "{}", plan.name());
            assert_eq!(ShippedPlan::named(plan.name()), Some(plan));
        }
    }
}
