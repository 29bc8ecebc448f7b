//! A plan of tests, as TOML.

use toml::{Table, Value};

use crate::review::{ReviewTest, most_alike};

/// The tests of a review, in their order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReviewPlan {
    /// The steps; at least one.
    pub steps: Vec<PlanStep>,
}

/// A test with its options.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanStep {
    /// The test.
    pub test: ReviewTest,
    /// Its options by their names on the command line, without hyphens in front, in the order of the plan.
    pub options: Vec<(String, OptionValue)>,
}

/// The value of an option of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OptionValue {
    /// The option takes none: `write = true`.
    Flag,
    /// A text, as it would be typed: `duration = "2000s"`, `runs = 3`.
    Text(String),
}

impl OptionValue {
    /// The value that TOML has; none where the option is switched off, the error says what to write instead.
    fn parse(value: &Value) -> Result<Option<OptionValue>, &'static str> {
        Ok(Some(match value {
            Value::Boolean(false) => return Ok(None),
            Value::Boolean(true) => OptionValue::Flag,
            Value::String(text) => OptionValue::Text(text.clone()),
            Value::Integer(number) => OptionValue::Text(number.to_string()),
            Value::Float(number) => OptionValue::Text(number.to_string()),
            Value::Array(_) => return Err("is a list: write one text, with commas, as on the command line"),
            Value::Datetime(_) | Value::Table(_) => {
                return Err("is no value of an option: write a text, a number, true or false");
            }
        }))
    }

    fn argument(&self, name: &str) -> String {
        match self {
            OptionValue::Flag => format!("--{name}"),
            OptionValue::Text(text) => format!("--{name}={text}"),
        }
    }
}

const NO_STEP: &str = "the plan has no step: write [[step]] and below it a test, such as test = \"quick\"; `drivelab review \
                       --print-plan short` prints one to begin from";

impl ReviewPlan {
    /// Reads a plan. Whether a test has an option is not known here.
    ///
    /// # Errors
    /// Which step is wrong, and what to write instead.
    pub fn parse(text: &str) -> Result<ReviewPlan, String> {
        let plan: Table = text.parse().map_err(|error| one_line(&error))?;
        if let Some(key) = plan.keys().find(|key| *key != "step") {
            return Err(format!(
                "a plan has no {key:?}: it consists of [[step]] tables alone, each with a test and its options"
            ));
        }
        let steps =
            plan.get("step").and_then(Value::as_array).filter(|steps| !steps.is_empty()).ok_or(NO_STEP)?;
        let steps = (1..).zip(steps).map(|(place, step)| PlanStep::parse(place, step));
        Ok(ReviewPlan { steps: steps.collect::<Result<_, _>>()? })
    }
}

/// The message of an error with its line, without the picture of the line.
fn one_line(error: &toml::de::Error) -> String {
    let text = error.to_string();
    let place = text.lines().next().filter(|line| line.starts_with("TOML parse error at "));
    let place = place.map(|line| line.trim_start_matches("TOML parse error at ").to_owned() + ": ");
    format!("{}{}", place.unwrap_or_default(), error.message().replace('\n', ", "))
}

fn meant_test(name: &str) -> String {
    let tests = ReviewTest::ALL.map(ReviewTest::word);
    let alike = most_alike(name, tests).map(|test| format!("did you mean {test:?}?"));
    alike.unwrap_or_else(|| format!("the tests are {}", tests.join(", ")))
}

impl PlanStep {
    fn parse(place: usize, step: &Value) -> Result<PlanStep, String> {
        let no_test = || format!("step {place} has no test: write a line such as test = \"quick\"");
        let table = step.as_table().ok_or_else(no_test)?;
        let name = table.get("test").and_then(Value::as_str).ok_or_else(no_test)?;
        let test = ReviewTest::of_word(name)
            .ok_or_else(|| format!("step {place} has the unknown test {name:?}: {}", meant_test(name)))?;
        let place = format!("step {place} ({})", test.word());
        let mut options = Vec::new();
        for (option, value) in table.iter().filter(|(key, _)| *key != "test") {
            let value = OptionValue::parse(value).map_err(|why| format!("{place}: {option} {why}"))?;
            options.extend(value.map(|value| (option.clone(), value)));
        }
        let step = PlanStep { test, options };
        match test.argument() {
            Some(option) if step.text(option).is_none() => {
                Err(format!("{place} needs a {option}: write a line such as {option} = \"PATH\""))
            }
            _ => Ok(step),
        }
    }

    /// The text that an option has; none of one that is not set.
    pub fn text(&self, option: &str) -> Option<&str> {
        self.options.iter().find_map(|(name, value)| match value {
            OptionValue::Text(text) if name == option => Some(text.as_str()),
            _ => None,
        })
    }

