//! Drives that report one serial number: what confirms one of them, and whether one is known again.

use crate::support::machine;

use drivelab_block::{DrivePlace, IdentityFact, WhichDrive};
use drivelab_safety::{
    ClaimOptions, Confirmation, Confirming, Doubt, Recognised, SafetyError, SharedBy, Target, Testable,
    Unrecognised, check_for_writing, devices_that_fit, list_drives, recognise,
};
use machine::Machine;

/// Two SCSI drives of one model and size, with these serial numbers and world-wide names; an empty one is not reported.
fn twins(serials: [&str; 2], names: [&str; 2]) -> Machine {
    let machine = Machine::new();
    for (place, name) in ["sda", "sdb"].into_iter().enumerate() {
        machine.drive(name, &format!("8:{}", place * 16));
        machine.shows(name, "device/model", "QEMU HARDDISK");
        machine.file(
            &format!("run/udev/data/b8:{}", place * 16),
            format!("S:disk/by-path/pci-0-scsi-{place}\n"),
        );
        if !serials[place].is_empty() {
            let length = u8::try_from(serials[place].len()).expect("short");
            let page = [&[0, 0x80, 0, length][..], serials[place].as_bytes()].concat();
            machine.shows(name, "device/vpd_pg80", page);
        }
        if !names[place].is_empty() {
            machine.shows(name, "device/wwid", names[place]);
        }
    }
    machine.partition("sda", "sda1", "8:1", 2048);
    machine
}

fn confirming(machine: &Machine, number: &str) -> Confirming {
    Confirming::list(&machine.system(), &machine.identity(number))
}

/// What is said against a drive that this confirms.
fn refused(machine: &Machine, number: &str, given: Option<&str>) -> String {
    let drive = machine.identity(number);
    let path = machine.path("dev").join(&drive.kernel_name);
    let target = Target::from_number(&machine.system(), drive.number, &path).expect("a drive");
    let confirmation = Confirmation { serial: given.map(str::to_owned), destroy_data: true };
    match check_for_writing(&machine.system(), &target, &confirmation, &ClaimOptions::default()) {
        Err(SafetyError::Refused(refusal)) => refusal.to_string(),
        Err(other) => other.to_string(),
        Ok(_) => String::new(),
    }
}

#[test]
fn a_serial_number_that_two_drives_have_confirms_neither_of_them() {
    let machine = twins(["SAME", "SAME"], ["naa.5000c500a1b2c3d4", "naa.5000c500a1b2c3d5"]);
    let sda = confirming(&machine, "8:0");
    assert_eq!(sda.shortest(), "SAME@naa.5000c500a1b2c3d4");
    for names_it in
        ["SAME@naa.5000c500a1b2c3d4", "SAME@0x5000C500A1B2C3D4", "SAME@5000c500a1b2c3d4", "SAME@pci-0-scsi-0"]
    {
        assert!(sda.is_met_by(names_it), "{names_it}");
        assert!(!confirming(&machine, "8:16").is_met_by(names_it), "{names_it} is the other one");
        assert!(confirming(&machine, "8:1").is_met_by(names_it), "a partition is of its drive");
    }
    for names_none in
        ["SAME", "SAME@", "SAME@sda", "sda", "SAME@naa.5000c500a1b2c3d5", "naa.5000c500a1b2c3d4"]
    {
        assert!(!sda.is_met_by(names_none), "{names_none}");
    }
    let said = refused(&machine, "8:0", Some("SAME"));
    for part in [
        "SAME confirms no single drive",
        "sda (naa.5000c500a1b2c3d4, pci-0-scsi-0) and sdb (naa.5000c500a1b2c3d5, pci-0-scsi-1) have the same serial number",
        "for sda add --serial=SAME@naa.5000c500a1b2c3d4",
    ] {
        assert!(said.contains(part), "{part} is missing: {said}");
    }
    let listed = list_drives(&machine.system());
    let notes: Vec<String> = listed[0].notes.iter().map(ToString::to_string).collect();
    assert!(notes.iter().any(|note| note.contains("sda (") && note.contains("sdb (")), "{notes:?}");
    let Testable::With(flags) = &listed[0].testable else { panic!("{:?}", listed[0].testable) };
    assert_eq!(flags[0].to_string(), "--serial=SAME@naa.5000c500a1b2c3d4");
}

