//! Reads what smartctl has said of four kinds of drive, and whatever else it might say.

use drivelab_probe::{Health, HealthReport, HealthVerdict, NotAvailable, judge, parse_health};
use proptest::prelude::*;
use serde_json::Value;

const ATA_SSD: &str = include_str!("answers/ata-ssd.json");
const NVME: &str = include_str!("answers/nvme.json");
const FAILING: &str = include_str!("answers/failing.json");
const NO_SMART: &str = include_str!("answers/no-smart.json");

fn report(answer: &str) -> HealthReport {
    match parse_health(answer.as_bytes()) {
        Health::Known(report) => *report,
        Health::NotAvailable(why) => panic!("not available: {why}"),
    }
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
        reasons,
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
        HealthVerdict::Failing(vec!["it has gone read-only".to_owned()])
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
    assert_eq!(after.news(&before), ["its spare blocks are below the threshold"]);
    assert_eq!(before.news(&after), [""; 0]);
}

#[test]
fn a_drive_that_is_worn_or_hot_is_doubtful() {
    let worn = NVME.replace(r#""percentage_used":7"#, r#""percentage_used":104"#);
    let verdict = judge(&parse_health(worn.as_bytes()));
    assert_eq!(verdict, HealthVerdict::Doubtful(vec!["the rated endurance is used up (104 %)".to_owned()]));
    let hot = NVME.replace(r#""critical_warning":0"#, r#""critical_warning":2"#);
    assert!(matches!(judge(&parse_health(hot.as_bytes())), HealthVerdict::Doubtful(_)));
}

#[test]
fn a_drive_without_smart_is_not_an_error() {
    let health = parse_health(NO_SMART.as_bytes());
    assert_eq!(
        health,
        Health::NotAvailable(NotAvailable::NoSmart("/dev/vda: Unable to detect device type".to_owned()))
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
