import MiniSearch from 'minisearch';
import { beforeAll, describe, expect, it } from 'vitest';
import { createKit } from '../../test/kit.ts';
import { find, OPTIONS } from './assets/terminos.js';
import { type Language, SEARCH_INDEX } from './pages.ts';

/** Questions, and the address of their first answer below /docs or /docs/en. */
const FIRST: Readonly<Record<Language, readonly (readonly [question: string, address: string])[]>> = {
  es: [
    ['paginacion', '/operaciones#páginas'],
    ['4003', '/errores#CIEC_NO_GUARDADA'],
    ['error 1004', '/errores#SALDO_INSUFICIENTE'],
    ['429', '/errores#DEMASIADAS_PETICIONES'],
    ['ciec rechazada', '/errores#CIEC_RECHAZADA'],
    ['RFC_NO_REGISTRADO', '/errores#RFC_NO_REGISTRADO'],
    ['JSON_INVALIDO', '/errores#JSON_INVALIDO'],
    ['SAT_VENCIDA', '/codigos-sat#SAT_VENCIDA'],
    ['códigos del sat', '/codigos-sat'],
    ['rotar llave', '/rotar-llave'],
    ['rotate key', '/rotar-llave'],
    ['cambiar api key', '/rotar-llave'],
    ['cómo roto mi api key', '/rotar-llave'],
    ['notificado', '/webhooks'],
    ['avisos', '/webhooks'],
    ['verificar la firma', '/webhooks#verificar-la-firma'],
    ['precios', '/creditos'],
    ['cuánto cuesta', '/creditos#cuánto-cuesta-una-llamada'],
    ['devoluciones', '/creditos#devoluciones'],
    ['límite de peticiones', '/limites'],
    ['reintentos', '/idempotencia'],
    ['idempotency-key', '/idempotencia'],
    ['sat caído', '/sat-caido'],
    ['versión', '/versiones'],
    ['auditoría', '/seguridad'],
    ['excel', '/formatos#excel'],
    ['xml faltantes', '/cfdi'],
    ['rfc mágicos', '/sandbox'],
    ['invitar usuarios', '/equipo#invitar'],
    ['primer descarga', '/primera-descarga'],
    ['descarga metadata', '/operaciones/tax/descarga-metadata'],
    ['facturas recibidas', '/operaciones/tax/facturas'],
    ['cancelar solicitud', '/operaciones/descarga/cancelar'],
  ],
  en: [
    ['notified', '/webhooks'],
    ['rotate key', '/rotate-key'],
    ['rotating api keys', '/rotate-key'],
    ['how do I change my key', '/rotate-key'],
    ['pagination', '/operations#pages'],
    ['paginacion', '/operations#pages'],
    ['4003', '/errors#CIEC_NO_GUARDADA'],
    ['lapsed request', '/sat-codes#SAT_VENCIDA'],
    ['API_KEY_INVALIDA', '/errors#API_KEY_INVALIDA'],
    ['pricing', '/credits'],
    ['cost of a call', '/credits#cost-of-a-call'],
    ['refund', '/credits#refunds'],
    ['throttling', '/rate-limits'],
    ['rate limit', '/rate-limits'],
    ['retries', '/idempotency'],
    ['duplicate charge', '/idempotency'],
    ['sat outage', '/sat-down'],
    ['version', '/versions'],
    ['security audit', '/security'],
    ['encryption', '/security'],
    ['magic rfc', '/sandbox'],
    ['verify signature', '/webhooks#verifying-the-signature'],
    ['parquet', '/formats'],
    ['invite', '/teams#to-invite'],
    ['first download', '/first-download'],
    ['received invoices', '/operations/tax/facturas'],
    ['cancel download', '/operations/descarga/cancelar'],
    ['opinion of compliance ciec', '/operations/tax/opinion-cumplimiento'],
    ['mailbox notifications', '/operations/tax/notificaciones'],
    ['python', '/python'],
  ],
};

describe.each(['es', 'en'] as const)('the search in %s', (language) => {
  let index: MiniSearch;
  beforeAll(async () => {
    const { app } = (await createKit()).api;
    index = MiniSearch.loadJSON(await (await app.request(SEARCH_INDEX[language])).text(), OPTIONS);
  });

  it.each(FIRST[language])('“%s” finds %s first', (question, address) => {
    const found = find(index, question).map(({ href }) => href);
    expect(found[0]).toBe(`/docs${language === 'en' ? '/en' : ''}${address}`);
  });

  it('finds nothing for nonsense, and needs a word', () => {
    expect(find(index, 'zzzzqqq')).toEqual([]);
    expect(find(index, ' ?! ')).toEqual([]);
  });
});
