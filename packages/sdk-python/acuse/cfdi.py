"""Reader of the CFDI of a package in a file."""

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
    """Path in the ZIP, as in the column ``xml`` of the metadata: ``cfdi/AAAA-MM/UUID.xml``."""
    xml: bytes
    """The document, with the bytes of the SAT."""


@dataclass(frozen=True)
class CfdiFaltante:
    """A CFDI of the metadata whose XML is not in the package."""

    uuid: str
    motivo: str
    """``CANCELADO_RECIBIDO``, ``NO_ENTREGADO_POR_EL_SAT``, ``CUOTA_DEL_DIA`` or ``XML_ILEGIBLE``."""


@dataclass(frozen=True)
class _Entry:
    """A record of the directory of a ZIP: PKWARE APPNOTE 6.3, 4.3.12."""

    name: str
    """A character for each byte."""
    is_deflated: bool
    crc: int
    packed_bytes: int
    bytes: int
    offset: int


_Read = Callable[[int, int], bytes]
"""Reads so many bytes from an offset on."""


class PaqueteCfdi:
    """The CFDI of a package in a file. The iteration reads one CFDI at a time: memory does not grow with their number."""

    def __init__(self, ruta: Union[str, "os.PathLike[str]"]) -> None:
        """
        Args:
            ruta: Path of the ZIP that ``guardar_paquete`` or ``descargar_cfdi`` stored.
        """
        self.ruta: str = os.fspath(ruta)

    def cfdi(self) -> Iterator[Cfdi]:
        """
        Every CFDI, in the order of the ZIP.

        Raises:
            AcuseError: ``PAQUETE_DANADO`` when the directory of the ZIP, a name or a CFDI is damaged; the CFDI before
                the damage come first.
        """
        for entry, chunks in self._entries(lambda name: CFDI.fullmatch(name) is not None):
            yield Cfdi(uuid=entry.name[-40:-4], ruta=entry.name, xml=b"".join(chunks))

    def faltantes(self) -> Iterator[CfdiFaltante]:
        """
        Every CFDI of the metadata without XML, with its reason; none in a package without XML.

        Raises:
            AcuseError: ``PAQUETE_DANADO`` as :meth:`cfdi`.
        """
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
            size = os.fstat(data.fileno()).st_size
            read = _reader(data, size)
            for entry in _directory(_reader(directory, size), size):
                # A damaged name can hide a wanted entry, so the names of other entries are checked as well. One damaged
                # byte cannot make it the name of a CFDI.
                if is_wanted(entry.name):
                    yield entry, _content(read, entry)
                elif CFDI.fullmatch(entry.name) is None:
                    _data_offset(read, entry)


def _reader(file: BinaryIO, size: int) -> _Read:
    """Reads ranges of a file; ``PAQUETE_DANADO`` for one outside of it."""

    def read(at: int, count: int) -> bytes:
        if at < 0 or at + count > size:
            raise AcuseError("PAQUETE_DANADO")
        file.seek(at)
        chunk = file.read(count)
        if len(chunk) < count:
            raise AcuseError("PAQUETE_DANADO")
        return chunk

    return read


def _unpack(layout: str, chunk: bytes, signature: bytes) -> Tuple[int, ...]:
    """The fields of a record after its signature."""
    if chunk[:4] != signature:
        raise AcuseError("PAQUETE_DANADO")
    return struct.unpack(layout, chunk[4:])


def _directory(read: _Read, size: int) -> Iterator[_Entry]:
    # A ZIP of the service ends without a comment.
    end = size - 22
    _, _, _, count, _, at, _ = _unpack("<4H2LH", read(end, 22), b"PK\x05\x06")
    if count == 0xFFFF or at == IN_ZIP64:
        locator = read(end - 20, 20)
        # A ZIP of 65,535 entries has no ZIP64.
        if locator.startswith(b"PK\x06\x07"):
            (end,) = struct.unpack_from("<Q", locator, 8)
            *_, count, _, at = _unpack("<Q2H2L4Q", read(end, 56), b"PK\x06\x06")
    for _ in range(count):
        fields = _unpack("<6H3L5H2L", read(at, 46), b"PK\x01\x02")
        method, crc, packed, unpacked, offset = fields[3], fields[6], fields[7], fields[8], fields[-1]
        name_bytes, extra_bytes, comment_bytes = fields[9:12]
        rest = read(at + 46, name_bytes + extra_bytes)
        at += 46 + name_bytes + extra_bytes + comment_bytes
        unpacked, packed, offset = _wide([unpacked, packed, offset], rest[name_bytes:])
        yield _Entry(rest[:name_bytes].decode("latin-1"), method == 8, crc, packed, unpacked, offset)
    if at != end:
        raise AcuseError("PAQUETE_DANADO")


def _wide(values: List[int], extra: bytes) -> List[int]:
    """Size, packed size and offset; the ZIP64 field (4.5.3) has the large ones in this order."""
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


def _data_offset(read: _Read, entry: _Entry) -> int:
    """Offset of the data of an entry; ``PAQUETE_DANADO`` when its local header has another name."""
    local = read(entry.offset, 30 + len(entry.name))
    *_, name_bytes, extra_bytes = _unpack("<5H3L2H", local[:30], b"PK\x03\x04")
    if name_bytes != len(entry.name) or local[30:] != entry.name.encode("latin-1"):
        raise AcuseError("PAQUETE_DANADO")
    return entry.offset + len(local) + extra_bytes


def _content(read: _Read, entry: _Entry) -> Iterator[bytes]:
    """The content of an entry in pieces, checked by its size and CRC-32."""
    at = _data_offset(read, entry)
    end = at + entry.packed_bytes
    inflate = zlib.decompressobj(-zlib.MAX_WBITS) if entry.is_deflated else None
    crc = came = 0
    while at < end:
        chunk = read(at, min(CHUNK_BYTES, end - at))
        at += len(chunk)
        while True:
            try:
                piece = chunk if inflate is None else inflate.decompress(chunk, CHUNK_BYTES)
            except zlib.error as error:
                raise AcuseError("PAQUETE_DANADO") from error
            chunk = b"" if inflate is None else inflate.unconsumed_tail
            crc = zlib.crc32(piece, crc)
            came += len(piece)
            # Data after the end of the deflated stream would gather in memory.
            if came > entry.bytes or (inflate is not None and inflate.unused_data):
                raise AcuseError("PAQUETE_DANADO")
            yield piece
            # zlib keeps the rest of a full piece, also when it has consumed the whole chunk.
            if not chunk and len(piece) < CHUNK_BYTES:
                break
    if came != entry.bytes or crc != entry.crc:
        raise AcuseError("PAQUETE_DANADO")
