#!/bin/sh
# Epilog of a Slurm node: ends the recording that prolog.sh has begun.
set -u
# Slurm sets none.
PATH=${PATH:-/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin}
export PATH
systemctl stop "drivelab-job-$SLURM_JOB_ID.service" 2>/dev/null
exit 0