#[test]
fn without_a_name_of_their_own_the_path_tells_drives_apart() {
    for names in [["", ""], ["naa.5", "naa.5"], ["t10.ATA     QEMU SAME", "t10.ATA     QEMU SAME"]] {
        let machine = twins(["SAME", "SAME"], names);
        assert_eq!(confirming(&machine, "8:0").shortest(), "SAME@pci-0-scsi-0", "{names:?}");
        assert_eq!(confirming(&machine, "8:16").shortest(), "SAME@pci-0-scsi-1", "{names:?}");
        assert!(!confirming(&machine, "8:0").is_met_by("SAME@naa.5"));
    }
}

#[test]
fn a_serial_number_that_is_alone_confirms_and_so_does_more_than_it() {
    let machine = twins(["ONE", "TWO"], ["naa.5", "naa.6"]);
    let sda = confirming(&machine, "8:0");
    assert_eq!((sda.shortest().as_str(), sda.whole().as_str()), ("ONE", "ONE@naa.5"));
    for given in ["ONE", "ONE@naa.5", "ONE@pci-0-scsi-0"] {
        assert!(sda.is_met_by(given), "{given}");
    }
    assert!(!sda.is_met_by("TWO") && !sda.is_met_by("ONE@naa.6"));
    // What has none is confirmed by the name of the kernel, and so is one whose twin has none.
    for (given, said) in
        [("TWO", "TWO was confirmed, which is another drive"), ("ONE@foo", "ONE@foo names no drive")]
    {
        assert!(refused(&machine, "8:0", Some(given)).contains(said), "{given}");
    }
    let nameless = twins(["", ""], ["", ""]);
    let sda = confirming(&nameless, "8:0");
    assert_eq!(sda.shortest(), "sda");
    assert!(sda.is_met_by("sda") && !sda.is_met_by("sdb") && sda.shared.is_none());
    let half = twins(["SAME", ""], ["", ""]);
    assert_eq!(confirming(&half, "8:0").shortest(), "SAME");
}

#[test]
fn namespaces_of_one_drive_are_confirmed_each_by_itself() {
    let machine = Machine::new();
    for (name, number, namespace, wwid) in [
        ("nvme0n1", "259:0", "1", "eui.0025385b71b00001"),
        ("nvme0n2", "259:1", "2", "nvme.8086-5345-4d-00000002"),
    ] {
        machine.drive(name, number);
        machine.shows(name, "nsid", namespace);
        machine.shows(name, "wwid", wwid);
        machine.shows(name, "device/serial", "SER");
        machine.shows(name, "device/subsysnqn", "nqn.2014.08.org.nvmexpress:SER");
    }
    let [first, second] = ["259:0", "259:1"].map(|number| confirming(&machine, number));
    assert_eq!(first.shared.as_ref().map(|shared| shared.by), Some(SharedBy::Namespaces));
    assert_eq!(first.shortest(), "SER@eui.0025385b71b00001");
    assert_eq!(second.shortest(), "SER@namespace-2");
    assert!(
        first.is_met_by("SER@namespace-1") && !first.is_met_by("SER@namespace-2") && !first.is_met_by("SER")
    );
    // A path of the drive that the kernel has joined is no other drive.
    machine.drive("nvme0c0n1", "259:2").shows("nvme0c0n1", "hidden", "1");
    machine.shows("nvme0c0n1", "device/serial", "SER");
    assert_eq!(confirming(&machine, "259:1").shared.map(|shared| shared.devices.len()), Some(2));
    // A clone is of another subsystem.
    machine.drive("nvme1n1", "259:3").shows("nvme1n1", "device/serial", "SER").shows("nvme1n1", "nsid", "1");
    assert_eq!(confirming(&machine, "259:1").shared.map(|shared| shared.by), Some(SharedBy::Drives));
}

