import type { Papel } from '@acuse/db';

const PROPIETARIO = ['PROPIETARIO'] as const;
const CONTADOR = ['PROPIETARIO', 'CONTADOR'] as const;
const DESARROLLADOR = ['PROPIETARIO', 'DESARROLLADOR'] as const;
const TODOS = ['PROPIETARIO', 'CONTADOR', 'DESARROLLADOR'] as const;
const NADIE = [] as const;

/**
 * Who may see and who may change each part of an account, and how that is called after "no puede". The one place where
 * this stands: pages name their part (`routesFor`), what they show asks {@link puede}. Why: docs/developers/adr/0029.
 */
const PARTES = {
  inicio: { ver: [TODOS, 'ver el inicio'], cambiar: [NADIE, 'cambiar el inicio'] },
  rfcs: { ver: [TODOS, 'ver los RFC'], cambiar: [CONTADOR, 'agregar RFC ni cambiar sus datos'] },
  llaves: { ver: [DESARROLLADOR, 'ver las API keys'], cambiar: [DESARROLLADOR, 'generar ni revocar API keys'] },
  /** RFCs with their API keys: needs the rights for both. */
  importacion: {
    ver: [PROPIETARIO, 'importar RFC con sus API keys'],
    cambiar: [PROPIETARIO, 'importar RFC con sus API keys'],
  },
  accesos: {
    ver: [DESARROLLADOR, 'ver las operaciones y direcciones de las API keys'],
    cambiar: [DESARROLLADOR, 'cambiar las operaciones y direcciones de las API keys'],
  },
  credenciales: { ver: [CONTADOR, 'ver las credenciales'], cambiar: [CONTADOR, 'guardar ni borrar credenciales'] },
  solicitudes: { ver: [TODOS, 'ver las solicitudes'], cambiar: [CONTADOR, 'pedir ni cancelar solicitudes'] },
  paquetes: { ver: [CONTADOR, 'ver lo que traen los ZIP'], cambiar: [CONTADOR, 'bajar los ZIP'] },
  saldo: { ver: [TODOS, 'ver el saldo y el uso'], cambiar: [PROPIETARIO, 'cambiar el aviso de saldo'] },
  compras: { ver: [PROPIETARIO, 'ver las compras'], cambiar: [PROPIETARIO, 'comprar créditos'] },
  webhooks: { ver: [TODOS, 'ver los webhooks'], cambiar: [DESARROLLADOR, 'cambiar webhooks ni enviar avisos'] },
  pruebas: { ver: [DESARROLLADOR, 'probar operaciones'], cambiar: [DESARROLLADOR, 'probar operaciones'] },
  equipo: { ver: [PROPIETARIO, 'ver el equipo'], cambiar: [PROPIETARIO, 'cambiar el equipo'] },
} as const satisfies Readonly<
  Record<string, Readonly<Record<Accion, readonly [papeles: readonly Papel[], que: string]>>>
>;

/** Looking at a part of an account, or changing something there. */
export type Accion = 'ver' | 'cambiar';
/** A part of an account that some of its people may see or change. */
export type Parte = keyof typeof PARTES;

export const isParte = (text: string): text is Parte => Object.hasOwn(PARTES, text);

/** True when a member with this role may do the action; false without a role. */
export function puede(papel: Papel | null, accion: Accion, parte: Parte): boolean {
  const papeles: readonly Papel[] = PARTES[parte][accion][0];
  return papel !== null && papeles.includes(papel);
}

/** Who may, and what it is, to say after "no puede". */
export function describePermiso(accion: Accion, parte: Parte): { readonly papeles: readonly Papel[]; que: string } {
  const [papeles, que] = PARTES[parte][accion];
  return { papeles, que };
}

export const NOMBRES_PAPEL: Readonly<Record<Papel, string>> = {
  PROPIETARIO: 'propietario',
  CONTADOR: 'contador',
  DESARROLLADOR: 'desarrollador',
};
