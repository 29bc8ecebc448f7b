//! Masks of Linux's libata (`AC_ERR_*` and `ATA_EH_*` of `include/linux/libata.h`, Linux 6.12).

const EMASK: [(u32, &str); 11] = [
    (0x400, "the queued command that failed"),
    (0x200, "the device may be gone"),
    (0x100, "unknown error"),
    (0x80, "invalid argument: the request was wrong"),
    (0x40, "system error of the host"),
    (0x20, "host bus error"),
    (0x10, "ATA bus error: the link between host and drive"),
    (0x8, "media error: data could not be read or written"),
    (0x4, "timeout: the device did not answer in time"),
    (0x2, "the device broke the protocol (host state machine violation)"),
    (0x1, "the device reported an error"),
];

const ACTION: [(u32, &str); 8] = [
    (0x80, "the device is made active again after a sleep"),
    (0x40, "the sense data of commands that succeeded are read"),
    (0x20, "the heads are parked"),
    (0x10, "the power management of the link is set anew"),
    (0x8, "the link is enabled again"),
    (0x4, "the link is reset (COMRESET)"),
    (0x2, "the device is reset by software"),
    (0x1, "the device is identified anew"),
];

/// The bits of an `Emask` with their meanings, the highest first.
pub(crate) fn emask(value: u32) -> Vec<(u32, &'static str)> {
    EMASK.into_iter().filter(|(bit, _)| value & bit != 0).collect()
}

/// What the kernel does about an error by its `action`, the highest bit first.
pub(crate) fn action(value: u32) -> Vec<&'static str> {
    ACTION.into_iter().filter(|(bit, _)| value & bit != 0).map(|(_, meaning)| meaning).collect()
}
