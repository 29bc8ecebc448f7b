//! What the kernel's command line says of tracing.
//!
//! Source: the kernel's `Documentation/admin-guide/kernel-parameters.txt` (`trace_event`, `trace_buf_size`, `trace_clock`,
//! `trace_options`) and `Documentation/trace/boottime-trace.rst`.

/// Events that a trace of a boot consists of: requests of drives, and when programs began and ended.
pub const TRACED_EVENTS: [&str; 5] = [
    "block:block_rq_issue",
    "block:block_rq_complete",
    "block:block_rq_requeue",
    "sched:sched_process_exec",
    "sched:sched_process_exit",
];

/// Parameters with which others trace a boot, too.
const TRACING: [&str; 7] = [
    "trace_event=",
    "ftrace=",
    "trace_buf_size=",
    "trace_clock=",
    "trace_options=",
    "trace_instance=",
    "trace_trigger=",
];

/// The parameters that make the kernel trace block I/O from its first moment. Its buffers keep what came first: a boot that
/// has more than fits is known from its beginning on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "trace_event={} trace_buf_size={buffer_kib}K trace_clock=mono trace_options=nooverwrite",
    TRACED_EVENTS.join(",")
)]
pub struct TraceParameters {
    /// The ring buffer of each processor, in KiB.
    pub buffer_kib: u64,
}

impl TraceParameters {
    /// The parameters that a kernel was booted with; `None` where it was booted without them.
    pub fn from_command_line(command_line: &str) -> Option<TraceParameters> {
        let words: Vec<&str> = command_line.split_whitespace().collect();
        let size = words.iter().rev().find_map(|word| word.strip_prefix("trace_buf_size="))?;
        let parameters = TraceParameters { buffer_kib: size.strip_suffix('K')?.parse().ok()? };
        let own = parameters.to_string();
        own.split(' ').all(|word| words.contains(&word)).then_some(parameters)
    }
}

/// The first parameter by which something else traces the boot: both cannot share the kernel's buffer.
pub fn foreign_tracing(command_line: &str) -> Option<&str> {
    let own = TraceParameters::from_command_line(command_line).map(|own| own.to_string()).unwrap_or_default();
    let is_own = |word: &str| own.split(' ').any(|own| own == word);
    let mut words = command_line.split_whitespace();
    words.find(|word| TRACING.iter().any(|name| word.starts_with(name)) && !is_own(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_recognised_on_a_command_line() {
        let own = TraceParameters { buffer_kib: 8192 };
        let line = format!("BOOT_IMAGE=/vmlinuz root=/dev/sda1 {own} quiet");
        assert_eq!(TraceParameters::from_command_line(&line), Some(own));
        assert_eq!(foreign_tracing(&line), None);
        assert_eq!(TraceParameters::from_command_line("root=/dev/sda1 quiet"), None);
        // A part of them is not enough: the clock of the events would not be that of systemd.
        assert_eq!(TraceParameters::from_command_line(&line.replace("trace_clock=mono", "")), None);
    }

    #[test]
    fn tracing_of_others_is_found() {
        assert_eq!(foreign_tracing("quiet ftrace=function"), Some("ftrace=function"));
        assert_eq!(foreign_tracing("trace_event=irq:*"), Some("trace_event=irq:*"));
        let both = format!("{} trace_event=irq:*", TraceParameters { buffer_kib: 64 });
        assert_eq!(foreign_tracing(&both), Some("trace_event=irq:*"));
        assert_eq!(foreign_tracing("quiet trace_event_of_mine"), None);
    }
}
