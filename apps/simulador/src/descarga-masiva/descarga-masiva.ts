import type { Element } from '@xmldom/xmldom';
import { Hono } from 'hono';
import { compress } from 'hono/compress';
import { magiaDe } from '../world/magia.ts';
import { createCfdiZip, createMetadataZip } from '../world/packages.ts';
import type { Documento, Tipo } from '../world/taxpayers/row.ts';
import { DAY, wallTimeOf } from '../world/wall-time.ts';
import type { World } from '../world/world.ts';
import { createAutenticacion, createTokens, type Tokens } from './autenticacion.ts';
import { authorize, solicitanteOf } from './authorize.ts';
import { injectedOutcome, malformed, type Outcome, outcome } from './codes.ts';
import {
  attributes,
  createEndpoint,
  ENVELOPE_CLOSE,
  ENVELOPE_OPEN,
  type SoapCall,
  type SoapOperation,
  soapAnswer,
  soapStream,
} from './soap/endpoint.ts';
import { child, NS, type SoapMessage } from './soap/message.ts';
import {
  type Criterios,
  createSolicitudes,
  type Paquete,
  type Pedido,
  readCriteria,
  type Solicitud,
  type Solicitudes,
} from './solicitudes.ts';

const HOSTS: Record<Documento, { solicitud: string; descarga: string }> = {
  cfdi: { solicitud: 'cfdidescargamasivasolicitud', descarga: 'cfdidescargamasiva' },
  retenciones: { solicitud: 'retendescargamasivasolicitud', descarga: 'retendescargamasiva' },
};

/** The web service "Descarga Masiva" v1.5, for CFDI or for retenciones; each has its own tokens and requests. */
export function createDescargaMasiva(world: World, documento: Documento): { prefix: string; app: Hono }[] {
  const tokens = createTokens(world, documento);
  const solicitudes = createSolicitudes(world, documento);
  const deps = { world, tokens, solicitudes, documento };
  const { solicitud, descarga } = HOSTS[documento];
  const operations = [createAutenticacion(world, tokens), ...createSolicita(deps), createVerifica(deps)];
  return [
    { prefix: `/${solicitud}`, app: compressed(createEndpoint(world, solicitud, operations)) },
    { prefix: `/${descarga}`, app: compressed(createEndpoint(world, descarga, [createDescarga(deps)])) },
  ];
}

/** Answers with gzip where it is asked for, as live answers do (petergtam/DescargaMasivaSATKit, tests). */
function compressed(service: Hono): Hono {
  return new Hono().use(compress({ encoding: 'gzip', threshold: 0 })).route('/', service);
}

type Deps = { world: World; tokens: Tokens; solicitudes: Solicitudes; documento: Documento };

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

function createSolicita(deps: Deps): SoapOperation[] {
  return [
    create(deps, 'SolicitaDescargaEmitidos', (solicitud, rfc) => readPeriod(deps.world, solicitud, 'emitidos', rfc)),
    create(deps, 'SolicitaDescargaRecibidos', (solicitud, rfc) => readPeriod(deps.world, solicitud, 'recibidos', rfc)),
    create(deps, 'SolicitaDescargaFolio', readFolio),
  ];
}

function solicitudOf({ operation }: Pick<SoapMessage, 'operation'>, name = 'solicitud'): Element | undefined {
  return child(operation, NS.descarga, name);
}

type Read = (solicitud: Element, rfc: string) => Pedido | Outcome;

function create(deps: Deps, name: string, read: Read): SoapOperation {
  return {
    name,
    path: '/SolicitaDescargaService.svc',
    action: `${NS.descarga}/ISolicitaDescargaService/${name}`,
    namespace: NS.descarga,
    element: name,
    ownFaults: ['code'],
    rfcOf: (message) => solicitanteOf(deps.world, solicitudOf(message)),
    detailOf: (operation) => describe(solicitudOf({ operation })),
    handle: async (call) => {
      const { id, rfc, code, mensaje } = await decideRequest(deps, call, read);
      const result = { CodEstatus: code, Mensaje: mensaje };
      const values = code === 301 ? result : { IdSolicitud: id, RfcSolicitante: rfc, ...result };
      return soapAnswer(
        `<${name}Response xmlns="${NS.descarga}"><${name}Result${attributes(values)}/></${name}Response>`,
      );
    },
  };
}

