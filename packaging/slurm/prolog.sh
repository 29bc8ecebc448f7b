#!/bin/sh
# Prolog of a Slurm node: records the block I/O of the node while a job runs there, in a folder named after the job; each time
# that Slurm starts the job again has a folder of its own in it.
# In slurm.conf: Prolog=/etc/slurm/drivelab/prolog.sh and Epilog=/etc/slurm/drivelab/epilog.sh
# The user drivelab records, as in drivelab-trace.service: drivelab-export.service, which has the same user, can read it.
# A prolog that fails drains the node: what this cannot do, it says, and the job runs without a recording.
set -u
# Slurm sets none.
PATH=${PATH:-/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin}
export PATH
systemd-run --quiet --collect --unit="drivelab-job-$SLURM_JOB_ID" --property=SuccessExitStatus=1 \
    --property=User=drivelab --property=CapabilityBoundingSet=CAP_DAC_OVERRIDE \
    --property=AmbientCapabilities=CAP_DAC_OVERRIDE --property=NoNewPrivileges=yes \
    --property=StateDirectory=drivelab/jobs --property=StateDirectoryMode=0700 --property=UMask=0077 \
    drivelab trace record --max-size 2GiB --new-folder-in "/var/lib/drivelab/jobs/$SLURM_JOB_ID" ||
    echo "drivelab: the I/O of job $SLURM_JOB_ID is not recorded" >&2
exit 0