    /// Whether the step names this option itself.
    pub fn names(&self, option: &str) -> bool {
        self.options.iter().any(|(name, _)| name == option)
    }

    /// Whether it writes to the drive, and so takes the confirmations of that.
    pub fn writes(&self) -> bool {
        match self.test {
            ReviewTest::Lifetime | ReviewTest::Wake => false,
            ReviewTest::Quick => self.names("write"),
            ReviewTest::WorkingSet => self.text("precondition") == Some("fill"),
            ReviewTest::OfferedLoad => {
                self.text("precondition") == Some("fill")
                    || !matches!(self.text("rw"), None | Some("read" | "randread"))
            }
            ReviewTest::Load => !matches!(self.text("rw"), Some("read" | "randread" | "flush")),
            ReviewTest::Replay => !self.names("no-writes"),
            ReviewTest::Fill
            | ReviewTest::Consistency
            | ReviewTest::Trim
            | ReviewTest::Pts
            | ReviewTest::Stalls
            | ReviewTest::Paths
            | ReviewTest::Matrix => true,
        }
    }

    /// The command with its options, on this target.
    pub fn arguments(&self, target: &str) -> Vec<String> {
        let argument = self.test.argument();
        let first = argument.and_then(|option| self.text(option)).map(str::to_owned);
        let named = self.options.iter().filter(|(name, _)| Some(name.as_str()) != argument);
        let named = named.map(|(name, value)| value.argument(name));
        let command = [self.test.word().to_owned()];
        command.into_iter().chain(first).chain([target.to_owned()]).chain(named).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_is_read_as_it_was_written() {
        let text = "[[step]]\ntest = \"consistency\"\nduration = \"60s\"\n\n[[step]]\ntest = \"trim\"\nruns = 2\n\n\
                    [[step]]\ntest = \"quick\"\nwrite = true\n";
        let plan = ReviewPlan::parse(text).expect("a plan");
        assert_eq!(plan.steps[0].arguments("sim:a"), ["consistency", "sim:a", "--duration=60s"]);
        assert_eq!(plan.steps[1].arguments("sim:a"), ["trim", "sim:a", "--runs=2"]);
        assert_eq!(plan.steps[2].arguments("sim:a"), ["quick", "sim:a", "--write"]);
    }

    #[test]
    fn a_trace_stands_before_the_target() {
        let plan = ReviewPlan::parse("[[step]]\ntest = \"replay\"\ntrace = \"boot\"\n").expect("a plan");
        assert_eq!(plan.steps[0].arguments("/dev/sdb"), ["replay", "boot", "/dev/sdb"]);
        let error = ReviewPlan::parse("[[step]]\ntest = \"replay\"\n").expect_err("no trace");
        assert!(error.contains("needs a trace"), "{error}");
    }

    #[test]
    fn what_is_wrong_is_named_with_what_to_write() {
        for (text, expected) in [
            ("", "the plan has no step"),
            ("steps = 1", "a plan has no \"steps\""),
            ("[[step]]\nduration = \"1s\"", "step 1 has no test"),
            ("[[step]]\ntest = \"consistancy\"", "did you mean \"consistency\"?"),
            ("[[step]]\ntest = \"zzz\"", "the tests are lifetime, quick"),
            ("[[step]]\ntest = \"quick\"\nwrite = [1]", "step 1 (quick): write is a list"),
            ("[[step]]\ntest = ", "line 2, column 8"),
            ("[[step]]\ntest = \"quick\"\nwrite = true\nwrite = true", "duplicate key"),
        ] {
            let error = ReviewPlan::parse(text).expect_err(text);
            assert!(error.contains(expected) && !error.contains('\n'), "{text:?}: {error}");
        }
    }

    #[test]
    fn what_only_reads_takes_no_confirmation_of_writing() {
        let writes = |options: &str| {
            let plan = ReviewPlan::parse(&format!("[[step]]\n{options}\n")).expect("a plan");
            plan.steps[0].writes()
        };
        assert!(!writes("test = \"quick\"") && writes("test = \"quick\"\nwrite = true"));
        assert!(!writes("test = \"load\"\nrw = \"randread\"") && writes("test = \"load\"\nrw = \"randrw\""));
        assert!(!writes("test = \"replay\"\ntrace = \"t\"\nno-writes = true") && writes("test = \"trim\""));
    }

    #[test]
    fn an_option_that_is_false_is_left_out() {
        let plan = ReviewPlan::parse("[[step]]\ntest = \"quick\"\nwrite = false\n").expect("a plan");
        assert_eq!(plan.steps[0].arguments("f"), ["quick", "f"]);
    }
}
