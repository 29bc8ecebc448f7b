"""What goes wrong for a reason that the caller can remedy."""


class DrivelabError(Exception):
    """A result cannot be read, or a query cannot be answered; the text says why, and what to do."""
