import type { Element } from '@xmldom/xmldom';
import { magiaDe } from '../world/magia.ts';
import type { Documento, Tipo } from '../world/taxpayers/row.ts';
import { DAY, wallTimeOf } from '../world/wall-time.ts';
import type { World } from '../world/world.ts';
import { authorize } from './authorize.ts';
import { type Outcome, outcome } from './codes.ts';
import { type Criterios, readCriterios } from './criterios.ts';
import { injectedOutcome } from './injected-outcome.ts';
import { attributes, soapAnswer } from './soap/answer.ts';
import type { SoapCall, SoapOperation } from './soap/endpoint.ts';
import { child, type SoapMessage } from './soap/message.ts';
import { NS } from './soap/namespaces.ts';
import type { Pedido, Solicitudes } from './solicitudes.ts';
import type { Tokens } from './tokens.ts';

type Deps = { world: World; tokens: Tokens; solicitudes: Solicitudes; documento: Documento };

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The operations SolicitaDescargaEmitidos, SolicitaDescargaRecibidos and SolicitaDescargaFolio. */
export function createSolicita(deps: Deps): SoapOperation[] {
  return [
    create(deps, 'SolicitaDescargaEmitidos', (solicitud) => readPeriod(deps.world, solicitud, 'emitidos')),
    create(deps, 'SolicitaDescargaRecibidos', (solicitud) => readPeriod(deps.world, solicitud, 'recibidos')),
    create(deps, 'SolicitaDescargaFolio', readFolio),
  ];
}

/** The child of the operation element that carries its attributes. */
export function solicitudOf({ operation }: Pick<SoapMessage, 'operation'>, name = 'solicitud'): Element | undefined {
  return child(operation, NS.descarga, name);
}

function create(deps: Deps, name: string, read: (solicitud: Element) => Pedido | Outcome): SoapOperation {
  return {
    name,
    path: '/SolicitaDescargaService.svc',
    action: `${NS.descarga}/ISolicitaDescargaService/${name}`,
    namespace: NS.descarga,
    element: name,
    ownFaults: ['code'],
    rfcOf: (message) => solicitudOf(message)?.getAttribute('RfcSolicitante') ?? '',
    detailOf: (operation) => describe(solicitudOf({ operation })),
    handle: async (call) => {
      const { id, rfc, code, mensaje } = await decide(deps, call, read);
      const result = { CodEstatus: code, Mensaje: mensaje };
      const values = code === 301 ? result : { IdSolicitud: id, RfcSolicitante: rfc, ...result };
      return soapAnswer(
        `<${name}Response xmlns="${NS.descarga}"><${name}Result${attributes(values)}/></${name}Response>`,
      );
    },
  };
}

async function decide(
  deps: Deps,
  call: SoapCall,
  read: (solicitud: Element) => Pedido | Outcome,
): Promise<Outcome & { id: string; rfc: string }> {
  const { world, tokens, solicitudes } = deps;
  const element = solicitudOf(call);
  const rfc = element?.getAttribute('RfcSolicitante') ?? '';
  const refused = (why: Outcome) => ({ ...why, id: '', rfc });
  if (!element) return refused(outcome(301, 'falta el elemento solicitud'));
  const unauthorized = authorize(world, tokens, call, element);
  if (unauthorized) return refused(unauthorized);
  if (call.fault) return refused(injectedOutcome(call.fault));
  const pedido = read(element);
  if ('code' in pedido) return refused(pedido);
  const exceeded = pedido.por === 'folio' ? checkFolio(deps, rfc, pedido.uuid) : null;
  const repeated = exceeded ?? checkRepetition(world, solicitudes, rfc, pedido);
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

/** 5011 beyond the day's limit; 5012 for a cancelled one, of which no XML is given. */
function checkFolio({ world, solicitudes, documento }: Deps, rfc: string, uuid: string): Outcome | null {
  const today = Math.floor(wallTimeOf(world.clock.now()) / DAY);
  const ofToday = solicitudes.byFolio(rfc).filter(({ corte }) => Math.floor(corte / DAY) === today);
  if (ofToday.length >= world.settings.max_folios_por_dia) return outcome(5011);
  const rows = (['emitidos', 'recibidos'] as const).map((tipo) => world.taxpayers.find(rfc, tipo, uuid, { documento }));
  return rows.some((row) => row?.estatus === 'Cancelado') ? outcome(5012) : null;
}

function readPeriod({ clock }: World, solicitud: Element, tipo: Tipo): Pedido | Outcome {
  const read: Criterios | Outcome = readCriterios(solicitud, tipo, wallTimeOf(clock.now()));
  return 'code' in read ? read : { por: 'periodo', ...read };
}

function readFolio(solicitud: Element): Pedido | Outcome {
  const uuid = solicitud.getAttribute('Folio') ?? '';
  if (!UUID.test(uuid)) return outcome(301, 'Folio no es un UUID');
  return { por: 'folio', tipoSolicitud: 'CFDI', uuid: uuid.toUpperCase() };
}

function describe(solicitud: Element | undefined): Record<string, string> {
  return Object.fromEntries(Array.from(solicitud?.attributes ?? [], ({ name, value }) => [name, value]));
}
