/** A page of a list, as every operation with `limite` and `cursor` answers it. */
interface Pagina<T> {
  readonly data: { readonly items: readonly T[]; readonly siguiente: string | null };
}

/**
 * Every element of a list that is asked for page by page, each page when it is reached. `pedir` is given the cursor of
 * the page, nothing for the first: `elementos((pagina) => acuse.tax.facturas({ ...peticion, limite: 200, ...pagina }))`.
 * The pages of a list from the SAT are those of one answer, charged with the first. It ends where there is no next page,
 * or the next one is the one just asked for, as in `sincronizacion/cambios`, whose cursor goes on tomorrow. What `pedir`
 * throws comes out.
 */
export async function* elementos<T>(
  pedir: (pagina: { readonly cursor?: string }) => Promise<Pagina<T>>,
): AsyncGenerator<T, void, undefined> {
  let pagina: { readonly cursor?: string } | null = {};
  while (pagina !== null) {
    const cursor: string | undefined = pagina.cursor;
    const { data }: Pagina<T> = await pedir(pagina);
    yield* data.items;
    pagina = data.siguiente === null || data.siguiente === cursor ? null : { cursor: data.siguiente };
  }
}
