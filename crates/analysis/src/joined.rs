//! Columns over time that become half as many where a run gets too long for them.

/// Joins columns by twos.
pub(crate) fn joined<Column>(columns: &mut Vec<Column>, mut join: impl FnMut(&mut Column, &Column)) {
    let mut pairs: Vec<Column> = Vec::with_capacity(columns.len().div_ceil(2));
    for (index, column) in columns.drain(..).enumerate() {
        match pairs.last_mut().filter(|_| index % 2 == 1) {
            Some(left) => join(left, &column),
            None => pairs.push(column),
        }
    }
    *columns = pairs;
}
