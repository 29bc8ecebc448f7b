"""Chooses the fewest files of a reader's corpus, and of what fuzzing found, that cover all edges; see fuzz/README.md."""

import os
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

# The longest file that is made by joining others, in bytes.
JOINED_MAX = 16_384
# Formats of text, of which files can be joined.
TEXT = set("alibaba biosnoop blkparse blkreplay disksim disksim-validation etw fio fiu kernel-text mqsim msr systor tencent".split())

def corpus_of(reader):
    for crate in ("record", "stream", "sim", "trace"):
        folder = Path("crates", crate, "tests/corpus", reader)
        if folder.is_dir():
            return folder
    sys.exit(f"{reader} has no corpus")

def edges_of(program, reader, files):
    """The edges that each file reaches, as libFuzzer notes them while it merges."""
    with tempfile.TemporaryDirectory() as folder:
        source, merged, control = Path(folder, "in"), Path(folder, "out"), Path(folder, "control")
        source.mkdir()
        merged.mkdir()
        for number, data in enumerate(files):
            (source / f"{number:06}").write_bytes(data)
        command = [program, "-set_cover_merge=1", "-use_counters=0", "-max_len=65536", f"-merge_control_file={control}"]
        done = subprocess.run([*command, merged, source], env={**os.environ, "FUZZ_TARGET": reader}, capture_output=True)
        if done.returncode != 0:
            sys.exit(done.stderr.decode(errors="replace")[-2000:])
        return parse(control.read_text(), len(files))

def parse(control, count):
    """A control file lists the names, then `FT NUMBER EDGE...` for each file that was run."""
    names = re.findall(r"^\S*/(\d{6})$", control, re.M)
    edges = [set() for _ in range(count)]

    for number, features in re.findall(r"^FT (\d+)((?: \d+)*)$", control, re.M):
        edges[int(names[int(number)])].update(map(int, features.split()))
    return edges

def joined(files):
    """Files of text one behind the other, in several orders; the same ones in each run."""
    draw = random.Random(1)
    for _ in range(60):
        order = draw.sample(files, len(files))
        piece = b""
        for data in order:
            line = data if data.endswith(b"\n") else data + b"\n"
            if len(piece) + len(line) <= JOINED_MAX:
                piece += line
        yield piece

def main():
    program, reader = os.path.abspath(sys.argv[1]), sys.argv[2]
    folder = corpus_of(reader)
    there = sorted(folder.iterdir())
    is_named = lambda path: not re.fullmatch(r"[0-9a-f]{12,40}|\d\d-.*", path.name)
    named = [path for path in there if is_named(path)]
    found = [path for path in sorted(Path("fuzz/found", reader).glob("*"))]
    candidates = [path.read_bytes() for path in named]
    candidates += [path.read_bytes() for path in there if not is_named(path)]
    before = len(candidates)
    candidates += [path.read_bytes() for path in found]
    if reader in TEXT:
        candidates += list(joined(candidates))
    edges = edges_of(program, reader, candidates)
    covered = set().union(*edges[:before])
    wanted = set().union(*edges)
    reached = set().union(*edges[: len(named)]) if named else set()
    chosen = []
    while reached != wanted:
        best = max(range(len(candidates)), key=lambda one: (len(edges[one] - reached), -len(candidates[one])))
        chosen.append(candidates[best])
        reached |= edges[best]
    for path in there:
        if path not in named:
            path.unlink()
    for number, data in enumerate(chosen, 1):
        (folder / f"{number:02}-reached").write_bytes(data)
    print(f"{reader:<20} {before:5} files, {len(covered):5} edges -> {len(named) + len(chosen):4} files, {len(wanted):5} edges")

main()
