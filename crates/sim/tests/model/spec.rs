//! Specs, and what is said about bad ones.

use drivelab_sim::{Spec, keys, shipped_profiles};

#[test]
fn a_size_keeps_the_over_provisioning() {
    let whole = Spec::parse("sm2246en").unwrap();
    assert_eq!(whole.raw_capacity().get(), 256 << 30);
    assert_eq!(whole.user_capacity().get(), 240_000_000_000);
    let small = Spec::parse("sm2246en?size=64GiB").unwrap();
    assert!((small.over_provisioning() - whole.over_provisioning()).abs() < 0.003);
    let wide = Spec::parse("sm2246en?size=64GiB&over_provisioning=28%").unwrap();
    assert!((wide.over_provisioning() - 0.28).abs() < 0.003);
    let raw = Spec::parse("sm2246en?raw=300GB").unwrap();
    assert!((raw.over_provisioning() - 0.25).abs() < 0.003);
}

#[test]
fn alpha_is_flash_over_the_range_in_use() {
    let profile = Spec::parse("sm2246en").unwrap();
    let user = profile.user_capacity().get();
    let whole = profile.alpha(profile.user_capacity());
    let kept_back = profile.alpha(drivelab_block::ByteCount::new(user / 4 * 3));
    assert!((1.14..=1.145).contains(&whole), "{whole}");
    assert!((1.52..=1.527).contains(&kept_back), "{kept_back}");
}

#[test]
fn bad_specs_are_answered_in_one_line_that_says_what_to_do() {
    let cases: &[(&str, &[&str])] = &[
        ("sm2246", &["sm2246", "sm2246en", "drivelab profiles"]),
        ("granite", &["granite", "sm2246en", "consistent", ".toml"]),
        ("nowhere.toml", &["nowhere.toml", "check the path"]),
        ("sm2246en?sise=64GiB", &["'sise'", "did you mean 'size'"]),
        ("sm2246en?colour=blue", &["'colour'", "drivelab profiles lists the keys"]),
        ("sm2246en?capacity=2GiB", &["'capacity'", "did you mean size, over_provisioning, heat_capacity?"]),
        ("sm2246en?size=0", &["size", "'0'", "64MiB to 15TiB"]),
        ("sm2246en?size=400TB", &["size", "400TB", "15TiB"]),
        ("sm2246en?size=lots", &["size", "lots", "write it like"]),
        ("sm2246en?size", &["'size'", "size=64GiB"]),
        ("sm2246en?size=64GiB&size=32GiB", &["size", "twice"]),
        ("sm2246en?size=64MiB", &["size", "over_provisioning", "fewer dies"]),
        ("sm2246en?raw=100GB", &["raw", "size", "more raw flash"]),
        ("sm2246en?raw=300GB&over_provisioning=7%", &["raw", "over_provisioning", "one of them"]),
        ("sm2246en?over_provisioning=0.12", &["over_provisioning", "0.12", "12%"]),
        ("sm2246en?collect=never", &["collect", "never", "foreground, interleaved"]),
        ("sm2246en?program=5", &["program", "'5'", "1.3ms"]),
        ("sm2246en?logical_block=1024", &["logical_block", "1KiB", "512B or 4KiB"]),
        ("sm2246en?page=6KiB", &["page", "6KiB", "8KiB"]),
        ("sm2246en?planes=3", &["planes", "3"]),
        ("sm2246en?pages_per_block=7", &["pages_per_block", "7", "multiple"]),
        ("sm2246en?freeze_every=1s&freeze_for=2s", &["freeze_for", "freeze_every"]),
        ("sm2246en?delay_every=1GB&delay=1s&delay_deviation=2s", &["delay_deviation", "smaller"]),
        ("qlc-slc?slc_kind=static&slc_cache=800GB", &["slc_cache", "smaller"]),
        ("qlc-slc?slc_share=20%&slc_kind=static", &["slc_share", "slc_kind=dynamic"]),
        ("qlc-slc?slc_share=40%", &["slc_share", "40%", "at most 25%"]),
        ("qlc-slc?slc_min=2GB", &["slc_min", "slc_share"]),
        ("consistent?slc_empty_rate=20MB/s", &["slc_empty_rate", "slc_cache"]),
        (
            "qlc-slc?slc_full=direct_then_fold&slc_kind=static&slc_cache=20GB",
            &["direct_then_fold", "dynamic"],
        ),
        ("consistent?map_cache=5MiB&map_miss=50us", &["map_cache", "4MiB"]),
        ("consistent?map_cache=1GiB", &["map_cache", "map_miss", "both"]),
        ("hdd-7200?write_cache=protected", &["write_cache", "disk"]),
        ("consistent?thermal_limit=70C", &["thermal_limit", "thermal_resistance"]),
        ("consistent?thermal_resistance=20K/W&thermal_limit=30C", &["thermal_limit", "idle_power"]),
        (
            "consistent?thermal_resistance=20K/W&thermal_limit=70C&thermal_throttle=0%",
            &["thermal_throttle", "50%"],
        ),
        ("consistent?thermal_limit=70", &["thermal_limit", "70C"]),
        ("consistent?power_state_1_exit=2ms", &["power_state_1_after"]),
        ("hdd-7200?slc_cache=5GiB", &["slc_cache", "leave it out of a disk"]),
        ("tlc-nvme?power_state_2_exit=1ms", &["power_state_2", "_exit"]),
        ("consistent?power_state_2_after=2s", &["power_state_2_after", "power_state_1_after"]),
        ("consistent?power_state_1_after=1s&power_state_1_power=9W", &["power_state_1_power", "idle_power"]),
        ("consistent?delay_bad_blocks=1", &["delay_bad_blocks", "health=ata"]),
        ("hdd-7200?inner_rate=300MB/s", &["inner_rate = 300MB/s", "outer_rate = 210MB/s"]),
        ("", &["no simulated drive"]),
    ];
    are_answered(cases);
}

