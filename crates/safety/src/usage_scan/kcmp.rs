//! Whether two threads have one table of descriptors (kcmp(2)).

use rustix::process::Pid;

/// `KCMP_FILES`: the tables of descriptors are compared.
const FILES: libc::c_int = 2;

/// Whether all that one of these threads has open is the same, under the same numbers, in the other, as they share the table.
/// None where the kernel does not say: it has no such call, the program may not trace both, or one of them has ended.
#[expect(unsafe_code, reason = "no library has this call")]
pub(super) fn share_descriptors(one: Pid, other: Pid) -> Option<bool> {
    let [one, other] = [one, other].map(Pid::as_raw_nonzero);
    // SAFETY: the call takes numbers only.
    let order = unsafe { libc::syscall(libc::SYS_kcmp, one.get(), other.get(), FILES, 0_usize, 0_usize) };
    // 0 is equal; 1 to 3 say how else both lie to each other.
    (order >= 0).then_some(order == 0)
}

#[cfg(test)]
mod tests {
    use std::thread;

    use rustix::process::getpid;
    use rustix::thread::{UnshareFlags, gettid, unshare_unsafe};

    use super::*;

    #[test]
    fn a_thread_shares_its_descriptors_until_it_has_its_own() {
        let of_thread = |has_own: bool| {
            let look = move || {
                if has_own {
                    // SAFETY: this thread has nothing open that another one would close.
                    #[expect(unsafe_code, reason = "the call is marked as unsafe")]
                    unsafe { unshare_unsafe(UnshareFlags::FILES) }.expect("a table of its own");
                }
                share_descriptors(getpid(), gettid())
            };
            thread::spawn(look).join().expect("a thread")
        };
        assert_eq!((of_thread(false), of_thread(true)), (Some(true), Some(false)));
        assert_eq!(share_descriptors(getpid(), Pid::from_raw(i32::MAX).expect("a number")), None);
    }
}
