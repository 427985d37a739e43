import { type Avance, type ClaimedSolicitud, isEsperaCumplida } from '@acuse/core';
import { createEsperas } from '@acuse/db';
import type { DecorateClaims } from '@acuse/roles';
import { noting } from '@acuse/runtime';

/** Notes how long a download waited for the SAT, for its health; a note that fails costs its step nothing. */
export const noteEsperas: DecorateClaims = (claims, { database, log }) => {
  const esperas = createEsperas(database);
  async function note(claimed: ClaimedSolicitud, { partes }: Avance): Promise<void> {
    const lista = partes?.find(({ estado }) => estado === 'DISPONIBLE');
    if (lista === undefined || !isEsperaCumplida(claimed, lista.parteId)) return;
    await esperas.note(claimed.id).catch((err) => log.warn({ err }, 'wait_not_noted'));
  }
  return noting(claims, {
    goOn: (_, claimed, avance) => note(claimed, avance),
    release: (_, claimed, avance) => note(claimed, avance),
  });
};
