import type { AvanceSolicitud } from '@acuse/db';
import { nombreEstado } from '../../../components/estado.tsx';
import { formatFecha, formatNumero } from '../../../components/formato.ts';
import { describeEvento } from '../textos/eventos.ts';
import { describePartes } from '../textos/hitos.ts';

/** The id of the event that tells the end: a browser that has it wants nothing more. */
export const VERSION_FINAL = 'fin';

type Avance = Pick<
  AvanceSolicitud,
  'estado' | 'progreso' | 'intentos' | 'registros' | 'ultimaConsulta' | 'proximaConsulta' | 'terminadaEn' | 'partes'
>;

export const isEnded = ({ terminadaEn }: Pick<AvanceSolicitud, 'terminadaEn'>) => terminadaEn !== null;

/** Changes whenever there is something new to say. */
export function versionOf(avance: AvanceSolicitud): string {
  if (isEnded(avance)) return VERSION_FINAL;
  const { estado, fase, progreso, intentos, proximaConsulta, ultimoEvento } = avance;
  return [estado, fase, progreso, intentos, proximaConsulta?.getTime() ?? 0, ultimoEvento?.id ?? 0].join('.');
}

/** What the page and the stream say of a solicitud that is being worked on, so that both say the same. */
export function textsOf(avance: Avance) {
  const { estado, progreso, intentos, registros, ultimaConsulta, proximaConsulta, partes } = avance;
  return {
    partes: partes.total > 1 ? describePartes(partes) : '',
    porcentaje: Math.round(progreso * 100),
    estado: nombreEstado(estado),
    intentos: formatNumero(intentos),
    registros: registros === null ? 'todavía no se sabe' : formatNumero(registros),
    ultima: ultimaConsulta === null ? 'todavía ninguna' : formatFecha(ultimaConsulta),
    proxima: nextLook(estado, proximaConsulta),
  };
}

function nextLook(estado: AvanceSolicitud['estado'], proxima: Date | null): string {
  if (estado === 'ESPERA_EFIRMA') return 'cuando guarde la llave de la e.firma';
  return proxima === null ? 'ninguna' : formatFecha(proxima);
}

/** One server-sent event (HTML standard, section 9.2): `avance`, or `fin` once it has ended. */
export function messageOf(avance: AvanceSolicitud): string {
  const { ultimoEvento } = avance;
  const linea = ultimoEvento === null ? null : describeEvento(ultimoEvento).texto;
  const data = JSON.stringify({ ...textsOf(avance), palabra: avance.estado, linea });
  return `id: ${versionOf(avance)}\nevent: ${isEnded(avance) ? 'fin' : 'avance'}\ndata: ${data}\n\n`;
}
