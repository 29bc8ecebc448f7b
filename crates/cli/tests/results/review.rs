//! A review: its plan, what it leaves, and that it goes on after anything.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;

use crate::common::devices::{self, Loop};
use crate::common::running::Running;
use crate::common::{assert_fits, drivelab, folder, text};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

/// Three tests of seconds; the second one is what a review is killed in.
const PLAN: &str = "\
[[step]]
test = \"quick\"
write = true

[[step]]
test = \"consistency\"
duration = \"20s\"
window = \"1s\"
over-provisioning = \"0%,25%\"

[[step]]
test = \"stalls\"
bytes = \"100MB\"
";

const DRIVES: [&str; 2] = ["sim:sm2246en?size=1GiB", "sim:consistent?size=1GiB"];

/// A plan in a file of this folder.
fn plan(folder: &Path, text: &str) -> PathBuf {
    let path = folder.join("plan.toml");
    fs::write(&path, text).expect("a plan");
    path
}

fn record(review: &Path) -> Value {
    serde_json::from_slice(&fs::read(review.join("review.json")).expect("a record")).expect("JSON")
}

fn page(review: &Path) -> String {
    fs::read_to_string(review.join("report.html")).expect("a page")
}

#[test]
fn a_review_does_every_step_of_its_plan_on_every_drive_and_shows_them_on_one_page() {
    let folder = folder();
    let (plan, review) = (plan(folder.path(), PLAN), folder.path().join("review"));
    let asked = ["--plan", text(&plan), "-o", text(&review), "--json", "--label", "Spring"];
    let ended = drivelab(&[&["review"], &DRIVES[..], &asked].concat()).with_code(0);
    assert!(ended.stderr.contains("step 6 of 6: stalls on sim:consistent"), "{}", ended.stderr);
    let document = ended.json();
    assert_eq!(document, record(&review));
    let steps = document["steps"].as_array().expect("steps");
    assert_eq!(steps.len(), 6);
    for step in steps {
        assert_eq!(step["ended"]["exit_code"], 0, "{step}");
        let own = review.join(step["folder"].as_str().expect("a folder"));
        drivelab(&["report", text(&own), "--json"]).with_code(0);
    }
    let page = page(&review);
    assert!(page.contains("All 6 tests of the plan") && page.contains("none failed"));
    for words in ["Short sequential writes", "p99.99 with 25 % over-provisioning", "Review: Spring"] {
        assert!(page.contains(words), "{words}");
    }
    fs::remove_file(review.join("report.html")).expect("a page");
    let shown = drivelab(&["report", text(&review)]).with_code(0);
    assert_eq!(self::page(&review), page, "a report makes the same page");
    assert!(shown.stdout.contains("Quick test: "), "{}", shown.stdout);
    // A review that stands next to others brings all of its results, those of several runs too.
    let together = drivelab(&["report", text(folder.path()), "--markdown"]).with_code(0).stdout;
    for kind in ["Performance consistency of", "Quick test of", "Recording of a stream of"] {
        assert!(together.contains(kind), "{kind}: {together}");
    }
}

#[test]
fn a_review_that_was_killed_goes_on_and_ends_as_an_undisturbed_one() {
    let folder = folder();
    let plan = plan(folder.path(), PLAN);
    let (whole, killed) = (folder.path().join("whole"), folder.path().join("killed"));
    let asked = |review| ["review", DRIVES[0], DRIVES[1], "--plan", text(&plan), "-o", text(review)];
    drivelab(&asked(&whole)).with_code(0);
    let mut running = Running::start(&asked(&killed));
    for pause in [150, 400, 700, 250, 900] {
        #[expect(clippy::disallowed_methods, reason = "a test lets the review go on for a while")]
        sleep(Duration::from_millis(pause));
        // A step that has just been started is the one that may miss the end of its review.
        wait_for_another_child(&running);
        running.kill();
        if !killed.join("review.json").exists() {
            // It had not begun yet: nothing is there to go on with.
            running = Running::start(&asked(&killed));
            continue;
        }
        running = Running::start(&["review", "--resume", text(&killed)]);
    }
    running.kill();
    drivelab(&["review", "--resume", text(&killed)]).with_code(0);
    assert_eq!(page(&killed), page(&whole));
    assert_eq!(record(&killed), record(&whole));
}

