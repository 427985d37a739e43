import { resealing, unlessIllegible, type WorkerKeys } from '@acuse/roles/reseal';
import { resealSellada } from '@acuse/vault';
import { createConsentimientosResellables } from './db/consentimientos.ts';

/** Copies of a CIEC for subscriptions. They outlive any rotation, unlike the copies that end with their solicitud. */
export const CONSENTS = resealing(
  ['WORKER_KEYS', 'WORKER_PSKS'],
  'consentimientos de sincronizaciones',
  (database) => createConsentimientosResellables(database).consentimientos,
  ({ sincronizacionId: solicitudId, cuentaId: cuenta, rfc, expiraEn, sobre }, keys: WorkerKeys) =>
    unlessIllegible(() => resealSellada(sobre, { solicitudId, cuenta, rfc, tipo: 'ciec', expiraEn }, keys)),
);
