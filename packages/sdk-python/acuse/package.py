"""Reading a package by its URL, and storing it in a file."""

from __future__ import annotations

import builtins
import hashlib
import os
import uuid
from dataclasses import dataclass
from http.client import HTTPResponse
from typing import Callable, Iterator, Optional, Union
from urllib.request import Request

from .errors import AcuseError
from .generated.types import DatosDescargaPaquete
from .transport import BROKEN, Transport, with_retries

AlRecibir = Callable[[int, int], object]
CHUNK_BYTES = 1 << 16


class PaqueteAbierto:
    """
    A package whose bytes come as it is iterated. A connection that breaks is taken up where it broke, by a new URL: a
    byte that came is not asked for again. Ends with ``PAQUETE_DANADO`` unless exactly the bytes came that the service
    stored.
    """

    def __init__(
        self,
        transport: Transport,
        locate: Callable[[], DatosDescargaPaquete],
        al_recibir: Optional[AlRecibir],
    ) -> None:
        paquete = locate()
        self.bytes: int = paquete["bytes"]
        self.sha256: str = paquete["sha256"]
        """Hexadecimal."""
        self._first_url = paquete["paquete_url"]
        self._transport = transport
        self._locate = locate
        self._al_recibir = al_recibir

    def __iter__(self) -> Iterator[builtins.bytes]:
        digest = hashlib.sha256()
        came = 0
        url: Optional[str] = self._first_url
        body: Optional[_Body] = None

        def read() -> builtins.bytes:
            nonlocal body, url
            try:
                if body is None:
                    body = _Body(self._transport, url or self._locate()["paquete_url"], came)
                return body.read()
            except AcuseError:
                if body is not None:
                    body.close()
                # The URL may have expired meanwhile.
                body = url = None
                raise

        try:
            while came < self.bytes:
                chunk = with_retries(self._transport, read)
                came += len(chunk)
                digest.update(chunk)
                if self._al_recibir is not None:
                    self._al_recibir(came, self.bytes)
                if came > self.bytes or (came == self.bytes and digest.hexdigest() != self.sha256):
                    raise AcuseError("PAQUETE_DANADO")
                yield chunk
        finally:
            if body is not None:
                body.close()


class _Body:
    """The bytes of an address from one on."""

    def __init__(self, transport: Transport, url: str, start: int) -> None:
        headers = {"User-Agent": transport.user_agent}
        if start > 0:
            headers["Range"] = f"bytes={start}-"
        self._response: HTTPResponse = transport.open(Request(url, headers=headers))
        status = self._response.status
        if status not in (200, 206):
            self.close()
            raise AcuseError("RESPUESTA_ILEGIBLE", http=status)
        # A server may give everything instead of the rest.
        self._to_skip = 0 if status == 206 else start

    def read(self) -> bytes:
        """At least one byte. :raises AcuseError: ``SIN_CONEXION`` at the end, too: whoever reads knows how many come."""
        while True:
            try:
                chunk = self._response.read1(CHUNK_BYTES)
            except BROKEN as error:
                raise AcuseError("SIN_CONEXION") from error
            if chunk == b"":
                raise AcuseError("SIN_CONEXION")
            rest = chunk[self._to_skip :]
            self._to_skip = max(0, self._to_skip - len(chunk))
            if rest:
                return rest

    def close(self) -> None:
        self._response.close()


@dataclass(frozen=True)
class ArchivoGuardado:
    """A package in a file."""

    ruta: str
    bytes: int
    sha256: str
    """Hexadecimal; that of the bytes in the file."""


def store(paquete: PaqueteAbierto, ruta: Union[str, "os.PathLike[str]"]) -> ArchivoGuardado:
    """The file has its name only once it is whole; until then it is ``ruta`` with ``.parcial``."""
    path = os.fspath(ruta)
    partial = f"{path}.{uuid.uuid4()}.parcial"
    try:
        with open(partial, "xb") as file:
            for chunk in paquete:
                file.write(chunk)
        os.replace(partial, path)
    except BaseException:
        if os.path.exists(partial):
            os.remove(partial)
        raise
    return ArchivoGuardado(ruta=path, bytes=paquete.bytes, sha256=paquete.sha256)
