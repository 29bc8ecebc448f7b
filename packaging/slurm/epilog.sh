#!/bin/sh
# Epilog of a Slurm node: ends the recording that prolog.sh has begun.
set -u
systemctl stop "drivelab-job-$SLURM_JOB_ID.service" 2>/dev/null
exit 0
