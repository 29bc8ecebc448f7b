//! Meters of machines that are shown by folders of files.

use std::fs;
use std::path::Path;
use std::time::Duration;

use drivelab_meter::{Meter, MeterError, MeterSpec, Reading};
use tempfile::TempDir;

/// How long ago a meter was read before.
const A_TENTH: Duration = Duration::from_millis(100);

/// A machine of these files.
fn machine(files: &[(&str, &str)]) -> TempDir {
    let root = TempDir::new().expect("a folder");
    files.iter().for_each(|(path, text)| put(root.path(), path, text));
    root
}

fn put(root: &Path, path: &str, text: &str) {
    let path = root.join("sys/class").join(path);
    fs::create_dir_all(path.parent().expect("a folder")).expect("room");
    fs::write(path, format!("{text}\n")).expect("room");
}

fn open(root: &Path, meter: &str, volts: Option<f64>) -> Result<Meter, String> {
    let spec: MeterSpec = meter.parse().expect("a meter");
    Meter::open(&spec, root, volts, Duration::from_secs(1))
}

fn watts(meter: &mut Meter) -> f64 {
    match meter.read(A_TENTH) {
        Ok(Reading::Gauge(watts)) => watts,
        other => panic!("{other:?}"),
    }
}

#[test]
fn batteries_that_discharge_are_added_up_and_a_mouse_is_none() {
    let root = machine(&[
        ("power_supply/AC/type", "Mains"),
        ("power_supply/BAT0/type", "Battery"),
        ("power_supply/BAT0/status", "Discharging"),
        ("power_supply/BAT0/power_now", "7250000"),
        ("power_supply/BAT1/type", "Battery"),
        ("power_supply/BAT1/status", "Discharging"),
        ("power_supply/BAT1/current_now", "-250000"),
        ("power_supply/BAT1/voltage_now", "12000000"),
        ("power_supply/hid-mouse/type", "Battery"),
        ("power_supply/hid-mouse/scope", "Device"),
        ("power_supply/hid-mouse/status", "Discharging"),
        ("power_supply/hid-mouse/power_now", "99000000"),
    ]);
    let mut battery = open(root.path(), "battery", None).expect("a battery");
    assert!((watts(&mut battery) - 10.25).abs() < 1e-9);
    put(root.path(), "power_supply/BAT1/status", "Not charging");
    assert!((watts(&mut battery) - 7.25).abs() < 1e-9);
    put(root.path(), "power_supply/BAT1/status", "Charging");
    assert_eq!(battery.read(A_TENTH), Err(MeterError::NotDischarging("Charging".to_owned())));
    assert_eq!(Meter::of_machine(root.path()), None);
    put(root.path(), "power_supply/BAT1/status", "Full");
    put(root.path(), "power_supply/BAT0/power_now", "strange");
    assert_eq!(battery.read(A_TENTH), Err(MeterError::NotANumber("strange".to_owned())));
    fs::remove_file(root.path().join("sys/class/power_supply/BAT0/power_now")).expect("it was there");
    assert!(matches!(battery.read(A_TENTH), Err(MeterError::Gone(_))));
}

