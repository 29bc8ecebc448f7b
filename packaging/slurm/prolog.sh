#!/bin/sh
# Prolog of a Slurm node: records the block I/O of the node while a job runs there, in a folder named after the job.
# In slurm.conf: Prolog=/etc/slurm/drivelab/prolog.sh and Epilog=/etc/slurm/drivelab/epilog.sh
# A prolog that fails drains the node: what this cannot do, it says, and the job runs without a recording.
set -u
folder=/var/lib/drivelab/jobs/$SLURM_JOB_ID
mkdir -p /var/lib/drivelab/jobs && chmod 0700 /var/lib/drivelab/jobs || exit 0
systemd-run --quiet --collect --unit="drivelab-job-$SLURM_JOB_ID" --property=SuccessExitStatus=1 \
    drivelab trace record --max-size 2GiB --output "$folder" ||
    echo "drivelab: the I/O of job $SLURM_JOB_ID is not recorded" >&2
exit 0
