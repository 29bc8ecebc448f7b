//! Boots that were kept, alone and compared.

use super::{Case, exact};
use crate::golden_record::scene::Scene;
use crate::kept_boot::{events_of_a_boot, record};

/// Makes the folder of a boot of this drive that took `millis` milliseconds.
fn boot(scene: &mut Scene, name: &str, model: &str, millis: u64) {
    scene.write("events.txt", events_of_a_boot());
    scene.prepare(&format!("trace import events.txt -o {name}"));
    let trace = std::fs::read(scene.path(name).join("trace.json")).expect("a trace");
    let record = record(&trace, name, model, &format!("S-{model}"), millis);
    scene.write(&format!("{name}/boot.json"), record.to_string());
}

/// The cases.
pub const CASES: &[Case] = &[
    exact("boot", |scene| {
        boot(scene, "one", "SSD", 7_900);
        scene.run("boot show one --report boot.html");
        scene.keep_page("boot.html");
        scene.run("boot show one --json");
    }),
    exact("boot-compared", |scene| {
        for (place, millis) in [7_800, 7_900, 8_000].into_iter().enumerate() {
            boot(scene, &format!("quick/boot-{place}"), "SSD", millis);
            boot(scene, &format!("slow/boot-{place}"), "Disk", millis + 18_000);
        }
        scene.run("boot show slow quick --report boots.html");
        scene.keep_page("boots.html");
    }),
];