async function decideRequest(deps: Deps, call: SoapCall, read: Read): Promise<Outcome & { id: string; rfc: string }> {
  const { world, tokens, solicitudes } = deps;
  const element = solicitudOf(call);
  const rfc = solicitanteOf(world, element);
  const refused = (why: Outcome) => ({ ...why, id: '', rfc });
  if (!element) return refused(malformed('Falta el elemento solicitud.'));
  const unauthorized = authorize(world, tokens, call, element);
  if (unauthorized) return refused(unauthorized);
  if (call.fault) return refused(injectedOutcome(call.fault));
  const pedido = read(element, rfc);
  if ('code' in pedido) return refused(pedido);
  const exceeded = pedido.por === 'folio' ? checkFolio(deps, rfc, pedido.uuid) : null;
  const repeated = exceeded ?? checkRepetition(world, solicitudes, rfc, pedido);
  const isToldLater = repeated?.code === 5002 && world.settings.agotadas === 'al verificar';
  if (isToldLater) return { ...outcome(5000), id: solicitudes.create(rfc, pedido, 5002).id, rfc };
  if (repeated) return refused(repeated);
  if (magiaDe(rfc)?.isVacioAlPedir && (await solicitudes.isEmpty(rfc, pedido))) return refused(outcome(5004));
  return { ...outcome(5000), id: solicitudes.create(rfc, pedido).id, rfc };
}

/** 5005 while an equal request is in force; 5002 when XML was asked for with equal criteria too often. */
function checkRepetition({ settings }: World, solicitudes: Solicitudes, rfc: string, pedido: Pedido): Outcome | null {
  const equal = solicitudes.equalTo(rfc, pedido);
  if (equal.some(solicitudes.isInForce)) return outcome(5005);
  const isUsedUp = pedido.tipoSolicitud === 'CFDI' && equal.length >= settings.max_solicitudes_iguales;
  return isUsedUp ? outcome(5002) : null;
}

/** 5011 beyond the daily limit; 5012 for a cancelled CFDI, which has no XML. */
function checkFolio({ world, solicitudes, documento }: Deps, rfc: string, uuid: string): Outcome | null {
  const today = Math.floor(wallTimeOf(world.clock.now()) / DAY);
  const ofToday = solicitudes.byFolio(rfc).filter(({ corte }) => Math.floor(corte / DAY) === today);
  if (ofToday.length >= world.settings.max_folios_por_dia) return outcome(5011);
  const rows = (['emitidos', 'recibidos'] as const).map((tipo) => world.taxpayers.find(rfc, tipo, uuid, { documento }));
  return rows.some((row) => row?.estatus === 'Cancelado') ? outcome(5012) : null;
}

function readPeriod({ clock }: World, solicitud: Element, tipo: Tipo, rfc: string): Pedido | Outcome {
  const read: Criterios | Outcome = readCriteria(solicitud, tipo, { rfc, now: wallTimeOf(clock.now()) });
  return 'code' in read ? read : { por: 'periodo', ...read };
}

function readFolio(solicitud: Element): Pedido | Outcome {
  const uuid = solicitud.getAttribute('Folio') ?? '';
  if (!UUID.test(uuid)) return malformed('Folio no es un UUID.');
  return { por: 'folio', tipoSolicitud: 'CFDI', uuid: uuid.toUpperCase() };
}

function describe(solicitud: Element | undefined): Record<string, string> {
  return Object.fromEntries(Array.from(solicitud?.attributes ?? [], ({ name, value }) => [name, value]));
}

type Verificacion = Outcome & { estado: number; codigo: number; filas: number; paquetes: readonly string[] };

const NAME = 'VerificaSolicitudDescarga';

/** The operation VerificaSolicitudDescarga: how far a request is, and its packages when it is finished. */
function createVerifica(deps: Deps): SoapOperation {
  return {
    name: NAME,
    path: '/VerificaSolicitudDescargaService.svc',
    action: `${NS.descarga}/IVerificaSolicitudDescargaService/${NAME}`,
    namespace: NS.descarga,
    element: NAME,
    ownFaults: ['code', 'stuck'],
    rfcOf: (message) => solicitanteOf(deps.world, solicitudOf(message)),
    detailOf: (operation) => ({ IdSolicitud: solicitudOf({ operation })?.getAttribute('IdSolicitud') ?? '' }),
    handle: async (call) => {
      const { code, mensaje, estado, codigo, filas, paquetes } = await decideVerification(deps, call);
      const values = {
        CodEstatus: code,
        EstadoSolicitud: estado,
        CodigoEstadoSolicitud: codigo,
        NumeroCFDIs: filas,
        Mensaje: mensaje,
      };
      const ids = paquetes.map((id) => `<IdsPaquetes>${id}</IdsPaquetes>`).join('');
      return soapAnswer(
        `<${NAME}Response xmlns="${NS.descarga}"><${NAME}Result${attributes(values)}>${ids}</${NAME}Result></${NAME}Response>`,
      );
    },
  };
}

