"""Calls and their repetition."""

from __future__ import annotations

import http.client
import json
import logging
import re
import ssl
import time
import uuid
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, Mapping, Optional, TypeVar, cast
from urllib.error import HTTPError
from urllib.request import HTTPHandler, HTTPSHandler, OpenerDirector, ProxyHandler, Request, UnknownHandler

from .errors import AcuseError, es_pasajero
from .generated.types import DatosFallo

T = TypeVar("T")

FIRST_PAUSE = 0.5
"""Seconds of the first pause at most; each next one may be twice as long."""
LONGEST_PAUSE = 20.0
"""Seconds of any pause at most. An answer that asks for more is raised instead of waited for."""
RUNNING_MAX = 120.0
"""Seconds that an earlier try of the same call is waited for at most: longer than the service lets one run."""
BROKEN = (OSError, http.client.HTTPException)
"""What a connection raises that cannot be made, breaks or stands still."""


def plain_opener(tls: Optional[ssl.SSLContext] = None) -> OpenerDirector:
    """
    Opens HTTP and HTTPS, through the proxies of the environment, and nothing else: it follows no redirection, so that
    the key goes to nobody else, and gives an answer of any status.
    """
    opener = OpenerDirector()
    for handler in (ProxyHandler(), UnknownHandler(), HTTPHandler(), HTTPSHandler(context=tls)):
        opener.add_handler(handler)
    return opener


@dataclass(frozen=True)
class Transport:
    """How a client reaches its service."""

    base: str
    """With ``/api/v1/``."""
    llave: str = field(repr=False)
    user_agent: str
    reintentos: int
    """Repetitions of a call, beside the first try."""
    plazo: float
    """Seconds of silence after which a try has failed."""
    dormir: Callable[[float], object]
    azar: Callable[[], float]
    opener: OpenerDirector = field(repr=False)
    registro: Optional[logging.Logger]

    def open(self, request: Request) -> http.client.HTTPResponse:
        """:raises AcuseError: ``SIN_CONEXION``."""
        try:
            answer: http.client.HTTPResponse = self.opener.open(request, timeout=self.plazo)
            return answer
        except HTTPError as answer:
            # An opener of the caller's own may raise an answer for its status.
            return cast(http.client.HTTPResponse, answer)
        except BROKEN as error:
            raise AcuseError("SIN_CONEXION") from error


def with_retries(transport: Transport, attempt: Callable[[], T]) -> T:
    """
    Runs ``attempt`` again while what it raises may pass by itself: after the seconds that the service asks for, and a
    pause drawn between zero and a bound that doubles each time (full jitter), so that clients do not come back
    together. An earlier try of the same call that still runs is waited for, beside the repetitions.
    """
    pauses = tries = 0
    running = RUNNING_MAX
    while True:
        try:
            return attempt()
        except AcuseError as error:
            if not es_pasajero(error):
                raise
            asked = float(error.reintentar_en or 0)
            bound = min(LONGEST_PAUSE, FIRST_PAUSE * 2**pauses)
            if error.nombre == "IDEMPOTENCIA_EN_CONFLICTO":
                if running <= 0:
                    raise
                pause = min(running, max(asked, transport.azar() * bound))
                running -= pause
            else:
                tries += 1
                if tries > transport.reintentos or asked > LONGEST_PAUSE:
                    raise
                pause = asked + transport.azar() * bound
        pauses += 1
        transport.dormir(pause)


def call(transport: Transport, path: str, changes: bool, peticion: Mapping[str, Any], clave: Optional[str]) -> Any:
    """
    Calls an operation. What charges or changes something carries an ``Idempotency-Key``, the same one in each try, so
    that the service does it once and charges it once however often an answer gets lost. The others are read again.
    """
    if clave is None and changes:
        clave = str(uuid.uuid4())
    headers = {
        "Authorization": f"Bearer {transport.llave}",
        "Content-Type": "application/json",
        "User-Agent": transport.user_agent,
    }
    if clave is not None:
        headers["Idempotency-Key"] = visible(clave, "clave_idempotencia")
    body = json.dumps({name: value for name, value in peticion.items() if value is not None}).encode()
    request = Request(transport.base + path, body, headers, method="POST")
    tries = 0

    def attempt() -> Any:
        nonlocal tries
        tries += 1
        started = time.monotonic()
        answered: Dict[str, Any] = {"http": None, "request_id": None, "limite": None, "repetida": False}
        failed: Optional[str] = None
        try:
            return _once(transport, request, answered)
        except AcuseError as error:
            failed = error.nombre
            raise
        finally:
            if transport.registro is not None:
                told = {"operacion": path, "intento": tries, "error": failed, **answered}
                told["ms"] = round((time.monotonic() - started) * 1_000)
                level = logging.INFO if failed is None else logging.WARNING
                text = "%(operacion)s intento=%(intento)d http=%(http)s ms=%(ms)d request_id=%(request_id)s error=%(error)s"
                transport.registro.log(level, text, told, extra={"acuse": told})

    return with_retries(transport, attempt)


def visible(text: str, name: str) -> str:
    """:raises ValueError: for what a header of HTTP cannot carry."""
    if re.fullmatch(r"[\x21-\x7e]{1,255}", text) is None:
        raise ValueError(f"{name} debe tener de 1 a 255 caracteres visibles, sin espacios ni acentos.")
    return text


def _once(transport: Transport, request: Request, answered: Dict[str, Any]) -> Any:
    with transport.open(request) as response:
        answered["http"] = response.status
        answered["request_id"] = response.headers.get("x-request-id")
        answered["limite"] = response.headers.get("ratelimit")
        answered["repetida"] = response.headers.get("idempotent-replayed") == "true"
        try:
            raw = response.read()
        except BROKEN as error:
            raise AcuseError("SIN_CONEXION") from error
        request_id = answered["request_id"]
        seconds = response.headers.get("retry-after", "")
    answer = _parse(raw)
    if answer.get("cfdi_codigo") == 1:
        return answer
    datos: DatosFallo = {"reintentar_en": int(seconds)} if re.fullmatch("[0-9]{1,9}", seconds) else {}
    if not isinstance(answer.get("error"), str):
        raise AcuseError("RESPUESTA_ILEGIBLE", http=response.status, datos=datos, request_id=request_id)
    raise AcuseError(
        answer["error"],
        codigo=answer.get("cfdi_codigo"),
        texto=answer.get("cfdi_texto"),
        http=response.status,
        datos=cast(DatosFallo, {**datos, **(answer.get("data") or {})}),
        request_id=request_id,
    )


def _parse(raw: bytes) -> Dict[str, Any]:
    try:
        value = json.loads(raw)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}
