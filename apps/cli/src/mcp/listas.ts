import { randomUUID } from 'node:crypto';
import { FalloOrden } from '@acuse/roles/client';
import { bounded, MEDIDA } from './medida.ts';

/** Answers whose rest can be asked for; an older one is forgotten. */
const KEPT = 10;

type Fila = Readonly<Record<string, unknown>>;

/** A list that was answered, and how to ask for the page after it. */
export interface Lista {
  readonly operacion: string;
  readonly items: readonly unknown[];
  /** Null when the service has no more. */
  readonly next: (() => Promise<Lista>) | null;
}

/** A piece of a list. */
export interface Trozo {
  readonly operacion: string;
  readonly items: readonly unknown[];
  /** By which the next piece is had; null at the end. */
  readonly cursor: string | null;
  /** Elements after this piece that are here already. */
  readonly quedan: number;
  readonly recortes: readonly string[];
}

/** The elements from `from` that fit a conversation, at least one; reports cut text to `onCut`. */
export function fitting(items: readonly unknown[], from: number, onCut: (texto: string) => void): readonly unknown[] {
  const shown: unknown[] = [];
  let characters = 0;
  for (let at = from; at < items.length; at += 1) {
    const item = bounded(items[at], onCut);
    characters += JSON.stringify(item).length;
    if (shown.length > 0 && characters > MEDIDA.lista) break;
    shown.push(item);
  }
  return shown;
}

/** Lists in pieces that fit a conversation. Keeps the paid list, so that further pieces cost nothing. */
export function createListas() {
  const kept = new Map<string, Lista>();

  /** As much from one element on as fits, one at least. */
  function piece(id: string, { operacion, items, next }: Lista, from: number): Trozo {
    const recortes = new Set<string>();
    const shown = fitting(items, from, (texto) => void recortes.add(texto));
    const end = from + shown.length;
    const cursor = end < items.length || next !== null ? `${id}.${end}` : null;
    return { operacion, items: shown, cursor, quedan: items.length - end, recortes: [...recortes] };
  }

  /** The first piece of an answer. */
  function first(lista: Lista): Trozo {
    const id = randomUUID();
    const trozo = piece(id, lista, 0);
    if (trozo.cursor !== null) kept.set(id, lista);
    for (const old of [...kept.keys()].slice(0, -KEPT)) kept.delete(old);
    return trozo;
  }

  /** The piece after another, any number of times. @throws FalloOrden for a cursor that is none, or was forgotten. */
  async function after(cursor: string): Promise<Trozo> {
    const [id = '', position = ''] = cursor.split('.');
    const lista = kept.get(id);
    const from = Number(position);
    if (lista === undefined || !/^\d{1,9}$/.test(position) || from > lista.items.length)
      throw new FalloOrden(
        'ORDEN_INVALIDA',
        `Ese cursor no es de esta sesión o ya se olvidó: se guardan las últimas ${KEPT} listas. Repita la consulta; si costaba, vuelve a costar.`,
      );
    if (from < lista.items.length) return piece(id, lista, from);
    const next = await lista.next?.();
    return next === undefined ? piece(id, lista, from) : first(next);
  }

  /** Whether a cursor is of a list that is kept here; any other is the service's. */
  const isOfHere = (cursor: unknown): cursor is string =>
    typeof cursor === 'string' && kept.has(cursor.split('.')[0] ?? '');

  return { first, after, isOfHere };
}
export type Listas = ReturnType<typeof createListas>;

/** The list in the data of an answer; null where there is none. */
export const itemsOf = (data: Fila): readonly unknown[] | null =>
  Array.isArray(data['items']) ? (data['items'] as unknown[]) : null;
