import type { EstadoSolicitud } from '@acuse/contract';
import type { CanalSat, Credencial, Presigned } from '../credencial.ts';
import type { CopiaCerrada, CredentialSource } from '../ports/credential-source.ts';
import type { Cuotas } from '../ports/cuotas.ts';
import type { Paquetes } from '../ports/paquetes.ts';
import type { NombrePaso, Sat } from '../ports/sat.ts';
import type {
  Avance,
  CambioParte,
  ClaimedSolicitud,
  Claims,
  CredencialSellada,
  EstadoFinalSinPaquete,
  EstadoParte,
  Fase,
  MotivoSolicitud,
  NuevoEvento,
  Parte,
} from '../ports/solicitudes.ts';
import { MAX_ENVIOS_XML, spendDesfase, takeDesfase } from '../xml/cuota-xml.ts';
import { sendAndKeep } from '../xml/evidencia.ts';
import { type Agenda, waitAfterPoll } from './agenda.ts';
import { divide, periodoPedido, periodosDe, pideDeMas } from './periodos.ts';

/** Places between an effect outside of the database and its record, where a process may die. */
export const PUNTOS = [
  'tras-tomar',
  'tras-intencion',
  'tras-solicitar',
  'tras-verificar',
  'tras-bajar',
  'tras-ensamblar',
  'tras-terminar',
] as const;

/** Called at each place; does nothing outside of tests. */
export type Checkpoint = (punto: (typeof PUNTOS)[number], solicitudId: string) => Promise<void>;

export const noCheckpoint: Checkpoint = async () => {};

export interface AdvanceDeps {
  readonly claims: Claims;
  readonly sat: Sat<NombrePaso>;
  readonly paquetes: Pick<Paquetes, 'saveSat' | 'saveXml' | 'saveEvidencia' | 'findSat' | 'ping'>;
  readonly cuotas: Cuotas;
  /** In the order in which they are asked. */
  readonly sources: readonly CredentialSource[];
  readonly agenda: Agenda;
  readonly checkpoint: Checkpoint;
}

/** One step of one part: what it works with. */
export interface ContextoPaso extends AdvanceDeps {
  readonly solicitud: ClaimedSolicitud;
  readonly parte: Parte;
  readonly source: CredentialSource;
  readonly credencial: Credencial | Presigned;
  readonly signal: AbortSignal;
  /** The write of the intent to ask for a part that is not written yet. */
  readonly intended?: (intent: CambioParte) => Avance;
}

/** Why a solicitud ends without a package. */
export interface Fin {
  readonly estado: EstadoFinalSinPaquete;
  readonly motivo: MotivoSolicitud;
  readonly codigo?: string;
}

/** Reason for the other channel, with its event. */
export interface ChannelChange {
  /** The channel that it leaves refused the credential, cannot be asked, or the hour of the key is over. */
  readonly tipo: 'OTRO_CANAL' | 'CANAL_CAIDO' | 'SIN_EFIRMA';
  readonly codigo?: string;
  /** It may come back when the other one refuses: the sealed copy of the credential is kept. */
  readonly mayReturn: boolean;
}

/** What one step leads to: progress and a wait, or the end of the solicitud. */
export type Paso =
  | {
      readonly avance: Avance;
      readonly inSeconds: number;
      /** No part is looked at sooner, whatever its own time: each would cost a log-in. */
      readonly isForAll?: boolean;
    }
  /** The SAT was not asked: nothing has changed, and the whole solicitud is looked at again later. */
  | { readonly isBusy: true; readonly inSeconds: number }
  | { readonly change: ChannelChange }
  /** The key is needed: signatures made beforehand are missing, too few or refused. */
  | { readonly isSinFirma: true }
  | { readonly fin: Fin; readonly isCredencialRechazada?: boolean };

/** The SAT was asked: what changes of the part, which is looked at again `inSeconds` from now. */
export function progress(
  { id }: Parte,
  cambio: Omit<CambioParte, 'parteId'>,
  eventos: readonly NuevoEvento[],
  inSeconds = 0,
) {
  const partes = [{ parteId: id, fallos: 0, dueInSeconds: inSeconds, ...cambio }];
  return { avance: { consultado: true, partes, eventos }, inSeconds };
}

