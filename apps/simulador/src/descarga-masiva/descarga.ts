import { createCfdiZip, createMetadataZip } from '../world/packages.ts';
import type { World } from '../world/world.ts';
import { authorize } from './authorize.ts';
import { type Outcome, outcome } from './codes.ts';
import { injectedOutcome } from './injected-outcome.ts';
import { attributes, ENVELOPE_CLOSE, ENVELOPE_OPEN, soapStream } from './soap/answer.ts';
import type { SoapCall, SoapOperation } from './soap/endpoint.ts';
import { NS } from './soap/namespaces.ts';
import { solicitudOf } from './solicita.ts';
import type { Paquete, Solicitud, Solicitudes } from './solicitudes.ts';
import type { Tokens } from './tokens.ts';

type Deps = { world: World; tokens: Tokens; solicitudes: Solicitudes };
type Content = AsyncIterable<Uint8Array>;

const ELEMENT = 'peticionDescarga';
const HOUR = 3_600_000;

/** The operation Descargar: a package as base64 in one text node, written while it is made. */
export function createDescarga(deps: Deps): SoapOperation {
  return {
    name: 'Descargar',
    path: '/DescargaMasivaService.svc',
    action: `${NS.descarga}/IDescargaMasivaTercerosService/Descargar`,
    namespace: NS.descarga,
    element: 'PeticionDescargaMasivaTercerosEntrada',
    ownFaults: ['code', 'wrong-content'],
    rfcOf: (message) => solicitudOf(message, ELEMENT)?.getAttribute('RfcSolicitante') ?? '',
    detailOf: (operation) => ({
      IdPaquete: solicitudOf({ operation }, ELEMENT)?.getAttribute('IdPaquete') ?? '',
    }),
    handle: (call) => {
      const { content, ...result } = decide(deps, call);
      return soapStream(write(result, content));
    },
  };
}

function decide({ world, tokens, solicitudes }: Deps, call: SoapCall): Outcome & { content: Content | null } {
  const { fault } = call;
  const refuse = (why: Outcome) => ({ ...why, content: null });
  const element = solicitudOf(call, ELEMENT);
  if (!element) return refuse(outcome(301, 'falta el elemento peticionDescarga'));
  const unauthorized = authorize(world, tokens, call, element);
  if (unauthorized) return refuse(unauthorized);
  if (fault?.kind === 'code') return refuse(injectedOutcome(fault));
  if (fault) return { ...outcome(5000), content: noPackage() };
  const rfc = element.getAttribute('RfcSolicitante') ?? '';
  const found = solicitudes.findPaquete(rfc, element.getAttribute('IdPaquete') ?? '');
  if (!found) return refuse(outcome(5004));
  const { solicitud, paquete } = found;
  if (!paquete || hasLapsed(world, solicitud)) return refuse(outcome(5007));
  if (paquete.descargas >= world.settings.max_descargas) return refuse(outcome(5008));
  paquete.descargas += 1;
  return { ...outcome(5000), content: open(world, solicitudes, solicitud, paquete) };
}

function hasLapsed({ clock, settings }: World, { terminada }: Solicitud): boolean {
  const age = clock.now().getTime() - (terminada ?? clock.now()).getTime();
  return age >= settings.horas_paquete * HOUR;
}

function open(world: World, solicitudes: Solicitudes, solicitud: Solicitud, paquete: Paquete): Content {
  const createZip = solicitud.pedido.tipoSolicitud === 'CFDI' ? createCfdiZip : createMetadataZip;
  return createZip({
    id: paquete.id,
    fecha: solicitud.terminada ?? solicitud.creada,
    basura: world.taxpayers.taxpayer(solicitud.rfc).basura,
    rows: () => solicitudes.rows(solicitud, paquete),
  });
}

/** What a `wrong-content` fault puts where the ZIP should be. */
async function* noPackage(): Content {
  yield Buffer.from('<html><body>Servicio no disponible</body></html>');
}

async function* write({ code, mensaje }: Outcome, content: Content | null): AsyncGenerator<Uint8Array> {
  const respuesta = `<h:respuesta${attributes({ CodEstatus: code, Mensaje: mensaje })} xmlns:h="${NS.descarga}" xmlns="${NS.descarga}"/>`;
  yield Buffer.from(
    `${ENVELOPE_OPEN}<s:Header>${respuesta}</s:Header><s:Body><RespuestaDescargaMasivaTercerosSalida xmlns="${NS.descarga}"><Paquete>`,
  );
  if (content) yield* toBase64(content);
  yield Buffer.from(`</Paquete></RespuestaDescargaMasivaTercerosSalida></s:Body>${ENVELOPE_CLOSE}`);
}

/** Base64 of a stream: only multiples of three bytes can be written before its end. */
async function* toBase64(content: Content): AsyncGenerator<Uint8Array> {
  let rest: Uint8Array = new Uint8Array();
  for await (const chunk of content) {
    const bytes = Buffer.concat([rest, chunk]);
    const whole = bytes.length - (bytes.length % 3);
    rest = bytes.subarray(whole);
    if (whole > 0) yield Buffer.from(bytes.toString('base64', 0, whole), 'latin1');
  }
  if (rest.length > 0) yield Buffer.from(Buffer.from(rest).toString('base64'), 'latin1');
}
