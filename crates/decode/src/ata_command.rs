//! Commands of ATA devices that read, write, flush or discard (ATA Command Set 4, clause 7).

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AtaCommand {
    code: u8,
    pub(crate) name: &'static str,
    pub(crate) sectors: Sectors,
    /// Whether its address has 28 bits, the highest of them in the device register.
    pub(crate) is_28_bit: bool,
}

/// Where a command has the number of its sectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sectors {
    /// It has none.
    None,
    /// In the count.
    Count,
    /// In the features: the count holds the tag.
    Feature,
}

const fn command(code: u8, name: &'static str, sectors: Sectors, is_28_bit: bool) -> AtaCommand {
    AtaCommand { code, name, sectors, is_28_bit }
}

const COMMANDS: [AtaCommand; 16] = [
    command(0x06, "DATA SET MANAGEMENT", Sectors::None, false),
    command(0x20, "READ SECTOR(S)", Sectors::Count, true),
    command(0x24, "READ SECTOR(S) EXT", Sectors::Count, false),
    command(0x25, "READ DMA EXT", Sectors::Count, false),
    command(0x30, "WRITE SECTOR(S)", Sectors::Count, true),
    command(0x34, "WRITE SECTOR(S) EXT", Sectors::Count, false),
    command(0x35, "WRITE DMA EXT", Sectors::Count, false),
    command(0x3d, "WRITE DMA FUA EXT", Sectors::Count, false),
    command(0x60, "READ FPDMA QUEUED", Sectors::Feature, false),
    command(0x61, "WRITE FPDMA QUEUED", Sectors::Feature, false),
    command(0x64, "SEND FPDMA QUEUED", Sectors::None, false),
    command(0xc8, "READ DMA", Sectors::Count, true),
    command(0xca, "WRITE DMA", Sectors::Count, true),
    command(0xe7, "FLUSH CACHE", Sectors::None, true),
    command(0xea, "FLUSH CACHE EXT", Sectors::None, false),
    command(0xec, "IDENTIFY DEVICE", Sectors::None, true),
];

/// The command with this code, where it is one of those.
pub(crate) fn ata_command(code: u8) -> Option<AtaCommand> {
    COMMANDS.into_iter().find(|command| command.code == code)
}
