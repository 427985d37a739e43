import { X509Certificate } from 'node:crypto';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { get } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { afterAll, describe, expect, expectTypeOf, it, onTestFinished } from 'vitest';
import { createSimulador } from './app.ts';
import { keepEfirma } from './efirmas.ts';
import { type Ajustes, type Falla, type Simulador, start } from './publico.ts';
import { FAULT_KINDS } from './world/faults.ts';
import { type Settings, settingsSchema } from './world/settings.ts';

const RFC = 'EKU9003173C9';
const simulador = await start({
  ajustes: { filas_por_paquete: 7, filas_69b: 50 },
  reloj: new Date('2026-06-01T12:00:00Z'),
});
afterAll(() => simulador.close());

const statusOf = (url: string) => fetch(url, { redirect: 'manual' }).then(({ status }) => status);

describe('the module that is published', () => {
  it('has the settings and faults that the simulator has', () => {
    expectTypeOf<Ajustes>().toEqualTypeOf<Settings>();
    expectTypeOf<Falla['tipo']>().toEqualTypeOf<(typeof FAULT_KINDS)[number]>();
  });

  it('prints addresses that answer', async () => {
    const { descargaMasiva, portales, estadoCfdi, estadoRetenciones, listado69b, captcha, control } =
      simulador.direcciones;
    const { cfdi, retenciones } = descargaMasiva;
    const posted = [...Object.values(cfdi), ...Object.values(retenciones), estadoCfdi, captcha];
    const answers = posted.map((url) => fetch(url, { method: 'POST', body: '{}' }).then(({ status }) => [url, status]));
    for (const [url, status] of await Promise.all(answers)) expect([url, status]).not.toEqual([url, 404]);
    expect(await statusOf(`${estadoRetenciones}?folio=x`)).toBe(200);
    expect(await statusOf(listado69b)).toBe(200);
    expect(await statusOf(`${control}/reloj`)).toBe(200);
    expect(Object.entries(portales)).toHaveLength(14);
    for (const [host, url] of Object.entries(portales)) expect(url).toBe(`${simulador.url}/${host.split('.')[0]}`);
  });

  it('moves the clock', async () => {
    expect((await simulador.ahora()).toISOString()).toMatch(/^2026-06-01T12:/);
    expect((await simulador.avanzar(86_400)).toISOString()).toMatch(/^2026-06-02T12:/);
    await simulador.fijarReloj(new Date('2026-06-01T12:00:00Z'));
    expect((await simulador.ahora()).toISOString()).toMatch(/^2026-06-01T12:/);
  });

  it('makes calls fail, and tells which there were', async () => {
    await simulador.fallar({ servicio: 'prodretencionverificacion', tipo: 'status', status: 504, veces: 1 });
    const ask = () => statusOf(`${simulador.direcciones.estadoRetenciones}?folio=x`);
    await simulador.olvidarLlamadas();
    expect(await ask()).toBe(504);
    const id = await simulador.fallar({ servicio: '*', tipo: 'status' });
    expect(await ask()).toBe(503);
    await simulador.quitarFallas(id);
    expect(await ask()).toBe(200);
    const [first, ...more] = await simulador.llamadas({ servicio: 'prodretencionverificacion' });
    expect(first).toEqual({
      servicio: 'prodretencionverificacion',
      operacion: 'ConsultaRetencion',
      rfc: '',
      fecha: expect.any(Date),
      detalle: expect.any(Object),
    });
    expect(more).toHaveLength(2);
    expect(await simulador.llamadas({ rfc: RFC })).toEqual([]);
    await simulador.quitarFallas();
  });

  it('knows and changes taxpayers and settings, and refuses faults with the reason', async () => {
    expect(await simulador.ciec(RFC)).toBe('CiecEKU9003173C9');
    await simulador.cambiar(RFC, { ciec: 'Otra1234' });
    expect(await simulador.ciec(RFC)).toBe('Otra1234');
    expect(await simulador.ajustar({ captcha: false })).toMatchObject({ captcha: false, filas_por_paquete: 7 });
    await expect(simulador.ciec('abc')).rejects.toThrow('"abc" no tiene la forma de un RFC');
    await expect(simulador.ajustar({ filas_por_paquete: 0 })).rejects.toThrow(RangeError);
    await expect(simulador.revocar('0')).rejects.toThrow('no ha emitido');
  });

  it('issues e.firmas, which end and are revoked as one likes', async () => {
    const efirma = await simulador.efirma(RFC, { password: 'Una', vence: new Date('2026-05-01T00:00:00Z') });
    expect(new Date(new X509Certificate(efirma.cer).validTo).toISOString()).toBe('2026-05-01T00:00:00.000Z');
    expect([efirma.password, efirma.numero]).toEqual(['Una', expect.stringMatching(/^\d{20}$/)]);
    await simulador.revocar(efirma.numero);
  });
});

