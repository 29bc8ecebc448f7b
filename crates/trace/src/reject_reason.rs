//! Why something of a source is not in its trace.

/// Why a row or an event is not in the trace, or not wholly: in words, as reports and JSON have it.
#[derive(Clone, Copy, Debug)]
pub struct RejectReason(pub &'static str);

impl RejectReason {
    /// The row begins like a record and then is none.
    pub const MALFORMED: RejectReason = RejectReason("malformed row");
    /// The file ends within the row, which may have lost some of its digits.
    pub const UNENDED: RejectReason = RejectReason("last line without an end, perhaps cut");
    /// The operation is none that a drive has.
    pub const UNKNOWN_OPERATION: RejectReason = RejectReason("unknown operation");
    /// A row without an operation: the source saw no response.
    pub const NO_RESPONSE: RejectReason = RejectReason("no operation, as no response was seen");
    /// A read, write or discard of nothing.
    pub const EMPTY: RejectReason = RejectReason("read or write of nothing");
    /// The service time is longer than the response time that it is part of.
    pub const SERVICE_BEYOND_RESPONSE: RejectReason = RejectReason("service time longer than response time");
    /// The I/O ends beyond any drive, or takes longer than the trace's clock can say.
    pub const OUT_OF_RANGE: RejectReason = RejectReason("address or time beyond any drive");
    /// The time is more than 30 days from that of all others, or of all but fifteen.
    pub const STRAY_TIME: RejectReason = RejectReason("time more than 30 days from all others");
    /// A command that passes through the block layer and is no I/O.
    pub const PASSTHROUGH: RejectReason = RejectReason("passthrough command");
    /// Another request on the same place was issued and not complete: which one completes is a guess.
    pub const SAME_PLACE: RejectReason = RejectReason("another request in flight on the same sector");
    /// A completion of which no beginning was seen.
    pub const COMPLETION_ALONE: RejectReason = RejectReason("completion without a beginning");
    /// A request that was issued, or asked for, and never seen complete.
    pub const NEVER_COMPLETED: RejectReason = RejectReason("issued and never completed");
    /// An I/O that was asked for and never seen issued.
    pub const NEVER_ISSUED: RejectReason = RejectReason("asked for and never issued");
    /// What was asked for at the request's place an hour before it was issued was hardly that request.
    pub const STALE_ASK: RejectReason =
        RejectReason("asked for an hour before its issue, which is not believed");
    /// A request that was given back without having been issued.
    pub const REQUEUE_WITHOUT_ISSUE: RejectReason = RejectReason("requeued without an issue");
}