/** The period to ask the SAT for. */
const pedidoDe = ({ canal, periodo, desfase }: Parte, { now }: ClaimedSolicitud) =>
  periodoPedido({ canal, periodo, desfase, ahora: now });

/** The part is stored, or known to be empty. */
export const isLista = ({ estado }: Pick<Parte, 'estado'>): boolean => estado === 'DESCARGADA' || estado === 'VACIA';

/** A part as another request in the eyes of the SAT, which refuses equal ones. */
const anew = ({ desfase }: Parte) =>
  ({ estado: 'PENDIENTE', folio: null, paquetes: [], desfase: desfase + 1, consultas: 0 }) as const;

/** Seconds by which a period may be widened before the quota of its criteria counts as spent. */
const MAX_DESFASE = 6;

/**
 * Asks the SAT for a part. The intent is written before the call: after a crash with an unknown result the request is
 * sent once more, and the SAT's "equal request" then leads to another second.
 */
export async function askForParte(context: ContextoPaso): Promise<Paso> {
  const { claims, checkpoint, solicitud, credencial, agenda } = context;
  const { id, rfc, tipo, filtros } = solicitud;
  const { canal, contenido } = context.parte;
  if (credencial.tipo === 'presigned') return { isSinFirma: true };
  const isXml = contenido === 'xml';
  const spent = { fin: { estado: 'ERROR', motivo: 'SOLICITUDES_AGOTADAS', codigo: '5002' } } as const;
  if (isXml && context.parte.envios >= MAX_ENVIOS_XML) return spent;
  // Without storage nothing could be delivered, and each request costs quota.
  if (isXml) await context.paquetes.ping(context.signal);
  const desfase = isXml ? await takeDesfase(context) : context.parte.desfase;
  if (desfase === null) return spent;
  const parte = { ...context.parte, desfase };
  const intent = { parteId: parte.id, estado: 'SOLICITANDO', envios: parte.envios + 1, desfase } as const;
  await claims.save(solicitud, context.intended?.(intent) ?? { partes: [intent] });
  await checkpoint('tras-intencion', id);

  const periodo = pedidoDe(parte, solicitud);
  const detalle = `${periodo.inicio}/${periodo.fin}`;
  const consulta = { consulta: 'solicitar-metadata', rfc, tipo, periodo, filtros, contenido } as const;
  const respuesta = await sendAndKeep({ ...context, parte }, consulta, credencial);
  await checkpoint('tras-solicitar', id);

  switch (respuesta.resultado) {
    case 'ACEPTADA': {
      const { folio } = respuesta;
      const wait = waitAfterPoll(agenda, { ...solicitud, canal, consultas: 0 });
      const accepted = { estado: 'SOLICITADA', folio, consultas: 0 } as const;
      const paso = progress(parte, accepted, [{ tipo: 'SOLICITADA', codigo: folio, detalle }], wait);
      if (!context.sources.some((source) => source.wants?.(solicitud, { canal, folio }))) return paso;
      // Saved before anything is prepared: a failure from here on loses no folio.
      await claims.save(solicitud, paso.avance);
      await prepareLater({ ...context, parte: { ...parte, folio } });
      return { avance: {}, inSeconds: wait };
    }
    case 'VACIA':
      return afterEmpty({ ...context, parte }, { tipo: 'SIN_CFDI', detalle });
    case 'DEMASIADOS':
      return split(context);
    case 'REPETIDA': {
      const { codigo, mensaje } = respuesta;
      if (isXml && codigo === '5002') await spendDesfase({ ...context, parte });
      if (!isXml && parte.desfase >= MAX_DESFASE)
        return { fin: { estado: 'ERROR', motivo: 'SOLICITUDES_AGOTADAS', codigo } };
      const shifted = { estado: 'PENDIENTE', desfase: parte.desfase + 1 } as const;
      return progress(parte, shifted, [{ tipo: 'REPETIDA', codigo, detalle: mensaje }]);
    }
    case 'RECHAZADA':
      return { fin: { estado: 'RECHAZADA', motivo: 'SAT_RECHAZO_LA_SOLICITUD', codigo: respuesta.codigo } };
  }
}

