//! What every shipped drive answers, to the nanosecond: a change of the model that was not meant is found here, whatever it
//! changes. The rates and delays that a drive must have are in `profiles.rs`; a change that is meant needs both, and the hashes
//! that this test then prints.

use crate::rig::{CompletionHash, Dice, Rig, SECOND, UNIT_SECTORS, request};
use drivelab_block::Op;

/// A drive as it is typed, and the FNV-1a of its completions.
const HASHES: [(&str, u64); 16] = [
    ("sm2246en?size=1GiB", 0xa297_68bb_1897_25e3),
    ("consistent?size=1GiB", 0x01b5_547c_6df6_1902),
    ("mx200-250?size=1GiB", 0xf5b8_b82b_75ea_918a),
    ("x300s-128?size=1GiB", 0x9bb4_d033_6e1a_577f),
    ("qlc-slc?size=2GiB", 0x5b54_6745_db1c_ea54),
    ("hdd-7200?size=1GiB", 0x71c8_6f94_dbc4_d6c9),
    ("tlc-nvme?size=2GiB", 0xe549_2732_ab0a_e818),
    ("hmb-nvme?size=2GiB", 0xe135_9316_cf77_4618),
    ("qlc-nvme?size=2GiB", 0x0e75_6789_a1be_db9e),
    ("enterprise-nvme?size=2GiB", 0xb162_93c7_7874_b283),
    ("sm2246en?size=1GiB&delay_every=300MB&delay=50ms&delay_deviation=5ms", 0xcd97_4bbe_5dd2_4019),
    ("consistent?size=1GiB&trim=ignored", 0xc7ad_4e86_1f17_73a0),
    (
        "qlc-slc?size=2GiB&over_provisioning=30%&pages_per_block=64&slc_cache=64MiB&slc_kind=static",
        0x9bd4_6622_fbed_64aa,
    ),
    (
        "qlc-slc?size=2GiB&over_provisioning=30%&pages_per_block=64&slc_cache=128MiB&slc_full=direct",
        0xbc36_987f_f810_457d,
    ),
    (
        "qlc-slc?size=2GiB&over_provisioning=30%&pages_per_block=64&slc_cache=200MiB&collect_pool=0",
        0xa859_0ea0_e34e_266c,
    ),
    (
        "consistent?size=1GiB&planes=2&page=8KiB&pages_per_block=64&over_provisioning=25%&dies=8",
        0x5908_1af3_c2b0_3128,
    ),
];

/// Fills the drive, writes in random order until its flash is collected, then mixes reads, writes of any length and alignment,
/// discards and flushes, rests, writes again, and begins anew after a discard
/// of all.
fn hash_of(spec: &str) -> u64 {
    let mut rig = Rig::new(spec);
    let mut hash = CompletionHash::new();
    let all = rig.sectors() * 512;
    rig.write_sequentially(all, 256, |completion| hash.add(completion));
    let is_disk = spec.starts_with("hdd");
    let count = if is_disk { 2_000 } else { 200_000 };
    rig.write_randomly(count, 100, 3, |completion| hash.add(completion));
    let discards = !is_disk;
    let units = rig.sectors() / UNIT_SECTORS;
    let mut dice = Dice::new(9);
    let mut left = count / 2;
    if discards {
        rig.allow_discards();
    }
    let mixed = || {
        left = left.checked_sub(1)?;
        let start = dice.below(units - 64) * UNIT_SECTORS;
        Some(match dice.below(16) {
            0..=4 => request(Op::Read, start, 1 + dice.below(64)),
            5 if discards => request(Op::Discard, start, UNIT_SECTORS * (1 + dice.below(60))),
            6 => request(Op::Flush, 0, 0),
            7 => request(Op::Write, start + dice.below(8), 1 + dice.below(40)),
            _ => request(Op::Write, start, UNIT_SECTORS),
        })
    };
    rig.run(None, mixed, |completion| hash.add(completion));
    rig.rest(5 * SECOND);
    rig.write_randomly(count / 10, 30, 4, |completion| hash.add(completion));
    if discards {
        let mut whole = [request(Op::Discard, 0, rig.sectors())].into_iter();
        rig.run(None, || whole.next(), |completion| hash.add(completion));
        rig.write_randomly(count / 10, 100, 5, |completion| hash.add(completion));
    }
    rig.check();
    hash.value()
}

#[test]
fn every_shipped_drive_answers_as_it_did() {
    let found = HASHES.map(|(spec, _)| (spec, hash_of(spec)));
    let wrong = HASHES.iter().zip(&found).filter(|(expected, found)| expected != found).count();
    assert_eq!(wrong, 0, "{wrong} drives answer otherwise now: {found:#018x?}");
}
