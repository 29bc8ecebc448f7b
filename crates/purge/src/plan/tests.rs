use super::*;
use crate::nvme::{FormattedAs, SanitizeLog};

const FORMAT: NvmeFormat =
    NvmeFormat { blocks: FormattedAs::PLAIN, erase: FormatErase::UserData, instead: None };

fn drive(others: usize, change: impl FnOnce(&mut Controller)) -> Offer {
    let mut controller = Controller { formats: true, sanitizes_blocks: true, ..Controller::default() };
    change(&mut controller);
    Offer::Nvme(Facts { controller, formatted: FormattedAs::default(), others, log: None })
}

fn auto(offer: &Offer) -> Method {
    plan(Asked::Auto, offer, None).expect("a way").method
}

#[test]
fn auto_takes_the_most_thorough_that_reaches_the_target_alone() {
    assert_eq!(auto(&drive(0, |_| {})), Method::Sanitize(SanitizeAction::BlockErase));
    assert_eq!(auto(&drive(0, |has| has.sanitizes_blocks = false)), Method::Format(FORMAT));
    assert_eq!(auto(&drive(1, |_| {})), Method::Format(FORMAT));
    let has_both = drive(1, |has| has.formats_by_key = true);
    assert_eq!(auto(&has_both), Method::Format(NvmeFormat { instead: Some(FormatErase::Crypto), ..FORMAT }));
    let by_key = drive(0, |has| (has.sanitizes_blocks, has.sanitizes_by_key) = (false, true));
    assert_eq!(auto(&by_key), Method::Sanitize(SanitizeAction::CryptoErase));
    assert_eq!(auto(&drive(1, |has| has.format_reaches_all = true)), Method::Discard);
    assert_eq!(auto(&Offer::None("no NVMe drive".to_owned())), Method::Discard);
}

#[test]
fn what_would_reach_other_namespaces_is_refused() {
    let reaches_all = drive(1, |has| has.format_reaches_all = true);
    for asked in [Asked::Sanitize, Asked::Format] {
        let refused = plan(asked, &reaches_all, None).expect_err("another namespace");
        assert!(refused.to_string().contains("there is another one: try --purge auto"), "{refused}");
        assert!(matches!(refused, NoPurge::Reaches(_)), "it is refused for safety: {refused}");
    }
    let refused = plan(Asked::Auto, &reaches_all, Some("no TRIM")).expect_err("no discards either");
    assert!(matches!(refused, NoPurge::Reaches(_)), "{refused}");
    // Namespaces of other controllers are not listed where namespaces are not managed.
    let shared = drive(0, |has| has.may_be_one_of_several = true);
    let refused = plan(Asked::Sanitize, &shared, None).expect_err("other controllers");
    assert!(matches!(refused, NoPurge::Reaches(_)), "{refused}");
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

#[test]
fn an_ata_drive_is_erased_unless_its_security_forbids() {
    let has = Security { is_supported: true, normal_min: Some(30), ..Security::default() };
    let enhanced = Security { has_enhanced: true, enhanced_min: Some(2), ..has };
    assert_eq!(auto(&Offer::Ata(has)), Method::SecureErase(EraseMode::Normal));
    let planned = plan(Asked::SecureErase, &Offer::Ata(enhanced), None).expect("it has it");
    assert_eq!(planned.method, Method::SecureErase(EraseMode::Enhanced));
    assert!(planned.why.contains(&"the drive estimates 2 min".to_owned()), "{planned:?}");
    let against = [
        (Security::default(), "word 128"),
        (Security { is_frozen: true, ..has }, "systemctl suspend"),
        (Security { is_locked: true, ..has }, "locked with a password"),
        (Security { takes_no_password: true, ..has }, "give it its power anew"),
    ];
    for (security, hint) in against {
        let refused = plan(Asked::SecureErase, &Offer::Ata(security), None).expect_err("not to be");
        assert!(refused.to_string().contains(hint), "{refused}");
        let instead = plan(Asked::Auto, &Offer::Ata(security), None).expect("discards");
        assert_eq!(instead.method, Method::Discard);
        assert!(instead.why[0].contains(hint), "{instead:?}");
    }
    for asked in [Asked::Sanitize, Asked::Format] {
        let refused = plan(asked, &Offer::Ata(has), None).expect_err("no NVMe drive");
        assert!(refused.to_string().contains("no NVMe drive"), "{refused}");
    }
    plan(Asked::SecureErase, &drive(0, |_| {}), None).expect_err("no ATA drive");
}

/// A result and the audit log say by these words what was done.
#[test]
fn each_method_has_a_name_of_its_own() {
    let names = [
        (Method::Sanitize(SanitizeAction::BlockErase), "NVMe Sanitize (block erase)"),
        (Method::Sanitize(SanitizeAction::CryptoErase), "NVMe Sanitize (crypto erase)"),
        (Method::AwaitSanitize, "waiting for the sanitize that is in progress"),
        (Method::Format(FORMAT), "NVMe Format (user data erase)"),
        (Method::Format(NvmeFormat { erase: FormatErase::Crypto, ..FORMAT }), "NVMe Format (crypto erase)"),
        (Method::SecureErase(EraseMode::Normal), "ATA SECURITY ERASE UNIT (normal)"),
        (Method::SecureErase(EraseMode::Enhanced), "ATA SECURITY ERASE UNIT (enhanced)"),
        (Method::Discard, "discard of every block"),
    ];
    for (method, name) in names {
        assert_eq!(method.to_string(), name);
    }
}
