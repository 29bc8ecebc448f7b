//! Options with a list of values, each of which is named once.

use drivelab_runner::Failure;

/// Refuses a value that is named twice: its figures would have one name.
pub fn check_once<T: PartialEq>(option: &str, values: &[T]) -> Result<(), Failure> {
    let is_twice = (1..values.len()).any(|place| values[..place].contains(&values[place]));
    if is_twice {
        return Err(Failure::Usage(format!("{option} names a value twice: name each once")));
    }
    Ok(())
}