/// Waits until a review has just started another program, or a little while where it starts none.
fn wait_for_another_child(review: &Running) {
    let path = format!("/proc/{0}/task/{0}/children", review.process());
    let children = || fs::read_to_string(&path).unwrap_or_default();
    let before = children();
    let is_new = |now: String| now != before && !now.is_empty();
    // A pause between two looks would miss the moment.
    let _ = (0..50_000).any(|_| is_new(children()));
}

#[test]
fn the_energy_of_every_test_that_takes_a_meter_is_on_the_page_and_a_review_goes_on_with_its_meter() {
    let folder = folder();
    // Of a quarter of a second too few readings are there. Rounds in PTS style take no account of a simulated drive.
    let pts = "\n[[step]]\ntest = \"pts\"\ntests = \"throughput\"\ncell-duration = \"1s\"\n";
    let steps = PLAN.replace("100MB", "600MB") + pts;
    let (plan, review) = (plan(folder.path(), &steps), folder.path().join("review"));
    let asked = ["review", DRIVES[0], "--plan", text(&plan), "-o", text(&review), "--meter", "sim"];
    drivelab(&asked).with_code(0);
    let (whole, first_page) = (record(&review), page(&review));
    let of_consistency = "Energy of performance consistency with 25 % over-provisioning";
    for words in ["Energy of quick test", "Mean power of quick test", of_consistency] {
        assert!(first_page.contains(words), "{words}");
    }
    assert_eq!(whole["meter"]["name"], "sim");
    // As it would be had the power been cut in the last two steps.
    let mut cut_off = whole.clone();
    cut_off["steps"][2]["ended"] = Value::Null;
    cut_off["steps"][3]["ended"] = Value::Null;
    fs::write(review.join("review.json"), cut_off.to_string()).expect("edited");
    drivelab(&["review", "--resume", text(&review), "--meter", "sim"]).fails_in_the_parser(&["--meter"]);
    drivelab(&["review", "--resume", text(&review)]).with_code(0);
    assert_eq!((record(&review), page(&review)), (whole, first_page));
    let refused = |drive, steps: &str, more: &[&str], words: &[&str]| {
        let plan = self::plan(folder.path(), steps);
        let review = folder.path().join("refused");
        let asked = ["review", drive, "--plan", text(&plan), "-o", text(&review)];
        drivelab(&[&asked[..], more].concat()).fails_in_one_line(2, words);
    };
    let sim = ["--meter", "sim"];
    refused(DRIVES[0], "[[step]]\ntest = \"pts\"", &sim, &["no step of the plan would read it"]);
    refused(DRIVES[0], "[[step]]\ntest = \"quick\"\nmeter = \"sim\"", &sim, &["no step of the plan"]);
    refused(DRIVES[0], PLAN, &["--meter", "rapl"], &["use --meter sim"]);
    refused(DRIVES[0], PLAN, &["--volts", "12"], &["--volts and --battery go with --meter"]);
    let file = folder.path().join("image");
    fs::write(&file, vec![1; 8 << 20]).expect("room on disk");
    refused(text(&file), PLAN, &sim, &["name the meter of a real one"]);
}

/// A step with a meter of its own keeps it, and takes its own idle times.
#[test]
fn the_time_of_a_step_has_the_idle_times_of_the_meter() {
    let folder = folder();
    let (file, review) = (folder.path().join("image"), folder.path().join("review"));
    fs::write(&file, vec![1; 64 << 20]).expect("room on disk");
    let steps = "[[step]]\ntest = \"load\"\nrw = \"randread\"\nduration = \"1min\"\n\n\
                 [[step]]\ntest = \"load\"\nrw = \"randread\"\nduration = \"1min\"\nmeter = \"rapl\"\nbaseline = \"2min\"\n";
    let plan = plan(folder.path(), steps);
    let planned = |more: &[&str]| {
        let asked = ["review", text(&file), "--plan", text(&plan), "-o", text(&review), "--dry-run"];
        drivelab(&[&asked[..], more].concat()).with_code(0).stderr
    };
    let without = planned(&[]);
    assert!(without.contains("at most 60 s") && without.contains("at most 5 min"), "{without}");
    let with = planned(&["--meter", "hwmon:ina226", "--baseline", "1min"]);
    assert!(with.contains("at most 3 min") && with.contains("at most 8 min"), "{with}");
}

