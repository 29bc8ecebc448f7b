//! The commands, a row each: its help, its arguments, where in these the arguments of a test are, and what it runs.

/// Hands the rows to a macro that makes something of each.
macro_rules! for_each_command {
    ($make:ident) => {
        $make! {
            /// A whole review: tests by a plan, one after the other, on one page; it goes on after anything
            Review(ReviewArgs): options => review,
            /// Performance consistency: purge, fill, random writes, the IOPS of every second
            Consistency(ConsistencyArgs): targets => commands::consistency::main,
            /// How fast is the drive written from its begin to its end, where does that change, and what comes back after rests?
            Fill(FillArgs): test => commands::drive_tests::run_fill,
            /// One plain load, measured: random or sequential, closed or open loop
            Load(LoadArgs): test => commands::load::main,
            /// Can this drive record a stream? Long delays, verified data, and the buffer that a stream needs
            Stalls(StallsArgs): test => commands::drive_tests::run_stalls,
            /// The same data by file system, device file and raw path: rates, processors, where the time goes
            Paths(PathsArgs): test => commands::paths::main,
            /// File systems, schedulers and threads against each other: rates, latencies, and what differs
            Matrix(MatrixArgs): options => commands::matrix::main,
            /// Images of drives: attach, mount and detach them, whole or by partition
            Image(ImageArgs): none => commands::image::main,
            /// A minute's look: rates of reading over the drive, and the time of a random access
            Quick(QuickArgs): test => commands::drive_tests::run_quick,
            /// Does TRIM make a used drive fast again, and what do trimmed blocks return?
            Trim(TrimArgs): test => commands::drive_tests::run_trim,
            /// How long does the first read take after the drive has rested, and from which rest on does it take longer?
            Wake(WakeArgs): test => commands::drive_tests::run_wake,
            /// Are random reads slower the larger the part of the drive is that they go to?
            WorkingSet(WorkingSetArgs): test => commands::drive_tests::run_working_set,
            /// Which response times does the drive have at a given load, and up to which load is it fast enough?
            OfferedLoad(OfferedLoadArgs): test => commands::drive_tests::run_offered_load,
            /// Rounds in the style of SNIA's PTS: IOPS, throughput, latency, saturation, idle recovery, and more
            Pts(PtsArgs): test => commands::drive_tests::run_pts,
            /// What a command takes: mean power, energy above idle, joules a GB, minutes of a battery
            Energy(EnergyArgs): none => commands::energy::main,
            /// What was ever written to a drive: host, flash, ext4, wear, and the write amplification since then
            Lifetime(LifetimeArgs): none => commands::lifetime::main,
            /// Replay a trace on a drive: at its own times, after answers, or as fast as the drive goes
            Replay(ReplayArgs): test => commands::replay::main,
            /// Traces of block I/O: other people's formats in and out, and what one comes to
            #[command(subcommand)]
            Trace(TraceCommand): none => commands::trace::main,
            /// How long this machine takes to boot, and what its drive does meanwhile
            #[command(
                subcommand,
                after_help = "\
Examples:
  sudo drivelab boot enable      # each boot from now on is kept
  sudo drivelab boot show        # those that were kept, with their mean
  sudo drivelab boot show old-drive new-drive --report boots.html
  sudo drivelab boot disable"
            )]
            Boot(BootCommand): none => commands::boot::main,
            /// Record streams of frames to a raw drive, and find them again
            #[command(subcommand)]
            Stream(StreamCommand): none => commands::stream::main,
            /// Purge a drive: by its own sanitize or format, or by discards
            Purge(PurgeArgs): none => commands::purge::main,
            /// List the drives: what uses them, and whether they may be tested
            Drives(DrivesArgs): none => commands::drives::main,
            /// Open results again: the page of one, the comparison of several, in any form
            Report(ReportArgs): none => commands::report::main,
            /// A table of every drive with results below some folders: sorted, filtered and compared on one page
            Index(IndexArgs): none => commands::index::main,
            /// Write results as Parquet for query engines: rollups or records by day and machine, with a catalogue
            Export(ExportArgs): none => commands::export::main,
            /// Many drives and machines together, from what was exported: which ones are slow, and which got slower
            #[command(subcommand)]
            Fleet(FleetCommand): none => commands::fleet::main,
            /// Give a result another name or a remark
            Label(LabelArgs): none => commands::label::main,
            /// List the simulated drives and their keys, or print one as TOML
            Profiles(ProfilesArgs): none => commands::program::print_profiles,
            /// What the numbers mean that drives and kernels report errors with
            #[command(
                subcommand,
                after_help = "\
Examples:
  drivelab decode serr 0xd0000
  drivelab decode ata-status 0x51
  drivelab decode nvme-status 0x4281
  dmesg | drivelab decode kernel-log -"
            )]
            Decode(DecodeWhat): none => commands::decode::main,
            /// Print completions for a shell
            Completions(CompletionsArgs): none => commands::program::print_completions,
            /// Print the manual page
            Man(ManArgs): none => commands::program::print_manual,
        }
    };
}

pub(crate) use for_each_command;
