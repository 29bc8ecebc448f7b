//! What the user calls a drive.

/// The name that all results of a drive have to which a name was given; none where no name was given, or several: these tell
/// results apart, and not drives.
pub fn one_name<'a>(given: impl IntoIterator<Item = Option<&'a str>>) -> Option<&'a str> {
    let mut names = given.into_iter().flatten();
    let first = names.next()?;
    names.all(|name| name == first).then_some(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drive_has_a_name_if_its_results_have_one() {
        assert_eq!(one_name([Some("TLC 990"), None, Some("TLC 990")]), Some("TLC 990"));
        assert_eq!(one_name([Some("before"), Some("after")]), None);
        assert_eq!(one_name([None]), None);
    }
}