#[test]
fn a_review_that_is_asked_to_end_ends_its_step_first_and_says_how_to_go_on() {
    let folder = folder();
    let steps = "[[step]]\ntest = \"consistency\"\nduration = \"100000s\"\n";
    let (plan, review) = (plan(folder.path(), steps), folder.path().join("review"));
    let running = Running::start(&["review", DRIVES[0], "--plan", text(&plan), "-o", text(&review)]);
    let segments = review.join("01-sim-sm2246en-size-1GiB/01-consistency");
    assert!(devices::eventually(|| segments.exists()), "no step begins");
    running.signal(Signal::TERM);
    let ended = running.ends();
    assert_eq!(ended.code, Some(130), "{ended:?}");
    for words in ["stopped by SIGTERM: ending the run", "drivelab review --resume", "goes on"] {
        assert!(ended.stderr.contains(words), "{words}: {}", ended.stderr);
    }
    // The review alone says so.
    assert_eq!(ended.stderr.matches("ending the run").count(), 1, "{}", ended.stderr);
    assert_eq!(record(&review)["steps"][0]["ended"], Value::Null);
}

#[test]
fn a_step_that_is_killed_is_named_and_the_next_one_is_run() {
    let folder = folder();
    let steps = "[[step]]\ntest = \"consistency\"\nduration = \"100000s\"\n\n[[step]]\ntest = \"quick\"\n";
    let (plan, review) = (plan(folder.path(), steps), folder.path().join("review"));
    let running = Running::start(&["review", DRIVES[0], "--plan", text(&plan), "-o", text(&review)]);
    assert!(devices::eventually(|| running.measuring_process() != running.process()), "no step begins");
    let step = running.measuring_process().parse().ok().and_then(Pid::from_raw).expect("a number");
    kill_process(step, Signal::KILL).expect("the step is there");
    let ended = running.ends();
    assert_eq!(ended.code, Some(1), "{ended:?}");
    let steps = record(&review)["steps"].clone();
    let expected = serde_json::json!({"exit_code": 137, "why": "it was ended by signal 9"});
    assert_eq!((&steps[0]["ended"], &steps[1]["ended"]["exit_code"]), (&expected, &0.into()));
}

#[test]
fn a_dry_run_says_how_long_each_step_takes_and_what_it_writes_and_does_nothing() {
    let folder = folder();
    let (plan, review) = (plan(folder.path(), PLAN), folder.path().join("review"));
    let asked =
        ["review", DRIVES[0], "--plan", text(&plan), "-o", text(&review), "--dry-run", "--rated-tbw", "1"];
    let ended = drivelab(&asked).with_code(0);
    for words in ["consistency  about", "together     about", "of its rated endurance"] {
        assert!(ended.stderr.contains(words), "{words}: {}", ended.stderr);
    }
    assert!(ended.stdout.contains("Nothing was done") && !review.exists());
    let document = drivelab(&[&asked[..], &["--json"]].concat()).with_code(0).json();
    assert_fits(include_str!("../../schemas/drivelab.review-plan-1.json"), &document);
    let tests: Vec<&Value> =
        document["steps"].as_array().expect("steps").iter().map(|step| &step["test"]).collect();
    assert_eq!(tests, ["quick", "consistency", "stalls"]);
    assert!(!review.exists());
}

#[test]
fn a_review_takes_another_name_and_says_what_it_left_out_and_cannot_show() {
    let folder = folder();
    let text_of_plan = "[[step]]\ntest = \"lifetime\"\n\n[[step]]\ntest = \"quick\"\n\n\
                        [[step]]\ntest = \"stalls\"\nbytes = \"50MB\"\nrange = \"0%-50%\"\n";
    let (plan, review) = (plan(folder.path(), text_of_plan), folder.path().join("review"));
    drivelab(&["review", DRIVES[0], "--plan", text(&plan), "-o", text(&review)]).with_code(0);
    let page = page(&review);
    for words in ["2 of 3 tests of the plan plan.toml are done, 1 was left out", "stalls used 0%-50%"] {
        assert!(page.contains(words), "{words}");
    }
    let title = format!("Review of {}", DRIVES[0]);
    assert_eq!(page.matches(&format!(">{title}<")).count(), 2, "the title of the document and its heading");
    drivelab(&["label", text(&review), "--label", "Autumn", "--note", "31 degrees"]).with_code(0);
    assert_eq!(record(&review)["label"], "Autumn");
    assert!(self::page(&review).contains("Review: Autumn"));
}

