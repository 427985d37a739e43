import { calendarDay, type TipoDescarga } from '@acuse/core';
import { createAccessSnapshots } from '@acuse/db';
import { uuidV7 } from '@acuse/runtime';
import { type Frecuencia, minutoDe, primerasLecturas } from '@acuse/sincronizacion';
import { createSincronizaciones } from '@acuse/sincronizacion/db';
import type { Sealer } from '@acuse/vault';
import { seedTaxpayer, type Taxpayer, type TestDatabase } from '../fixtures/database.ts';

interface Ajustes {
  readonly desde?: string;
  readonly tipos?: readonly TipoDescarga[];
  readonly frecuencia?: Frecuencia;
  readonly ahora?: Date;
  readonly expiraEn?: Date;
  readonly ciec?: string;
}

export const CIEC = 'Secreta-2026';

/** Subscribes a taxpayer as the API does, or renews his consent, which `sealer` seals. Gives the subscription. */
export async function subscribe({ db }: Pick<TestDatabase, 'db'>, dueno: Taxpayer, sealer: Sealer, ajustes: Ajustes) {
  const { cuentaId, contribuyenteId, apiKeyId, rfc } = dueno;
  const { ahora = new Date(), tipos = ['emitidos', 'recibidos'], frecuencia = 'DIARIA', ciec = CIEC } = ajustes;
  const hoy = calendarDay(ahora);
  const { desde = `${hoy.slice(0, 7)}-01`, expiraEn = new Date(ahora.getTime() + 360 * 86_400_000) } = ajustes;
  const sincronizaciones = createSincronizaciones(db);
  const access = await createAccessSnapshots(db).load(apiKeyId);
  if (access === null) throw new Error('the key has no access');
  const id = (await sincronizaciones.idOf(contribuyenteId)) ?? uuidV7();
  const sobre = sealer.seal(
    { tipo: 'ciec', rfc, ciec: Buffer.from(ciec) },
    { solicitudId: id, cuenta: cuentaId, rfc, tipo: 'ciec', expiraEn },
  );
  const minuto = minutoDe(id);
  const resultado = await sincronizaciones.subscribe({
    id,
    cuentaId,
    contribuyenteId,
    apiKeyId,
    version: access.version,
    rfc,
    tipos,
    desde,
    frecuencia,
    minuto,
    ...primerasLecturas({ desde, hoy, minuto }),
    actor: 'prueba',
    ip: null,
    consentimiento: { kid: sealer.kid, sobre, finalidad: 'probar', expiraEn },
  });
  if (resultado !== 'CREADA' && resultado !== 'RENOVADA') throw new Error(resultado);
  return { ...dueno, sincronizacionId: id, expiraEn };
}

/** The same of a new taxpayer. */
export const newSubscriber = async (
  database: Pick<TestDatabase, 'db'>,
  sealer: Sealer,
  { saldo = 10, ...ajustes }: Ajustes & { readonly saldo?: number } = {},
) => subscribe(database, await seedTaxpayer(database.db, { saldo }), sealer, ajustes);

export type Subscriber = Awaited<ReturnType<typeof newSubscriber>>;
