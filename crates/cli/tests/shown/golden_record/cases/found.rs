//! What is made of results: reviews, comparisons, an index, exports, a fleet, plans of streams.

use super::{Case, exact};
use crate::golden_record::scene::Scene;

/// A plan of two tests.
const PLAN: &str =
    "[[step]]\ntest = \"quick\"\nwrite = true\n\n[[step]]\ntest = \"stalls\"\nbytes = \"32MB\"\n";

/// Prepares loads of two drives in the folders `a` and `b`.
fn two_loads(scene: &mut Scene) {
    let load = "--rw randwrite --rate 2000/s --duration 1s";
    scene.prepare(&format!("load sim:consistent?size=256MiB {load} -o a --label Even"));
    scene.prepare(&format!("load sim:sm2246en?size=1GiB {load} --seed 2 -o b"));
}

/// Prepares an export of both and of another run on a drive like the first, of a week apart; the first one also under the name of
/// the other machine, as it counts once.
fn exported(scene: &mut Scene) {
    two_loads(scene);
    let load = "--rw randwrite --rate 2000/s --duration 1s --seed 3";
    scene.prepare(&format!("load sim:consistent?size=256MiB {load} -o c"));
    for (result, host, started) in [
        ("a", "one", "2026-11-10T10:00:00Z"),
        ("a", "two", "2026-11-10T10:00:00Z"),
        ("b", "two", "2026-11-17T11:00:00Z"),
        ("c", "two", "2026-11-17T10:00:00Z"),
    ] {
        scene.run(&format!("export {result} --destination fleet --host {host} --started {started}"));
    }
}

/// The cases.
pub const CASES: &[Case] = &[
    exact("review", |scene| {
        scene.write("plan.toml", PLAN);
        let asked = "review sim:sm2246en?size=1GiB sim:consistent?size=256MiB --plan plan.toml";
        scene.run(&format!("{asked} --dry-run"));
        scene.run(&format!("{asked} -o r --label Spring"));
        scene.run("report r --json");
        scene.keep_page("r/report.html");
    }),
    exact("review-plans", |scene| {
        for plan in ["short", "standard", "full"] {
            scene.run(&format!("review --print-plan {plan}"));
            scene.run(&format!("review sim:consistent --plan {plan} --rated-tbw 600 --dry-run"));
        }
    }),
    exact("report-compared", |scene| {
        two_loads(scene);
        scene.prepare("quick sim:consistent?size=256MiB --write -o c");
        scene.run("report a b c --report all.html --csv files --svg files");
        scene.keep_files("files");
        scene.keep_page("all.html");
    }),
    exact("index", |scene| {
        two_loads(scene);
        scene.run("index . --report index.html --csv files");
        scene.keep_files("files");
        scene.keep_page("index.html");
        scene.run("index . --json");
        scene.run("index . --markdown");
    }),
    exact("export", |scene| {
        exported(scene);
        scene.run(
            "export b --destination records --host two --started 2026-11-17T11:00:00Z --as records --json",
        );
        scene.keep_names("fleet");
        scene.keep_names("records");
    }),
    exact("fleet", |scene| {
        exported(scene);
        scene.run("fleet report fleet --report fleet.html");
        scene.keep_page("fleet.html");
        scene.run("fleet report fleet --json");
    }),
    exact("label", |scene| {
        two_loads(scene);
        scene.run("label a --label Odd --note A_remark");
        scene.run("report a");
    }),
    exact("stream-plan", |scene| {
        scene.prepare(
            "stalls sim:mx200-250?size=1GiB&delay_every=300MB&delay=400ms --bytes 900MB --verify no -o s",
        );
        for (rate, time) in [("20MB/s", "1s"), ("20MB/s", "10min"), ("900MB/s", "100ms")] {
            scene.run(&format!(
                "stream plan --channels 2 --rate {rate} --for {time} --on s --report plan.html"
            ));
        }
        scene.keep_page("plan.html");
        scene.run("stream plan --channels 2 --rate 20MB/s --for 1s --on s --json");
        scene.run("stream plan --channels 2 --rate 20MB/s --for 1s --on sim:consistent");
    }),
];
