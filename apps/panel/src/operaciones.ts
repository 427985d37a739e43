import { OPERACIONES } from '@acuse/contract';

/** A part of the API as people name it: the first part of its operations' paths, its name, and what it is for. */
export interface GrupoOperaciones {
  readonly grupo: string;
  readonly titulo: string;
  readonly texto: string;
}

/** In the order in which a new user needs them. */
const GRUPOS = [
  ['vault', 'Credenciales', 'Primero registre el RFC con su llave; después guarde la CIEC o la e.firma.'],
  ['conexion', 'Enlaces de conexión', 'Para que su cliente guarde él mismo su CIEC o su e.firma.'],
  ['descarga', 'Descargas', 'Sus solicitudes, su avance y su ZIP; el estado de un CFDI ante el SAT.'],
  ['sincronizacion', 'Mantener al día', 'Lee solo los CFDI nuevos y las cancelaciones.'],
  ['cfdi', 'CFDI guardados', 'Los de un RFC que se mantiene al día: uno por uno, y cuánto suman.'],
  ['riesgo', 'Clientes y proveedores de riesgo', 'Quiénes de ellos están en una lista del SAT.'],
  ['tax', 'Información ante el SAT', 'Descarga masiva, facturas, declaraciones, opiniones y avisos.'],
  ['usuario', 'Contribuyente', 'Los datos con los que el SAT lo tiene registrado.'],
  ['webhooks', 'Webhooks', 'A dónde se avisa a su sistema de lo que pasa.'],
  ['uso', 'Uso', 'Los créditos usados, por día y operación.'],
  ['llamadas', 'Llamadas', 'Lo que se llamó con las API keys del RFC, y cómo terminó.'],
  ['efos', 'Listas 69-B', 'Si un RFC está en las listas de operaciones simuladas.'],
  ['estado', 'Estado del SAT', 'Si los servicios del SAT responden en este momento.'],
] as const;

/** The group of an operation's path. */
export const grupoDe = (path: string): string => path.split('/')[0] ?? path;

/** The groups of these paths in order; one without a name keeps its own word, at the end. */
export function gruposDe(paths: readonly string[]): readonly GrupoOperaciones[] {
  const present = new Set(paths.map(grupoDe));
  const named = GRUPOS.filter(([grupo]) => present.delete(grupo));
  const rest = [...present].map((grupo) => [grupo, grupo, ''] as const);
  return [...named, ...rest].map(([grupo, titulo, texto]) => ({ grupo, titulo, texto }));
}

/** The origin of what subscriptions read and are charged for; no operation of the API. */
export const LECTURAS = 'sincronizacion';

/** What an operation is called where people read: never its path, unless it is one that this version does not know. */
export function nombreOperacion(path: string): string {
  if (path === LECTURAS) return 'Lectura automática';
  return OPERACIONES.find((operacion) => operacion.path === path)?.resumen ?? path;
}
