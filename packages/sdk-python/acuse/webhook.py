from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import re
import time
from typing import Iterable, Mapping, Optional, Union

from .errors import AcuseError
from .generated.types import EventoWebhook

TOLERANCE_SECONDS = 300
"""Seconds by which the clock of a webhook may differ."""
PREFIX = "whsec_"


def verificar_webhook(
    cuerpo: Union[bytes, str],
    encabezados: Mapping[str, str],
    secretos: Union[str, Iterable[str]],
    ahora: Optional[float] = None,
) -> EventoWebhook:
    """
    Checks a webhook by the Standard Webhooks scheme and reads it: ``webhook-signature`` has to hold, for one of the
    secrets, the HMAC-SHA256 of ``webhook-id``, ``webhook-timestamp`` and body; a webhook older or newer than five
    minutes is refused. Comparisons take the same time whatever they find. Whoever gets the same ``webhook-id`` twice
    has to do its work once.

    Args:
        cuerpo: The body byte for byte: read as JSON and written again it has another signature.
        encabezados: Headers of the request; upper and lower case are the same.
        secretos: One ``whsec_…``, or several while one replaces the other.
        ahora: Seconds since 1970; the clock by default.

    Raises:
        AcuseError: ``WEBHOOK_INVALIDO`` with the reason.
        ValueError: For a secret that is none.
    """
    keys = [_key_of(secreto) for secreto in ([secretos] if isinstance(secretos, str) else secretos)]
    headers = {name.lower(): value for name, value in encabezados.items()}
    names = ("webhook-id", "webhook-timestamp", "webhook-signature")
    for name in names:
        if not headers.get(name):
            raise _invalid(f"falta el encabezado {name}")
    message_id, timestamp, signatures = (headers[name] for name in names)
    if re.fullmatch("[0-9]{1,15}", timestamp) is None:
        raise _invalid("webhook-timestamp no es una hora")
    if abs((time.time() if ahora is None else ahora) - int(timestamp)) > TOLERANCE_SECONDS:
        raise _invalid("su hora difiere más de cinco minutos de la de este equipo")
    body = cuerpo.encode() if isinstance(cuerpo, str) else bytes(cuerpo)
    signed = f"{message_id}.{timestamp}.".encode() + body
    given = [_bytes_of(each[3:]) for each in signatures.split(" ") if each.startswith("v1,")]
    expected = [hmac.new(key, signed, hashlib.sha256).digest() for key in keys]
    if not any([hmac.compare_digest(mine, other or b"") for mine in expected for other in given]):
        raise _invalid("ninguna de sus firmas es de un secreto de los dados")
    try:
        event: EventoWebhook = json.loads(body.decode())
        return event
    except ValueError as error:
        raise _invalid("su cuerpo no es JSON") from error


def _invalid(motivo: str) -> AcuseError:
    return AcuseError("WEBHOOK_INVALIDO", datos={"motivo": motivo})


def _key_of(secreto: str) -> bytes:
    key = _bytes_of(secreto[len(PREFIX) :]) if secreto.startswith(PREFIX) else None
    if not key:
        raise ValueError("El secreto de un webhook es whsec_ y base64: cópielo como lo mostró el servicio.")
    return key


def _bytes_of(text: str) -> Optional[bytes]:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None
