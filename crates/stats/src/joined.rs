//! Columns over time that become half as many where a run gets too long for them.

pub(crate) fn joined<Column>(columns: &mut Vec<Column>, join: impl FnMut(&mut Column, &Column)) {
    joined_by(columns, Joining::BY_TWOS, join);
}

/// Which columns become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Joining {
    /// As many columns become one.
    pub by: usize,
    /// As many columns are missing before the first one, to make up the first one of those that are made.
    pub missing: usize,
}

impl Joining {
    /// Two of them, from the first one on.
    pub(crate) const BY_TWOS: Joining = Joining { by: 2, missing: 0 };

    /// This number of them, such that the column with the number 0 would begin one; the first column has the number `first`.
    pub(crate) fn new(by: u8, first: u64) -> Joining {
        let missing = usize::try_from(first % u64::from(by)).unwrap_or(0);
        Joining { by: usize::from(by), missing }
    }
}

pub(crate) fn joined_by<Column>(
    columns: &mut Vec<Column>,
    Joining { by, missing }: Joining,
    mut join: impl FnMut(&mut Column, &Column),
) {
    let mut wider: Vec<Column> = Vec::with_capacity((columns.len() + missing).div_ceil(by));
    for (index, column) in columns.drain(..).enumerate() {
        match wider.last_mut().filter(|_| (index + missing) % by > 0) {
            Some(left) => join(left, &column),
            None => wider.push(column),
        }
    }
    *columns = wider;
}
