"""Uses the Python client by the orders of a test: a line of JSON is an order, and what it prints is one of `clientes.ts`."""

import base64
import hashlib
import json
import logging
import resource
import ssl
import sys
import time
import urllib.request

from acuse import Acuse, AcuseError, PaqueteCfdi, elementos, verificar_webhook


def say(**line):
    print(json.dumps(line), flush=True)


class Said(logging.Handler):
    def emit(self, record):
        say(registro={**record.acuse, "level": record.levelname.lower(), "texto": record.getMessage()})


def client_of(order):
    def dormir(seconds):
        say(pausa=seconds)
        time.sleep(seconds * order["scale"])

    options = dict(order["cliente"])
    if "autoridad" in options:
        options["tls"] = ssl.create_default_context(cafile=options.pop("autoridad"))
    if options.pop("propio", False):
        options["opener"] = urllib.request.build_opener()
        options["opener"].addheaders.append(("Cookie", "propio=si"))
    if options.pop("registro", False):
        options["registro"] = logging.Logger("prueba")
        options["registro"].addHandler(Said())
    return Acuse(**options, dormir=dormir, azar=lambda: order["azar"])


def callbacks_of(name):
    if name in ("esperar", "descargar_y_esperar", "descargar_cfdi"):
        return {
            "al_avanzar": lambda solicitud: say(avance=solicitud),
            "al_fallar": lambda error: say(fallo=error.nombre),
        }
    if name in ("guardar_paquete", "abrir_paquete"):
        return {"al_recibir": lambda came, total: say(recibido=[came, total])}
    return {}


def method_of(client, name):
    for part in name.split("."):
        client = getattr(client, part)
    return client


def read_all(paquete):
    cfdi, bytes, digest = 0, 0, hashlib.sha256()
    for each in paquete.cfdi():
        cfdi, bytes = cfdi + 1, bytes + len(each.xml)
        digest.update(f"{each.uuid} {each.ruta} {hashlib.sha256(each.xml).hexdigest()}\n".encode())
    faltantes = 0
    for each in paquete.faltantes():
        faltantes += 1
        digest.update(f"{each.uuid} {each.motivo}\n".encode())
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"cfdi": cfdi, "bytes": bytes, "faltantes": faltantes, "sha256": digest.hexdigest(), "megabytes": megabytes}


def result_of(order):
    name, arguments = order["metodo"], order["args"]
    if name == "paquete_cfdi":
        return read_all(PaqueteCfdi(**arguments))
    if name == "verificar_webhook":
        return verificar_webhook(base64.b64decode(arguments.pop("cuerpo")), **arguments)
    if name == "elementos":
        ask = method_of(client_of(order), arguments["operacion"])
        for elemento in elementos(lambda cursor: ask(**arguments["peticion"], cursor=cursor)):
            say(elemento=elemento)
        return {}
    method = method_of(client_of(order), name)
    result = method(**arguments, **callbacks_of(name))
    if name == "abrir_paquete":
        digest = hashlib.sha256()
        for chunk in result:
            digest.update(chunk)
        return {"bytes": result.bytes, "sha256": digest.hexdigest()}
    if name == "descargar_cfdi":
        return {"solicitud": result.solicitud, **read_all(result.archivo)}
    return result if isinstance(result, dict) else vars(result)


for line in sys.stdin:
    try:
        say(resultado=result_of(json.loads(line)))
    except AcuseError as error:
        say(
            error={
                **{"clase": "AcuseError", "nombre": error.nombre, "codigo": error.codigo, "http": error.http},
                **{"mensaje": str(error), "datos": error.datos, "requestId": error.request_id},
                "reintentarEn": error.reintentar_en,
            }
        )
    except (ValueError, OSError) as error:
        say(error={"clase": type(error).__name__, "mensaje": str(error)})
