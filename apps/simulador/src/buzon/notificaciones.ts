import { formatWallTime, type WallTime } from '../world/wall-time.ts';
import type { World } from '../world/world.ts';
import type { Aperturas } from './aperturas.ts';
import { llegadas } from './calendario.ts';

/** An administrative act that waits to be opened. */
export type Notificacion = { folio: string; autoridad: string; acto: string; aviso: WallTime };

const AUTORIDADES = [
  'Administración Desconcentrada de Recaudación de Querétaro "1"',
  'Administración Desconcentrada de Auditoría Fiscal de Nuevo León "2"',
  'Administración General de Recaudación & Servicios al Contribuyente',
  'SERVICIO DE ADMINISTRACIÓN TRIBUTARIA, SUBADMINISTRACIÓN <ÑUU SAVI>',
];
const ACTOS = [
  'Requerimiento de obligaciones omitidas',
  'Resolución determinante de crédito fiscal',
  'Oficio "de observaciones" artículo 48 <fracción IV>',
  'Solicitud de información y documentación respecto de las devoluciones del AÑO 2025 & complementarias '
    .repeat(3)
    .trim(),
];

/** The notifications that wait, newest notice first: at most four, of the last two months; none for some taxpayers. */
export function notificacionesDe(world: World, rfc: string, aperturas: Aperturas): Notificacion[] {
  const opened = new Set(aperturas.notificaciones(rfc).map(({ folio }) => folio));
  return llegadas(world, rfc, { clase: 'notificaciones', maximo: 3, diasIntervalo: 20, dias: 60 })
    .map(({ n, cuando, chance }) => ({
      folio: `500-${String(10 + chance(1, 60))}-${formatWallTime(cuando).slice(0, 4)}-${10_000 + (n % 10_000)}`,
      autoridad: AUTORIDADES[chance(2, AUTORIDADES.length)] ?? '',
      acto: ACTOS[chance(3, ACTOS.length)] ?? '',
      aviso: cuando,
    }))
    .filter(({ folio }) => !opened.has(folio));
}
