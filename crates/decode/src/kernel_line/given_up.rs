//! Lines without a code that say that a drive could not be used, or that the kernel gave it up.

/// What is printed, and what it means. Sources: `drivers/nvme/host`, `drivers/ata/libata-core.c` and `libata-eh.c`,
/// `drivers/scsi/scsi_lib.c`, `fs/buffer.c`, and additional sense codes of SCSI Primary Commands 6.
const PHRASES: &[(&str, &str)] = &[
    (
        "Removing after probe failure",
        "the kernel could not start the NVMe controller and gave it up: the drive is not there until it is reset or the machine \
         restarts",
    ),
    (
        "Disabling device after reset failure",
        "the NVMe controller did not start again after a reset, and the kernel gave it up: the drive is gone until the machine \
         restarts",
    ),
    (
        "COMRESET failed",
        "the drive did not come back after a reset of its link: look at its power and its cable",
    ),
    ("qc timeout", "the drive did not answer a command of the kernel in time"),
    ("failed to IDENTIFY", "the drive did not say what it is (IDENTIFY DEVICE), so the kernel cannot use it"),
    (
        "rejecting I/O to offline device",
        "the kernel has taken the drive offline after errors, and sends it nothing any more",
    ),
    ("rejecting I/O to dead device", "the kernel has given the drive up, and sends it nothing any more"),
    (
        "Buffer I/O error on dev",
        "a block that a file system or a program wanted could not be read or written",
    ),
    ("Add. Sense: Unrecovered read error", "additional sense: the drive could not read these sectors"),
    ("Add. Sense: Write error", "additional sense: the drive could not write these sectors"),
    ("Add. Sense: Internal target failure", "additional sense: an error inside the drive"),
];

pub(super) fn meanings(line: &str) -> Vec<String> {
    let found = PHRASES.iter().filter(|(phrase, _)| line.contains(phrase));
    found.map(|(_, meaning)| (*meaning).to_owned()).collect()
}
