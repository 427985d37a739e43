/** A page of a list, as every operation with `limite` and `cursor` answers it. */
interface Pagina<T> {
  readonly data: { readonly items: readonly T[]; readonly siguiente: string | null };
}

/**
 * Every page of a list, each when it is reached. `pedir` is given the cursor of the page, nothing for the first. It ends
 * where there is no next page, or the next one is the one just asked for, as in `sincronizacion/cambios`, whose cursor
 * goes on tomorrow. What `pedir` throws comes out.
 */
export async function* paginas<P extends Pagina<unknown>>(
  pedir: (pagina: { readonly cursor?: string }) => Promise<P>,
): AsyncGenerator<P, void, undefined> {
  let siguiente: { readonly cursor?: string } | null = {};
  while (siguiente !== null) {
    const { cursor }: { readonly cursor?: string } = siguiente;
    const pagina: P = await pedir(siguiente);
    yield pagina;
    const { data } = pagina;
    siguiente = data.siguiente === null || data.siguiente === cursor ? null : { cursor: data.siguiente };
  }
}

/**
 * Every element of a list that is asked for page by page, as `paginas` does:
 * `elementos((pagina) => acuse.tax.facturas({ ...peticion, limite: 200, ...pagina }))`. The pages of a list from the SAT
 * are those of one answer, charged with the first.
 */
export async function* elementos<T>(
  pedir: (pagina: { readonly cursor?: string }) => Promise<Pagina<T>>,
): AsyncGenerator<T, void, undefined> {
  for await (const { data } of paginas(pedir)) yield* data.items;
}
