import { advanceSolicitud, sealedCopies } from '@acuse/core';
import { createCuotas } from '@acuse/db';
import { CredencialIlegible, openOpener, openOwnSealer } from '@acuse/vault';
import { FEATURE_SOURCES } from '../features.ts';
import type { OpenWorkerRole } from './role.ts';

/** Runs the steps of a solicitud before the SAT. */
export const openDescargas: OpenWorkerRole = (context) => {
  const { config, database, log, claims, paquetes, checkpoint } = context;
  const sats = context.openSats();
  const opener = openOpener(config.WORKER_KEYS, config.WORKER_PSKS);
  const sealer = openOwnSealer(config.WORKER_KEYS, config.WORKER_PSKS);
  const own = sealedCopies(({ sobre, tipo, expiraEn }, { id, origenId, cuentaId: cuenta, rfc }) => {
    try {
      return opener.open(sobre, { solicitudId: origenId ?? id, cuenta, rfc, tipo, expiraEn });
    } catch (error) {
      if (!(error instanceof CredencialIlegible)) throw error;
      const why = opener.lacksKey(sobre) ? 'FALTA_LLAVE' : 'ALTERADA';
      log.error({ solicitud_id: id, motivo: why }, 'sealed_copy_not_opened');
      return why;
    }
  });
  const sources = [own, ...FEATURE_SOURCES.map((open) => open({ database, opener, sealer, log }))];
  const agenda = {
    primeraSegundos: config.SAT_POLL_FIRST_SECONDS,
    factor: config.SAT_POLL_FACTOR,
    maximaSegundos: config.SAT_POLL_MAX_SECONDS,
    portalSegundos: config.SAT_POLL_PORTAL_SECONDS,
    retrasadaSegundos: config.SAT_POLL_LATE_SECONDS,
    vaciaSegundos: config.SAT_EMPTY_AGAIN_SECONDS,
  };
  const isBoth = config.WORKER_ROLES.includes('ensambles');
  const assembly = isBoth ? { paquetes, observe: context.openObservers() } : undefined;
  const deps = { claims, paquetes, cuotas: createCuotas(database), sources, agenda, checkpoint, assembly };
  context.consume(
    {
      queue: 'descargas',
      run: (claimed, signal) => advanceSolicitud({ ...deps, sat: sats.of(claimed.modo) }, claimed, signal),
    },
    config.DESCARGAS_CONCURRENCY,
  );
};