#[test]
fn a_step_that_fails_is_named_and_the_next_one_is_run() {
    let folder = folder();
    let (plan, review) = (
        plan(folder.path(), "[[step]]\ntest = \"stalls\"\nbytes = \"50MB\"\n\n[[step]]\ntest = \"quick\"\n"),
        folder.path().join("review"),
    );
    let drive = "sim:consistent?size=256MiB&flip_every=2";
    let ended = drivelab(&["review", drive, "--plan", text(&plan), "-o", text(&review)]).with_code(1);
    assert!(ended.stdout.contains("1 failed (stalls)."), "{}", ended.stdout);
    let steps = record(&review)["steps"].clone();
    assert_eq!((&steps[0]["ended"]["exit_code"], &steps[1]["ended"]["exit_code"]), (&1.into(), &0.into()));
    drivelab(&["report", text(&review)]).with_code(1);
}

#[test]
fn what_failed_or_is_gone_is_done_again() {
    let folder = folder();
    let (plan, review) = (plan(folder.path(), PLAN), folder.path().join("review"));
    drivelab(&["review", DRIVES[0], "--plan", text(&plan), "-o", text(&review)]).with_code(0);
    let (whole, first_page) = (record(&review), page(&review));
    let mut failed = whole.clone();
    failed["steps"][2]["ended"] = serde_json::json!({"exit_code": 137, "why": "it was ended by signal 9"});
    fs::write(review.join("review.json"), failed.to_string()).expect("edited");
    fs::remove_dir_all(review.join(whole["steps"][0]["folder"].as_str().expect("a folder")))
        .expect("a result");
    let shown = drivelab(&["report", text(&review), "--report", text(&folder.path().join("now.html"))]);
    let shown = shown.with_code(1);
    assert!(
        shown.stdout.contains("1 failed (stalls)") && shown.stderr.contains("holds no result any more"),
        "{shown:?}"
    );
    assert!(
        !shown.stdout.contains("Recording of a stream"),
        "a killed test has no figures: {}",
        shown.stdout
    );
    let ended = drivelab(&["review", "--resume", text(&review)]).with_code(0);
    assert!(
        ended.stderr.contains("step 1 of 3: quick") && ended.stderr.contains("step 3 of 3"),
        "{}",
        ended.stderr
    );
    assert_eq!((record(&review), page(&review)), (whole, first_page));
}

#[test]
fn a_review_does_not_go_on_with_a_changed_profile() {
    let folder = folder();
    let (plan, review) = (plan(folder.path(), PLAN), folder.path().join("review"));
    let profile = folder.path().join("mine.toml");
    let write = |dies: u32| {
        fs::write(&profile, format!("size = \"1GiB\"\nover_provisioning = \"28%\"\ndies = {dies}\n"))
            .expect("room");
    };
    write(4);
    let target = format!("sim:{}", profile.display());
    drivelab(&["review", &target, "--plan", text(&plan), "-o", text(&review)]).with_code(0);
    drivelab(&["review", "--resume", text(&review)]).with_code(0);
    write(8);
    drivelab(&["review", "--resume", text(&review)]).fails_in_one_line(4, &["profile file", "was changed"]);
    fs::remove_file(&profile).expect("a profile");
    drivelab(&["review", "--resume", text(&review)]).fails_in_one_line(2, &["mine.toml", "check the path"]);
}

#[test]
fn one_review_at_a_time_works_in_a_folder() {
    let folder = folder();
    let long = "[[step]]\ntest = \"consistency\"\nduration = \"100000s\"\n";
    let (plan, review) = (plan(folder.path(), long), folder.path().join("review"));
    let running = Running::start(&["review", DRIVES[0], "--plan", text(&plan), "-o", text(&review)]);
    assert!(devices::eventually(|| review.join("review.json").exists()), "it does not begin");
    drivelab(&["review", "--resume", text(&review)]).fails_in_one_line(2, &["another drivelab review works"]);
    running.kill();
}

#[test]
fn a_drive_and_a_file_are_reviewed_together() {
    if !devices::loops_can_be_made() {
        return;
    }
    let folder = folder();
    let plan =
        plan(folder.path(), "[[step]]\ntest = \"lifetime\"\n\n[[step]]\ntest = \"quick\"\nwrite = true\n");
    let (review, file) = (folder.path().join("review"), folder.path().join("image"));
    fs::write(&file, vec![1; 8 << 20]).expect("room on disk");
    let device = Loop::of_zeros(16);
    let targets = ["review", text(&device.node), text(&file), "--plan", text(&plan), "-o", text(&review)];
    drivelab(&[&targets[..], &[&device.serial(), "--destroy-data"]].concat()).with_code(0);
    let steps = record(&review)["steps"].clone();
    assert!(steps[2]["left_out"].is_string() && steps[3]["ended"]["exit_code"] == 0, "{steps}");
}

