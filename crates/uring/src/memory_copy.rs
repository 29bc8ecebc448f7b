//! Copies of memory in the static program.
//!
//! musl copies with the processor's string instruction, which takes some 30 cycles to begin: most copies of this program are
//! shorter than 128 bytes. What is linked here in place of `memcpy` and `memmove` of musl loads up to 128 bytes into registers
//! before it stores them, so that overlaps do not matter; it goes on by 64 bytes, from the end of the two that is safe where
//! they overlap, and takes the string instruction from 2 KiB on.
//!
//! Source of the calling convention: System V Application Binary Interface, AMD64 Architecture Processor Supplement, 3.2.3.
//! Source of the string instruction's cost: Intel 64 and IA-32 Architectures Optimization Reference Manual, 3.7.6.

use std::arch::global_asm;

// rdi: where to, rsi: where from, rdx: how many bytes; rax: where to, as both functions answer.
global_asm!(
    ".pushsection .text.drivelab_memory_copy,\"ax\",@progbits",
    ".p2align 5",
    ".globl drivelab_memory_copy",
    ".type drivelab_memory_copy,@function",
    "drivelab_memory_copy:",
    "mov rax, rdi",
    "cmp rdx, 16",
    "jb 20f",
    "cmp rdx, 32",
    "ja 30f",
    // 16 to 32 bytes: the first and the last 16.
    "movups xmm0, [rsi]",
    "movups xmm1, [rsi + rdx - 16]",
    "movups [rdi], xmm0",
    "movups [rdi + rdx - 16], xmm1",
    "ret",
    // 8 to 15 bytes.
    "20:",
    "cmp edx, 8",
    "jb 21f",
    "mov rcx, [rsi]",
    "mov r8, [rsi + rdx - 8]",
    "mov [rdi], rcx",
    "mov [rdi + rdx - 8], r8",
    "ret",
    // 4 to 7 bytes.
    "21:",
    "cmp edx, 4",
    "jb 22f",
    "mov ecx, [rsi]",
    "mov r8d, [rsi + rdx - 4]",
    "mov [rdi], ecx",
    "mov [rdi + rdx - 4], r8d",
    "ret",
    // 1 to 3 bytes: the first, the middle one and the last.
    "22:",
    "test edx, edx",
    "je 23f",
    "mov r8, rdx",
    "shr r8, 1",
    "movzx ecx, byte ptr [rsi]",
    "movzx r9d, byte ptr [rsi + r8]",
    "movzx r10d, byte ptr [rsi + rdx - 1]",
    "mov [rdi], cl",
    "mov [rdi + r8], r9b",
    "mov [rdi + rdx - 1], r10b",
    "23:",
    "ret",
    // 33 to 64 bytes.
    "30:",
    "cmp rdx, 64",
    "ja 31f",
    "movups xmm0, [rsi]",
    "movups xmm1, [rsi + 16]",
    "movups xmm2, [rsi + rdx - 32]",
    "movups xmm3, [rsi + rdx - 16]",
    "movups [rdi], xmm0",
    "movups [rdi + 16], xmm1",
    "movups [rdi + rdx - 32], xmm2",
    "movups [rdi + rdx - 16], xmm3",
    "ret",
    // 65 to 128 bytes.
    "31:",
    "cmp rdx, 128",
    "ja 40f",
    "movups xmm0, [rsi]",
    "movups xmm1, [rsi + 16]",
    "movups xmm2, [rsi + 32]",
    "movups xmm3, [rsi + 48]",
    "movups xmm4, [rsi + rdx - 64]",
    "movups xmm5, [rsi + rdx - 48]",
    "movups xmm6, [rsi + rdx - 32]",
    "movups xmm7, [rsi + rdx - 16]",
    "movups [rdi], xmm0",
    "movups [rdi + 16], xmm1",
    "movups [rdi + 32], xmm2",
    "movups [rdi + 48], xmm3",
    "movups [rdi + rdx - 64], xmm4",
    "movups [rdi + rdx - 48], xmm5",
    "movups [rdi + rdx - 32], xmm6",
    "movups [rdi + rdx - 16], xmm7",
    "ret",
    // More: backwards where the target begins within what is copied.
    "40:",
    "mov rcx, rdi",
    "sub rcx, rsi",
    "cmp rcx, rdx",
    "jb 50f",
    // Without an overlap, long ones by the string instruction.
    "cmp rdx, 2048",
    "jb 41f",
    "neg rcx",
    "cmp rcx, rdx",
    "jb 41f",
    "mov rcx, rdx",
    "rep movsb",
    "ret",
    // Forwards. The last 64 bytes are loaded first: where they overlap, what is stored before may lie over them.
    "41:",
    "movups xmm4, [rsi + rdx - 64]",
    "movups xmm5, [rsi + rdx - 48]",
    "movups xmm6, [rsi + rdx - 32]",
    "movups xmm7, [rsi + rdx - 16]",
    "lea r8, [rdi + rdx - 64]",
    "42:",
    "movups xmm0, [rsi]",
    "movups xmm1, [rsi + 16]",
    "movups xmm2, [rsi + 32]",
    "movups xmm3, [rsi + 48]",
    "movups [rdi], xmm0",
    "movups [rdi + 16], xmm1",
    "movups [rdi + 32], xmm2",
    "movups [rdi + 48], xmm3",
    "add rsi, 64",
    "add rdi, 64",
    "cmp rdi, r8",
    "jb 42b",
    "movups [r8], xmm4",
    "movups [r8 + 16], xmm5",
    "movups [r8 + 32], xmm6",
    "movups [r8 + 48], xmm7",
    "ret",
    // Backwards. The first 64 bytes are loaded first.
    "50:",
    "movups xmm4, [rsi]",
    "movups xmm5, [rsi + 16]",
    "movups xmm6, [rsi + 32]",
    "movups xmm7, [rsi + 48]",
    "add rsi, rdx",
    "add rdi, rdx",
    "lea r8, [rax + 64]",
    "51:",
    "movups xmm0, [rsi - 16]",
    "movups xmm1, [rsi - 32]",
    "movups xmm2, [rsi - 48]",
    "movups xmm3, [rsi - 64]",
    "movups [rdi - 16], xmm0",
    "movups [rdi - 32], xmm1",
    "movups [rdi - 48], xmm2",
    "movups [rdi - 64], xmm3",
    "sub rsi, 64",
    "sub rdi, 64",
    "cmp rdi, r8",
    "ja 51b",
    "movups [rax], xmm4",
    "movups [rax + 16], xmm5",
    "movups [rax + 32], xmm6",
    "movups [rax + 48], xmm7",
    "ret",
    ".size drivelab_memory_copy, . - drivelab_memory_copy",
    ".popsection",
);