#[test]
fn packages_are_added_up_over_their_wraps_and_what_lies_within_them_is_not_added_again() {
    let root = machine(&[
        ("powercap/intel-rapl:0/name", "package-0"),
        ("powercap/intel-rapl:0/energy_uj", "999000000"),
        ("powercap/intel-rapl:0/max_energy_range_uj", "1000000000"),
        ("powercap/intel-rapl:0:0/name", "core"),
        ("powercap/intel-rapl:0:0/energy_uj", "5"),
        ("powercap/intel-rapl:0:0/max_energy_range_uj", "1000000000"),
        ("powercap/intel-rapl:1/name", "package-1"),
        ("powercap/intel-rapl:1/energy_uj", "0"),
        ("powercap/intel-rapl:1/max_energy_range_uj", "1000000000"),
        ("powercap/intel-rapl:2/name", "psys"),
        ("powercap/intel-rapl:2/energy_uj", "7"),
        ("powercap/intel-rapl:2/max_energy_range_uj", "1000000000"),
        ("powercap/intel-rapl-mmio:0/name", "package-0"),
        ("powercap/intel-rapl-mmio:0/energy_uj", "999000000"),
        ("powercap/intel-rapl-mmio:0/max_energy_range_uj", "1000000000"),
    ]);
    assert_eq!(Meter::of_machine(root.path()), Some(MeterSpec::Rapl));
    let mut rapl = open(root.path(), "rapl", None).expect("counters");
    let mut after = |first: &str, second: &str| {
        put(root.path(), "powercap/intel-rapl:0/energy_uj", first);
        put(root.path(), "powercap/intel-rapl:1/energy_uj", second);
        rapl.read(A_TENTH)
    };
    assert_eq!(after("999500000", "250000"), Ok(Reading::Joules(0.75)));
    // The first counter begins anew: 0.5 J to its end, 1.5 J from there.
    assert_eq!(after("1500000", "250000"), Ok(Reading::Joules(2.75)));
    // One that goes back by a little was set back: nothing is made of it, nor of the other, until it goes on.
    assert!(matches!(after("1400000", "1250000"), Err(MeterError::Impossible(_))));
    assert_eq!(after("1600000", "2250000"), Ok(Reading::Joules(4.85)));
    assert!(matches!(after("1600000", "3000000000"), Err(MeterError::Impossible(_))));
}

#[test]
fn a_counter_that_was_set_back_to_nothing_is_no_wrap() {
    let root = machine(&[
        ("powercap/intel-rapl:0/name", "package-0"),
        ("powercap/intel-rapl:0/energy_uj", "200000000000"),
        ("powercap/intel-rapl:0/max_energy_range_uj", "262143000000"),
    ]);
    let mut rapl = open(root.path(), "rapl", None).expect("a counter");
    // 62 kJ in a tenth of a second: the machine slept. Nothing that it says later is the energy since the beginning.
    for microjoules in ["0", "1000", "200000001000"] {
        put(root.path(), "powercap/intel-rapl:0/energy_uj", microjoules);
        assert!(matches!(rapl.read(A_TENTH), Err(MeterError::Impossible(_))), "{microjoules}");
    }
}

#[test]
fn a_sensor_tells_power_or_a_current_at_a_known_voltage() {
    let root = machine(&[
        ("hwmon/hwmon0/name", "ina226"),
        ("hwmon/hwmon0/power1_input", "3250000"),
        ("hwmon/hwmon1/name", "shunt"),
        ("hwmon/hwmon1/curr1_input", "500"),
        ("hwmon/hwmon2/name", "twin"),
        ("hwmon/hwmon2/power1_average", "1000000"),
        ("hwmon/hwmon3/name", "twin"),
        ("hwmon/hwmon3/power1_average", "2000000"),
        ("hwmon/hwmon4/name", "coretemp"),
        ("hwmon/hwmon5/name", "liar"),
        ("hwmon/hwmon5/power1_input", "999999999999999"),
    ]);
    let root = root.path();
    assert!((watts(&mut open(root, "hwmon:ina226", None).expect("power")) - 3.25).abs() < 1e-9);
    assert!((watts(&mut open(root, "hwmon:shunt", Some(12.0)).expect("current")) - 6.0).abs() < 1e-9);
    assert!((watts(&mut open(root, "hwmon:hwmon3", None).expect("its folder")) - 2.0).abs() < 1e-9);
    let refused = |meter: &str, volts, word: &str| {
        let text = open(root, meter, volts).expect_err(meter);
        assert!(text.contains(word), "{text}");
    };
    refused("hwmon:shunt", None, "--volts");
    refused("hwmon:ina226", Some(5.0), "leave out --volts");
    refused("hwmon:twin", None, "hwmon:hwmon2");
    refused("hwmon:coretemp", None, "neither");
    refused("hwmon:liar", None, "cannot be");
    refused("hwmon:ina219", None, "coretemp (hwmon4)");
    refused("battery", None, "no battery");
    refused("rapl", None, "no processor package");
    refused("battery", Some(5.0), "--volts goes with an ammeter");
    refused("sim", None, "sim: target");
}
