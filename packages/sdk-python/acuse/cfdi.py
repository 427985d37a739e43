"""Reading the CFDI of a package that is stored in a file, one by one and in flat memory."""

from __future__ import annotations

import os
import re
import struct
import zlib
from dataclasses import dataclass
from typing import BinaryIO, Callable, Iterator, List, Tuple, Union

from .errors import AcuseError

CHUNK_BYTES = 1 << 18
IN_ZIP64 = 0xFFFFFFFF
CFDI = re.compile(r"cfdi/\d{4}-\d\d/([\dA-F-]{36})\.xml")


@dataclass(frozen=True)
class Cfdi:
    """A CFDI of a package."""

    uuid: str
    """In capitals."""
    ruta: str
    """In the ZIP, as in the column ``xml`` of the metadata: ``cfdi/AAAA-MM/UUID.xml``."""
    xml: bytes
    """The document, byte for byte as the SAT gave it."""


@dataclass(frozen=True)
class CfdiFaltante:
    """A CFDI of the metadata whose XML is not in the package."""

    uuid: str
    motivo: str
    """``CANCELADO_RECIBIDO``, ``NO_ENTREGADO_POR_EL_SAT``, ``CUOTA_DEL_DIA`` or ``XML_ILEGIBLE``."""


@dataclass(frozen=True)
class _Entry:
    """An entry of the directory of a ZIP: PKWARE APPNOTE 6.3, 4.3.12."""

    name: str
    is_deflated: bool
    crc: int
    packed_bytes: int
    bytes: int
    offset: int


class PaqueteCfdi:
    """The CFDI of a package that is stored in a file. Each is read when it is reached, so that memory stays flat."""

    def __init__(self, ruta: Union[str, "os.PathLike[str]"]) -> None:
        """
        Args:
            ruta: The ZIP, as ``guardar_paquete`` or ``descargar_cfdi`` stored it.
        """
        self.ruta: str = os.fspath(ruta)

    def cfdi(self) -> Iterator[Cfdi]:
        """
        Every CFDI, in the order of the ZIP.

        Raises:
            AcuseError: ``PAQUETE_DANADO`` when the file is no longer the stored package.
        """
        for entry, chunks in self._entries(lambda name: CFDI.fullmatch(name) is not None):
            yield Cfdi(uuid=entry.name[-40:-4], ruta=entry.name, xml=b"".join(chunks))

    def faltantes(self) -> Iterator[CfdiFaltante]:
        """Every CFDI of the metadata without XML, with its reason; none where metadata alone was asked for."""
        for _, chunks in self._entries(lambda name: name == "faltantes.csv"):
            rest = ""
            is_header = True
            for chunk in chunks:
                *lines, rest = (rest + chunk.decode("ascii", "replace")).split("\r\n")
                for line in lines:
                    uuid, _, motivo = line.partition(",")
                    if not is_header:
                        yield CfdiFaltante(uuid, motivo)
                    is_header = False

    def _entries(self, is_wanted: Callable[[str], bool]) -> Iterator[Tuple[_Entry, Iterator[bytes]]]:
        with open(self.ruta, "rb", CHUNK_BYTES) as directory, open(self.ruta, "rb", CHUNK_BYTES) as data:
            for entry in _directory(directory):
                if is_wanted(entry.name):
                    yield entry, _content(data, entry)


def _take(file: BinaryIO, at: int, count: int) -> bytes:
    file.seek(at)
    chunk = file.read(count)
    if len(chunk) < count:
        raise AcuseError("PAQUETE_DANADO")
    return chunk


def _unpack(layout: str, chunk: bytes, signature: bytes) -> Tuple[int, ...]:
    """The fields of a record behind its signature."""
    if chunk[:4] != signature:
        raise AcuseError("PAQUETE_DANADO")
    return struct.unpack(layout, chunk[4:])


def _directory(file: BinaryIO) -> Iterator[_Entry]:
    # A ZIP of the service ends without a comment.
    end = file.seek(0, os.SEEK_END) - 22
    if end < 0:
        raise AcuseError("PAQUETE_DANADO")
    _, _, _, count, _, at, _ = _unpack("<4H2LH", _take(file, end, 22), b"PK\x05\x06")
    if count == 0xFFFF or at == IN_ZIP64:
        _, end64, _ = _unpack("<LQL", _take(file, end - 20, 20), b"PK\x06\x07")
        *_, count, _, at = _unpack("<Q2H2L4Q", _take(file, end64, 56), b"PK\x06\x06")
    for _ in range(count):
        fields = _unpack("<6H3L5H2L", _take(file, at, 46), b"PK\x01\x02")
        method, crc, packed, size, offset = fields[3], fields[6], fields[7], fields[8], fields[-1]
        name_bytes, extra_bytes, comment_bytes = fields[9:12]
        rest = _take(file, at + 46, name_bytes + extra_bytes)
        at += 46 + name_bytes + extra_bytes + comment_bytes
        size, packed, offset = _wide([size, packed, offset], rest[name_bytes:])
        yield _Entry(rest[:name_bytes].decode("utf-8", "replace"), method == 8, crc, packed, size, offset)


def _wide(values: List[int], extra: bytes) -> List[int]:
    """Sizes and offset, those that need it from the ZIP64 field (4.5.3), which has them in this order."""
    while len(extra) >= 4 and extra[:2] != b"\x01\x00":
        extra = extra[4 + struct.unpack_from("<H", extra, 2)[0] :]
    at = 4
    for place, value in enumerate(values):
        if value == IN_ZIP64:
            if at + 8 > len(extra):
                raise AcuseError("PAQUETE_DANADO")
            values[place] = struct.unpack_from("<Q", extra, at)[0]
            at += 8
    return values


def _content(file: BinaryIO, entry: _Entry) -> Iterator[bytes]:
    """The content of an entry in pieces, checked by its CRC-32 and size."""
    fields = _unpack("<5H3L2H", _take(file, entry.offset, 30), b"PK\x03\x04")
    at = entry.offset + 30 + fields[-2] + fields[-1]
    end = at + entry.packed_bytes
    inflate = zlib.decompressobj(-zlib.MAX_WBITS) if entry.is_deflated else None
    crc = came = 0
    while at < end:
        chunk = _take(file, at, min(CHUNK_BYTES, end - at))
        at += len(chunk)
        while chunk:
            try:
                piece = chunk if inflate is None else inflate.decompress(chunk, CHUNK_BYTES)
            except zlib.error as error:
                raise AcuseError("PAQUETE_DANADO") from error
            chunk = b"" if inflate is None else inflate.unconsumed_tail
            crc = zlib.crc32(piece, crc)
            came += len(piece)
            if came > entry.bytes:
                raise AcuseError("PAQUETE_DANADO")
            yield piece
    if came != entry.bytes or crc != entry.crc:
        raise AcuseError("PAQUETE_DANADO")
