/** A notification that somebody opened: from then on the taxpayer counts as notified. */
type Apertura = { folio: string; fecha: string };

/** What was opened in the mailboxes. It outlives the call log, so that a test can prove that nothing was opened. */
export type Aperturas = {
  /** Opening it again changes nothing. */
  abrirNotificacion(rfc: string, folio: string, at: Date): void;
  notificaciones(rfc: string): Apertura[];
  leerComunicado(rfc: string, id: string): void;
  comunicados(rfc: string): string[];
};

/** Creates the memory of mailboxes in which nothing was opened. */
export function createAperturas(): Aperturas {
  const notificaciones = new Map<string, Map<string, Apertura>>();
  const comunicados = new Map<string, Set<string>>();
  return {
    abrirNotificacion: (rfc, folio, at) => {
      const own = notificaciones.get(rfc) ?? new Map<string, Apertura>();
      if (!own.has(folio)) own.set(folio, { folio, fecha: at.toISOString() });
      notificaciones.set(rfc, own);
    },
    notificaciones: (rfc) => [...(notificaciones.get(rfc)?.values() ?? [])],
    leerComunicado: (rfc, id) => {
      comunicados.set(rfc, (comunicados.get(rfc) ?? new Set<string>()).add(id));
    },
    comunicados: (rfc) => [...(comunicados.get(rfc) ?? [])],
  };
}