async function decideVerification({ world, tokens, solicitudes }: Deps, call: SoapCall): Promise<Verificacion> {
  const { fault } = call;
  const element = solicitudOf(call);
  if (!element) return refuse(malformed('Falta el elemento solicitud.'));
  const rfc = solicitanteOf(world, element);
  const unauthorized = authorize(world, tokens, call, element);
  if (unauthorized) return refuse(unauthorized);
  const solicitud = solicitudes.find(rfc, element.getAttribute('IdSolicitud') ?? '');
  if (!solicitud) return { ...refuse(outcome(5004)), codigo: 5004 };
  if (fault?.kind === 'stuck') return { ...outcome(5000), estado: 1, codigo: 5000, filas: 0, paquetes: [] };
  if (fault) {
    const { estado = 0, codigoEstado = 0 } = fault;
    return { ...injectedOutcome(fault), estado, codigo: codigoEstado, filas: 0, paquetes: [] };
  }
  const progreso = await solicitudes.verify(solicitud);
  const paquetes = progreso.estado === 3 ? solicitud.paquetes.map(({ id }) => id) : [];
  return { ...outcome(5000), ...progreso, paquetes };
}

function refuse(why: Outcome): Verificacion {
  return { ...why, estado: 0, codigo: 0, filas: 0, paquetes: [] };
}

type Content = AsyncIterable<Uint8Array>;

const ELEMENT = 'peticionDescarga';
const HOUR = 3_600_000;

/** The operation Descargar: a package as base64 in one text node, written while it is made. */
function createDescarga(deps: Deps): SoapOperation {
  return {
    name: 'Descargar',
    path: '/DescargaMasivaService.svc',
    action: `${NS.descarga}/IDescargaMasivaTercerosService/Descargar`,
    namespace: NS.descarga,
    element: 'PeticionDescargaMasivaTercerosEntrada',
    ownFaults: ['code', 'wrong-content'],
    rfcOf: (message) => solicitanteOf(deps.world, solicitudOf(message, ELEMENT)),
    detailOf: (operation) => ({ IdPaquete: solicitudOf({ operation }, ELEMENT)?.getAttribute('IdPaquete') ?? '' }),
    handle: (call) => {
      const { content, ...result } = decideDownload(deps, call);
      call.note({ CodEstatus: String(result.code) });
      return soapStream(write(result, content));
    },
  };
}

function decideDownload(deps: Deps, call: SoapCall): Outcome & { content: Content | null } {
  const { world, tokens, solicitudes } = deps;
  const { fault } = call;
  const refuse = (why: Outcome) => ({ ...why, content: null });
  const element = solicitudOf(call, ELEMENT);
  if (!element) return refuse(malformed('Falta el elemento peticionDescarga.'));
  const rfc = solicitanteOf(world, element);
  const unauthorized = authorize(world, tokens, call, element);
  if (unauthorized) return refuse(unauthorized);
  if (fault?.kind === 'code') return refuse(injectedOutcome(fault));
  if (fault) return { ...outcome(5000), content: noPackage() };
  const found = solicitudes.findPaquete(rfc, element.getAttribute('IdPaquete') ?? '');
  if (!found) return refuse(outcome(5004));
  const { solicitud, paquete } = found;
  if (!paquete || hasLapsed(world, solicitud)) return refuse(outcome(5007));
  if (paquete.descargas >= world.settings.max_descargas) return refuse(outcome(5008));
  paquete.descargas += 1;
  return { ...outcome(5000), content: open(deps, solicitud, paquete) };
}

function hasLapsed({ clock, settings }: World, { terminada }: Solicitud): boolean {
  const age = clock.now().getTime() - (terminada ?? clock.now()).getTime();
  return age >= settings.horas_paquete * HOUR;
}

function open({ world, solicitudes, documento }: Deps, solicitud: Solicitud, paquete: Paquete): Content {
  const content = {
    id: paquete.id,
    fecha: solicitud.terminada ?? solicitud.creada,
    basura: world.taxpayers.taxpayer(solicitud.rfc).basura,
    rows: () => solicitudes.rows(solicitud, paquete),
  };
  if (solicitud.pedido.tipoSolicitud === 'Metadata') return createMetadataZip(content);
  return createCfdiZip(content, (row) => world.cfdis.xmlOf(row, documento), world.settings.paquetes_xml);
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