/// Whether each spec is refused in one line with these words.
fn are_answered(cases: &[(&str, &[&str])]) {
    for (spec, words) in cases {
        let message = Spec::parse(spec).expect_err(spec).to_string();
        assert!(!message.contains('\n'), "{message}");
        for word in *words {
            assert!(message.contains(word), "{spec}: '{word}' is missing in: {message}");
        }
    }
}

#[test]
fn contradictions_are_refused_in_one_line_that_says_what_to_do() {
    let cases: &[(&str, &[&str])] = &[
        ("tlc-nvme,slc=off", &["question mark", "sim:tlc-nvme?KEY=VALUE"]),
        ("tlc-nvme?slc=off", &["did you mean slc_cache"]),
        ("tlc-nvme?slc_cache=off", &["slc_cache", "write 0B"]),
        ("tlc-nvme?size=64GiB,dies=4", &["&"]),
        // Keys that say nothing without another one.
        ("consistent?slc_full=fold", &["slc_full", "SLC cache", "slc_cache=20GB"]),
        ("tlc-nvme?slc_cache=0B&slc_full=fold", &["slc_full", "SLC cache"]),
        ("consistent?collect_quantum=3", &["collect_quantum", "collect=foreground"]),
        ("consistent?map_segment=1MiB", &["map_segment", "split_time"]),
        ("consistent?map_miss=50us", &["map_miss", "map_cache"]),
        ("consistent?ambient=30C", &["ambient", "thermal_resistance"]),
        ("tlc-nvme?thermal_limit=0C&thermal_throttle=30%", &["thermal_throttle", "thermal_limit"]),
        ("consistent?freeze_for=1s", &["freeze_for", "freeze_every"]),
        ("consistent?hang_for=1s", &["hang_for", "hang_at"]),
        ("consistent?size=1GiB&wrap_at=2GiB", &["wrap_at = 2GiB", "the size of the drive", "at most 1GiB"]),
        ("consistent?delay=1s", &["delay", "delay_every"]),
        ("consistent?rated_erases=100", &["rated_erases", "health"]),
        ("hdd-7200?program=5us", &["program", "flash"]),
        ("consistent?rpm=7200", &["rpm", "disk"]),
        // Values that are too large for others.
        ("consistent?collect_pool=1TB", &["collect_pool = 1TB", "a quarter of the spare", "20.8GB"]),
        ("consistent?idle_collect_pool=500MB", &["idle_collect_pool = 500MB", "collect_pool = 1GB"]),
        ("tlc-nvme?write_buffer=4GiB&size=1GiB", &["write_buffer = 4GiB", "at most 1GiB"]),
        ("qlc-slc?slc_cache=1TB", &["slc_cache = 1TB", "128GiB"]),
        ("tlc-nvme?slc_program=1ms", &["slc_program = 1ms", "program = 655us"]),
        ("tlc-nvme?bits_per_cell=1", &["bits_per_cell", "slc_cache"]),
        ("tlc-nvme?kind=disk", &["kind", "name a profile of that kind"]),
        ("hmb-nvme?map_cache=2TB", &["map_cache = 2TB", "size = 1TB"]),
        ("tlc-nvme?power_state_3_after=1s", &["power_state_3_after = 1s", "power_state_2_after = 2s"]),
    ];
    are_answered(cases);
}