#[test]
fn a_test_that_takes_no_file_is_left_out_on_a_file_and_the_others_are_done() {
    let folder = folder();
    let plan = plan(folder.path(), "[[step]]\ntest = \"trim\"\n\n[[step]]\ntest = \"quick\"\n");
    let file = folder.path().join("image");
    fs::write(&file, vec![1; 8 << 20]).expect("room on disk");
    let asked = ["review", text(&file), "--plan", text(&plan), "--dry-run", "--json"];
    let steps = drivelab(&asked).with_code(0).json()["steps"].clone();
    assert!(steps[0]["left_out"].as_str().is_some_and(|why| why.contains("name a block device")), "{steps}");
    assert!(steps[1]["left_out"].is_null() && steps[1]["timed_s"].is_number(), "{steps}");
}

#[test]
fn the_time_of_a_replay_whose_requests_wait_for_each_other_is_that_of_its_trace() {
    let folder = folder();
    let step = "[[step]]\ntest = \"replay\"\ntrace = \"shipped:compile\"\ntiming = \"dependent\"\nmap = \"compact\"\n";
    let plan = plan(folder.path(), step);
    let asked = ["review", "sim:consistent", "--plan", text(&plan), "--dry-run"];
    let planned = drivelab(&[&asked[..], &["--json"]].concat()).with_code(0).json();
    let (recorded, timed) = (&planned["steps"][0]["recorded_s"], &planned["steps"][0]["timed_s"]);
    assert!(recorded.as_f64() > Some(1.0) && timed.as_f64() == Some(0.0), "{planned}");
    let shown = drivelab(&asked).with_code(0).stderr;
    assert!(shown.contains("where the drive answers as fast as those of the traces"), "{shown}");
}

#[test]
fn fills_reads_after_rests_working_sets_and_offered_loads_are_steps() {
    let folder = folder();
    let steps = "[[step]]\ntest = \"fill\"\nrests = \"0s,1s\"\nfilled = \"0%,50%\"\nrange = \"0%-50%\"\n\n\
                 [[step]]\ntest = \"wake\"\nrests = \"1ms,10ms\"\nruns = 6\n\n\
                 [[step]]\ntest = \"working-set\"\ncell-duration = \"1s\"\nprecondition = \"fill\"\nqueue-depth = 4\n\n\
                 [[step]]\ntest = \"offered-load\"\nloads = \"50%,5000/s\"\nlimit = \"1ms\"\ncell-duration = \"1s\"\n\
                 until-warm = true\n";
    let (plan, review) = (plan(folder.path(), steps), folder.path().join("review"));
    let drive = "sim:sm2246en?size=1GiB&thermal_resistance=10K/W&heat_capacity=6J/K";
    let ended =
        drivelab(&["review", drive, "--plan", text(&plan), "-o", text(&review), "--json"]).with_code(0);
    let steps = ended.json()["steps"].clone();
    let codes: Vec<_> =
        steps.as_array().expect("steps").iter().map(|step| step["ended"]["exit_code"].clone()).collect();
    assert_eq!(codes, [0, 0, 0, 0], "{steps}");
}

