import { isEsperaCumplida } from '@acuse/core';
import { createEsperas } from '@acuse/db';
import type { DecorateClaims } from '@acuse/roles';
import { noting } from '@acuse/runtime';

/** Notes how long a download waited for the SAT, for its health; a note that fails costs its step nothing. */
export const noteEsperas: DecorateClaims = (claims, { database, log }) => {
  const esperas = createEsperas(database);
  return noting(claims, {
    async release(_, claimed, avance) {
      const lista = avance.partes?.find(({ estado }) => estado === 'DISPONIBLE');
      if (lista === undefined || !isEsperaCumplida(claimed, lista.parteId)) return;
      await esperas.note(claimed.id).catch((err) => log.warn({ err }, 'wait_not_noted'));
    },
  });
};
