//! Reads what smartctl has said of four kinds of drive, and whatever else it might say.

use drivelab_probe::{
    Health, HealthFinding, HealthReport, HealthVerdict, HealthWeight, NotAvailable, SectorFault, judge,
    parse_health,
};
use proptest::prelude::*;
use serde_json::Value;

const ATA_SSD: &str = include_str!("../answers/ata-ssd.json");
const NVME: &str = include_str!("../answers/nvme.json");
const FAILING: &str = include_str!("../answers/failing.json");
const NO_SMART: &str = include_str!("../answers/no-smart.json");

fn report(answer: &str) -> HealthReport {
    match parse_health(answer.as_bytes()) {
        Health::Known(report) => *report,
        Health::NotAvailable(why) => panic!("not available: {why}"),
    }
}

fn words(found: &[HealthFinding]) -> Vec<String> {
    found.iter().map(ToString::to_string).collect()
}

#[test]
fn an_ata_drive_tells_its_attributes_and_its_wear() {
    let report = report(ATA_SSD);
    assert_eq!(report.passed, Some(true));
    assert_eq!(report.temperature_celsius, Some(31));
    assert_eq!(report.power_on_hours, Some(12345));
    assert_eq!(report.percentage_used, Some(4));
    let reallocated = &report.attributes[0];
    assert_eq!((reallocated.id, reallocated.name.as_str(), reallocated.raw), (5, "Reallocated_Sector_Ct", 0));
    assert_eq!(
        (reallocated.value, reallocated.worst, reallocated.threshold),
        (Some(100), Some(100), Some(10))
    );
    assert_eq!(report.attributes[2].raw_text, "31 (Min/Max 18/48)");
    assert_eq!(judge(&Health::Known(Box::new(report))), HealthVerdict::Well);
}

#[test]
fn an_nvme_drive_tells_its_log() {
    let report = report(NVME);
    assert_eq!(report.percentage_used, Some(7));
    let log = report.nvme.as_ref().expect("a log");
    assert_eq!(log.available_spare_percent, Some(100));
    assert!(log.counters.contains(&("data_units_written".to_owned(), 55_667_788)));
    assert!(!log.counters.iter().any(|(name, _)| name == "temperature"));
    assert_eq!(judge(&Health::Known(Box::new(report))), HealthVerdict::Well);
}

#[test]
fn a_failing_drive_does_not_pass_the_gate() {
    let verdict = judge(&parse_health(FAILING.as_bytes()));
    let HealthVerdict::Failing(reasons) = verdict else { panic!("{verdict:?}") };
    assert_eq!(
        words(&reasons),
        [
            "the drive's own health check fails".to_owned(),
            "attribute 5 Reallocated_Sector_Ct has reached its threshold".to_owned()
        ]
    );
}

