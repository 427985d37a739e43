import { createBoveda, createSesionesPortal, notifyOutbox } from '@acuse/db';
import type { Dueno } from '@acuse/vault';
import { quien } from '../../../http/quien.ts';
import type { ContextoCliente } from '../../../http/ruta.ts';
import type { LlaveTecleada } from './llave-tecleada.ts';

/** Life of a stored e.firma key (specification, Limits), seconds. */
const EFIRMA_TTL_SECONDS = 3_600;

/** What the vault's functions write through, as the API has it. */
export function openBoveda({ deps }: Pick<ContextoCliente, 'deps'>) {
  const { database, keyring, sealer, newId, settings, log } = deps;
  return {
    boveda: createBoveda(database),
    sesiones: createSesionesPortal(database),
    keyring,
    sealer,
    newId,
    // Nobody has to wait for it: the relay also looks by itself.
    wake: () => {
      notifyOutbox(database).catch((err: unknown) => log.warn({ err }, 'could not wake the relay'));
    },
    settings: { efirmaTtlSeconds: EFIRMA_TTL_SECONDS, efirmaShred: settings.efirmaShred },
  };
}

/** Whose credential a page stores, and who does it. */
export function duenoDe({ apiKey, access }: LlaveTecleada, contexto: ContextoCliente): Dueno {
  return { access, apiKey, ...quien(contexto) };
}
