"""Where exported results are: a folder or an object store."""

import os
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow.fs as pafs

from drivelab.errors import DrivelabError

_HINT = (
    "name a bucket that is there, set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY to those of an account that may list it, "
    "AWS_REGION, and where the store is not Amazon's AWS_ENDPOINT_URL to an address that answers"
)


@dataclass(frozen=True)
class S3Access:
    """How an S3 store is reached. What is None is left to the environment or the machine's role."""

    endpoint: str | None = None
    """The address of a store other than Amazon's, such as `http://127.0.0.1:9000`."""
    region: str | None = None
    access_key: str | None = None
    secret_key: str | None = field(default=None, repr=False)
    session_token: str | None = field(default=None, repr=False)

    @classmethod
    def from_environment(cls) -> "S3Access":
        """Read AWS_ENDPOINT_URL, AWS_REGION, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN."""
        get = os.environ.get
        return cls(
            endpoint=get("AWS_ENDPOINT_URL_S3") or get("AWS_ENDPOINT_URL"),
            region=get("AWS_REGION") or get("AWS_DEFAULT_REGION"),
            access_key=get("AWS_ACCESS_KEY_ID"),
            secret_key=get("AWS_SECRET_ACCESS_KEY"),
            session_token=get("AWS_SESSION_TOKEN"),
        )

    @property
    def is_plain_http(self) -> bool:
        """Whether the endpoint is reached without encryption."""
        return self.endpoint is not None and self.endpoint.startswith("http://")


@dataclass(frozen=True)
class Location:
    """A destination of `drivelab export`. `bucket` is None of a folder; `path` is the folder, or the prefix in the bucket."""

    path: str
    bucket: str | None = None
    access: S3Access = field(default_factory=S3Access)

    @classmethod
    def of(cls, destination: str | Path, access: S3Access | None = None) -> "Location":
        """Understand a folder, or `s3://BUCKET/PREFIX`.

        Raises:
            DrivelabError: where it is neither, or the folder holds no catalogue.
        """
        text = str(destination)
        if not text.startswith("s3://"):
            if "://" in text:
                raise DrivelabError(f"{text} is neither a folder nor an address such as s3://bucket/fleet")
            if not text:
                raise DrivelabError("no folder is named: name the destination of `drivelab export`")
            folder = Path(text).resolve()
            if not folder.is_dir():
                what = "is no folder" if folder.exists() else "is not there"
                raise DrivelabError(f"{text} {what}: name the destination of `drivelab export`")
            if not (folder / "catalogue").is_dir():
                if (folder.parent / "catalogue").is_dir():
                    raise DrivelabError(f"{text} is a part of {folder.parent}: name that")
                raise DrivelabError(f"{text} holds no catalogue: name the destination of `drivelab export`")
            return cls(str(folder))
        bucket, _, prefix = text.removeprefix("s3://").partition("/")
        if not bucket:
            raise DrivelabError(f"{text} names no bucket: write s3://bucket/fleet")
        return cls(prefix.strip("/"), bucket, access or S3Access.from_environment())

    def files(self) -> "ExportedFiles":
        """List the files of the tables, without those that are being written.

        Raises:
            DrivelabError: where the location cannot be listed, or holds no catalogue.
        """
        filesystem = self.filesystem()
        base = self.path if self.bucket is None else f"{self.bucket}/{self.path}".rstrip("/")
        try:
            found = filesystem.get_file_info(pafs.FileSelector(base, recursive=True))
        except OSError as error:
            hint = "" if self.bucket is None else f": {_HINT}"
            raise DrivelabError(f"{self} cannot be listed: {error}{hint}") from error
        files = sorted(one.path for one in found if one.type == pafs.FileType.File and not one.base_name.startswith("."))
        inner = [(path, path[len(base) + 1 :]) for path in files]
        listed = ExportedFiles(
            base=base,
            rollup=[path for path, name in inner if name.startswith("date=") and name.endswith("/rollup.parquet")],
            catalogue=[path for path, name in inner if name.startswith("catalogue/") and name.endswith(".parquet")],
            drives=[path for path, name in inner if name.startswith("drives/") and name.endswith(".parquet")],
        )
        if not listed.catalogue:
            raise DrivelabError(f"{self} holds no catalogue: name the destination of `drivelab export`")
        if not listed.drives:
            raise DrivelabError(
                f"{self} holds no table of drives, as an earlier version of drivelab exported it: run `drivelab export` again "
                "with this version"
            )
        if not listed.rollup:
            raise DrivelabError(f"{self} holds no rollup: run `drivelab export` without `--as records`")
        return listed

    def filesystem(self) -> pafs.FileSystem:
        """Give the file system of pyarrow that reads it."""
        if self.bucket is None:
            return pafs.LocalFileSystem()
        access = self.access
        options: dict[str, object] = {
            "access_key": access.access_key,
            "secret_key": access.secret_key,
            "session_token": access.session_token,
            "region": access.region,
        }
        if access.endpoint is not None:
            options["endpoint_override"] = access.endpoint
            options["scheme"] = "http" if access.is_plain_http else "https"
        try:
            return pafs.S3FileSystem(**{name: value for name, value in options.items() if value is not None})
        except ValueError as error:
            raise DrivelabError(f"{self} cannot be opened: {error}: {_HINT}") from error

    def url(self, scheme: str = "s3") -> str:
        """Give the address as an engine takes it, without a stroke at the end."""
        return self.path if self.bucket is None else f"{scheme}://{self.bucket}/{self.path}".rstrip("/")

    def __str__(self) -> str:
        return self.url()


@dataclass(frozen=True)
class ExportedFiles:
    """The files of the three tables, as paths of the file system, in order. `base` is the path of the destination."""

    base: str
    rollup: list[str]
    catalogue: list[str]
    drives: list[str]
