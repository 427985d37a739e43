import type { TipoEvento } from '@acuse/core';
import type { HitoSolicitud, PartesSolicitud } from '@acuse/db';
import { formatNumero } from '../../../components/formato.ts';
import { describeEvento, type Renglon } from './eventos.ts';

/** `23 de 24 meses copiados`: how much of what the SAT was asked for is in our storage. */
export function describePartes({ unidad, total, listas }: PartesSolicitud): string {
  const [una, varias] = unidad === 'mes' ? ['mes', 'meses'] : ['parte', 'partes'];
  const [cosa, hecha] = [total === 1 ? una : varias, unidad === 'mes' ? 'copiado' : 'copiada'];
  return `${formatNumero(listas)} de ${formatNumero(total)} ${cosa} ${total === 1 ? hecha : `${hecha}s`}`;
}

/** How many of a kind together are told; what is not here says its sentence and how often. */
const JUNTOS: Readonly<Partial<Record<TipoEvento, (veces: string) => string>>> = {
  SOLICITADA: (veces) => `El SAT aceptó ${veces} peticiones.`,
  SIN_CFDI: (veces) => `El SAT contestó que en ${veces} periodos no hay CFDI.`,
  REPETIDA: (veces) => `El SAT ya tenía ${veces} peticiones iguales; se pidieron con un segundo de diferencia.`,
  DIVIDIDA: (veces) => `${veces} periodos tenían más CFDI de los que el SAT da de una vez: se dividieron.`,
  SAT_EN_PROCESO: (veces) => `Se preguntó al SAT ${veces} veces mientras preparaba lo pedido.`,
  SAT_TERMINADA: (veces) => `El SAT terminó de preparar ${veces} peticiones.`,
  REENVIADA: (veces) => `El SAT abandonó ${veces} peticiones; se le pidieron de nuevo.`,
};

const isTold = (tipo: string): tipo is keyof typeof JUNTOS => Object.hasOwn(JUNTOS, tipo);

/** A step of the timeline as people read it: one event, or all of its kind in one sentence. */
export function describeHito(hito: HitoSolicitud, partes: PartesSolicitud): Renglon {
  const { tipo, veces } = hito;
  const renglon = describeEvento({ ...hito, veces: 1 });
  if (tipo === 'PAQUETE_GUARDADO') {
    const paquetes = veces === 1 ? '1 paquete' : `${formatNumero(veces)} paquetes`;
    return { texto: `${describePartes(partes)}.`, detalle: `${paquetes} del SAT`, tono: renglon.tono };
  }
  if (veces === 1) return renglon;
  const sentence = isTold(tipo) ? JUNTOS[tipo] : undefined;
  if (sentence) return { texto: sentence(formatNumero(veces)), tono: renglon.tono };
  return { ...renglon, texto: `${renglon.texto} Pasó ${formatNumero(veces)} veces; esta fue la última.` };
}
