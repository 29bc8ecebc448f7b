//! Files that their owner alone may read.

use rustix::fs::Mode;
use rustix::process::umask;

/// Makes every file and folder that this program creates from now on one for its owner alone (0600 and 0700).
/// To be called before any thread is started, by commands whose files hold what was recorded.
/// Says which permissions files lacked until now, as the user chose it (umask).
pub fn keep_private() -> u32 {
    umask(Mode::RWXG | Mode::RWXO).bits()
}
