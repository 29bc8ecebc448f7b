use super::*;

fn drive(others: usize, change: impl FnOnce(&mut Controller)) -> Offer {
    let mut controller = Controller { formats: true, sanitizes_blocks: true, ..Controller::default() };
    change(&mut controller);
    Offer::Nvme(NvmeFacts { controller, formatted: FormattedAs::default(), others, log: None })
}

fn auto(offer: &Offer) -> Method {
    plan(Asked::Auto, offer, None).expect("a way").method
}

#[test]
fn auto_takes_the_most_thorough_that_reaches_the_target_alone() {
    assert_eq!(auto(&drive(0, |_| {})), Method::Sanitize(SanitizeAction::BlockErase));
    assert_eq!(auto(&drive(0, |has| has.sanitizes_blocks = false)), Method::Format(FormattedAs::default()));
    assert_eq!(auto(&drive(1, |_| {})), Method::Format(FormattedAs::default()));
    assert_eq!(auto(&drive(1, |has| has.format_reaches_all = true)), Method::Discard);
    assert_eq!(auto(&Offer::None("no NVMe drive".to_owned())), Method::Discard);
}

#[test]
fn what_would_reach_other_namespaces_is_refused() {
    let reaches_all = drive(1, |has| has.format_reaches_all = true);
    for asked in [Asked::Sanitize, Asked::Format] {
        let refused = plan(asked, &reaches_all, None).expect_err("another namespace");
        assert!(refused.to_string().contains("there is another one"), "{refused}");
    }
    // Namespaces of other controllers are not listed where namespaces are not managed.
    let shared = drive(0, |has| has.may_be_one_of_several = true);
    plan(Asked::Sanitize, &shared, None).expect_err("other controllers");
}

#[test]
fn a_sanitize_in_progress_is_awaited() {
    let Offer::Nvme(mut facts) = drive(0, |_| {}) else { unreachable!() };
    let mut page = vec![0; 512];
    page[2] = 2;
    facts.log = Some(SanitizeLog::parse(&page));
    assert_eq!(auto(&Offer::Nvme(facts)), Method::AwaitSanitize);
}

#[test]
fn a_target_without_any_way_is_told_all_reasons() {
    let offer = Offer::None("the target is no NVMe drive".to_owned());
    let refused = plan(Asked::Auto, &offer, Some("no TRIM")).expect_err("no way");
    assert_eq!(
        refused.to_string(),
        "the target cannot be purged: the target is no NVMe drive; the target takes no discards (no TRIM)"
    );
}
