from __future__ import annotations

from typing import Optional, cast

from .generated.errors import CON_PLAZO, FALLOS_LOCALES, PASAJEROS, NombreError
from .generated.types import DatosFallo


class AcuseError(Exception):
    """What every call of this package raises; its text says in Spanish what happened, why and what to do."""

    def __init__(
        self,
        nombre: str,
        *,
        codigo: Optional[int] = None,
        texto: Optional[str] = None,
        http: Optional[int] = None,
        datos: Optional[DatosFallo] = None,
        request_id: Optional[str] = None,
    ) -> None:
        self.nombre = cast(NombreError, nombre)
        """Tells apart what shares a code, and never changes."""
        self.codigo = codigo
        """``cfdi_codigo``; None when the service did not say it."""
        self.http = http
        """HTTP status; None without an answer."""
        self.datos: DatosFallo = datos if datos is not None else {}
        """The precise cause and the wrong fields, where there are any."""
        self.request_id = request_id
        """``X-Request-Id`` of the answer: what the operator of the service asks for."""
        super().__init__((texto or FALLOS_LOCALES.get(nombre) or nombre) + _reason(self.datos, texto or ""))

    @property
    def reintentar_en(self) -> Optional[float]:
        """Seconds after which the service says that it is worth asking again; None when it does not say."""
        return self.datos.get("reintentar_en")


def _reason(datos: DatosFallo, texto: str) -> str:
    motivo, campo = datos.get("motivo"), datos.get("campo")
    # The text of a wrong field says its reason already.
    if motivo is None or motivo in texto:
        return ""
    return f" ({campo}: {motivo})" if campo else f" ({motivo})"


def es_pasajero(error: BaseException) -> bool:
    """Whether the same call may succeed when it is made again."""
    if not isinstance(error, AcuseError):
        return False
    if error.nombre == "RESPUESTA_ILEGIBLE":
        return error.http == 429 or (error.http or 0) >= 500
    return error.nombre in PASAJEROS or (error.nombre in CON_PLAZO and error.reintentar_en is not None)