/** States of a part in which the SAT has its request and it is not in our storage. */
export const AT_SAT: ReadonlySet<EstadoParte> = new Set(['SOLICITADA', 'DISPONIBLE']);

/** Lets the sources prepare later steps of the part's request while its key is open. */
export async function prepareLater({ sources, solicitud, parte, credencial, signal }: ContextoPaso): Promise<void> {
  const { folio } = parte;
  if (credencial.tipo === 'presigned' || folio === null) return;
  for (const source of sources)
    if (source.wants?.(solicitud, parte)) await source.prepare?.(solicitud, credencial, folio, signal);
}

/** Puts smaller periods in the place of one that has more rows than the SAT gives. */
export function split({ solicitud, parte }: ContextoPaso): Paso {
  const { canal, vacias, periodo, contenido } = parte;
  const periodos = divide({ ...solicitud, canal, periodo });
  if (!periodos) return { fin: { estado: 'ERROR', motivo: 'DEMASIADOS_CFDI_POR_SEGUNDO', codigo: '5003' } };
  return {
    avance: {
      consultado: true,
      nuevas: { reemplaza: parte.id, periodos, contenidos: [contenido], canal, vacias },
      eventos: [{ tipo: 'DIVIDIDA', codigo: '5003', detalle: `${periodo.inicio}/${periodo.fin}` }],
    },
    inSeconds: 0,
  };
}

/** Looks whether the SAT has a part ready. */
export async function verificarParte(context: ContextoPaso): Promise<Paso> {
  const { checkpoint, solicitud, parte, credencial, agenda } = context;
  const { id, rfc, tipo } = solicitud;
  const { canal, folio } = parte;
  const periodo = pedidoDe(parte, solicitud);
  const consulta = { consulta: 'verificar-metadata', rfc, tipo, periodo, folio: folio ?? '' } as const;
  const respuesta = await sendAndKeep(context, consulta, credencial);
  await checkpoint('tras-verificar', id);

  const consultas = parte.consultas + 1;
  switch (respuesta.resultado) {
    case 'EN_PROCESO': {
      const wait = waitAfterPoll(agenda, { ...solicitud, canal, consultas });
      return progress(parte, { consultas }, [{ tipo: 'SAT_EN_PROCESO' }], wait);
    }
    case 'TERMINADA': {
      const { paquetes } = respuesta;
      // The assembly leaves out rows beyond the part and its filters, and alone knows how many.
      const hasMore = pideDeMas({ ...parte, tipo }) || (canal === 'portal' && solicitud.filtros !== null);
      const registros = hasMore ? null : respuesta.registros;
      const ready = { estado: 'DISPONIBLE', consultas, registros, paquetes } as const;
      return progress(parte, ready, [{ tipo: 'SAT_TERMINADA', detalle: String(paquetes.length) }]);
    }
    case 'VACIA':
      return afterEmpty(context, { tipo: 'SIN_CFDI', codigo: '5004' });
    case 'DEMASIADOS':
      return split(context);
    default: {
      const estado = respuesta.resultado === 'RECHAZADA' ? 'RECHAZADA' : 'ERROR';
      const { codigo, mensaje } = respuesta;
      return askAgain(parte, { estado, motivo: `SAT_${respuesta.resultado}`, codigo }, mensaje);
    }
  }
}

/** Times a part is asked for again after the SAT gave it up, its packages lapsed, or one was lost. */
export const MAX_REENVIOS = 2;

/** Asks for the part again, or ends the solicitud after the last attempt. */
function askAgain(parte: Parte, fin: Fin & { readonly codigo: string }, detalle: string): Paso {
  if (parte.reenvios >= MAX_REENVIOS) return { fin };
  const again = { ...anew(parte), reenvios: parte.reenvios + 1 };
  return progress(parte, again, [{ tipo: 'REENVIADA', codigo: fin.codigo, detalle }]);
}

