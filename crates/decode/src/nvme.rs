//! The status field of an NVMe completion (NVM Express Base Specification 2.0, 3.3.3.2, and the NVM Command Set).

use schemars::JsonSchema;
use serde::Serialize;

/// A status field of NVMe, taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "NvmeStatusFindings")]
pub struct NvmeStatus {
    /// The status code type (SCT), 0 to 7.
    pub status_code_type: u8,
    /// The status code (SC).
    pub status_code: u8,
    /// What the type covers.
    pub kind: &'static str,
    /// The code's name in the specification.
    pub name: &'static str,
    /// Which of three command retry delays is asked for (CRD); 0 for none.
    pub retry_delay: u8,
    /// Whether the error log has more (M).
    pub more: bool,
    /// Whether the same command would fail again (DNR).
    pub do_not_retry: bool,
}

const KINDS: [&str; 8] = [
    "generic command status",
    "command specific status",
    "media and data integrity errors",
    "path related status",
    "reserved",
    "reserved",
    "reserved",
    "vendor specific",
];

const GENERIC: &[(u8, &str)] = &[
    (0x00, "Successful Completion"),
    (0x01, "Invalid Command Opcode"),
    (0x02, "Invalid Field in Command"),
    (0x03, "Command ID Conflict"),
    (0x04, "Data Transfer Error"),
    (0x05, "Commands Aborted due to Power Loss Notification"),
    (0x06, "Internal Error"),
    (0x07, "Command Abort Requested"),
    (0x08, "Command Aborted due to SQ Deletion"),
    (0x09, "Command Aborted due to Failed Fused Command"),
    (0x0a, "Command Aborted due to Missing Fused Command"),
    (0x0b, "Invalid Namespace or Format"),
    (0x0c, "Command Sequence Error"),
    (0x0d, "Invalid SGL Segment Descriptor"),
    (0x0e, "Invalid Number of SGL Descriptors"),
    (0x0f, "Data SGL Length Invalid"),
    (0x10, "Metadata SGL Length Invalid"),
    (0x11, "SGL Descriptor Type Invalid"),
    (0x12, "Invalid Use of Controller Memory Buffer"),
    (0x13, "PRP Offset Invalid"),
    (0x14, "Atomic Write Unit Exceeded"),
    (0x15, "Operation Denied"),
    (0x16, "SGL Offset Invalid"),
    (0x18, "Host Identifier Inconsistent Format"),
    (0x19, "Keep Alive Timer Expired"),
    (0x1a, "Keep Alive Timeout Invalid"),
    (0x1b, "Command Aborted due to Preempt and Abort"),
    (0x1c, "Sanitize Failed"),
    (0x1d, "Sanitize In Progress"),
    (0x1e, "SGL Data Block Granularity Invalid"),
    (0x1f, "Command Not Supported for Queue in CMB"),
    (0x20, "Namespace is Write Protected"),
    (0x21, "Command Interrupted"),
    (0x22, "Transient Transport Error"),
    (0x23, "Command Prohibited by Command and Feature Lockdown"),
    (0x24, "Admin Command Media Not Ready"),
    (0x80, "LBA Out of Range"),
    (0x81, "Capacity Exceeded"),
    (0x82, "Namespace Not Ready"),
    (0x83, "Reservation Conflict"),
    (0x84, "Format In Progress"),
];