#[test]
fn an_nvme_drive_that_has_gone_read_only_does_not_pass_the_gate() {
    let answer = NVME.replace(r#""critical_warning":0"#, r#""critical_warning":8"#);
    assert_eq!(
        judge(&parse_health(answer.as_bytes())),
        HealthVerdict::Failing(vec![HealthFinding::Warning(3)])
    );
}

#[test]
fn a_drive_that_gets_worse_is_told_by_what_moved() {
    let worse = NVME
        .replace(r#""critical_warning":0"#, r#""critical_warning":1"#)
        .replace(r#""available_spare":100"#, r#""available_spare":9"#);
    let (before, after) = (report(NVME), report(&worse));
    let moved: Vec<_> =
        before.changes(&after).into_iter().map(|one| (one.name, one.before, one.after)).collect();
    assert_eq!(moved, [("critical_warning".to_owned(), 0, 1), ("available_spare".to_owned(), 100, 9)]);
    let [before, after] = [before, after].map(|report| judge(&Health::Known(Box::new(report))));
    assert_eq!(words(&after.news(&before)), ["its spare blocks are below the threshold"]);
    assert_eq!(before.news(&after), []);
}

#[test]
fn a_drive_that_is_worn_or_hot_is_doubtful() {
    let worn = NVME.replace(r#""percentage_used":7"#, r#""percentage_used":104"#);
    let verdict = judge(&parse_health(worn.as_bytes()));
    let HealthVerdict::Doubtful(reasons) = verdict else { panic!("{verdict:?}") };
    assert_eq!(words(&reasons), ["the rated endurance is used up (104 %)"]);
    let hot = NVME.replace(r#""critical_warning":0"#, r#""critical_warning":2"#);
    assert!(matches!(judge(&parse_health(hot.as_bytes())), HealthVerdict::Doubtful(_)));
}

#[test]
fn a_drive_without_smart_is_not_an_error() {
    let health = parse_health(NO_SMART.as_bytes());
    assert_eq!(
        health,
        Health::NotAvailable(NotAvailable::NotAsked("/dev/vda: Unable to detect device type".to_owned()))
    );
    assert!(matches!(judge(&health), HealthVerdict::Doubtful(_)));
}

#[test]
fn what_moved_between_two_looks_is_found() {
    let before = report(ATA_SSD);
    let after = report(&ATA_SSD.replace("48151623420", "48151700000"));
    let changes = before.changes(&after);
    assert_eq!(changes.len(), 1);
    assert_eq!((changes[0].name.as_str(), changes[0].after), ("241 Total_LBAs_Written", 48_151_700_000));
    assert!(before.changes(&before).is_empty());
}

/// Bits 0 to 2 of smartctl's exit status mean that it could not ask, 3 to 7 are findings.
#[test]
fn the_exit_status_of_smartctl_is_read() {
    let with = |status: u8| ATA_SSD.replace(r#""exit_status":0"#, &format!(r#""exit_status":{status}"#));
    for status in [1, 2, 3] {
        let found = parse_health(with(status).as_bytes());
        assert!(matches!(found, Health::NotAvailable(NotAvailable::NotAsked(_))), "{status}: {found:?}");
    }
    let in_part = report(&with(4));
    assert!(in_part.exit.says_in_part() && in_part.passed == Some(true));
    let weights = |status| {
        HealthFinding::all(&report(&with(status))).iter().map(HealthFinding::weight).collect::<Vec<_>>()
    };
    assert_eq!(weights(8), [HealthWeight::Failing]);
    assert_eq!(weights(16), [HealthWeight::Failing]);
    assert_eq!(weights(32 + 64 + 128), [HealthWeight::Logged; 3]);
    let logged = judge(&parse_health(with(64).as_bytes()));
    assert_eq!(logged, HealthVerdict::Well, "what was noted once says nothing against a test");
}

/// Several numbers are packed into one raw value: three counts of 16 bits, or a temperature and its bounds.
#[test]
fn what_an_attribute_counts_is_what_smartctl_decodes() {
    let row = |value: u64, text: &str| {
        format!(r#"{{"id":188,"name":"Command_Timeout","raw":{{"value":{value},"string":"{text}"}}}}"#)
    };
    let with = |row: String| {
        let answer = format!(r#"{{"smartctl":{{}},"ata_smart_attributes":{{"table":[{row}]}}}}"#);
        report(&answer)
    };
    let (before, after) = (with(row(4_295_032_833, "1 1 1")), with(row(8_590_065_666, "2 2 2")));
    let moved = |before: &HealthReport, after: &HealthReport| -> Vec<_> {
        before.changes(after).into_iter().map(|one| (one.name, one.before, one.after)).collect()
    };
    let name = |part: &str| format!("188 Command_Timeout{part}");
    let parts = ["", " (2 of 3)", " (3 of 3)"].map(|part| (name(part), 1, 2));
    assert_eq!(moved(&before, &after), parts);
    // The lowest part counts all commands that timed out, and stands last in the text.
    let (before, after) = (with(row(65_536 + 4, "0 1 4")), with(row(65_536 + 5, "0 1 5")));
    assert_eq!(moved(&before, &after), [(name(""), 4, 5)]);
    assert_eq!(after.attributes[0].count(), 5);
    // Three numbers that are not the raw value are no parts of it, and six of 8 bits are.
    assert_eq!(with(row(77, "3 0 4")).attributes[0].count(), 3);
    assert_eq!(with(row(258, "0 0 0 0 1 2")).attributes[0].count(), 2);
    for (text, count) in
        [("31 (Min/Max 18/48)", 31), ("812h+05m+1.5s", 812), ("0x0001", 77), ("", 77), ("1.5", 77)]
    {
        assert_eq!(with(row(77, text)).attributes[0].count(), count, "{text}");
    }
}

#[test]
fn thousands_of_replaced_sectors_are_damage_and_a_few_are_not() {
    let with = |raw: u64| {
        let row =
            format!(r#"{{"id":5,"name":"Reallocated_Sector_Ct","raw":{{"value":{raw},"string":"{raw}"}}}}"#);
        report(&format!(r#"{{"smartctl":{{}},"ata_smart_attributes":{{"table":[{row}]}}}}"#))
    };
    let weight = |raw| HealthFinding::all(&with(raw)).first().map(HealthFinding::weight);
    let found = [weight(3), weight(100), weight(8_000)];
    assert_eq!(found, [None, Some(HealthWeight::Doubtful), Some(HealthWeight::Damaged)]);
    let scsi = report(r#"{"smartctl":{},"smart_status":{"passed":true},"scsi_grown_defect_list":3000}"#);
    let [HealthFinding::Sectors { fault: SectorFault::Reallocated, count: 3000, .. }] =
        HealthFinding::all(&scsi)[..]
    else {
        panic!("{scsi:?}")
    };
}

/// A drive that answers zeros has no log: none has neither spare blocks nor a threshold, and 0 K.
#[test]
fn a_log_of_zeros_is_none() {
    let log = r#"{"critical_warning":0,"temperature":-273,"available_spare":0,"available_spare_threshold":0,
        "percentage_used":0,"data_units_written":0,"power_cycles":0,"power_on_hours":0,"media_errors":0}"#;
    let answer = format!(
        r#"{{"smartctl":{{}},"smart_status":{{"passed":true}},"nvme_smart_health_information_log":{log},
        "temperature":{{"current":-273}},"power_on_time":{{"hours":0}}}}"#
    );
    let found = report(&answer);
    assert!(found.has_blank_log && found.nvme.is_none());
    assert_eq!((found.power_on_hours, found.percentage_used, found.temperature_celsius), (None, None, None));
    let new = report(&answer.replace(r#""available_spare":0"#, r#""available_spare":100"#));
    assert_eq!((new.power_on_hours, new.has_blank_log), (Some(0), false), "a new drive has its spare blocks");
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 48, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::hash_map("[a-z_]{1,8}", inner, 0..5)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

/// Every place at which a value of a real answer can be replaced.
fn places(value: &Value, at: &str, found: &mut Vec<String>) {
    found.push(at.to_owned());
    match value {
        Value::Object(fields) => {
            fields.iter().for_each(|(key, inner)| places(inner, &format!("{at}/{key}"), found));
        }
        Value::Array(items) => {
            items
                .iter()
                .enumerate()
                .for_each(|(index, inner)| places(inner, &format!("{at}/{index}"), found));
        }
        _ => {}
    }
}

proptest! {
    #[test]
    fn no_bytes_make_it_panic(bytes: Vec<u8>) {
        let _ = judge(&parse_health(&bytes));
    }

    #[test]
    fn no_json_makes_it_panic(json in any_json()) {
        let _ = judge(&parse_health(json.to_string().as_bytes()));
    }

    #[test]
    fn no_odd_value_in_a_real_answer_makes_it_panic(
        which in 0..4_usize,
        place: prop::sample::Index,
        odd in any_json(),
    ) {
        let answer = [ATA_SSD, NVME, FAILING, NO_SMART][which];
        let mut answer: Value = serde_json::from_str(answer).expect("an answer");
        let mut found = Vec::new();
        places(&answer, "", &mut found);
        let chosen: &String = place.get(&found);
        *answer.pointer_mut(chosen).expect("a place") = odd;
        let health = parse_health(answer.to_string().as_bytes());
        let _ = judge(&health);
        if let Health::Known(report) = health {
            let _ = report.changes(&report);
        }
    }
}