/// What an override takes away takes with it what the profile says of it; what it makes smaller is no error either.
#[test]
fn an_override_that_takes_something_away_is_no_contradiction() {
    for spec in [
        "tlc-nvme?slc_cache=0B",
        "tlc-nvme?slc_kind=static&slc_full=direct&slc_cache=20GB",
        "tlc-nvme?thermal_resistance=0K/W",
        "tlc-nvme?thermal_limit=0C",
        "hmb-nvme?map_cache=0B",
        "hmb-nvme?size=16GiB",
        "mx200-250?delay_every=0B",
        "mx200-250?health=none",
        "sm2246en?collect=interleaved",
        "tlc-nvme?idle_collect_after=0s",
    ] {
        assert!(Spec::parse(spec).is_ok(), "{spec}: {:?}", Spec::parse(spec));
    }
    let without = Spec::parse("tlc-nvme?slc_cache=0B").unwrap();
    assert_eq!(drivelab_sim::SimDrive::new(&without, 1).ground_truth().slc_cache, None);
}

#[test]
fn a_file_is_read_as_the_shipped_profiles_are() {
    let path = std::env::temp_dir().join(format!("drivelab-sim-{}.toml", std::process::id()));
    std::fs::write(&path, "description = \"mine\"\nsize = \"8GiB\"\nover_provisioning = \"28%\"\ndies = 4\n")
        .unwrap();
    let profile = Spec::parse(&format!("{}?dies=8", path.display())).unwrap();
    assert_eq!((profile.description(), profile.user_capacity().get()), ("mine", 8 << 30));
    std::fs::write(&path, "size = [1]\n").unwrap();
    assert!(Spec::parse(path.to_str().unwrap()).unwrap_err().to_string().contains("'size' is a array"));
    std::fs::write(&path, "dies = 4\n").unwrap();
    assert!(Spec::parse(path.to_str().unwrap()).unwrap_err().to_string().contains("'size' is missing"));
    std::fs::write(&path, "dies = 4\nsize =\n").unwrap();
    assert!(Spec::parse(path.to_str().unwrap()).unwrap_err().to_string().contains("line 2"));
    std::fs::remove_file(&path).unwrap();
}

#[test]
fn every_key_can_be_printed() {
    let keys = keys();
    assert!(keys.len() > 40);
    assert!(keys.iter().all(|key| !key.unit.is_empty() && key.doc.ends_with('.')));
    assert_eq!(shipped_profiles().next(), Some("sm2246en"));
}

/// What the refusal of a drive that could not cool down offers is taken.
#[test]
fn what_a_refused_temperature_is_to_be_replaced_by_is_taken() {
    let refused =
        Spec::parse("enterprise-nvme?ambient=60C").expect_err("it would never stop throttling").to_string();
    let behind = |words: &str| {
        let (_, rest) = refused.split_once(words).unwrap_or_else(|| panic!("{words}: {refused}"));
        rest.split(' ').next().expect("a value").to_owned()
    };
    for (key, words) in [("ambient", "an ambient of "), ("thermal_limit", "a thermal_limit of ")] {
        let value = behind(words);
        let ambient = if key == "ambient" { "" } else { "&ambient=60C" };
        let taken = Spec::parse(&format!("enterprise-nvme?{key}={value}{ambient}"));
        assert!(taken.is_ok(), "{key}={value}: {taken:?}");
    }
}