describe('README.md', () => {
  it('has every prefix, setting and fault', async () => {
    const text = await readFile(new URL('../README.md', import.meta.url), 'utf8');
    const { app } = await createSimulador();
    const prefixes = new Set(app.routes.map(({ path }) => `/${path.split('/')[1]}`));
    expect(prefixes.size).toBeGreaterThan(20);
    const words = [...prefixes, ...Object.keys(settingsSchema.shape), ...FAULT_KINDS];
    expect(words.filter((word) => !text.includes(`\`${word}\``))).toEqual([]);
  });
});

describe('e.firmas in a folder', () => {
  it('stay while the simulator accepts them, and are replaced when expired or of another authority', async () => {
    const datos = await mkdtemp(join(tmpdir(), 'simulador-datos-'));
    onTestFinished(() => rm(datos, { recursive: true }));
    const during = async <T>(use: (each: Simulador) => Promise<T>) => {
      const each = await start({ datos });
      return use(each).finally(() => each.close());
    };
    const cerOf = () => readFile(join(datos, `${RFC}.cer`), 'base64');
    const files = await during((each) => keepEfirma(each, RFC, datos));
    expect(files).toEqual({
      rfc: RFC,
      password: '12345678a',
      cer: join(datos, `${RFC}.cer`),
      key: join(datos, `${RFC}.key`),
    });
    expect((await stat(files.key)).mode & 0o777).toBe(0o600);
    const first = await cerOf();
    await during((each) => keepEfirma(each, RFC, datos));
    expect(await cerOf()).toBe(first);
    await during(async (each) => {
      await each.avanzar(5 * 366 * 86_400);
      await keepEfirma(each, RFC, datos);
    });
    const second = await cerOf();
    expect(second).not.toBe(first);
    await rm(join(datos, 'autoridad.pem'));
    await during((each) => keepEfirma(each, RFC, datos));
    expect(await cerOf()).not.toBe(second);
  });
});

describe('HTTPS', () => {
  /** What a client gets that trusts these authorities alone; rejects when it does not trust the server. */
  const bodyOf = (url: string, ca: string) =>
    new Promise<string>((resolve, reject) => {
      const request = get(url, { ca, agent: false }, async (response) => {
        resolve((await response.toArray()).join(''));
      });
      request.on('error', reject);
    });

  it('is trusted by clients that trust the authority, by name and by address, and by no other client', async () => {
    const secure = await start({ https: true });
    onTestFinished(() => secure.close());
    const { port } = new URL(secure.url);
    expect(secure.url).toBe(`https://127.0.0.1:${port}`);
    for (const host of ['127.0.0.1', 'localhost'])
      expect(await bodyOf(`https://${host}:${port}/salud`, secure.ca)).toContain('"estado":"ok"');
    // No authority of a simulator: the tests draw their keys from a ring, so two may have the same.
    const [other = ''] = rootCertificates;
    await expect(bodyOf(`${secure.url}/salud`, other)).rejects.toThrow(/certificate|issuer/);
    const page = await bodyOf(`${secure.url}/portalcfdi/`, secure.ca);
    expect(page).not.toContain('http://127');
  });
});
