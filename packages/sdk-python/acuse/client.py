from __future__ import annotations

import logging
import os
import random
import re
import ssl
import time
from dataclasses import dataclass
from typing import Callable, List, Literal, Optional, Union
from urllib.parse import urlsplit
from urllib.request import OpenerDirector

from .cfdi import PaqueteCfdi
from .errors import AcuseError, es_pasajero
from .generated import VERSION
from .generated.operations import Operaciones
from .generated.types import Complemento, DatosDescargaPaquete, EstadoComprobante, Formato, Solicitud, TipoComprobante
from .package import AlRecibir, ArchivoGuardado, PaqueteAbierto, store
from .transport import Transport, call, plain_opener, visible

FIRST_LOOK = 1.0
"""Seconds between looks at a request, at first."""
LAST_LOOK = 30.0
"""At most, when nothing changes."""
GROWTH = 1.5


@dataclass(frozen=True)
class Descarga:
    """A request that ended with a package."""

    solicitud: Solicitud
    paquete: DatosDescargaPaquete


@dataclass(frozen=True)
class DescargaCfdi(Descarga):
    """A request that ended with the CFDI themselves in a file."""

    archivo: PaqueteCfdi


class Acuse(Operaciones):
    """The client of a service: one method an operation, grouped as their paths are, and the whole way of a download."""

    def __init__(
        self,
        url: str,
        llave: str,
        *,
        aplicacion: Optional[str] = None,
        reintentos: int = 4,
        plazo: float = 150.0,
        tls: Optional[ssl.SSLContext] = None,
        opener: Optional[OpenerDirector] = None,
        registro: Optional[logging.Logger] = None,
        dormir: Callable[[float], object] = time.sleep,
        azar: Callable[[], float] = random.random,
    ) -> None:
        """
        Args:
            url: Address of the service, without ``/api/v1``: ``https://acuse.example``.
            llave: API key of the RFC. It belongs on a server.
            aplicacion: Name of your application, told beside that of this package.
            reintentos: Repetitions of a call that failed for a moment, beside the first try.
            plazo: Seconds of silence after which a try has failed; queries wait for the SAT.
            tls: Authorities and client certificate of the connections, as ``ssl.create_default_context(cafile=…)``.
            opener: Another client of HTTP instead, from ``urllib.request``, with its own TLS and proxies. One
                that follows redirections sends the key along.
            registro: Logs each try of a call: its status, ``request_id``, ``RateLimit``, milliseconds and error, and
                neither key nor body. A try that failed is a warning. The values are in ``acuse`` of the record.
            dormir: Waits so many seconds between tries and looks, for tests.
            azar: 0 to 1, for tests.

        Raises:
            ValueError: For an address or a key that is none, or ``tls`` beside an ``opener`` that has its own.
        """
        address = urlsplit(url)
        if address.scheme not in ("http", "https") or not address.hostname:
            raise ValueError(f"url debe ser la dirección del servicio, como https://acuse.example, y no {url!r}.")
        if aplicacion is not None and re.fullmatch(r"[\x20-\x7e]{1,200}", aplicacion) is None:
            raise ValueError("aplicacion debe tener de 1 a 200 caracteres, sin acentos: mi-erp/1.0.")
        if tls is not None and opener is not None:
            raise ValueError("Dé tls u opener, no los dos: un opener propio ya trae su TLS.")
        self._transport = Transport(
            base=f"{url.rstrip('/')}/api/v1/",
            llave=visible(llave, "llave"),
            user_agent=f"{'' if aplicacion is None else f'{aplicacion} '}acuse-sdk-python/{VERSION}",
            reintentos=reintentos,
            plazo=plazo,
            dormir=dormir,
            azar=azar,
            opener=plain_opener(tls) if opener is None else opener,
            registro=registro,
        )
        super().__init__(lambda path, changes, peticion, clave: call(self._transport, path, changes, peticion, clave))

    def descargar_y_esperar(
        self,
        *,
        rfc: str,
        tipo: Literal["emitidos", "recibidos"],
        desde: str,
        hasta: str,
        formato: Optional[Formato] = None,
        contenido: Optional[Literal["metadata", "xml"]] = None,
        tablas: Optional[bool] = None,
        estado_comprobante: Optional[EstadoComprobante] = None,
        tipo_comprobante: Optional[TipoComprobante] = None,
        rfc_contraparte: Optional[List[str]] = None,
        complemento: Optional[Complemento] = None,
        capsula: Optional[bool] = None,
        clave_idempotencia: Optional[str] = None,
        limite: Optional[float] = None,
        al_avanzar: Optional[Callable[[Solicitud], object]] = None,
        al_fallar: Optional[Callable[[AcuseError], object]] = None,
    ) -> Descarga:
        """
        Asks for a download and waits until it has ended, which takes from seconds to days: ``tax.descarga_metadata``,
        then :meth:`esperar`. The same request made again while it runs is waited for, and not charged again.
        """
        asked = self.tax.descarga_metadata(
            rfc=rfc,
            tipo=tipo,
            desde=desde,
            hasta=hasta,
            formato=formato,
            contenido=contenido,
            tablas=tablas,
            estado_comprobante=estado_comprobante,
            tipo_comprobante=tipo_comprobante,
            rfc_contraparte=rfc_contraparte,
            complemento=complemento,
            capsula=capsula,
            clave_idempotencia=clave_idempotencia,
        )
        return self.esperar(
            asked["data"]["solicitud_id"], limite=limite, al_avanzar=al_avanzar, al_fallar=al_fallar
        )

    def descargar_cfdi(
        self,
        ruta: Union[str, "os.PathLike[str]"],
        *,
        rfc: str,
        tipo: Literal["emitidos", "recibidos"],
        desde: str,
        hasta: str,
        formato: Optional[Formato] = None,
        tablas: Optional[bool] = None,
        estado_comprobante: Optional[EstadoComprobante] = None,
        tipo_comprobante: Optional[TipoComprobante] = None,
        rfc_contraparte: Optional[List[str]] = None,
        complemento: Optional[Complemento] = None,
        capsula: Optional[bool] = None,
        clave_idempotencia: Optional[str] = None,
        limite: Optional[float] = None,
        al_avanzar: Optional[Callable[[Solicitud], object]] = None,
        al_fallar: Optional[Callable[[AcuseError], object]] = None,
        sobrescribir: bool = False,
        al_recibir: Optional[AlRecibir] = None,
    ) -> DescargaCfdi:
        """
        Asks for the CFDI themselves (``contenido="xml"``), waits until the request has ended, and stores its package in
        a file after a check of its SHA-256.

        Raises:
            AcuseError: As :meth:`descargar_y_esperar` and :meth:`guardar_paquete`.
            FileExistsError: When the file exists, unless ``sobrescribir`` replaces it; nothing is charged.
        """
        _check_place(ruta, sobrescribir)
        descarga = self.descargar_y_esperar(
            rfc=rfc,
            tipo=tipo,
            desde=desde,
            hasta=hasta,
            formato=formato,
            contenido="xml",
            tablas=tablas,
            estado_comprobante=estado_comprobante,
            tipo_comprobante=tipo_comprobante,
            rfc_contraparte=rfc_contraparte,
            complemento=complemento,
            capsula=capsula,
            clave_idempotencia=clave_idempotencia,
            limite=limite,
            al_avanzar=al_avanzar,
            al_fallar=al_fallar,
        )
        solicitud_id = descarga.solicitud["solicitud_id"]
        self.guardar_paquete(solicitud_id, ruta, sobrescribir=sobrescribir, al_recibir=al_recibir)
        return DescargaCfdi(descarga.solicitud, descarga.paquete, PaqueteCfdi(ruta))

    def esperar(
        self,
        solicitud_id: str,
        *,
        limite: Optional[float] = None,
        al_avanzar: Optional[Callable[[Solicitud], object]] = None,
        al_fallar: Optional[Callable[[AcuseError], object]] = None,
    ) -> Descarga:
        """
        Waits until a request has ended, also one that another process made. What fails for a moment is asked again.

        Args:
            limite: Seconds after which the waiting ends, not the request; for as long as it takes by default.
            al_avanzar: Told after each look. Keep ``solicitud_id`` of the first one: by it another process can go on.
            al_fallar: Told of a look that failed and will be made again, as while there is no network.

        Raises:
            AcuseError: ``SOLICITUD_SIN_PAQUETE`` when it ended without a package, its credit given back;
                ``SOLICITUD_NO_ENCONTRADA``; ``ESPERA_AGOTADA`` after ``limite``.
        """
        end = None if limite is None else time.monotonic() + limite
        pause = FIRST_LOOK
        seen: object = None
        while True:
            try:
                solicitud = self.descarga.verificar(solicitud_id=solicitud_id)["data"]
                if al_avanzar is not None:
                    al_avanzar(solicitud)
                if solicitud["terminada_en"] is not None:
                    return Descarga(solicitud, self.descarga.paquete(solicitud_id=solicitud_id)["data"])
                looks = (solicitud["estado"], solicitud["progreso"], solicitud["registros"])
                pause = min(pause * GROWTH, LAST_LOOK) if looks == seen else FIRST_LOOK
                seen = looks
            except AcuseError as error:
                if not es_pasajero(error):
                    raise
                if al_fallar is not None:
                    al_fallar(error)
                pause = max(pause, float(error.reintentar_en or 0))
            left = pause if end is None else end - time.monotonic()
            if left <= 0:
                raise AcuseError("ESPERA_AGOTADA", datos={"motivo": f"solicitud_id {solicitud_id}"})
            self._transport.dormir(min(left, pause * (0.5 + self._transport.azar() / 2)))

    def abrir_paquete(self, solicitud_id: str, *, al_recibir: Optional[AlRecibir] = None) -> PaqueteAbierto:
        """
        Opens the package of a request that has ended; iterating gives its bytes, checked by their SHA-256 as they come.

        Args:
            al_recibir: Told after each piece: bytes so far, and of the whole package.
        """
        return PaqueteAbierto(
            self._transport, lambda: self.descarga.paquete(solicitud_id=solicitud_id)["data"], al_recibir
        )

    def guardar_paquete(
        self,
        solicitud_id: str,
        ruta: Union[str, "os.PathLike[str]"],
        *,
        sobrescribir: bool = False,
        al_recibir: Optional[AlRecibir] = None,
    ) -> ArchivoGuardado:
        """
        Stores the package of a request that has ended in a file. The file has its name only once it is whole and its
        SHA-256 is right; when anything fails nothing is left.

        Raises:
            FileExistsError: When the file is there, unless ``sobrescribir`` lets it be replaced.
        """
        _check_place(ruta, sobrescribir)
        return store(self.abrir_paquete(solicitud_id, al_recibir=al_recibir), ruta)


def _check_place(ruta: Union[str, "os.PathLike[str]"], sobrescribir: bool) -> None:
    if not sobrescribir and os.path.exists(ruta):
        raise FileExistsError(f"Ya existe el archivo {os.fspath(ruta)}. Bórrelo o dé otro nombre.")