/// What a result has kept of sda, and what comes of finding it again under a number.
fn again(
    machine: &Machine,
    (kept, place): (&WhichDrive, &DrivePlace),
    number: &str,
    given: &[&str],
) -> Result<Recognised, Unrecognised> {
    let given: Vec<String> = given.iter().map(|given| (*given).to_owned()).collect();
    recognise(&machine.system(), (kept, place), &machine.identity(number), &given)
}

#[test]
fn a_drive_is_known_again_by_its_own_name_wherever_it_is() {
    let machine = twins(["SAME", "SAME"], ["naa.5", "naa.6"]);
    let drive = machine.identity("8:0");
    let elsewhere = DrivePlace { kernel_name: Some("sdq".to_owned()), path: Some("pci-9".to_owned()) };
    assert_eq!(again(&machine, (&drive.which(), &elsewhere), "8:0", &[]), Ok(Recognised::Known));
    let other = again(&machine, (&drive.which(), &drive.place()), "8:16", &["SAME@naa.6"]);
    assert_eq!(other, Err(Unrecognised::Another(vec![IdentityFact::Wwn])), "no confirmation helps");
    assert_eq!(devices_that_fit(&machine.system(), &drive.which()).len(), 1);
    let part = machine.identity("8:1");
    let whole = again(&machine, (&part.which(), &part.place()), "8:0", &[]);
    assert!(matches!(whole, Err(Unrecognised::Another(_))), "a partition is not its drive: {whole:?}");
}

#[test]
fn a_drive_without_a_name_of_its_own_is_known_again_where_it_was_and_if_it_is_alone() {
    let alone = twins(["SAME", "OTHER"], ["", ""]);
    let drive = alone.identity("8:0");
    let (which, place) = (drive.which(), drive.place());
    assert_eq!(again(&alone, (&which, &place), "8:0", &[]), Ok(Recognised::Known));
    // An older result has kept no path.
    let name_alone = DrivePlace { path: None, ..place.clone() };
    assert_eq!(again(&alone, (&which, &name_alone), "8:0", &[]), Ok(Recognised::Known));
    for moved in [
        DrivePlace { kernel_name: Some("sdb".to_owned()), ..place.clone() },
        DrivePlace { path: Some("pci-9".to_owned()), ..place.clone() },
    ] {
        let Err(Unrecognised::Doubtful { doubt, flag }) = again(&alone, (&which, &moved), "8:0", &["SAME"])
        else {
            panic!("the serial number alone names it")
        };
        assert!(matches!(doubt, Doubt::Moved { .. }), "{doubt:?}");
        assert_eq!(flag.to_string(), "--serial=SAME@pci-0-scsi-0");
        let named = again(&alone, (&which, &moved), "8:0", &["SAME@pci-0-scsi-0"]);
        assert!(matches!(named, Ok(Recognised::Named(_))), "{named:?}");
    }
    // A result that has kept neither says nothing of where it was.
    let found = again(&alone, (&which, &DrivePlace::default()), "8:0", &["SAME"]);
    assert!(matches!(&found, Err(Unrecognised::Doubtful { doubt: Doubt::PlaceNotKept, .. })), "{found:?}");
    let named = again(&alone, (&which, &DrivePlace::default()), "8:0", &["SAME@pci-0-scsi-0"]);
    assert_eq!(named, Ok(Recognised::Named(Doubt::PlaceNotKept)));
    // Of two, of which none has a name, or both have one, neither is known, be it where it was.
    for names in [["", ""], ["naa.5", "naa.5"]] {
        for serials in [["SAME", "SAME"], ["", ""]] {
            let machine = twins(serials, names);
            let drive = machine.identity("8:0");
            let kept = (&drive.which(), &drive.place());
            let found = again(&machine, kept, "8:0", &[]);
            let Err(Unrecognised::Doubtful { doubt, flag }) = found else {
                panic!("{serials:?} {names:?}: {found:?}")
            };
            assert_eq!(doubt, Doubt::FitsSeveral(vec!["sda".to_owned(), "sdb".to_owned()]));
            let base = if serials[0].is_empty() { "sda" } else { "SAME" };
            let expected = format!("--serial={base}@pci-0-scsi-0");
            assert_eq!(flag.to_string(), expected, "{serials:?} {names:?}");
        }
    }
}
