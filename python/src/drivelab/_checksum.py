"""The checksum of a file of records, which its footer holds: the XXH3 of all its bytes, those of the checksum as zeros."""

from functools import lru_cache
from pathlib import Path

from drivelab.errors import DrivelabError

try:
    import xxhash
except ImportError:
    _is_known = False
else:
    _is_known = True

_KEY = b"drivelab.xxh3_64"
_DIGITS = 16
_GAP = 2
"""What stands between the key and the digits: the field and the length of the value."""
_FOOTER_BYTES = 1 << 20
"""Footers are shorter than this."""


def check(file: Path) -> None:
    """Refuse a file whose bytes are not those that were written. Without the package xxhash nothing is checked.

    All of it is read, once as long as neither its size nor its time changes.

    Raises:
        DrivelabError: where it is damaged.
        OSError: where it cannot be read.
    """
    if _is_known:
        found = file.stat()
        _check_bytes(file, found.st_size, found.st_mtime_ns)


@lru_cache(maxsize=1 << 16)
def _check_bytes(file: Path, _size: int, _time: int) -> None:
    data = memoryview(file.read_bytes())
    start = max(0, len(data) - _FOOTER_BYTES)
    found = bytes(data[start:]).rfind(_KEY)
    place = start + found + len(_KEY) + _GAP
    kept = bytes(data[place : place + _DIGITS])
    checksum = xxhash.xxh3_64(data[:place])
    checksum.update(b"0" * _DIGITS)
    checksum.update(data[place + _DIGITS :])
    if found < 0 or checksum.hexdigest().encode() != kept:
        raise DrivelabError(f"{file} is damaged: its bytes are not those that were written: put back a whole copy of the folder")