#[cfg(target_env = "musl")]
global_asm!(
    ".globl memcpy",
    ".set memcpy, drivelab_memory_copy",
    ".globl memmove",
    ".set memmove, drivelab_memory_copy",
);

#[cfg(test)]
mod tests {
    unsafe extern "C" {
        fn drivelab_memory_copy(to: *mut u8, from: *const u8, bytes: usize) -> *mut u8;
    }

    /// Every length up to 300 and some around the limits, at each distance and alignment that makes a difference.
    #[test]
    fn what_is_copied_is_what_was_there_however_it_overlaps() {
        let lengths = (0..300_usize).chain([511, 512, 2047, 2048, 2049, 5000]);
        let numbers: Vec<u8> = (0..16_384_u32).map(|at| (at * 31 % 251) as u8).collect();
        for length in lengths {
            for from in [4096, 4097, 4111] {
                let near = [
                    0_usize,
                    1,
                    7,
                    15,
                    16,
                    31,
                    63,
                    64,
                    65,
                    127,
                    length.saturating_sub(1),
                    length,
                    length + 1,
                ];
                for to in near.iter().flat_map(|distance| [from + distance, from.saturating_sub(*distance)]) {
                    let (mut found, mut expected) = (numbers.clone(), numbers.clone());
                    expected.copy_within(from..from + length, to);
                    let place = found.as_mut_ptr();
                    // SAFETY: both ranges lie within the 16 KiB, the largest from 4111 + 5001 on.
                    let answer = unsafe { drivelab_memory_copy(place.add(to), place.add(from), length) };
                    assert_eq!(answer, place.wrapping_add(to));
                    assert!(found == expected, "{length} bytes from {from} to {to}");
                }
            }
        }
    }
}
