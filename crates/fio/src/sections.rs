//! The sections of a job file.

/// An option as it stands in a file, and its line, counted from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    pub number: usize,
    /// In lower case.
    pub name: String,
    /// Empty where the option has none.
    pub value: String,
}

/// The name of the job, and its options: those of the global sections before it, then its own.
pub fn only_job(text: &str) -> Result<(String, Vec<Line>), String> {
    let (mut global, mut job): (Vec<Line>, Option<(String, Vec<Line>)>) = (Vec::new(), None);
    let mut is_global = false;
    for (place, line) in text.lines().enumerate() {
        let (number, line) = (place + 1, line.trim());
        if line.is_empty() || line.starts_with(['#', ';']) {
            continue;
        }
        if let Some(section) = line.strip_prefix('[') {
            let name =
                section.strip_suffix(']').ok_or_else(|| format!("line {number}: a section ends with ]"))?;
            is_global = name.eq_ignore_ascii_case("global");
            match &job {
                _ if is_global => {}
                Some((first, _)) => {
                    return Err(format!(
                        "line {number}: [{name}] is a second job, after [{first}]: leave one of them, and run the other by itself"
                    ));
                }
                None => job = Some((name.to_owned(), Vec::new())),
            }
            continue;
        }
        let (name, value) = line.split_once('=').unwrap_or((line, ""));
        let line = Line { number, name: name.trim().to_lowercase(), value: value.trim().to_owned() };
        match &mut job {
            Some((_, lines)) if !is_global => lines.push(line),
            _ if is_global => global.push(line),
            _ => return Err(format!("line {number}: an option stands in a section: begin with [job]")),
        }
    }
    let (name, lines) = job.ok_or("there is no job: begin one with its name in brackets, such as [job]")?;
    global.extend(lines);
    Ok((name, global))
}