/**
 * Copies one package of a part into storage. The SAT gives a package only twice: the copy of a process that died before
 * noting it is used first, and storage is checked before the SAT is asked. Only the SAT knows whether a failed call
 * counts, and a new request costs quota: the SAT is asked until it refuses (5008).
 */
export async function fetchParte(context: ContextoPaso): Promise<Paso> {
  const { sat, paquetes, checkpoint, solicitud, parte, credencial, signal } = context;
  const next = parte.paquetes.find(({ objectKey }) => objectKey === null);
  if (!next) return stored(parte, null);
  const { paquete } = next;

  const { id, rfc, tipo, cuentaId } = solicitud;
  const origen = { solicitudId: id, parteId: parte.id, paquete };
  const found = next.relecturas === 0 ? await paquetes.findSat(origen, signal) : null;
  if (found) return stored(parte, { paquete, ...found });
  // Storage that was just asked answers.
  if (next.relecturas > 0) await paquetes.ping(signal);

  const periodo = pedidoDe(parte, solicitud);
  const consulta = { consulta: 'descargar-paquete', rfc, tipo, periodo, folio: parte.folio ?? '', paquete } as const;
  const respuesta = await sat.send(consulta, credencial, { signal, cuentaId });
  if (respuesta.resultado === 'AGOTADO') {
    const { codigo, mensaje } = respuesta;
    return askAgain(parte, { estado: 'ERROR', motivo: 'PAQUETE_SAT_AGOTADO', codigo }, mensaje);
  }
  const saved = await paquetes.saveSat(origen, respuesta.zip, signal);
  await checkpoint('tras-bajar', id);
  return stored(parte, { paquete, ...saved });
}

export function stored(
  parte: Parte,
  guardado: NonNullable<CambioParte['guardado']> | null,
  counted: Pick<CambioParte, 'registros'> = {},
): Paso {
  const left = parte.paquetes.filter((p) => p.objectKey === null && p.paquete !== guardado?.paquete);
  const estado = left.length === 0 ? 'DESCARGADA' : 'DISPONIBLE';
  if (guardado === null) return progress(parte, { estado }, []);
  const cambio = { estado, guardado, motivo: null, ...counted } as const;
  return progress(parte, cambio, [{ tipo: 'PAQUETE_GUARDADO', codigo: guardado.paquete }]);
}

export const otroCanal = (canal: CanalSat): CanalSat => (canal === 'soap' ? 'portal' : 'soap');

/**
 * The sealed credential that a part is asked with: its channel need not be that of its solicitud while an empty answer
 * is confirmed.
 */
export function selladaDe(solicitud: ClaimedSolicitud, { canal }: Pick<Parte, 'canal'>) {
  return canal === solicitud.canal ? solicitud.sellada : solicitud.otra;
}

/** Source of the copies that were sealed for a solicitud, or for the feature that asked for it. */
export function sealedCopies(
  open: (sellada: CredencialSellada, solicitud: ClaimedSolicitud) => Credencial | CopiaCerrada,
): CredentialSource {
  return {
    offers: (solicitud, parte) => selladaDe(solicitud, parte) !== null,
    async open(solicitud, parte) {
      const sellada = selladaDe(solicitud, parte);
      return sellada && open(sellada, solicitud);
    },
  };
}

/** True while a part is asked once more because the SAT said that it has no CFDI. */
export const isToConfirm = ({ vacias }: Pick<Parte, 'vacias'>): boolean => vacias.length > 0;

/** Both channels answered without CFDI. */
export const isConfirmada = ({ vacias }: Pick<Parte, 'vacias'>): boolean => new Set(vacias).size > 1;

/**
 * What follows from "no CFDI", which the SAT says wrongly at times: the same channel is asked once more after a while,
 * then the other one where its credential is there. The same words of both are a fact; twice those of one channel are
 * all that can be had without it.
 */