#[test]
fn what_is_wrong_is_said_before_anything_is_done() {
    let folder = folder();
    let review = folder.path().join("review");
    let wrong = |text_of_plan: &str, words: &[&str]| {
        let plan = plan(folder.path(), text_of_plan);
        drivelab(&["review", DRIVES[0], "--plan", text(&plan), "-o", text(&review)])
            .fails_in_one_line(2, words);
    };
    wrong("[[step]]\ntest = \"consistancy\"", &["step 1", "did you mean \"consistency\"?"]);
    wrong("[[step]]\ntest = \"trim\"\nrun = 2", &["step 1 (trim)", "did you mean runs?"]);
    wrong("[[step]]\ntest = \"trim\"\nruns = -2", &["step 1 (trim)", "--runs"]);
    wrong("[[step]]\ntest = \"quick\"\nlabel = \"x\"", &["the review's own"]);
    wrong("[[step]]\ntest = \"load\"\nopenmetrics = \"now.prom\"", &["openmetrics is the review's own"]);
    wrong(
        "[[step]]\ntest = \"load\"\nverify-after-crash = \"x\"",
        &["does not go with a step", "leave it out"],
    );
    wrong(
        "[[step]]\ntest = \"stalls\"\nblock-size = \"1000B\"",
        &["step 1 (stalls) on sim:", "--block-size"],
    );
    let drive = DRIVES[0];
    drivelab(&["review", drive, "--plan", "shrot", "-o", text(&review)])
        .fails_in_one_line(2, &["did you mean short?"]);
    drivelab(&["review", drive, drive, "--plan", "short", "-o", text(&review)])
        .fails_in_one_line(2, &["named twice"]);
    drivelab(&["review", drive]).fails_in_one_line(2, &["-o review"]);
    // What is wrong with the target is said first, and once, not for each step.
    let missing = folder.path().join("missing");
    let three_steps = plan(folder.path(), PLAN);
    drivelab(&["review", text(&missing), "--plan", text(&three_steps)])
        .fails_in_one_line(2, &["missing is not there"]);
    drivelab(&["review", drive, "--rated-tbw", "1e-300"]).fails_in_the_parser(&["--rated-tbw", "600"]);
    let nothing = folder.path().join("nothing");
    std::os::unix::fs::symlink("nowhere", &nothing).expect("a link");
    drivelab(&["review", drive, "-o", text(&nothing)]).fails_in_one_line(2, &["link to nothing"]);
    drivelab(&["review", "--resume", text(folder.path())]).fails_in_one_line(2, &["no folder of a review"]);
    assert!(!review.exists());
}

#[test]
fn every_plan_that_is_printed_is_one() {
    let folder = folder();
    for name in ["short", "standard", "full"] {
        let printed = drivelab(&["review", "--print-plan", name]).with_code(0).stdout;
        let plan = plan(folder.path(), &printed);
        drivelab(&["review", "sim:consistent", "--plan", text(&plan), "--dry-run"]).with_code(0);
    }
}

#[test]
fn a_real_drive_is_confirmed_each_time_and_no_other_one_is_gone_on_with() {
    if !devices::loops_can_be_made() {
        return;
    }
    let folder = folder();
    let plan =
        plan(folder.path(), "[[step]]\ntest = \"quick\"\n\n[[step]]\ntest = \"stalls\"\nbytes = \"20MB\"\n");
    let review = folder.path().join("review");
    let device = Loop::of_zeros(64);
    let node = text(&device.node);
    let asked = ["review", node, "--plan", text(&plan), "-o", text(&review)];
    let refused = drivelab(&asked).with_code(4).stderr;
    assert!(refused.contains("--serial") && refused.contains("--destroy-data"), "{refused}");
    let planned = drivelab(&[&asked[..], &["--dry-run"]].concat()).with_code(4).stderr;
    assert!(planned.contains("stalls       about") && planned.contains("add --destroy-data"), "{planned}");
    assert!(!review.exists());
    let serial = device.serial();
    let ended = drivelab(&[&asked[..], &[&serial, "--destroy-data", "--json"]].concat()).with_code(0);
    let document = ended.json();
    assert!(document["started"]["at"].is_string() && document["targets"][0]["identity"].is_string());
    // As it would be had the power been cut in its last step.
    let mut cut_off = record(&review);
    cut_off["steps"][1]["ended"] = Value::Null;
    fs::write(review.join("review.json"), cut_off.to_string()).expect("edited");
    let refused = drivelab(&["review", "--resume", text(&review)]).with_code(4).stderr;
    assert!(refused.contains("--serial"), "{refused}");
    drivelab(&["review", "--resume", text(&review), &serial, "--destroy-data"]).with_code(0);
    let refused = |record: &Value| {
        fs::write(review.join("review.json"), record.to_string()).expect("edited");
        drivelab(&["review", "--resume", text(&review), &serial, "--destroy-data"])
    };
    let mut of_other_file = cut_off.clone();
    of_other_file["targets"][0]["drive"]["behind"] = "another file (inode 1)".into();
    refused(&of_other_file)
        .fails_in_one_line(4, &["--resume: the review was begun on", "connect that drive"]);
    // An earlier version kept the words alone, and goes on by these.
    cut_off["targets"][0].as_object_mut().expect("a target").remove("drive");
    refused(&cut_off).with_code(0);
    cut_off["targets"][0]["identity"] = "another drive".into();
    cut_off["steps"][1]["ended"] = Value::Null;
    refused(&cut_off).fails_in_one_line(4, &["begun on another drive"]);
}
