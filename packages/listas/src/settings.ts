import { durationMs, integer, list, text, url } from '@acuse/runtime';
import * as z from 'zod';
import { CLAVES_LISTADO, type ClaveListado, isClaveListado } from './listados.ts';

/** Names of files, each with its address, or with null where it is not to be asked for. */
type DireccionesListas = readonly (readonly [clave: ClaveListado, direccion: string | null])[];

const direccionesListas = list(
  `Dónde está cada lista que publica el SAT, si no es donde se sabe: nombre=dirección completa, separadas por comas; nombre=no para no buscarla. Nombres: ${CLAVES_LISTADO.join(', ')}.`,
).transform((values, context): DireccionesListas => {
  const isGood = (address: string) =>
    address === 'no' || (URL.canParse(address) && /^https?:$/.test(new URL(address).protocol));
  const pairs = values.flatMap((value) => {
    const at = value.indexOf('=');
    const [clave, address] = [value.slice(0, at).trim(), value.slice(at + 1).trim()];
    return isClaveListado(clave) && isGood(address) ? [[clave, address === 'no' ? null : address] as const] : [];
  });
  if (pairs.length === values.length) return pairs;
  context.addIssue({
    code: 'custom',
    message: `debe ser nombre=dirección o nombre=no, separados por comas, con estos nombres: ${CLAVES_LISTADO.join(', ')}`,
  });
  return z.NEVER;
});

/** For a process with the role `listas`. */
export const listasFields = {
  EFOS_CRON: text(
    'Cuándo se buscan las listas nuevas del SAT, en cinco campos (minuto, hora, día, mes, día de la semana) y hora del centro de México.',
  )
    .regex(/^(\S+ ){4,5}\S+$/, 'debe tener cinco campos separados por un espacio')
    .default('30 4 * * *'),
  EFOS_MIN_FILAS: integer(
    'Renglones que debe tener la lista 69-B para creerla completa. Sin este valor, 10000; 1 con SAT_BASE_URL.',
    { min: 1 },
  ).optional(),
  LISTAS_INTERVAL_MS: durationMs('Milisegundos entre dos revisiones de si falta cargar una lista.', {
    min: 50,
  }).default(5_000),
  SAT_LISTA_69B_URL: url('Dirección completa de la lista 69-B. Sin ella, la que publica el SAT.').optional(),
  SAT_LISTAS_URLS: direccionesListas.prefault(''),
};

export type ListasSettings = Readonly<z.output<z.ZodObject<typeof listasFields>>>;

export const LISTAS_ROLE = 'listas';