function afterEmpty({ solicitud, parte, agenda }: ContextoPaso, evento: NuevoEvento): Paso {
  const vacia = { ...parte, vacias: [...parte.vacias, parte.canal] };
  if (isConfirmada(vacia)) return conclude(vacia, [evento, { tipo: 'VACIA_CONFIRMADA' }]);
  if (vacia.vacias.length > 1) return askOther(solicitud, vacia, [evento]);
  const { canal, vacias } = vacia;
  const again = [evento, { tipo: 'VACIA_POR_CONFIRMAR', detalle: canal }] as const;
  return progress(parte, { ...anew(parte), canal, vacias }, again, secondsToAgain(solicitud, parte, agenda));
}

/** What follows when a channel that should confirm an empty answer cannot be asked. */
export function unconfirmed(solicitud: ClaimedSolicitud, parte: Parte): Paso {
  const isFirst = parte.vacias.includes(parte.canal);
  return isFirst ? askOther(solicitud, parte, []) : conclude(parte, [{ tipo: 'VACIA_SIN_CONFIRMAR' }]);
}

function conclude({ id, vacias }: Parte, eventos: readonly NuevoEvento[]): Paso {
  const partes = [{ parteId: id, estado: 'VACIA', vacias, registros: 0, fallos: 0 }] as const;
  return { avance: { consultado: true, partes, eventos }, inSeconds: 0 };
}

function askOther(solicitud: ClaimedSolicitud, parte: Parte, before: readonly NuevoEvento[]): Paso {
  const { vacias } = parte;
  const canal = otroCanal(parte.canal);
  if (!selladaDe(solicitud, { canal })) return conclude(parte, [...before, { tipo: 'VACIA_SIN_CONFIRMAR' }]);
  const eventos: readonly NuevoEvento[] = [...before, { tipo: 'VACIA_POR_CONFIRMAR', detalle: canal }];
  const periodos = periodosDe({ canal, tipo: solicitud.tipo, periodo: parte.periodo });
  if (periodos.length === 1) return progress(parte, { ...anew(parte), canal, vacias }, eventos);
  const nuevas = { reemplaza: parte.id, periodos, contenidos: [parte.contenido], canal, vacias };
  return { avance: { consultado: true, nuevas, eventos }, inSeconds: 0 };
}

/**
 * Seconds until an empty answer is asked for again: a while, by CIEC together with the next look; never more than half
 * of what the credential and the solicitud have left.
 */
function secondsToAgain(solicitud: ClaimedSolicitud, parte: Parte, agenda: Agenda): number {
  const { now, deadlineAt } = solicitud;
  const { vaciaSegundos } = agenda;
  const { canal } = parte;
  const wait =
    canal === 'portal'
      ? Math.max(vaciaSegundos, waitAfterPoll(agenda, { ...solicitud, canal, consultas: 0 }))
      : vaciaSegundos;
  const ends = Math.min(deadlineAt.getTime(), selladaDe(solicitud, parte)?.expiraEn.getTime() ?? now.getTime());
  return Math.max(0, Math.min(wait, (ends - now.getTime()) / 2_000));
}

/** How far a part is, as a share of the way to being in our storage. */
const PESO: Record<EstadoParte, number> = {
  PENDIENTE: 0,
  SOLICITANDO: 0.05,
  SOLICITADA: 0.25,
  DISPONIBLE: 0.7,
  DESCARGADA: 1,
  VACIA: 1,
};

/** Share of the whole that is done before assembly starts. */
const HASTA_ENSAMBLE = 0.9;

/** Progress of a solicitud from 0 to 1, two decimals. It is 1 exactly when the solicitud has ended. */
export function progresoDe(solicitud: {
  estado: EstadoSolicitud;
  fase: Fase;
  partes: Partial<Record<EstadoParte, number>>;
}): number {
  if (solicitud.estado !== 'EN_PROCESO' && solicitud.estado !== 'ESPERA_EFIRMA') return 1;
  if (solicitud.fase === 'ENSAMBLE') return HASTA_ENSAMBLE;
  let total = 0;
  let done = 0;
  for (const [estado, count] of Object.entries(solicitud.partes)) {
    total += count;
    done += PESO[estado as EstadoParte] * count;
  }
  return total === 0 ? 0 : Math.round((done / total) * HASTA_ENSAMBLE * 100) / 100;
}
