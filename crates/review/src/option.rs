//! The value of an option in a plan.

use toml::Value;

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
    pub(crate) fn parse(value: &Value) -> Result<Option<OptionValue>, &'static str> {
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

    /// The option as an argument of the command line.
    pub(crate) fn argument(&self, name: &str) -> String {
        match self {
            OptionValue::Flag => format!("--{name}"),
            OptionValue::Text(text) => format!("--{name}={text}"),
        }
    }
}
