"""JSON documents of results, read field by field with their types checked."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

from drivelab.errors import DrivelabError


class Fields:
    """An object of a document. Errors name the file and the field."""

    def __init__(self, source: Path, values: Mapping[str, object], place: str = "") -> None:
        self.values = values
        self._source = source
        self._place = place

    @classmethod
    def read(cls, path: Path, kind: str) -> "Fields":
        """Read a file whose `schema` begins with this kind, such as `drivelab.run/`."""
        try:
            values = json.loads(path.read_text(encoding="utf-8"))
        except OSError as error:
            raise DrivelabError(f"{path} cannot be read: {error.strerror}") from error
        except ValueError as error:
            raise DrivelabError(f"{path} is damaged: {error}") from error
        if not isinstance(values, dict):
            raise DrivelabError(f"{path} is damaged: it holds no object")
        fields = cls(path, values)
        if not fields.text("schema").startswith(kind):
            raise DrivelabError(f"{path} has the schema {fields.text('schema')}, not {kind}...")
        return fields

    def _wrong(self, name: str, wanted: str) -> DrivelabError:
        return DrivelabError(f"{self._source}: {self._place}{name} is {wanted}, not {self.values.get(name)!r}")

    def text(self, name: str) -> str:
        """Give a text."""
        value = self.values.get(name)
        if not isinstance(value, str):
            raise self._wrong(name, "a text")
        return value

    def text_or_none(self, name: str) -> str | None:
        """Give a text, or None where it is absent."""
        return None if self.values.get(name) is None else self.text(name)

    def integer(self, name: str, default: int | None = None) -> int:
        """Give a whole number; absent, the default if there is one."""
        value = self.values.get(name, default)
        if not isinstance(value, int) or isinstance(value, bool):
            raise self._wrong(name, "a whole number")
        return value

    def integer_or_none(self, name: str) -> int | None:
        """Give a whole number, or None where it is absent."""
        return None if self.values.get(name) is None else self.integer(name)

    def number_or_none(self, name: str) -> float | None:
        """Give a number, or None where it is absent."""
        value = self.values.get(name)
        if value is None:
            return None
        if not isinstance(value, int | float) or isinstance(value, bool):
            raise self._wrong(name, "a number")
        return float(value)

    def flag(self, name: str, default: bool | None = None) -> bool:
        """Give true or false; absent, the default if there is one."""
        value = self.values.get(name, default)
        if not isinstance(value, bool):
            raise self._wrong(name, "true or false")
        return value

    def object(self, name: str) -> "Fields":
        """Give an object."""
        value = self.values.get(name)
        if not isinstance(value, dict):
            raise self._wrong(name, "an object")
        return Fields(self._source, value, f"{self._place}{name}.")

    def object_or_none(self, name: str) -> "Fields | None":
        """Give an object, or None where it is absent."""
        return None if self.values.get(name) is None else self.object(name)

    def objects(self, name: str) -> "Iterator[Fields]":
        """Give the objects of a list; none where it is absent."""
        value = self.values.get(name, [])
        if not isinstance(value, list):
            raise self._wrong(name, "a list")
        for number, one in enumerate(value):
            if not isinstance(one, dict):
                raise self._wrong(name, "a list of objects")
            yield Fields(self._source, one, f"{self._place}{name}[{number}].")

    def texts(self, name: str) -> tuple[str, ...]:
        """Give the texts of a list; none where it is absent."""
        value = self.values.get(name, [])
        if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
            raise self._wrong(name, "a list of texts")
        return tuple(value)
