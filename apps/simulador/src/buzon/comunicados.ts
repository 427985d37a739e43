import type { WallTime } from '../world/wall-time.ts';
import type { World } from '../world/world.ts';
import type { Aperturas } from './aperturas.ts';
import { llegadas } from './calendario.ts';

/** A message of the SAT to a taxpayer. */
export type Comunicado = { id: string; cuando: WallTime; asunto: string; isLeido: boolean };

const YEAR_DAYS = 365;
const MOST = 12;
const LONG = 'de las obligaciones a su cargo que a la fecha no se localizan en nuestros registros, '.repeat(6);

/**
 * Subjects, half of them awkward: quotation marks, markup, Ñ and &, numbers that look like dates, more than 500 signs.
 */
const ASUNTOS: readonly ((rfc: string, n: number) => string)[] = [
  (rfc, n) => `Registro o actualización de medios de contacto ${rfc}${70_000 + (n % 1000)}`,
  (rfc, n) => `Respuesta al registro o actualización de medios de contacto ${rfc}${70_000 + (n % 1000)}`,
  () => 'Invitación para la presentación de su declaración anual',
  () => 'Aviso "IMPORTANTE": <b>Declaración</b> & pago de la PTU \'2026\'',
  () => 'PEÑA & ÑANDÚ: AÑO FISCAL EN CURSO, ¿YA ACTUALIZÓ SU BUZÓN?',
  () => 'Recordatorio: su plazo vence el 17/dic/2026 a las 23:59',
  () => `Carta invitación: se le exhorta al cumplimiento ${LONG}conforme al Código Fiscal de la Federación`,
  () => 'Programa   de  regularización <script>alert(1)</script>',
];

/** The messages of the last year, newest first, at most 12; none for some taxpayers. */
export function comunicadosDe(world: World, rfc: string, aperturas: Aperturas): Comunicado[] {
  const opened = new Set(aperturas.comunicados(rfc));
  const ritmo = { clase: 'comunicados', maximo: MOST, diasIntervalo: 28, dias: YEAR_DAYS };
  return llegadas(world, rfc, ritmo)
    .slice(0, MOST)
    .map(({ n, cuando, chance }) => {
      const id = String(1_000_000 + n * 8 + chance(1, 8));
      const asunto = ASUNTOS[chance(2, ASUNTOS.length)]?.(rfc, n) ?? '';
      return { id, cuando, asunto, isLeido: chance(3, 3) > 0 || opened.has(id) };
    });
}