const SPECIFIC: &[(u8, &str)] = &[
    (0x00, "Completion Queue Invalid"),
    (0x01, "Invalid Queue Identifier"),
    (0x02, "Invalid Queue Size"),
    (0x03, "Abort Command Limit Exceeded"),
    (0x05, "Asynchronous Event Request Limit Exceeded"),
    (0x06, "Invalid Firmware Slot"),
    (0x07, "Invalid Firmware Image"),
    (0x08, "Invalid Interrupt Vector"),
    (0x09, "Invalid Log Page"),
    (0x0a, "Invalid Format"),
    (0x0b, "Firmware Activation Requires Conventional Reset"),
    (0x0c, "Invalid Queue Deletion"),
    (0x0d, "Feature Identifier Not Saveable"),
    (0x0e, "Feature Not Changeable"),
    (0x0f, "Feature Not Namespace Specific"),
    (0x10, "Firmware Activation Requires NVM Subsystem Reset"),
    (0x11, "Firmware Activation Requires Controller Level Reset"),
    (0x12, "Firmware Activation Requires Maximum Time Violation"),
    (0x13, "Firmware Activation Prohibited"),
    (0x14, "Overlapping Range"),
    (0x15, "Namespace Insufficient Capacity"),
    (0x16, "Namespace Identifier Unavailable"),
    (0x18, "Namespace Already Attached"),
    (0x19, "Namespace Is Private"),
    (0x1a, "Namespace Not Attached"),
    (0x1b, "Thin Provisioning Not Supported"),
    (0x1c, "Controller List Invalid"),
    (0x1d, "Device Self-test In Progress"),
    (0x1e, "Boot Partition Write Prohibited"),
    (0x1f, "Invalid Controller Identifier"),
    (0x20, "Invalid Secondary Controller State"),
    (0x21, "Invalid Number of Controller Resources"),
    (0x22, "Invalid Resource Identifier"),
    (0x23, "Sanitize Prohibited While Persistent Memory Region is Enabled"),
    (0x24, "ANA Group Identifier Invalid"),
    (0x25, "ANA Attach Failed"),
    (0x80, "Conflicting Attributes"),
    (0x81, "Invalid Protection Information"),
    (0x82, "Attempted Write to Read Only Range"),
    (0x83, "Command Size Limit Exceeded"),
    (0xb8, "Zoned Boundary Error"),
    (0xb9, "Zone Is Full"),
    (0xba, "Zone Is Read Only"),
    (0xbb, "Zone Is Offline"),
    (0xbc, "Zone Invalid Write"),
    (0xbd, "Too Many Active Zones"),
    (0xbe, "Too Many Open Zones"),
    (0xbf, "Invalid Zone State Transition"),
];

const MEDIA: &[(u8, &str)] = &[
    (0x80, "Write Fault"),
    (0x81, "Unrecovered Read Error"),
    (0x82, "End-to-end Guard Check Error"),
    (0x83, "End-to-end Application Tag Check Error"),
    (0x84, "End-to-end Reference Tag Check Error"),
    (0x85, "Compare Failure"),
    (0x86, "Access Denied"),
    (0x87, "Deallocated or Unwritten Logical Block"),
    (0x88, "End-to-End Storage Tag Check Error"),
];

const PATH: &[(u8, &str)] = &[
    (0x00, "Internal Path Error"),
    (0x01, "Asymmetric Access Persistent Loss"),
    (0x02, "Asymmetric Access Inaccessible"),
    (0x03, "Asymmetric Access Transition"),
    (0x60, "Controller Pathing Error"),
    (0x70, "Host Pathing Error"),
    (0x71, "Command Aborted By Host"),
];

/// Takes a status field apart: 15 bits as Linux and nvme-cli show it, without the phase tag of the completion entry.
pub fn nvme_status(field: u16) -> NvmeStatus {
    let (status_code_type, status_code) = ((field >> 8 & 7) as u8, (field & 0xff) as u8);
    let table: &[(u8, &str)] = match status_code_type {
        0 => GENERIC,
        1 => SPECIFIC,
        2 => MEDIA,
        3 => PATH,
        _ => &[],
    };
    let known = table.iter().find(|(known, _)| *known == status_code).map(|(_, name)| *name);
    let unknown = match (status_code_type, status_code) {
        (7, _) | (_, 0xc0..) => "vendor specific",
        _ => "reserved",
    };
    NvmeStatus {
        status_code_type,
        status_code,
        kind: KINDS[usize::from(status_code_type)],
        name: known.unwrap_or(unknown),
        retry_delay: (field >> 11 & 3) as u8,
        more: field >> 13 & 1 == 1,
        do_not_retry: field >> 14 & 1 == 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_field_is_taken_apart() {
        let unreadable = nvme_status(0x4281);
        assert_eq!((unreadable.name, unreadable.do_not_retry), ("Unrecovered Read Error", true));
        assert_eq!(unreadable.kind, "media and data integrity errors");
        assert_eq!(nvme_status(0x2002).name, "Invalid Field in Command");
        assert!(nvme_status(0x2002).more);
        assert_eq!(nvme_status(0x371).name, "Command Aborted By Host");
        assert_eq!((nvme_status(0x00c5).name, nvme_status(0x0017).name), ("vendor specific", "reserved"));
        assert_eq!(nvme_status(0x1880).retry_delay, 3);
    }
}
