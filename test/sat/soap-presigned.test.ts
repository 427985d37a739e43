import { buffer } from 'node:stream/consumers';
import { type Presigned, SinFirma } from '@acuse/core';
import { presign } from '@acuse/sat';
import { beforeAll, describe, expect, it } from 'vitest';
import { createEfirma } from '../../packages/sat/src/testing/certificados.ts';
import { errorOf } from './setup.ts';
import { DESCARGAR, SOLICITAR, setUp, VERIFICAR } from './soap-setup.ts';

const HOUR_MS = 3_600_000;
const signal = new AbortController().signal;

let asked = 0;

/** A request that the SAT has accepted, and signatures for it that last so many hours. */
async function accepted(hours: number) {
  const set = await setUp();
  const { ask, efirma, now } = set;
  asked += 1;
  // A second of its own, which no other file of this process has asked for: the SAT refuses equal requests.
  const periodo = { ...SOLICITAR.periodo, inicio: `2026-03-01T07:53:0${asked}` };
  const solicitada = await ask({ ...SOLICITAR, periodo });
  if (solicitada.resultado !== 'ACEPTADA') throw new Error(solicitada.resultado);
  const { folio } = solicitada;
  const para = { folios: [folio], desde: now(), hasta: new Date(now().getTime() + hours * HOUR_MS) };
  return { ...set, folio, para, presigned: await presign(efirma, para, null, signal) };
}

describe('presigned requests', () => {
  it('looks at its request and fetches its package until its end, with the very bytes that the key would send', async () => {
    const { world, requests, ask, live, folio, presigned, efirma } = await accepted(72);
    const verificar = { ...VERIFICAR, folio };
    const stuck = world.faults.add({ service: '*', operation: 'VerificaSolicitudDescarga', kind: 'stuck' });
    await ask(verificar, efirma);
    // Of every window: right after its beginning and right before its end.
    for (const ms of [1, 239_998, 3, HOUR_MS, 40 * HOUR_MS, 30 * HOUR_MS]) {
      live(ms);
      expect(await ask(verificar, presigned)).toEqual({ resultado: 'EN_PROCESO' });
    }
    const looks = requests.filter(({ path }) => path.startsWith('/Verifica')).map(({ body }) => String(body));
    expect(looks).toHaveLength(7);
    expect(new Set(looks).size).toBe(1);

    world.faults.remove(stuck.id);
    world.settings.verificaciones_hasta_terminar = 1;
    const fin = await ask(verificar, presigned);
    if (fin.resultado !== 'TERMINADA') throw new Error(fin.resultado);
    const paquete = fin.paquetes[0] ?? '';
    const descargada = await ask({ ...DESCARGAR, folio, paquete }, presigned);
    if (descargada.resultado !== 'PAQUETE') throw new Error(descargada.resultado);
    expect((await buffer(descargada.zip)).subarray(0, 2).toString()).toBe('PK');
    expect(requests.some(({ body }) => String(body).includes(efirma.key.toString('base64').slice(0, 64)))).toBe(false);
  });

  it('fetches the packages that a request is known to have, in either case of its id, and no other', async () => {
    const { ask, folio, presigned } = await accepted(1);
    const ids = [folio, folio.toUpperCase(), folio.toLowerCase()];
    for (const id of ids) {
      for (const n of ['01', '20']) {
        // Not there yet: the SAT understood the message, and says so.
        expect(await ask({ ...DESCARGAR, folio, paquete: `${id}_${n}` }, presigned)).toMatchObject({
          resultado: 'AGOTADO',
        });
      }
    }
    for (const paquete of [`${folio}_21`, `${folio}_1`, `${folio}-0001`, folio, DESCARGAR.paquete]) {
      await expect(ask({ ...DESCARGAR, folio, paquete }, presigned)).rejects.toThrow(SinFirma);
    }
  });

  it('asks for nothing else: no other request, nobody else’s, no new one', async () => {
    const { ask, folio, presigned, count } = await accepted(1);
    await expect(ask(VERIFICAR, presigned)).rejects.toThrow(SinFirma);
    await expect(ask({ ...VERIFICAR, folio, rfc: 'H&E951128469' }, presigned)).rejects.toThrow(SinFirma);
    await expect(ask(SOLICITAR, presigned as never)).rejects.toThrow(SinFirma);
    expect([count('SolicitaDescargaRecibidos'), count('VerificaSolicitudDescarga')]).toEqual([1, 0]);
  });

  it('is over a little after its end, and not before', async () => {
    const { ask, folio, presigned, live } = await accepted(1);
    const verificar = { ...VERIFICAR, folio };
    live(HOUR_MS + 60_000);
    expect(await ask(verificar, presigned)).toMatchObject({ resultado: 'EN_PROCESO' });
    live(15 * 60_000);
    await expect(ask(verificar, presigned)).rejects.toThrow(SinFirma);
  });

  it('shares no token with the key: whoever has it waits for no authentication that may be missing', async () => {
    const { ask, folio, presigned, efirma, count } = await accepted(1);
    for (const credencial of [efirma, presigned, efirma, presigned]) await ask({ ...VERIFICAR, folio }, credencial);
    expect(count('Autentica')).toBe(2);
  });
});

describe('presigning', () => {
  const efirma = createEfirma();
  const desde = new Date('2026-11-23T12:00:00Z');
  const para = (hours: number, folios = ['4e80345d-917f-40bb-a98f-4a73939343c5']) => ({
    folios,
    desde,
    hasta: new Date(desde.getTime() + hours * HOUR_MS),
  });
  let whole: Presigned;
  beforeAll(async () => {
    whole = await presign(efirma, para(72), null, signal);
  });

  it('holds an authentication for every four minutes, one look, and twenty packages in both cases', () => {
    expect(whole.firmas.size).toBe(72 * 15 + 5 + 1 + 40);
    const bytes = [...whole.firmas.values()].reduce((sum, firma) => sum + firma.length, 0);
    expect(bytes).toBe(whole.firmas.size * 256);
  });

  it('adds another request to what was signed before, and drops what is over', async () => {
    const folios = [...para(72).folios, 'OTRA-SOLICITUD'];
    const later = { folios, desde: new Date(desde.getTime() + HOUR_MS), hasta: para(72).hasta };
    const next = await presign(efirma, later, whole, signal);
    expect(next.firmas.size).toBe(71 * 15 + 5 + 41 + 41);
    const alone = await presign(efirma, later, null, signal);
    expect([...next.firmas]).toEqual([...alone.firmas]);
    // Its own copies: the earlier one is wiped.
    for (const [huella, firma] of next.firmas) expect(whole.firmas.get(huella)).not.toBe(firma);
  });

  it('takes nothing from the signatures of another certificate', async () => {
    const other = createEfirma();
    const next = await presign(other, para(1), { ...whole, cer: efirma.cer }, signal);
    for (const [huella, firma] of next.firmas) expect(whole.firmas.get(huella)?.equals(firma) ?? false).toBe(false);
  });

  it('stops when the step is over, and refuses a key that is not the certificate’s', async () => {
    const aborted = AbortSignal.abort();
    expect(await errorOf(presign(efirma, para(1), null, aborted))).toMatchObject({ motivo: 'CANCELADA' });
    const torn = { ...efirma, key: createEfirma().key };
    expect(await errorOf(presign(torn, para(1), null, signal))).toMatchObject({ motivo: 'EFIRMA_RECHAZADA' });
  });
});
