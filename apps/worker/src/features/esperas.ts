import { type Avance, type ClaimedSolicitud, isEsperaCumplida } from '@acuse/core';
import { createEsperas } from '@acuse/db';
import type { DecorateClaims } from '@acuse/roles';
import { noting } from '@acuse/runtime';

/** Notes how long a download waited for the SAT, for its health, in batches beside the steps. */
export const noteEsperas: DecorateClaims = (claims, { database, log, closeLater }) => {
  const onError = (err: unknown) => log.warn({ err }, 'wait_not_noted');
  const esperas = closeLater('esperas', createEsperas(database, { onError }));
  function note(claimed: ClaimedSolicitud, { partes }: Avance): void {
    const lista = partes?.find(({ estado }) => estado === 'DISPONIBLE');
    if (lista !== undefined && isEsperaCumplida(claimed, lista.parteId)) esperas.note(claimed.id);
  }
  return noting(claims, {
    goOn: (_, claimed, avance) => note(claimed, avance),
    release: (_, claimed, avance) => note(claimed, avance),
  });
};
