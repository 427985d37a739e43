import type { Contenido, XmlDeCfdi } from '../ports/metadata.ts';
import type { Avance, ClaimedSolicitud, Parte } from '../ports/solicitudes.ts';
import {
  type ContextoPaso,
  isLista,
  otroCanal,
  type Paso,
  progress,
  selladaDe,
  split,
  stored,
} from '../solicitud/parte.ts';
import { addDays, calendarDay, periodosDe, toSeconds, wallClock } from '../solicitud/periodos.ts';
import { claveDia, quotaRfc, XML_A_DAY } from './cuota-xml.ts';
import { sendAndKeep } from './evidencia.ts';

/** What a solicitud asks of each period. */
export const contenidosDe = ({ contenido }: ClaimedSolicitud): readonly Contenido[] =>
  contenido === 'xml' ? ['metadata', 'xml'] : ['metadata'];

/** The part asks for XML at the channel that its solicitud does not use. */
export const isFill = ({ contenido, canal }: Parte, solicitud: ClaimedSolicitud): boolean =>
  contenido === 'xml' && canal !== solicitud.canal;

/** The portal could give the XML of a part that waits at the web service. */
export const canFill = ({ contenido, canal }: Parte, solicitud: ClaimedSolicitud): boolean =>
  contenido === 'xml' && canal === 'soap' && selladaDe(solicitud, { canal: 'portal' }) !== null;

/** Share of the life of a solicitud that has passed. */
const ageOf = ({ creadaEn, deadlineAt, now }: ClaimedSolicitud): number =>
  (now.getTime() - creadaEn.getTime()) / (deadlineAt.getTime() - creadaEn.getTime());

/** Half of the time is over, and the SAT has nothing ready after the step: the portal could give the XML. */
export const isSlow = (parte: Parte, solicitud: ClaimedSolicitud, paso: Paso): boolean =>
  canFill(parte, solicitud) &&
  parte.estado !== 'DISPONIBLE' &&
  ageOf(solicitud) >= 0.5 &&
  'avance' in paso &&
  paso.avance.nuevas === undefined &&
  paso.avance.partes?.every(({ estado }) => estado === undefined) === true;

/**
 * Goes on without the XML of a part: the portal is asked where the web service did not deliver, if the CIEC is there;
 * else the part ends, and the package names the missing XML.
 */
export function withoutXml(solicitud: ClaimedSolicitud, parte: Parte, codigo?: string): Paso {
  const canal = otroCanal(parte.canal);
  if (parte.canal === 'soap' && selladaDe(solicitud, { canal })) {
    const periodos = periodosDe({ canal, tipo: solicitud.tipo, periodo: parte.periodo });
    const nuevas = { reemplaza: parte.id, periodos, contenidos: ['xml'], canal } as const;
    const eventos = [{ tipo: 'XML_SIN_ENTREGA', detalle: canal, ...(codigo === undefined ? {} : { codigo }) }] as const;
    return { avance: { consultado: true, nuevas, eventos }, inSeconds: 0 };
  }
  return { avance: { consultado: true, ...giveUp(parte, codigo) }, inSeconds: 0 };
}

/** Ends a part with the packages that are stored; `unreadable` is left out of them. */
export function giveUp(
  { id, motivo, periodo }: Parte,
  codigo?: string,
  unreadable?: string,
): Required<Pick<Avance, 'partes' | 'eventos'>> {
  const ended = { estado: 'VACIA', motivo: motivo ?? 'NO_ENTREGADO_POR_EL_SAT', fallos: 0 } as const;
  const without = unreadable === undefined ? {} : { releer: { paquete: unreadable } };
  const detalle = `${periodo.inicio}/${periodo.fin}`;
  return {
    partes: [{ parteId: id, ...ended, ...without }],
    eventos: [{ tipo: 'XML_SIN_ENTREGA', detalle, ...(codigo === undefined ? {} : { codigo }) }],
  };
}

/** Share of the life of a solicitud after which it no longer waits for XML alone. */
const WAITS_FOR_XML = 0.9;

