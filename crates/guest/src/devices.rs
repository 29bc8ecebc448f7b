//! QEMU's arguments for the drives of a scenario.

use std::fs::File;
use std::path::Path;

use anyhow::Result;

/// The drives of a machine, backed by sparse files of a folder.
pub struct Devices<'a> {
    folder: &'a Path,
    arguments: Vec<String>,
}

impl<'a> Devices<'a> {
    /// No drive yet; their files go to `folder`.
    pub fn in_folder(folder: &'a Path) -> Devices<'a> {
        Devices { folder, arguments: Vec::new() }
    }

    /// The arguments for QEMU.
    pub fn arguments(self) -> Vec<String> {
        self.arguments
    }

    /// An `NVMe` drive with one namespace, behind a port of its own, so that it can be pulled.
    ///
    /// # Errors
    /// Where its file cannot be made.
    pub fn nvme(self, name: &str, mebibytes: u64) -> Result<Devices<'a>> {
        let port = format!("{name}-port");
        let number = self.arguments.len();
        let with_port = self.device(&format!("pcie-root-port,id={port},chassis={number},slot={number}"));
        let backed = with_port.backing(name, mebibytes, ",discard=unmap")?;
        Ok(backed.device(&format!("nvme,id={name},serial={name},bus={port},drive={name}-file")))
    }

    /// An `NVMe` controller with two namespaces.
    ///
    /// # Errors
    /// Where their files cannot be made.
    pub fn nvme_with_two_namespaces(self, name: &str, mebibytes: u64) -> Result<Devices<'a>> {
        let mut devices = self.device(&format!("nvme,id={name},serial={name}"));
        for namespace in [1, 2] {
            let file = format!("{name}n{namespace}");
            devices = devices.backing(&file, mebibytes, "")?;
            devices = devices.device(&format!("nvme-ns,bus={name},nsid={namespace},drive={file}-file"));
        }
        Ok(devices)
    }

    /// A SATA drive.
    ///
    /// # Errors
    /// Where its file cannot be made.
    pub fn sata(self, name: &str, mebibytes: u64) -> Result<Devices<'a>> {
        // The board has a controller with six ports; each drive takes the next.
        let port = self.arguments.iter().filter(|one| one.starts_with("ide-hd,")).count();
        let backed = self.backing(name, mebibytes, ",discard=unmap")?;
        Ok(backed.device(&format!("ide-hd,bus=ide.{port},serial={name},drive={name}-file,rotation_rate=1")))
    }

    /// An `NVMe` drive of which the sectors from `first` on cannot be read.
    ///
    /// # Errors
    /// Where its files cannot be made.
    pub fn nvme_with_bad_sector(self, name: &str, mebibytes: u64, sector: u64) -> Result<Devices<'a>> {
        let file = self.file(name, mebibytes)?;
        let rules = self.folder.join(format!("{name}.rules"));
        let rule = format!(
            "[inject-error]\nevent = \"none\"\niotype = \"read\"\nerrno = \"5\"\nsector = \"{sector}\"\n"
        );
        std::fs::write(&rules, rule)?;
        let drive = format!(
            "file=blkdebug:{}:{},if=none,id={name}-file,format=raw,cache=writeback,werror=report,rerror=report",
            rules.display(),
            file.display()
        );
        let backed = self.with("-drive", &drive);
        Ok(backed.device(&format!("nvme,id={name},serial={name},drive={name}-file")))
    }

    fn file(&self, name: &str, mebibytes: u64) -> Result<std::path::PathBuf> {
        let path = self.folder.join(format!("{name}.img"));
        if !path.exists() {
            File::create(&path)?.set_len(mebibytes << 20)?;
        }
        Ok(path)
    }

    fn backing(self, name: &str, mebibytes: u64, more: &str) -> Result<Devices<'a>> {
        let file = self.file(name, mebibytes)?;
        let drive =
            format!("file={},if=none,id={name}-file,format=raw,cache=writeback{more}", file.display());
        Ok(self.with("-drive", &drive))
    }

    fn device(self, device: &str) -> Devices<'a> {
        self.with("-device", device)
    }

    fn with(mut self, option: &str, value: &str) -> Devices<'a> {
        self.arguments.extend([option.to_owned(), value.to_owned()]);
        self
    }
}
