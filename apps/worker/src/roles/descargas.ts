import { advanceSolicitud, type ClaimedSolicitud, type CredencialSellada } from '@acuse/core';
import { CredencialIlegible, openOpener, openOwnSealer } from '@acuse/vault';
import { openCapsulas } from '../descargas/capsulas.ts';
import type { OpenRole } from './role.ts';

/** Runs the steps of a solicitud before the SAT. */
export const openDescargas: OpenRole = (context) => {
  const { config, database, log, claims, paquetes, checkpoint } = context;
  const sats = context.openSats();
  const opener = openOpener(config.WORKER_KEYS, config.WORKER_PSKS);
  const openSellada = (
    { sobre, tipo, expiraEn }: CredencialSellada,
    { id, sincronizacionId, cuentaId: cuenta, rfc }: ClaimedSolicitud,
  ) => {
    try {
      return opener.open(sobre, { solicitudId: sincronizacionId ?? id, cuenta, rfc, tipo, expiraEn });
    } catch (error) {
      if (!(error instanceof CredencialIlegible)) throw error;
      const why = opener.lacksKey(sobre) ? 'FALTA_LLAVE' : 'ALTERADA';
      log.error({ solicitud_id: id, motivo: why }, 'sealed_copy_not_opened');
      return why;
    }
  };
  const agenda = {
    primeraSegundos: config.SAT_POLL_FIRST_SECONDS,
    factor: config.SAT_POLL_FACTOR,
    maximaSegundos: config.SAT_POLL_MAX_SECONDS,
    portalSegundos: config.SAT_POLL_PORTAL_SECONDS,
    retrasadaSegundos: config.SAT_POLL_LATE_SECONDS,
    vaciaSegundos: config.SAT_EMPTY_AGAIN_SECONDS,
  };
  const sealer = openOwnSealer(config.WORKER_KEYS, config.WORKER_PSKS);
  const capsulas = openCapsulas({ database, opener, sealer, log });
  const deps = { claims, paquetes, openSellada, capsulas, agenda, checkpoint };
  context.consume(
    {
      queue: 'descargas',
      run: (claimed, signal) => advanceSolicitud({ ...deps, sat: sats.of(claimed.modo) }, claimed, signal),
    },
    config.DESCARGAS_CONCURRENCY,
  );
};
