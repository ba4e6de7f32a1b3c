"""Files on their way to the gateway: a form that is written piece by piece, never as a whole in memory."""

from __future__ import annotations

import io
import os
import secrets
from typing import BinaryIO, Iterator, Optional, Union

FileSource = Union[bytes, str, "os.PathLike[str]", BinaryIO]
PIECE_BYTES = 64 * 1024


class Upload:
    """The form of one file or of several. It can be sent again if all its sources can be read again."""

    def __init__(self, files: list[tuple[FileSource, str]], fields: dict[str, Optional[str]]) -> None:
        self._files = [(_Source(source), name) for source, name in files]
        self._fields = {field: value for field, value in fields.items() if value is not None}
        self._boundary = secrets.token_hex(16)

    @property
    def content_type(self) -> str:
        return f"multipart/form-data; boundary={self._boundary}"

    @property
    def is_repeatable(self) -> bool:
        return all(source.is_repeatable for source, _ in self._files)

    def pieces(self) -> Iterator[bytes]:
        for field, value in self._fields.items():
            yield f'{self._head(field)}\r\n\r\n{value}\r\n'.encode()
        for source, name in self._files:
            yield f'{self._head("file")}; filename="{_quoted(name)}"\r\n\r\n'.encode()
            yield from source.pieces()
            yield b"\r\n"
        yield f"--{self._boundary}--\r\n".encode()

    def _head(self, field: str) -> str:
        return f'--{self._boundary}\r\nContent-Disposition: form-data; name="{field}"'


class _Source:
    def __init__(self, source: FileSource) -> None:
        self._source = source
        stream = _stream(source)
        self._start = stream.tell() if stream and stream.seekable() else None

    @property
    def is_repeatable(self) -> bool:
        return _stream(self._source) is None or self._start is not None

    def pieces(self) -> Iterator[bytes]:
        source = self._source
        if isinstance(source, bytes):
            stream: BinaryIO = io.BytesIO(source)
        elif isinstance(source, (str, os.PathLike)):
            with open(source, "rb") as file:
                yield from _pieces_of(file)
            return
        else:
            stream = source
            if self._start is not None:
                stream.seek(self._start)
        yield from _pieces_of(stream)


def _stream(source: FileSource) -> Optional[BinaryIO]:
    return None if isinstance(source, (bytes, str, os.PathLike)) else source


def _pieces_of(stream: BinaryIO) -> Iterator[bytes]:
    while True:
        piece = stream.read(PIECE_BYTES)
        if not piece:
            return
        yield piece


def _quoted(name: str) -> str:
    """As browsers do: a name cannot end its header."""
    return name.replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")
