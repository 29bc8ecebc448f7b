//! What the user calls a result.

/// The name of a result, and remarks on it, as the user gave them.
#[derive(Clone, Copy, Debug, Default)]
pub struct ResultName<'a> {
    /// The name, where there is one; a result without one is called by its target.
    pub label: Option<&'a str>,
    /// The remarks.
    pub note: Option<&'a str>,
    /// Whether its pages and documents leave out the drive's serial number.
    pub hides_serial: bool,
    /// Whether several results of one command share the name: what tells them apart is added to it.
    pub is_shared: bool,
}

impl ResultName<'_> {
    /// What the result is called, whose name would else be `own`.
    pub fn label(&self, own: String) -> String {
        match self.label {
            None => own,
            Some(label) if self.is_shared => format!("{label}, {own}"),
            Some(label) => label.to_owned(),
        }
    }

    /// The name that the user gave.
    pub fn given(&self) -> Option<String> {
        self.label.map(str::to_owned)
    }

    /// The remarks.
    pub fn note(&self) -> Option<String> {
        self.note.map(str::to_owned)
    }
}
