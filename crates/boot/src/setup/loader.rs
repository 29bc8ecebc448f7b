//! How the kernel gets parameters: through the boot loader's own files and programs.

use std::fs;
use std::path::Path;

use drivelab_block::worded_enum;

use super::obstacle::NoSetup;
use super::{MARK, Step};
use crate::command_line::TraceParameters;

/// The drop-in of GRUB's configuration, which Debian, Ubuntu and their like read.
pub(super) const GRUB_FILE: &str = "/etc/default/grub.d/drivelab-boot.cfg";
/// What a boot loader with an interface of systemd calls itself.
const LOADER_INFO: &str = "sys/firmware/efi/efivars/LoaderInfo-4a67b082-0a4c-41cf-b6c7-440b29bb8c4f";

worded_enum! {
    /// How the kernel gets its parameters.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum BootLoader {
        /// GRUB, through a drop-in of `/etc/default/grub.d` and `update-grub`.
        Grub = "grub",
        /// Any boot loader that `grubby` knows, on Fedora and its like.
        Grubby = "grubby",
        /// By the user's own hand.
        Manual = "manual",
    }
}

impl BootLoader {
    /// The boot loader of the system with this root.
    ///
    /// # Errors
    /// Where it is none that is known.
    pub fn detect(root: &Path) -> Result<BootLoader, NoSetup> {
        let is_there = |path: &str| root.join(path).is_file();
        if let Some(booted_by) = loader_info(root).filter(|name| !name.starts_with("GRUB"))
            && !is_there("usr/sbin/grubby")
        {
            return Err(NoSetup::UnknownLoader(Some(booted_by)));
        }
        let reads_drop_ins = fs::read_to_string(root.join("usr/sbin/grub-mkconfig"))
            .is_ok_and(|script| script.contains("default/grub.d"));
        if reads_drop_ins && is_there("usr/sbin/update-grub") && is_there("boot/grub/grub.cfg") {
            return Ok(BootLoader::Grub);
        }
        if is_there("usr/sbin/grubby") || is_there("usr/bin/grubby") {
            return Ok(BootLoader::Grubby);
        }
        Err(NoSetup::UnknownLoader(None))
    }

    /// What adds parameters to the next boots.
    pub(super) fn add(self, parameters: TraceParameters) -> Vec<Step> {
        match self {
            BootLoader::Grub => {
                let text = format!("{MARK}\nGRUB_CMDLINE_LINUX=\"$GRUB_CMDLINE_LINUX {parameters}\"\n");
                vec![Step::Write { path: GRUB_FILE.into(), text }, Step::run("update-grub", &[])]
            }
            BootLoader::Grubby => {
                let arguments = ["--update-kernel=ALL", &format!("--args={parameters}")];
                vec![Step::run("grubby", &arguments)]
            }
            BootLoader::Manual => Vec::new(),
        }
    }

    /// What removes them.
    pub(super) fn remove(self) -> Vec<Step> {
        match self {
            BootLoader::Grub => vec![Step::remove(GRUB_FILE), Step::run("update-grub", &[])],
            BootLoader::Grubby => {
                let names = "--remove-args=trace_event trace_buf_size trace_clock trace_options";
                vec![Step::run("grubby", &["--update-kernel=ALL", names])]
            }
            BootLoader::Manual => Vec::new(),
        }
    }
}

/// The name of the boot loader that started this system, where it left it: UTF-16 behind four bytes of attributes.
fn loader_info(root: &Path) -> Option<String> {
    let bytes = fs::read(root.join(LOADER_INFO)).ok()?;
    let units: Vec<u16> =
        bytes.get(4..)?.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect();
    Some(String::from_utf16_lossy(&units).trim_end_matches('\0').to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(root: &Path, path: &str, bytes: &[u8]) {
        let path = root.join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
        fs::write(path, bytes).expect("a file");
    }

    #[test]
    fn grub_is_known_where_it_reads_drop_ins() {
        let root = tempfile::tempdir().expect("a folder");
        let root = root.path();
        assert!(matches!(BootLoader::detect(root), Err(NoSetup::UnknownLoader(None))));
        put(root, "usr/sbin/update-grub", b"#!/bin/sh\n");
        put(root, "boot/grub/grub.cfg", b"menuentry\n");
        put(root, "usr/sbin/grub-mkconfig", b"#!/bin/sh\n. /etc/default/grub\n");
        assert!(BootLoader::detect(root).is_err(), "this GRUB reads no drop-ins");
        put(root, "usr/sbin/grub-mkconfig", b"for x in /etc/default/grub.d/*.cfg; do . $x; done\n");
        assert_eq!(BootLoader::detect(root).ok(), Some(BootLoader::Grub));
        // Installed beside the boot loader that was really used.
        let mut info = vec![6, 0, 0, 0];
        info.extend("systemd-boot 252\0".encode_utf16().flat_map(u16::to_le_bytes));
        put(root, LOADER_INFO, &info);
        let error = BootLoader::detect(root).expect_err("not GRUB").to_string();
        assert!(error.contains("systemd-boot 252"), "{error}");
        put(root, "usr/sbin/grubby", b"#!/bin/sh\n");
        assert!(BootLoader::detect(root).is_ok());
    }
}
