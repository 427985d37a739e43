import type { OperacionPublicada } from '@acuse/contract';
import type { Operation } from '../http/operation.ts';
import { CREDENCIALES } from './document.ts';

/** What other processes may know of the loaded operations, by path. */
export function publicadas(operations: readonly Operation[]): OperacionPublicada[] {
  return [...operations]
    .sort((a, b) => (a.path < b.path ? -1 : 1))
    .map((operation) => ({
      path: operation.path,
      resumen: operation.summary,
      descripcion: operation.description ?? '',
      costo: operation.cost,
      credencial: CREDENCIALES[operation.credential],
    }));
}
