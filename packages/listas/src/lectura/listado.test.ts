import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { SatError } from '@acuse/core';
import { afterEach, describe, expect, it } from 'vitest';
import {
  closeAll,
  closeLater,
  type PeticionRecibida,
  type Servidor,
  startServidor,
} from '../../../sat/src/testing/servidor.ts';
import { archivo, renglon, windows1252 } from '../testing/lista-69b.ts';
import { createLista69b, DIRECCIONES_LISTADOS, type ListadoSettings } from './listado.ts';

const BYTES = windows1252(
  archivo([renglon(1, 'AAA120730823', 'UNO', 'Presunto'), renglon(2, 'BBB120730824', 'DOS', 'Definitivo')]),
);
const SHA256 = createHash('sha256').update(BYTES).digest('hex');
const signal = () => AbortSignal.timeout(20_000);
const PATH = '/wu1agsprosta001/agsc-publicaciones/Datos_abiertos/Documents_AGAFF/Listado_completo_69-B.csv';

afterEach(closeAll);

type Answer = (peticion: PeticionRecibida, response: ServerResponse) => void;

async function start(answer: Answer, settings: (servidor: Servidor) => Partial<ListadoSettings> = simulated) {
  const servidor = await startServidor(answer);
  const lista = createLista69b({ url: DIRECCIONES_LISTADOS['69-b'] ?? '', ...settings(servidor) });
  closeLater(servidor.close);
  closeLater(lista.close);
  return { servidor, lista };
}
const simulated = ({ url }: Servidor): Partial<ListadoSettings> => ({ http: { baseUrl: url } });

async function readAll(lista: Awaited<ReturnType<ReturnType<typeof createLista69b>['abrir']>>) {
  if (lista === null) throw new Error('unchanged');
  const rfcs: unknown[] = [];
  for await (const batch of lista.batches) rfcs.push(...batch.map(({ rfc }) => rfc));
  return { rfcs, sha256: lista.sha256(), fuente: lista.fuente };
}

const serve: Answer = ({ headers }, response) => {
  if (headers['if-none-match'] === '"v1"') return void response.writeHead(304).end();
  response.writeHead(200, { etag: '"v1"', 'last-modified': 'Fri, 31 Jul 2026 06:00:00 GMT' }).end(BYTES);
};

describe('the list of article 69-B at its source', () => {
  it('is fetched once, and again only when it is another', async () => {
    const { servidor, lista } = await start(serve);
    const first = await lista.abrir(null, signal());
    expect(await readAll(first)).toEqual({
      rfcs: ['AAA120730823', 'BBB120730824'],
      sha256: SHA256,
      fuente: servidor.url + PATH,
    });
    if (first === null) throw new Error('unchanged');
    expect(await lista.abrir(first, signal())).toBeNull();
    expect(
      servidor.peticiones.map(({ method, url, headers }) => [
        method,
        url,
        headers['if-none-match'],
        headers['if-modified-since'],
      ]),
    ).toEqual([
      ['GET', PATH, undefined, undefined],
      ['GET', PATH, '"v1"', 'Fri, 31 Jul 2026 06:00:00 GMT'],
    ]);
  });

  it('is asked for unconditionally where the known one came from somewhere else', async () => {
    const { servidor, lista } = await start(serve);
    const other = { fuente: 'https://example.com/l.csv', etag: '"v1"', ultimaModificacion: null };
    await readAll(await lista.abrir(other, signal()));
    expect(servidor.peticiones[0]?.headers).not.toHaveProperty('if-none-match');
  });

  it('comes from the address that the operator gave, whatever its host', async () => {
    const { servidor, lista } = await start(serve, ({ url }) => ({ url: `${url}/copias/69b.csv?v=2` }));
    expect((await readAll(await lista.abrir(null, signal()))).fuente).toBe(`${servidor.url}/copias/69b.csv`);
    expect(servidor.peticiones[0]?.url).toBe('/copias/69b.csv?v=2');
  });

  it.each<[string, Answer, string]>([
    [
      'a page',
      (_, r) => r.writeHead(200, { 'content-type': 'text/html' }).end('<html>Mantenimiento</html>'),
      'RESPUESTA_ILEGIBLE',
    ],
    ['nothing', (_, r) => r.writeHead(200).end(), 'RESPUESTA_ILEGIBLE'],
    ['another place', (_, r) => r.writeHead(302, { location: 'https://www.sat.gob.mx/' }).end(), 'RESPUESTA_ILEGIBLE'],
    ['unchanged, unasked', (_, r) => r.writeHead(304).end(), 'RESPUESTA_ILEGIBLE'],
    ['a part', (_, r) => r.writeHead(206).end(BYTES), 'RESPUESTA_ILEGIBLE'],
    ['not found', (_, r) => r.writeHead(404).end('<Error/>'), 'SERVICIO_CON_ERROR'],
    ['too much', (_, r) => r.writeHead(503).end(), 'SERVICIO_CON_ERROR'],
    [
      'a cut',
      (_, r) => r.writeHead(200, { 'content-length': BYTES.length }).write(BYTES.subarray(0, -30), () => r.destroy()),
      'NO_RESPONDE',
    ],
    [
      'other bytes than their digest',
      (_, r) => r.writeHead(200, { 'content-md5': 'AAAAAAAAAAAAAAAAAAAAAA==' }).end(BYTES),
      'RESPUESTA_ILEGIBLE',
    ],
  ])('rejects when the answer is %s', async (_name, answer, motivo) => {
    const { lista } = await start(answer);
    const reading = lista.abrir(null, signal()).then(readAll);
    await expect(reading).rejects.toMatchObject({ name: 'SatError', motivo });
  });

  it('rejects past its largest size', async () => {
    const { lista } = await start(serve, ({ url }) => ({ http: { baseUrl: url }, maxBytes: BYTES.length - 1 }));
    await expect(lista.abrir(null, signal()).then(readAll)).rejects.toMatchObject({ motivo: 'RESPUESTA_ILEGIBLE' });
  });

  it('ends with its caller', async () => {
    const controller = new AbortController();
    const { lista } = await start((_, response) => {
      response.writeHead(200).write(BYTES.subarray(0, 40));
      controller.abort();
    });
    await expect(lista.abrir(null, controller.signal)).rejects.toMatchObject({ motivo: 'CANCELADA' });
    await expect(lista.abrir(null, AbortSignal.abort())).rejects.toBeInstanceOf(SatError);
  });
});
