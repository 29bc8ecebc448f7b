//! QEMU's arguments for the drives of a scenario.

use std::fs::File;
use std::path::Path;

use anyhow::Result;

/// The drives of a machine, backed by sparse files of a folder.
pub struct Devices<'a> {
    folder: &'a Path,
    arguments: Vec<String>,
}

/// A sector of 512 bytes that fails.
#[derive(Clone, Copy, Debug)]
pub enum Bad {
    /// It cannot be read.
    Read(u64),
    /// It cannot be written.
    Write(u64),
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

    /// An NVMe drive with one namespace, behind a port of its own, so that it can be pulled.
    ///
    /// # Errors
    /// Where its file cannot be made.
    pub fn nvme(self, name: &str, mebibytes: u64) -> Result<Devices<'a>> {
        self.nvme_behind_port(name, mebibytes, ",discard=unmap")
    }

    /// An NVMe drive that reads no more than this in a second.
    ///
    /// # Errors
    /// Where its file cannot be made.
    pub fn nvme_that_reads_slowly(self, name: &str, mebibytes: u64, bytes_per_s: u64) -> Result<Devices<'a>> {
        self.nvme_behind_port(name, mebibytes, &format!(",throttling.bps-read={bytes_per_s}"))
    }

    fn nvme_behind_port(self, name: &str, mebibytes: u64, more: &str) -> Result<Devices<'a>> {
        let port = format!("{name}-port");
        let number = self.arguments.len();
        let with_port = self.device(&format!("pcie-root-port,id={port},chassis={number},slot={number}"));
        let backed = with_port.backing(name, mebibytes, more)?;
        Ok(backed.device(&format!("nvme,id={name},serial={name},bus={port},drive={name}-file")))
    }

    /// An NVMe controller with two namespaces.
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

    /// An NVMe drive with one namespace and two controllers, `NAME-a` and `NAME-b`, each behind a port of its own, so that one of
    /// them can be pulled.
    ///
    /// # Errors
    /// Where its file cannot be made.
    pub fn nvme_with_two_controllers(self, name: &str, mebibytes: u64) -> Result<Devices<'a>> {
        let mut devices = self.device(&format!("nvme-subsys,id={name}-subsystem,nqn={name}"));
        for controller in ["a", "b"] {
            let (id, number) = (format!("{name}-{controller}"), devices.arguments.len());
            devices = devices.device(&format!("pcie-root-port,id={id}-port,chassis={number},slot={number}"));
            let own = format!("nvme,id={id},serial={name},bus={id}-port,subsys={name}-subsystem");
            devices = devices.device(&own);
        }
        let backed = devices.backing(name, mebibytes, ",discard=unmap")?;
        Ok(backed.device(&format!("nvme-ns,bus={name}-a,nsid=1,drive={name}-file")))
    }

    /// An NVMe drive that [`VolatileDrive`](crate::volatile::VolatileDrive) serves.
    pub fn nvme_with_volatile_cache(self, name: &str) -> Devices<'a> {
        let socket = self.folder.join(format!("{name}.nbd"));
        let drive =
            format!("file=nbd:unix:{},if=none,id={name}-file,format=raw,cache=writeback", socket.display());
        self.with("-drive", &drive).device(&format!("nvme,id={name},serial={name},drive={name}-file"))
    }

    /// A drive of the hypervisor's own kind.
    ///
    /// # Errors
    /// Where its file cannot be made.
    pub fn virtio(self, name: &str, mebibytes: u64) -> Result<Devices<'a>> {
        let backed = self.backing(name, mebibytes, ",discard=unmap")?;
        Ok(backed.device(&format!("virtio-blk-pci,serial={name},drive={name}-file")))
    }

    /// A SCSI controller for all pairs.
    pub fn scsi_controller(self) -> Devices<'a> {
        self.device("virtio-scsi-pci,id=scsi")
    }

    /// Two SCSI drives with these properties, `shared` of both and `own` of each; an empty one is none.
    ///
    /// # Errors
    /// Where their files cannot be made.
    pub fn scsi_pair(self, name: &str, mebibytes: u64, shared: &str, own: [&str; 2]) -> Result<Devices<'a>> {
        let mut devices = self;
        for (place, own) in own.into_iter().enumerate() {
            let file = format!("{name}{place}");
            devices = devices.backing(&file, mebibytes, ",discard=unmap")?;
            let mut drive = format!("scsi-hd,bus=scsi.0,drive={file}-file");
            for property in [shared, own].into_iter().filter(|property| !property.is_empty()) {
                drive = format!("{drive},{property}");
            }
            devices = devices.device(&drive);
        }
        Ok(devices)
    }

    /// A SATA drive.
    ///
    /// # Errors
    /// Where its file cannot be made.
    pub fn sata(self, name: &str, mebibytes: u64) -> Result<Devices<'a>> {
        let port = self.sata_drives();
        let backed = self.backing(name, mebibytes, ",discard=unmap")?;
        Ok(backed.device(&format!("ide-hd,bus=ide.{port},serial={name},drive={name}-file,rotation_rate=1")))
    }

    /// An NVMe drive with sectors that fail.
    ///
    /// # Errors
    /// Where its files cannot be made.
    pub fn nvme_with_bad_sectors(self, name: &str, mebibytes: u64, bad: &[Bad]) -> Result<Devices<'a>> {
        let backed = self.failing(name, mebibytes, bad)?;
        Ok(backed.device(&format!("nvme,id={name},serial={name},drive={name}-file")))
    }

    /// A SATA drive with sectors that fail.
    ///
    /// # Errors
    /// Where its files cannot be made.
    pub fn sata_with_bad_sectors(self, name: &str, mebibytes: u64, bad: &[Bad]) -> Result<Devices<'a>> {
        let port = self.sata_drives();
        let backed = self.failing(name, mebibytes, bad)?;
        Ok(backed.device(&format!("ide-hd,bus=ide.{port},serial={name},drive={name}-file")))
    }

    /// The drives at the board's controller, which has six ports; each drive takes the next.
    fn sata_drives(&self) -> usize {
        self.arguments.iter().filter(|one| one.starts_with("ide-hd,")).count()
    }

    /// A file behind QEMU's `blkdebug`, which lets I/Os at these sectors fail.
    fn failing(self, name: &str, mebibytes: u64, bad: &[Bad]) -> Result<Devices<'a>> {
        let file = self.file(name, mebibytes)?;
        let rules = self.folder.join(format!("{name}.rules"));
        let rule = |bad: &Bad| {
            let (kind, sector) = match bad {
                Bad::Read(sector) => ("read", sector),
                Bad::Write(sector) => ("write", sector),
            };
            format!(
                "[inject-error]\nevent = \"none\"\niotype = \"{kind}\"\nerrno = \"5\"\nsector = \"{sector}\"\n"
            )
        };
        std::fs::write(&rules, bad.iter().map(rule).collect::<String>())?;
        let drive = format!(
            "file=blkdebug:{}:{},if=none,id={name}-file,format=raw,cache=writeback,werror=report,rerror=report",
            rules.display(),
            file.display()
        );
        Ok(self.with("-drive", &drive))
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