/** Seconds until the solicitud no longer waits for XML alone: {@link lateXml}. */
export const secondsToLateXml = ({ creadaEn, deadlineAt, now }: ClaimedSolicitud): number =>
  (creadaEn.getTime() + WAITS_FOR_XML * (deadlineAt.getTime() - creadaEn.getTime()) - now.getTime()) / 1_000;

/** Ends all parts of XML when metadata is whole and most of the time is over; null before. */
export function lateXml(solicitud: ClaimedSolicitud): Avance | null {
  const open = solicitud.partes.filter((parte) => !isLista(parte));
  if (open.length === 0 || open.some(({ contenido }) => contenido !== 'xml')) return null;
  if (secondsToLateXml(solicitud) > 0) return null;
  const ends = open.map((parte) => giveUp(parte));
  return { partes: ends.flatMap((end) => end.partes), eventos: ends.flatMap((end) => end.eventos) };
}

/** Name of the package of XML that are fetched one by one. */
const PAQUETE = 'portal';

/** Tries after which a few XML that the portal does not give are left out: each try costs the quota of the whole list. */
const TRIES_OF_ALL = 3;
const OMITIBLES = 10;

/** Lists a part in the portal, fetches each XML and stores all of them as one package. */
export async function fetchXml(context: ContextoPaso): Promise<Paso> {
  const { claims, paquetes, cuotas, checkpoint, solicitud, parte, credencial, signal } = context;
  const { id, modo, rfc, tipo, filtros, now } = solicitud;
  if (credencial.tipo === 'presigned') return { isSinFirma: true };
  const named = { parteId: parte.id, estado: 'DISPONIBLE', paquetes: [PAQUETE] } as const;
  if (parte.paquetes.length === 0) await claims.save(solicitud, { partes: [named] });
  const origen = { solicitudId: id, parteId: parte.id, paquete: PAQUETE };
  const isAgain = parte.paquetes.some(({ relecturas }) => relecturas > 0);
  const found = isAgain ? null : await paquetes.findSat(origen, signal);
  if (found) return stored(parte, { paquete: PAQUETE, ...found });
  if (isAgain) await paquetes.ping(signal);

  const quota = { rfc: quotaRfc(modo, rfc), clave: claveDia(now), maximo: XML_A_DAY };
  const reserve = (cuantos: number) => cuotas.take({ ...quota, cuantos });
  const omitibles = parte.fallos + 1 < TRIES_OF_ALL ? 0 : OMITIBLES;
  const consulta = { consulta: 'bajar-xml', rfc, tipo, periodo: parte.periodo, filtros, omitibles, reserve } as const;
  const respuesta = await sendAndKeep(context, consulta, credencial);
  switch (respuesta.resultado) {
    case 'VACIA':
      return progress(parte, { estado: 'VACIA', motivo: null, paquetes: [] }, [{ tipo: 'SIN_CFDI' }]);
    case 'DEMASIADOS':
      return split(context);
    case 'CUOTA':
      return awaitTomorrow(solicitud, parte);
    case 'XML': {
      const counted = { registros: 0 };
      const saved = await paquetes.saveXml(origen, count(respuesta.documentos, counted), signal);
      await checkpoint('tras-bajar', id);
      return stored(parte, { paquete: PAQUETE, ...saved }, counted);
    }
  }
}

async function* count(documentos: AsyncIterable<XmlDeCfdi>, counted: { registros: number }) {
  for await (const documento of documentos) {
    counted.registros += 1;
    yield documento;
  }
}

/** The quota of the day is spent, by this installation or by others. */
export const awaitTomorrow = ({ now }: ClaimedSolicitud, parte: Parte): Paso =>
  progress(parte, { motivo: 'CUOTA_DEL_DIA' }, [{ tipo: 'CUOTA_DEL_DIA' }], secondsToTomorrow(now));

/** Seconds until the quota of the next day: midnight in central Mexico, and a minute for clocks that differ. */
const secondsToTomorrow = (now: Date): number =>
  toSeconds(`${addDays(calendarDay(now), 1)}T00:01:00`) - toSeconds(wallClock(now));
