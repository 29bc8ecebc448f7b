//! Prints the IOPS of each second.
#[path = "../tests/rig/mod.rs"]
mod rig;
fn main() {
    let mut a = std::env::args().skip(1);
    let spec = a.next().unwrap();
    let secs: u64 = a.next().unwrap().parse().unwrap();
    let share: u64 = a.next().map_or(100, |t| t.parse().unwrap());
    let mut r = rig::Rig::new(&spec);
    r.fill(share);
    r.drive.reset_counts();
    let s = r.write_randomly_for(secs, share, 3);
    println!("first {:?}", &s[..30]);
    let n = s.len();
    let last = &s[n * 7 / 10..];
    println!("last {:?}", &s[n - 60..]);
    println!(
        "steady mean {:.0} deviation/mean {:.4} wa {:.3} alpha {:.4}",
        rig::mean(last),
        rig::deviation(last) / rig::mean(last),
        r.write_amplification(),
        r.profile.alpha(drivelab_block::ByteCount::new(r.profile.user_capacity().get() * share / 100))
    );
    println!(
        "fast (>=40K) {} low(1-3K) {} other {}",
        last.iter().filter(|x| **x >= 40000).count(),
        last.iter().filter(|x| (1000..=3000).contains(*x)).count(),
        last.iter().filter(|x| !(1000..=3000).contains(*x) && **x < 40000).count()
    );
}
