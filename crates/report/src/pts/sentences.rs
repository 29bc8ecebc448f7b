//! What is said of a test in words.

use super::document::PtsTestDocument;

/// What figures over several rounds are.
pub(super) const OVER_ROUNDS: &str = "Over rounds, rates and mean times are means, p50 is the median, higher percentiles and \
                                      longest times are the worst.";

/// Whether the test came to its end and was steady.
pub(super) fn state(test: &PtsTestDocument) -> String {
    let rounds = test.cells.iter().map(|cell| cell.samples.len()).max().unwrap_or(0);
    let state = match test.steady {
        _ if test.tracked.is_none() && test.steady == Some(true) => {
            "preconditioned until steady, each once".to_owned()
        }
        _ if test.tracked.is_none() && test.steady == Some(false) => {
            "preconditioned, steady state not achieved, each once".to_owned()
        }
        Some(true) => format!("steady after {rounds} rounds, means of the last five"),
        Some(false) if rounds < 5 => {
            format!("steady state not achieved in {}, means of all", counted(rounds))
        }
        Some(false) => format!("steady state not achieved in {rounds} rounds, means of the last five"),
        None => format!("means of {} each, the first ones included", counted(rounds)),
    };
    if test.whole { state } else { format!("{state}; it was ended early") }
}

fn counted(rounds: usize) -> String {
    if rounds == 1 { "1 round".to_owned() } else { format!("{rounds} rounds") }
}
