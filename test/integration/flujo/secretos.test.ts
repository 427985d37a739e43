import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createLogger } from '@acuse/runtime';
import { presign } from '@acuse/sat';
import { openLlave } from '@acuse/vault';
import { expect, it } from 'vitest';
import { formasDe, piecesOf, readAuditLogs, readRedis, readTablas } from '../fixtures/busqueda.ts';
import { flowOnEachDriver } from '../fixtures/drivers.ts';
import { type Efirma, newEfirmaCaller } from '../fixtures/efirma.ts';
import { readObjetos } from '../fixtures/objetos.ts';
import { askFor, darFilas, fail, UN_DIA, waitForLlamadas } from '../fixtures/pedidos.ts';
import { ciecOf, useServicio, waitFor, waitForEnd } from '../fixtures/servicio.ts';

flowOnEachDriver('secrets', (queueUrl) => {
  const apiLog: string[] = [];
  const destination = { write: (line: string) => void apiLog.push(line) };
  const apiLogger = createLogger({ name: 'api', level: 'trace', destination });
  const servicio = useServicio({ queueUrl, workerEnv: { LOG_LEVEL: 'trace' }, apiLog: apiLogger }, {});

  /** Everything that this service has written anywhere, by place. */
  const everything = async () => {
    const places = new Map<string, string>();
    for (const [table, text] of await readTablas(servicio)) places.set(`tabla ${table}`, text);
    for (const [key, bytes] of await readObjetos(servicio)) places.set(`objeto ${key}`, bytes.toString('latin1'));
    places.set('bitácora de los workers', await readAuditLogs(servicio));
    places.set('bitácora de la api', apiLog.join(''));
    if (queueUrl) places.set('redis', await readRedis(queueUrl));
    return places;
  };
  const findIn = (places: Map<string, string>, forms: readonly string[]) =>
    [...places].filter(([, text]) => forms.some((form) => text.includes(form))).map(([place]) => place);

  /** What the e.firma signed beforehand for a solicitud: for the look at it and for its packages. */
  const firmasDe = async ({ rfc, efirma }: { rfc: string; efirma: Efirma }, id: string) => {
    const [cer, encrypted] = [Buffer.from(efirma.cer, 'base64'), Buffer.from(efirma.key, 'base64')];
    const key = openLlave(encrypted, Buffer.from(efirma.password));
    const [parte] = await servicio.sql<{ folio: string }>`SELECT folio FROM parte WHERE solicitud_id = ${id}`;
    const para = { folios: [String(parte?.folio)], desde: new Date(0), hasta: new Date(0) };
    const credencial = { tipo: 'efirma', rfc, cer, key } as const;
    const { firmas } = await presign(credencial, para, null, new AbortController().signal);
    return [...firmas.values()].slice(-41);
  };

  it('are in no table, queue, log or object, neither while solicitudes run nor after', async () => {
    const ciec = await servicio.newCiecCaller();
    const wrong = await servicio.newCaller();
    const wrongCiec = 'Equivocada-98765';
    await wrong.call('vault/rfc-guardar', { rfc: wrong.rfc, ciec: wrongCiec });
    const efirma = await newEfirmaCaller(servicio);
    for (const { rfc } of [ciec, efirma]) darFilas(servicio, rfc, UN_DIA, 5);
    await waitForEnd(efirma, await askFor(efirma, { ...UN_DIA, tipo: 'emitidos' }));
    const held = [
      fail(servicio, ciec, { service: 'portalcfdi', operation: 'ConsultaDescargaMasiva.aspx', kind: 'html200' }),
      fail(servicio, efirma, {
        service: 'cfdidescargamasivasolicitud',
        operation: 'VerificaSolicitudDescarga',
        kind: 'status',
      }),
    ];
    const ids = [await askFor(ciec), await askFor(efirma, { ...UN_DIA, capsula: true })] as const;
    await waitForEnd(wrong, await askFor(wrong));
    await waitForLlamadas(servicio, ciec, 'ConsultaDescargaMasiva.aspx', 2);
    await waitForLlamadas(servicio, efirma, 'VerificaSolicitudDescarga', 2);
    const during = await everything();
    expect(during.get('tabla public.capsula')).toContain(ids[1]);
    const firmas = await firmasDe(efirma, ids[1]);
    for (const { id } of held) servicio.simulador.world.faults.remove(id);
    await waitForEnd(ciec, ids[0]);
    await waitForEnd(efirma, ids[1]);
    const after = await everything();

    const secrets: [string, string[]][] = [
      ['CIEC', formasDe(Buffer.from(ciecOf(ciec.rfc)))],
      ['refused CIEC', formasDe(Buffer.from(wrongCiec))],
      ['password of the key', [efirma.efirma.password, ...formasDe(Buffer.from(efirma.efirma.password))]],
      ...firmas.map((bytes): [string, string[]] => ['what the e.firma signed beforehand', formasDe(bytes)]),
      ...piecesOf(efirma.efirma).map((bytes): [string, string[]] => ['key of the e.firma', formasDe(bytes)]),
      ...[ciec, wrong, efirma].flatMap(({ apiKey }): [string, string[]][] => {
        const secret = apiKey.split('_').slice(3).join('_').slice(0, 43);
        return [
          ['API key', formasDe(Buffer.from(apiKey))],
          ['secret of the API key', [secret, ...formasDe(Buffer.from(secret, 'base64url'))]],
        ];
      }),
    ];
    for (const [name, forms] of secrets) {
      expect([name, forms.length > 0, findIn(during, forms), findIn(after, forms)]).toEqual([name, true, [], []]);
    }
  });

  it('would be found: the search finds values in text and binary columns, logs, objects and the queue', async () => {
    const caller = await servicio.newCiecCaller();
    darFilas(servicio, caller.rfc, UN_DIA, 5);
    const stuck = { service: 'portalcfdi', operation: 'DescargaMetadatos', kind: 'stuck' } as const;
    fail(servicio, caller, stuck);
    const id = await askFor(caller);
    const done = await servicio.newCiecCaller();
    await waitForEnd(done, await askFor(done));
    await waitForLlamadas(servicio, caller, 'ConsultaDescargaMasiva.aspx', 2);
    const [row] = await servicio.sql<{ hash: Buffer; sobre: Buffer }>`
      SELECT k.hash, c.sobre FROM api_key k JOIN credencial c ON c.api_key_id = k.id WHERE k.id = ${caller.apiKeyId}`;
    const isQueue = (place: string) => (queueUrl ? place === 'redis' : /bullmq|job|queue/i.test(place));
    // While a worker has its wake-up in the hand, the queue has not.
    const places = await waitFor(async () => {
      const found = await everything();
      return findIn(found, [id]).some(isQueue) ? found : null;
    });
    expect(findIn(places, formasDe(row?.hash.subarray(0, 30) ?? Buffer.alloc(0)))).toEqual(['tabla public.api_key']);
    expect(findIn(places, formasDe(row?.sobre.subarray(0, 30) ?? Buffer.alloc(0)))).toEqual([
      'tabla public.credencial',
    ]);
    expect(findIn(places, [id])).toContain('bitácora de los workers');
    expect([...places.keys()].some((place) => place.startsWith('objeto '))).toBe(true);
    expect(apiLog.length + (await readFile(join(servicio.dir, 'log', 'worker-1.log'), 'utf8')).length).toBeGreaterThan(
      0,
    );
  });
});
