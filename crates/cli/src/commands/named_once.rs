//! A value that may be named once.

use std::fs;
use std::path::{Path, PathBuf};

use drivelab_runner::Failure;

/// The first value that was named before.
pub fn named_twice<T: PartialEq>(values: &[T]) -> Option<usize> {
    (1..values.len()).find(|place| values[..*place].contains(&values[*place]))
}

/// The first of these paths that leads to where an earlier one does.
pub fn path_named_twice(paths: &[impl AsRef<Path>]) -> Option<&Path> {
    let place = |path: &Path| fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let places: Vec<PathBuf> = paths.iter().map(|path| place(path.as_ref())).collect();
    named_twice(&places).map(|twice| paths[twice].as_ref())
}

/// Refuses a value that is named twice: its figures would have one name.
pub fn check_once<T: PartialEq>(option: &str, values: &[T]) -> Result<(), Failure> {
    named_twice(values)
        .map_or(Ok(()), |_| Err(Failure::Usage(format!("{option} names a value twice: name each once"))))
}
