//! The processors that `--cpus` names.

use drivelab_uring::online_cpus;

use crate::Failure;

/// Checks that this machine has them.
pub fn check(cpus: &[usize]) -> Result<(), Failure> {
    let online = online_cpus().map_err(|error| Failure::io("the processors cannot be listed", &error))?;
    match cpus.iter().find(|cpu| !online.contains(cpu)) {
        None => Ok(()),
        Some(missing) => {
            let list: Vec<String> = online.iter().map(ToString::to_string).collect();
            Err(Failure::Usage(format!("--cpus {missing}: this process may use {}", list.join(","))))
        }
    }
}
