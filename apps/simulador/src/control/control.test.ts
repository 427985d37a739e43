import { createPrivateKey, X509Certificate } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { startForTests } from '../testing/start-for-tests.ts';

const RFC = 'EKU9003173C9';

const simulador = await startForTests();

async function call(method: string, path: string, body?: unknown) {
  const response = await fetch(`${simulador.url}${path}`, {
    method,
    ...(body !== undefined && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  });
  return { status: response.status, json: (await response.json()) as Record<string, unknown> };
}

describe('the control API', () => {
  it('moves the clock and brings it back', async () => {
    await call('POST', '/control/reloj', { fijar: '2030-01-01T00:00:00Z' });
    expect((await call('GET', '/salud')).json['ahora']).toMatch(/^2030-01-01T00:00:0/);
    await call('POST', '/control/reloj', { avanzar_segundos: 86_400 });
    expect((await call('GET', '/control/reloj')).json['ahora']).toMatch(/^2030-01-02T/);
    await call('POST', '/control/reloj', { fijar: null });
    expect(Math.abs(simulador.world.clock.now().getTime() - Date.now())).toBeLessThan(10_000);
  });

  it('adds, lists and removes faults', async () => {
    const falla = { servicio: 'cfdiau', operacion: 'login', tipo: 'status', status: 404, veces: 3, despues_de: 1 };
    const { status, json } = await call('POST', '/control/fallas', falla);
    expect(status).toBe(201);
    expect(json).toMatchObject({ ...falla, vistas: 0, aplicadas: 0 });
    expect((await call('GET', '/control/fallas')).json['fallas']).toHaveLength(1);
    expect((await call('DELETE', `/control/fallas/${json['id']}`)).json).toEqual({ fallas: [] });
    expect((await call('DELETE', `/control/fallas/${json['id']}`)).status).toBe(404);
    expect((await call('POST', '/control/fallas', { ...falla, tipo: 'otra' })).status).toBe(400);
  });

  it('lists and forgets calls, by service, operation and RFC', async () => {
    const add = (service: string, rfc: string) =>
      simulador.world.log.add({ service, operation: 'login', rfc, at: new Date(), detail: {} });
    add('cfdiau', RFC);
    add('cfdiau', 'XIQB891116QE4');
    add('portalcfdi', RFC);
    expect((await call('GET', '/control/llamadas')).json).toMatchObject({ total: 3 });
    expect((await call('GET', `/control/llamadas?servicio=cfdiau&rfc=${RFC}`)).json).toMatchObject({ total: 1 });
    expect((await call('GET', '/control/llamadas?operacion=logout')).json).toMatchObject({ total: 0 });
    expect((await call('DELETE', '/control/llamadas')).json).toMatchObject({ total: 0 });
  });

  it('shows and changes a taxpayer', async () => {
    const path = `/control/contribuyentes/${encodeURIComponent('ÑAM9207103I4')}`;
    expect((await call('GET', path)).json).toMatchObject({ ciec: 'CiecÑAM9207103I4', filas: null });
    const filas = [{ documento: 'cfdi', tipo: 'recibidos', desde: '2026-01-01', hasta: '2026-01-31', cantidad: 7 }];
    const changed = await call('PUT', path, { ciec: 'Nueva123', filas, basura: false });
    expect(changed.json).toMatchObject({ ciec: 'Nueva123', filas, basura: false });
    expect((await call('PUT', path, { filas: null })).json).toMatchObject({ ciec: 'Nueva123', filas: null });
  });

  it('shows the profile of a taxpayer and changes parts of it', async () => {
    const path = `/control/contribuyentes/${RFC}`;
    const before = (await call('GET', path)).json['perfil'] as { idCif: string };
    expect(before.idCif).toMatch(/^\d{11}$/);
    const perfil = { idCif: '12345678901', domicilio: { cp: '01000' } };
    expect((await call('PUT', path, { perfil })).json['perfil']).toMatchObject(perfil);
    expect((await call('PUT', path, { perfil: { idCif: '1' } })).status).toBe(400);
    expect((await call('PUT', path, { perfil: { otro: '1' } })).status).toBe(400);
    expect((await call('GET', path)).json['perfil']).toMatchObject(perfil);
  });

  it('gives CFDI and retenciones of a taxpayer, by day', async () => {
    const path = `/control/contribuyentes/${RFC}/cfdi`;
    const march = await call('GET', `${path}?tipo=emitidos&desde=2026-03-01&hasta=2026-03-31&limite=1000`);
    const { total, cfdi } = march.json as { total: number; cfdi: Record<string, string>[] };
    expect(total).toBe(cfdi.length);
    expect(cfdi.every(({ rfcEmisor, fechaEmision }) => rfcEmisor === RFC && fechaEmision?.startsWith('2026-03-'))).toBe(
      true,
    );
    const { json } = await call('GET', `${path}?documento=retenciones&desde=2026-01-01&hasta=2026-12-31&limite=2`);
    expect(json['cfdi']).toHaveLength(2);
    expect((await call('GET', `${path}?limite=0`)).status).toBe(400);
    expect((await call('GET', `${path}?desde=2026-02-30`)).status).toBe(400);
    expect((await call('GET', path)).json['cfdi']).toHaveLength(10);
  });

  it('gives the CFDI beyond the first thousand, page by page', async () => {
    const path = `/control/contribuyentes/${RFC}/cfdi?tipo=emitidos&desde=2024-01-01&hasta=2026-10-31&limite=1000`;
    const page = async (omitir: number) =>
      (await call('GET', `${path}&omitir=${omitir}`)).json as { total: number; cfdi: { uuid: string }[] };
    const { total, cfdi } = await page(0);
    expect(total).toBeGreaterThan(1_000);
    const found = new Set(cfdi.map(({ uuid }) => uuid));
    for (let omitir = 1_000; omitir < total; omitir += 1_000) {
      const next = await page(omitir);
      expect(next.total).toBe(total);
      for (const { uuid } of next.cfdi) found.add(uuid);
    }
    expect(found.size).toBe(total);
    expect((await page(total)).cfdi).toEqual([]);
  });

  it('cancels a CFDI once, and tells who asks for one that is nobody’s', async () => {
    const path = `/control/contribuyentes/${RFC}/cfdi`;
    const listed = async () =>
      (await call('GET', `${path}?desde=2026-03-01&hasta=2026-03-31&limite=1000`)).json['cfdi'] as Record<
        string,
        string
      >[];
    const uuid = (await listed()).find(({ estatus }) => estatus === 'Vigente')?.['uuid'] ?? '';
    const { status, json } = await call('POST', `${path}/cancelar`, { uuid: uuid.toLowerCase() });
    expect([status, json]).toEqual([
      200,
      { uuid, estatus: 'Cancelado', fechaCancelacion: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:/) },
    ]);
    expect((await listed()).find((row) => row['uuid'] === uuid)).toMatchObject(json);
    expect((await call('POST', `${path}/cancelar`, { uuid })).json).toEqual(json);
    const nobody = { uuid: '00000000-0000-4000-8000-000000000000' };
    expect((await call('POST', `${path}/cancelar`, nobody)).status).toBe(404);
  });

  it('lists the magic RFCs', async () => {
    const magia = (await call('GET', '/control/magia')).json as unknown as Record<string, string>[];
    expect(magia).toContainEqual(
      expect.objectContaining({ clave: 'caído', moral: 'CAI900215SIA', fisica: 'CAID900215SI2' }),
    );
  });

  it.each([
    [{ filas: [{ tipo: 'emitidos', desde: '2026-02-30', hasta: '2026-03-01', cantidad: 1 }] }],
    [{ filas: [{ tipo: 'emitidos', desde: '2026-02-02', hasta: '2026-02-01', cantidad: 1 }] }],
    [{ filas: [1, 2].map(() => ({ tipo: 'emitidos', desde: '2026-02-01', hasta: '2026-02-02', cantidad: 1 })) }],
    [{ otra: 1 }],
  ])('refuses a wrong change with 400 and says why: %j', async (change) => {
    const { status, json } = await call('PUT', `/control/contribuyentes/${RFC}`, change);
    expect(status).toBe(400);
    expect(json['error']).toEqual(expect.any(String));
  });

  it('refuses an invalid RFC and invalid JSON', async () => {
    expect((await call('GET', '/control/contribuyentes/abc')).status).toBe(400);
    const response = await fetch(`${simulador.url}/control/reloj`, { method: 'POST', body: 'x' });
    expect(response.status).toBe(400);
  });

  it('changes settings one by one and refuses unknown ones', async () => {
    const { json } = await call('PUT', '/control/ajustes', { max_filas_metadata: 1000 });
    expect(json).toMatchObject({ max_filas_metadata: 1000, filas_por_paquete: 250_000 });
    expect(simulador.world.settings.max_filas_metadata).toBe(1000);
    expect((await call('PUT', '/control/ajustes', { otro: 1 })).status).toBe(400);
    expect((await call('PUT', '/control/ajustes', { filas_por_paquete: 0 })).status).toBe(400);
  });

  it('issues an e.firma whose key opens with its password and fits, under the authority it shows', async () => {
    const { status, json } = await call('POST', '/control/efirma', { rfc: RFC, password: 'Una contraseña' });
    expect(status).toBe(201);
    const certificate = new X509Certificate(Buffer.from(String(json['cer']), 'base64'));
    const der = Buffer.from(String(json['key']), 'base64');
    const open = (passphrase: string) => createPrivateKey({ key: der, format: 'der', type: 'pkcs8', passphrase });
    expect(certificate.checkPrivateKey(open('Una contraseña'))).toBe(true);
    expect(() => open('otra')).toThrow();
    const pem = await (await fetch(`${simulador.url}/control/ca.pem`)).text();
    const [root, issuing] = (pem.match(/-----BEGIN[\s\S]+?-----END CERTIFICATE-----/g) ?? []).map(
      (some) => new X509Certificate(some),
    );
    expect(issuing?.subject).toContain('CN=AC SIMULADOR');
    expect(root && issuing?.verify(root.publicKey)).toBe(true);
    expect(issuing && certificate.verify(issuing.publicKey)).toBe(true);
    expect(issuing && certificate.checkIssued(issuing)).toBe(true);
  });

  it('issues it to a natural person with the CURP of the profile', async () => {
    const rfc = 'XIQB891116QE4';
    const { json } = await call('POST', '/control/efirma', { rfc });
    const { subject } = new X509Certificate(Buffer.from(String(json['cer']), 'base64'));
    const { curp } = simulador.world.taxpayers.profile(rfc);
    expect(subject).toContain(`serialNumber=${curp}`);
  });

  it('issues expired ones and revokes by number', async () => {
    const { json } = await call('POST', '/control/efirma', { rfc: RFC, vence: '2025-01-01' });
    const certificate = new X509Certificate(Buffer.from(String(json['cer']), 'base64'));
    expect(new Date(certificate.validTo).toISOString()).toBe('2025-01-01T00:00:00.000Z');
    const numero = String(json['numero']);
    expect((await call('POST', '/control/efirma/revocar', { numero })).status).toBe(200);
    expect((await simulador.world.pki.find(numero))?.isRevoked).toBe(true);
    expect((await call('POST', '/control/efirma/revocar', { numero: '0' })).status).toBe(404);
  });
});
