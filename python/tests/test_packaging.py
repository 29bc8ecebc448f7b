"""What is in `packaging` for clusters: the DaemonSet is one by the schema of Kubernetes, and the scripts for Slurm work."""

import os
import subprocess
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml
from conftest import Drivelab

PACKAGING = Path(__file__).parents[2] / "packaging"

# What a node's daemon gives to its prolog and epilog, by Slurm's guide to them; it sets no PATH.
SLURM = {
    "SLURM_CLUSTER_NAME": "cluster",
    "SLURM_JOB_GID": "1000",
    "SLURM_JOB_ID": "4711",
    "SLURM_JOB_NODELIST": "node[1-2]",
    "SLURM_JOB_PARTITION": "batch",
    "SLURM_JOB_UID": "1000",
    "SLURM_JOB_USER": "user",
    "SLURMD_NODENAME": "node1",
}


def manifest() -> Any:
    """Read the DaemonSet."""
    return yaml.safe_load((PACKAGING / "kubernetes/drivelab-trace.yaml").read_text())


def test_the_daemon_set_has_no_field_that_kubernetes_does_not_know() -> None:
    """Strictly: a field that is misspelt is an error, and would be ignored by a cluster."""
    kubernetes_validate.validate(manifest(), desired_version="1.37", strict=True)
    misspelt = manifest()
    misspelt["spec"]["template"]["spec"]["containers"][0]["volumeMount"] = []
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(misspelt, desired_version="1.37", strict=True)


def test_the_daemon_set_mounts_what_it_has_and_runs_a_command_of_the_program(drivelab_program: Drivelab) -> None:
    """What the schema cannot say."""
    pod = manifest()["spec"]["template"]["spec"]
    container = pod["containers"][0]
    assert {mount["name"] for mount in container["volumeMounts"]} == {volume["name"] for volume in pod["volumes"]}
    assert manifest()["spec"]["selector"]["matchLabels"].items() <= manifest()["spec"]["template"]["metadata"]["labels"].items()
    assert container["command"] == ["drivelab"]
    assert "--new-folder-in" in drivelab_program(*container["args"], "--help")


def on_a_node(script: str, folder: Path, *, exits_with: int = 0) -> tuple[int, str, list[str]]:
    """Run a script where systemd is played: its exit code, what it prints, and the one command that it gives to systemd."""
    given = folder / "given"
    for program in ("systemd-run", "systemctl"):
        played = folder / program
        played.write_text(f'#!/bin/sh\nprintf "%s\\n" {program} "$@" >{given}\nexit {exits_with}\n')
        played.chmod(0o755)
    environment = SLURM | {"PATH": f"{folder}:{os.environ['PATH']}"}
    ended = subprocess.run(["sh", PACKAGING / "slurm" / script], env=environment, capture_output=True, text=True, check=False)
    return ended.returncode, ended.stdout + ended.stderr, given.read_text().splitlines()


def test_a_job_of_slurm_is_recorded_by_a_unit_that_its_epilog_stops(tmp_path: Path, drivelab_program: Drivelab) -> None:
    """What the unit runs is a command that the program takes."""
    code, printed, given = on_a_node("prolog.sh", tmp_path)
    assert (code, printed, given[0]) == (0, "", "systemd-run")
    assert "--unit=drivelab-job-4711" in given
    command = given[given.index("drivelab") + 1 :]
    assert command[-2:] == ["--new-folder-in", "/var/lib/drivelab/jobs/4711"]
    assert "--new-folder-in" in drivelab_program(*command, "--help")
    code, printed, given = on_a_node("epilog.sh", tmp_path)
    assert (code, printed, given) == (0, "", ["systemctl", "stop", "drivelab-job-4711.service"])


def test_a_job_runs_where_it_cannot_be_recorded(tmp_path: Path) -> None:
    """A prolog or an epilog that fails would drain the node."""
    code, printed, _ = on_a_node("prolog.sh", tmp_path, exits_with=1)
    assert (code, printed) == (0, "drivelab: the I/O of job 4711 is not recorded\n")
    assert on_a_node("epilog.sh", tmp_path, exits_with=5)[0] == 0
