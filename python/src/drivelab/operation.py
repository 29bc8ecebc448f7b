"""What an I/O does."""

from enum import IntEnum

import pyarrow.dataset as ds

from drivelab.errors import DrivelabError


class Operation(IntEnum):
    """What an I/O does, as records and rollups number it."""

    READ = 0
    WRITE = 1
    DISCARD = 2
    FLUSH = 3


def rows_of(operation: Operation) -> ds.Expression:
    """Give the condition for records of an operation.

    Raises:
        DrivelabError: where it is none.
    """
    if not isinstance(operation, Operation):
        raise DrivelabError(f"{operation!r} is no operation: take drivelab.Operation.READ or another one")
    return ds.field("operation") == int(operation)
