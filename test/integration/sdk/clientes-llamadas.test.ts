import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer as createTlsServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CATALOGO, type NombreError } from '@acuse/contract';
import { OPERACIONES } from '@acuse/sdk/operaciones';
import { firmar } from '@acuse/webhooks';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createCertificadoTls } from '../../../packages/sat/src/testing/certificados.ts';
import { type Answer, fail, hangUp, ok, okWith, page, serve, serveBy } from '../../../packages/sdk/testing/answers.ts';
import { type Hecho, LANGUAGES, type Proceso, startProceso } from './clientes.ts';

const PERIODO = { rfc: 'ACU200101DB1', desde: '2026-01-01', hasta: '2026-01-31' };
const UUID = '01936f5e-7c3a-7b1e-8f00-2a4b6c8d0e1f';

describe.each(LANGUAGES)('the client for $nombre', (language) => {
  describe.skipIf(language.falta !== null)(language.falta ?? 'against a service that answers what it is told', () => {
    let proceso: Proceso;
    beforeAll(() => {
      proceso = startProceso(language);
    });
    afterAll(() => proceso?.close());

    const facturas = (url: string, cliente: object = {}, azar = 1, args: object = PERIODO) =>
      proceso.call({ cliente: { url, llave: 'acuse_test_x', ...cliente }, azar }, 'tax.facturas', args);

    describe('a call', () => {
      it('is one POST with the key, the name of the program and its body; a price brings an Idempotency-Key', async () => {
        const { url, asked } = await serve(ok);
        const cliente = { url: `${url}//`, llave: 'acuse_test_x', aplicacion: 'mi-erp/2.1' };
        await proceso.call({ cliente }, 'vault.firmaEstado', { rfc: 'Ñ&A200101DB1' });
        await proceso.call({ cliente }, 'tax.facturas', PERIODO);
        await proceso.call({ cliente }, 'tax.facturas', { ...PERIODO, claveIdempotencia: 'pedido-7' });
        await proceso.call({ cliente }, 'uso.consultar', {});
        expect(asked.map(({ url: path }) => path.replace('/api/v1/', ''))).toEqual([
          ...['vault/firma-estado', 'tax/facturas', 'tax/facturas', 'uso/consultar'],
        ]);
        // Absent fields are not sent, and an empty request is an object.
        const bodies = [{ rfc: 'Ñ&A200101DB1' }, PERIODO, PERIODO, {}];
        expect(asked.map(({ body }) => JSON.parse(body))).toEqual(bodies);
        const [free, paid, own] = asked.map(({ headers }) => headers);
        const agent = `mi-erp/2.1 acuse-sdk-${language.marca}/0.1.0`;
        expect(free).toMatchObject({ authorization: 'Bearer acuse_test_x', 'user-agent': agent });
        expect(free).toMatchObject({ 'content-type': 'application/json' });
        expect(free).not.toHaveProperty('idempotency-key');
        expect(paid?.['idempotency-key']).toMatch(/^[0-9a-f-]{32,36}$/);
        expect(own?.['idempotency-key']).toBe('pedido-7');
      });

      it('is repeated with the same Idempotency-Key after a broken connection, a gateway and what passes', async () => {
        const half: Answer = (response) => {
          response.writeHead(200, { 'content-length': '500' }).write('{"cfdi_codigo":1,', () => response.destroy());
        };
        const { url, asked } = await serve(hangUp, page(502), fail('RESULTADO_INCIERTO', 5), half, ok);
        const { resultado, pausas } = await facturas(url);
        expect(resultado).toMatchObject({ data: { rfc: 'X' } });
        expect(new Set(asked.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
        expect(asked).toHaveLength(5);
        // The bound doubles; what the service asks for comes before it.
        expect(pausas).toEqual([0.5, 1, 5 + 2, 4]);
      });

      it('waits a time drawn between nothing and the bound', async () => {
        const { url } = await serve(page(503), page(503), ok);
        expect((await facturas(url, {}, 0.25)).pausas).toEqual([0.125, 0.25]);
      });

      it('honours Retry-After, also that of a gateway, up to the longest pause; what asks for more is thrown', async () => {
        const short = await serve(fail('DEMASIADAS_PETICIONES', 2), page(429, { 'retry-after': '3' }), ok);
        expect((await facturas(short.url)).pausas).toEqual([2.5, 4]);
        const long = await serve(fail('SAT_NO_DISPONIBLE', 300), ok);
        const { error, pausas } = await facturas(long.url);
        expect([error, pausas]).toMatchObject([{ nombre: 'SAT_NO_DISPONIBLE', reintentarEn: 300 }, []]);
      });

      it('waits for an earlier try of the same call that still runs, for two minutes at most', async () => {
        const running = fail('IDEMPOTENCIA_EN_CONFLICTO', 1);
        const { url, asked } = await serve(hangUp, running, running, running, running, ok);
        expect((await facturas(url)).pausas).toEqual([0.5, 1, 2, 4, 8]);
        expect(new Set(asked.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
        const forever = await serve(hangUp, running);
        const { error, pausas } = await facturas(forever.url);
        expect(error).toMatchObject({ nombre: 'IDEMPOTENCIA_EN_CONFLICTO' });
        expect(pausas.slice(1).reduce((sum, seconds) => sum + seconds, 0)).toBe(120);
      });

      it('ends after the tries that it may take, with the last error', async () => {
        const { url, asked } = await serve(hangUp);
        const { error } = await facturas(url, { reintentos: 2 });
        expect(error).toMatchObject({ clase: 'AcuseError', nombre: 'SIN_CONEXION', codigo: null, http: null });
        expect(asked).toHaveLength(3);
      });

      it('tells every error by its name and code, and repeats only what can pass by itself', async () => {
        const passing =
          /^(DEMASIADAS_PETICIONES|(SALDO|BASE|ALMACEN)_NO_DISPONIBLE|ACCESO_CAMBIADO|RESULTADO_INCIERTO|ERROR_INTERNO)$/;
        const withTime = ['SAT_NO_DISPONIBLE', 'IDEMPOTENCIA_EN_CONFLICTO'];
        for (const nombre of Object.keys(CATALOGO) as NombreError[]) {
          for (const [seconds, isRepeated] of [
            [undefined, passing.test(nombre)],
            [1, passing.test(nombre) || withTime.includes(nombre)],
          ] as const) {
            const { url, asked } = await serve(fail(nombre, seconds), ok);
            const { error } = await facturas(url);
            expect([nombre, asked.length, error === undefined]).toEqual([
              nombre,
              ...(isRepeated ? [2, true] : [1, false]),
            ]);
            const { codigo, http, texto: mensaje } = CATALOGO[nombre];
            const told = { clase: 'AcuseError', nombre, codigo, http, requestId: 'r-1', mensaje };
            if (!isRepeated) expect(error).toMatchObject({ ...told, reintentarEn: seconds ?? null });
          }
        }
      });

      it('takes a silence for a broken connection', async () => {
        const { url, asked } = await serve(() => {}, ok);
        expect((await facturas(url, { plazo: 0.2 })).error).toBeUndefined();
        expect(asked).toHaveLength(2);
      });

      it('follows no redirection: the key goes to nobody else', async () => {
        const other = await serve(ok);
        const { url } = await serve((response) => response.writeHead(307, { location: `${other.url}/x` }).end());
        expect((await facturas(url)).error).toMatchObject({ nombre: 'RESPUESTA_ILEGIBLE', http: 307 });
        expect(other.asked).toEqual([]);
      });

      it('says the precise cause in its message', async () => {
        const datos = { campo: 'desde', motivo: 'debe ser una fecha real' };
        const { url } = await serve(fail('CAMPO_INVALIDO', undefined, datos));
        const { error } = await facturas(url);
        expect(error?.mensaje).toMatch(/^desde: debe ser una fecha real\. Corrija [^(]*$/);
        expect(error?.datos).toMatchObject(datos);
      });

      it('is not made with an address, a key or a name that no header can carry', async () => {
        const { url, asked } = await serve(ok);
        const refused = (done: Hecho) => expect(done.error?.clase).toMatch(/^(ValueError|InvalidArgumentException)$/);
        for (const llave of ['', 'a b', 'a\r\nX-Other: 1', 'llavé']) refused(await facturas(url, { llave }));
        for (const aplicacion of ['erp\r\nX-Other: 1', 'árbol', '']) refused(await facturas(url, { aplicacion }));
        for (const other of ['file:///etc/passwd', 'acuse.example', '', 'https://']) refused(await facturas(other));
        refused(await facturas(url, {}, 1, { ...PERIODO, claveIdempotencia: 'a\nX-Other: 1' }));
        expect(asked).toEqual([]);
      });
    });

    describe('a connection', () => {
      it('trusts an authority that its caller names, and no other than those of the machine without it', async () => {
        const { cert, key } = createCertificadoTls('localhost');
        const folder = await mkdtemp(join(tmpdir(), 'acuse-tls-'));
        onTestFinished(() => rm(folder, { recursive: true, force: true }));
        const autoridad = join(folder, 'propia.pem');
        await writeFile(autoridad, cert);
        const { url } = await serveBy(createTlsServer({ cert, key }), ok);
        const named = url.replace(/^.*:/, 'https://localhost:');
        expect((await facturas(named, { reintentos: 0 })).error).toMatchObject({ nombre: 'SIN_CONEXION' });
        expect((await facturas(named, { autoridad })).resultado).toMatchObject({ data: { rfc: 'X' } });
      });

      it('is one of its caller where he gives a client of HTTP or its options, also for what is answered with an error', async () => {
        const { url, asked } = await serve(ok, fail('RFC_INVALIDO'));
        expect((await facturas(url, { propio: true })).resultado).toMatchObject({ data: { rfc: 'X' } });
        expect((await facturas(url, { propio: true })).error).toMatchObject({ nombre: 'RFC_INVALIDO', http: 400 });
        expect(asked.map(({ headers }) => headers.cookie)).toEqual(['propio=si', 'propio=si']);
      });

      it('is logged try by try: status, request id, limit, replay and error, and neither key nor body', async () => {
        const headers = { 'x-request-id': 'r-2', RateLimit: '"llave";r=7;t=2', 'idempotent-replayed': 'true' };
        const replayed: Answer = (response, one) => {
          for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
          ok(response, one);
        };
        const { url } = await serve(hangUp, fail('RESULTADO_INCIERTO'), replayed);
        const { registros } = await facturas(url, { registro: true });
        const nothing = { operacion: 'tax/facturas', request_id: null, limite: null, repetida: false };
        expect(registros).toMatchObject([
          { ...nothing, intento: 1, http: null, error: 'SIN_CONEXION', level: 'warning' },
          { ...nothing, intento: 2, http: 503, error: 'RESULTADO_INCIERTO', request_id: 'r-1' },
          { intento: 3, http: 200, error: null, request_id: 'r-2', limite: headers.RateLimit, repetida: true },
        ]);
        expect(registros[2]).toMatchObject({ level: 'info', ms: expect.any(Number) });
        expect(registros[2]?.['texto']).toMatch(/^tax\/facturas intento=3 http=200 ms=\d+ request_id=r-2 error=/);
        expect(JSON.stringify(registros)).not.toMatch(/acuse_test_x|2026-01-31/);
      });
    });

    describe('a package', () => {
      const zip = randomBytes(300_000);
      const sha256 = createHash('sha256').update(zip).digest('hex');

      /** A service whose storage gives at most so many bytes at a time, then breaks or falls silent. */
      async function storage({ most = zip.length, ignoresRange = false, isSilent = false, sha = sha256 } = {}) {
        const ranges: (string | undefined)[] = [];
        let own = '';
        const answer: Answer = (response, asked) => {
          const data = { solicitud_id: UUID, paquete_url: `${own}/zip?${ranges.length}`, expira_en: 'x' };
          if (asked.url.startsWith('/api/'))
            return okWith({ ...data, bytes: zip.length, sha256: sha })(response, asked);
          const { range } = asked.headers;
          ranges.push(range);
          const from = ignoresRange || range === undefined ? 0 : Number(/\d+/.exec(range)?.[0]);
          const to = ignoresRange ? most * ranges.length : from + most;
          response.writeHead(from > 0 ? 206 : 200, { 'content-length': zip.length - from });
          const isBroken = to < zip.length && !isSilent;
          response.write(zip.subarray(from, to), () => isBroken && setImmediate(() => response.destroy()));
          if (to >= zip.length) response.end();
        };
        const { url, asked } = await serve(answer);
        own = url;
        const open = (cliente: object = {}) =>
          proceso.call({ cliente: { url, llave: 'x', ...cliente } }, 'abrirPaquete', { solicitudId: UUID });
        return { asked, ranges, open };
      }

      it.each([false, true])(
        'goes on where its connection broke, also if a server ignores ranges: %s',
        async (ignoresRange) => {
          const { ranges, open, asked } = await storage({ most: 100_000, ignoresRange });
          const { resultado, recibidos } = await open();
          expect(resultado).toEqual({ bytes: zip.length, sha256 });
          expect(ranges).toEqual([undefined, 'bytes=100000-', 'bytes=200000-']);
          expect(recibidos.at(-1)).toEqual([zip.length, zip.length]);
          // Each time by a new URL, and without the key: it is the service's alone.
          const taken = asked.filter(({ url }) => url.startsWith('/zip'));
          expect(taken.map(({ url }) => url)).toEqual(['/zip?0', '/zip?1', '/zip?2']);
          expect(taken.filter(({ headers }) => 'authorization' in headers)).toEqual([]);
        },
      );

      it('goes on after a silence', async () => {
        const { ranges, open } = await storage({ most: 150_000, isSilent: true });
        expect((await open({ plazo: 0.3 })).resultado).toEqual({ bytes: zip.length, sha256 });
        expect(ranges).toEqual([undefined, 'bytes=150000-']);
      });

      it('that is not what was stored ends with PAQUETE_DANADO; one that is away, with what was answered', async () => {
        const { open } = await storage({ sha: '0'.repeat(64) });
        expect((await open()).error).toMatchObject({ nombre: 'PAQUETE_DANADO', codigo: null });
        const located: Answer = (response, asked) =>
          asked.url.startsWith('/api/')
            ? okWith({ paquete_url: `http://${asked.headers.host}/gone`, bytes: 5, sha256 })(response, asked)
            : page(404)(response, asked);
        const { url } = await serve(located);
        const gone = await proceso.call({ cliente: { url, llave: 'x' } }, 'abrirPaquete', { solicitudId: UUID });
        expect(gone.error).toMatchObject({ nombre: 'RESPUESTA_ILEGIBLE', http: 404 });
      });
    });

    describe('a list by pages', () => {
      const pageOf = (uuids: readonly string[], siguiente: string | null) =>
        okWith({ total: 3, items: uuids.map((uuid) => ({ uuid })), siguiente });
      const peticion = { ...PERIODO, limite: 2 };
      const goThrough = (url: string) =>
        proceso.call({ cliente: { url, llave: 'acuse_test_x' } }, 'elementos', {
          operacion: language.nombreDe('tax.facturas'),
          peticion,
        });

      it('gives every element in its order, and asks for no page behind the last', async () => {
        const { url, asked } = await serve(pageOf(['a', 'b'], 'x.2'), pageOf(['c'], null));
        const { elementos, error } = await goThrough(url);
        expect([elementos, error]).toEqual([[{ uuid: 'a' }, { uuid: 'b' }, { uuid: 'c' }], undefined]);
        expect(asked.map(({ body }) => JSON.parse(body))).toEqual([peticion, { ...peticion, cursor: 'x.2' }]);
      });

      it('asks for a page when it is reached, once more when that fails for a moment, and tells what else it fails with', async () => {
        const { url, asked } = await serve(pageOf(['a'], 'x.2'), page(502), fail('CAMPO_INVALIDO'));
        const { elementos, error } = await goThrough(url);
        expect([elementos, error]).toMatchObject([[{ uuid: 'a' }], { nombre: 'CAMPO_INVALIDO' }]);
        const [, second, third] = asked.map(({ headers }) => headers['idempotency-key']);
        expect([asked.length, third]).toEqual([3, second]);
      });

      it('ends where the next page is the one just asked for, as that of changes to come is', async () => {
        const { url, asked } = await serve(pageOf(['a'], 'x.1'), pageOf([], 'x.1'));
        expect((await goThrough(url)).elementos).toEqual([{ uuid: 'a' }]);
        expect(asked.length).toBe(2);
      });

      it('that is empty has no element', async () => {
        const { url } = await serve(pageOf([], null));
        expect(await goThrough(url)).toMatchObject({ elementos: [], resultado: {} });
      });
    });

    describe('a webhook', () => {
      const NOW = 1_800_000_000;
      const newClave = () => randomBytes(32);
      const secretoOf = (clave: Buffer) => `whsec_${clave.toString('base64')}`;
      const EVENT = { type: 'solicitud.terminada', timestamp: '2027-01-15T08:00:00Z', data: { ñ: 'á', n: 1 } };
      const cuerpo = JSON.stringify(EVENT);
      const signed = (claves: readonly Buffer[], segundos = NOW, body = cuerpo) => ({
        cuerpo: Buffer.from(body).toString('base64'),
        encabezados: firmar({ id: 'evt_1', segundos, cuerpo: body }, claves) as Record<string, string>,
      });
      const verify = (received: object, secretos: string | string[]) =>
        proceso.call(
          { cliente: { url: 'http://x', llave: 'x' } },
          ...(['verificarWebhook', { ...received, secretos, ahora: NOW }] as const),
        );
      const motivoOf = ({ error }: Hecho) => {
        expect(error).toMatchObject({ nombre: 'WEBHOOK_INVALIDO', codigo: null });
        return String(error?.datos?.['motivo']);
      };

      it('that the workers or the reference library signed is read, with the old and with the new secret', async () => {
        const [before, after, other] = [newClave(), newClave(), newClave()];
        const both = signed([before, after]);
        expect((await verify(both, secretoOf(before))).resultado).toEqual(EVENT);
        expect((await verify(both, [secretoOf(other), secretoOf(after)])).resultado).toEqual(EVENT);
        expect(motivoOf(await verify(both, [secretoOf(other)]))).toContain('ninguna de sus firmas');
        const signature = new Webhook(secretoOf(after)).sign('evt_1', new Date(NOW * 1_000), cuerpo);
        const upper = { 'Webhook-Id': 'evt_1', 'Webhook-Timestamp': String(NOW), 'Webhook-Signature': signature };
        expect((await verify({ ...both, encabezados: upper }, secretoOf(after))).resultado).toEqual(EVENT);
      });

      if (language.nombre === 'PHP')
        it('is read with the keys that its headers have in $_SERVER', async () => {
          const clave = newClave();
          const { cuerpo: body, encabezados } = signed([clave]);
          const server = Object.fromEntries(
            Object.entries(encabezados).map(([name, value]) => [
              `HTTP_${name.toUpperCase().replaceAll('-', '_')}`,
              value,
            ]),
          );
          const received = { cuerpo: body, encabezados: { argv: [], REQUEST_TIME: NOW, ...server } };
          expect((await verify(received, secretoOf(clave))).resultado).toEqual(EVENT);
        });

      it('is refused with another byte in id, time, body or signature, without a header, and if it is old', async () => {
        const clave = newClave();
        const secreto = secretoOf(clave);
        const one = signed([clave]);
        const { encabezados } = one;
        const changed = Buffer.from(`${cuerpo} `).toString('base64');
        expect(motivoOf(await verify({ ...one, cuerpo: changed }, secreto))).toContain('ninguna');
        for (const [name, value] of Object.entries(encabezados)) {
          const places = name === 'webhook-timestamp' ? [9] : [0, 1, 4, 10].filter((at) => at < value.length);
          for (const at of places) {
            const other = value[at] === '1' ? '2' : '1';
            const altered = { ...encabezados, [name]: value.slice(0, at) + other + value.slice(at + 1) };
            expect(motivoOf(await verify({ ...one, encabezados: altered }, secreto))).toContain('ninguna');
          }
          const { [name]: _, ...rest } = encabezados;
          expect(motivoOf(await verify({ ...one, encabezados: rest }, secreto))).toBe(`falta el encabezado ${name}`);
        }
        for (const [offset, isRead] of [
          [-301, false],
          [-300, true],
          [300, true],
          [301, false],
        ] as const) {
          const done = await verify(signed([clave], NOW + offset), secreto);
          if (isRead) expect(done.resultado).toEqual(EVENT);
          else expect(motivoOf(done)).toContain('cinco minutos');
        }
        for (const timestamp of ['1e9', '-1', '1800000000 ', '١٨٠٠٠٠٠٠٠٠'])
          expect(
            motivoOf(
              await verify({ ...one, encabezados: { ...encabezados, 'webhook-timestamp': timestamp } }, secreto),
            ),
          ).toContain('no es una hora');
      });

      it('with a body that is no JSON is refused, and a secret that is none is a fault of the program', async () => {
        const clave = newClave();
        expect(motivoOf(await verify(signed([clave], NOW, 'hola'), secretoOf(clave)))).toContain('no es JSON');
        for (const secreto of ['', 'whsec_', 'whsec_%%%', secretoOf(clave).slice(6)])
          expect((await verify(signed([clave]), secreto)).error?.clase).toMatch(/ValueError|InvalidArgumentException/);
      });
    });

    it.each([
      { metodo: 'descargarYEsperar', own: {}, fixed: {} },
      { metodo: 'descargarCfdi', own: { ruta: join(tmpdir(), UUID) }, fixed: { contenido: 'xml' } },
    ])('sends by $metodo every field that a download has', async ({ metodo, own, fixed }) => {
      const { url, asked } = await serve(page(404));
      const campos = OPERACIONES.find(({ path }) => path === 'tax/descarga-metadata')?.campos ?? [];
      const free = campos.filter(({ nombre }) => !(nombre in fixed)).map(({ nombre, ejemplo }) => [nombre, ejemplo]);
      const args = { ...Object.fromEntries(free), ...own, claveIdempotencia: 'a' };
      await proceso.call({ cliente: { url, llave: 'x' } }, metodo, args);
      expect(JSON.parse(asked[0]?.body ?? '')).toEqual({ ...Object.fromEntries(free), ...fixed });
      expect(asked[0]?.headers['idempotency-key']).toBe('a');
    });
  });
});
