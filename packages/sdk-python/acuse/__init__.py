"""El cliente de Acuse: consultas al SAT, descargas masivas y avisos firmados."""

from .cfdi import Cfdi, CfdiFaltante, PaqueteCfdi
from .client import Acuse, Descarga, DescargaCfdi
from .errors import AcuseError, es_pasajero
from .generated import VERSION
from .generated.errors import NombreError
from .generated.types import EventoWebhook
from .package import ArchivoGuardado, PaqueteAbierto
from .pages import elementos
from .webhook import verificar_webhook

__all__ = [
    "VERSION",
    "Acuse",
    "AcuseError",
    "ArchivoGuardado",
    "Cfdi",
    "CfdiFaltante",
    "Descarga",
    "DescargaCfdi",
    "EventoWebhook",
    "NombreError",
    "PaqueteAbierto",
    "PaqueteCfdi",
    "elementos",
    "es_pasajero",
    "verificar_webhook",
]
