import { type CanalSat, sealedCopies } from '@acuse/core';

export const HOUR = 3_600_000;
export const START = Date.UTC(2025, 5, 1, 18);
export const DEADLINE = START + 168 * HOUR;

export const AGENDA = {
  primeraSegundos: 60,
  factor: 2,
  maximaSegundos: 600,
  portalSegundos: [3_600, 10_800, 21_600, 43_200],
  retrasadaSegundos: 43_200,
  vaciaSegundos: 3_600,
};

/** Fields of the simulated solicitud that never change. */
export const CLAIMED = {
  id: '01936f5e-7c3a-7b1e-8f00-2a4b6c8d0e1f',
  cuentaId: 'c1',
  contribuyenteId: 't1',
  rfc: 'ACU200101DB1',
  modo: 'live',
  tipo: 'recibidos',
  formato: 'csv',
  filtros: null,
  contenido: 'metadata',
  tablas: false,
  origenId: null,
  creadaEn: new Date(START),
  deadlineAt: new Date(DEADLINE),
  wokenAt: null,
  traceparent: null,
  mayPresign: false,
  presigned: null,
} as const;

/** Copy of the credential that a channel uses. */
export const sealed = (of: CanalSat) => ({
  tipo: of === 'soap' ? ('efirma' as const) : ('ciec' as const),
  kid: 'k',
  sobre: Buffer.alloc(0),
  expiraEn: new Date(DEADLINE),
});

/** Quotas that are never spent. */
export const CUOTAS = { take: async () => true };

/** The simulation asks for metadata alone. */
export const NO_XML = {
  saveXml: () => Promise.reject(new Error('no XML was asked for')),
  saveEvidencia: () => Promise.reject(new Error('no XML was asked for')),
};

/** Copies of credentials that always open. */
export const COPIES = sealedCopies(
  ({ tipo }, { rfc }) => ({ tipo, rfc, cer: Buffer.alloc(0), key: Buffer.alloc(1), ciec: Buffer.alloc(1) }) as never,
);
