//! The unit that keeps each boot.

use std::path::Path;

use super::Setup;

/// Its name.
pub const UNIT: &str = "drivelab-boot.service";
/// The setting by which it is known how the kernel gets its parameters; systemd ignores names with `X-`.
pub(super) const LOADER_SETTING: &str = "X-DrivelabBootLoader=";

/// The lines of the unit. It begins with the first units of the boot and holds none of them up: it is started as soon as its
/// program runs, and waits for the boot's end by itself. A unit of type oneshot would be part of the boot that it waits for.
pub(super) fn text(setup: &Setup) -> Vec<String> {
    let (program, boots) = (quoted(&setup.program), quoted(&setup.boots));
    vec![
        "[Unit]".to_owned(),
        "Description=Keep what this boot reads and writes (drivelab)".to_owned(),
        "DefaultDependencies=no".to_owned(),
        format!("RequiresMountsFor={}", quoted(&setup.program)),
        "Conflicts=shutdown.target".to_owned(),
        "Before=shutdown.target".to_owned(),
        format!("{LOADER_SETTING}{}", setup.loader.word()),
        String::new(),
        "[Service]".to_owned(),
        "Type=exec".to_owned(),
        format!("ExecStart={program} boot keep --output {boots}"),
        "UMask=0077".to_owned(),
        String::new(),
        "[Install]".to_owned(),
        "WantedBy=sysinit.target".to_owned(),
    ]
}

/// A path as systemd reads it as one word (systemd.service(5), "Command lines"; systemd.unit(5), "Specifiers").
fn quoted(path: &Path) -> String {
    let path = path.display().to_string();
    let is_plain = |one: char| one.is_ascii_alphanumeric() || "/._-+".contains(one);
    if path.chars().all(is_plain) {
        return path;
    }
    let escaped = path.replace('\\', "\\\\").replace('"', "\\\"").replace('%', "%%").replace('$', "$$");
    format!("\"{escaped}\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_one_word() {
        assert_eq!(quoted(Path::new("/usr/local/bin/drivelab")), "/usr/local/bin/drivelab");
        assert_eq!(quoted(Path::new("/opt/my tools/100%/$x")), "\"/opt/my tools/100%%/$$x\"");
    }
}
