import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { beforeEach, describe, expect, it } from 'vitest';
import { requestEmitidos, startWithEfirma } from '../testing/start-with-efirma.ts';
import { settingsSchema } from '../world/settings.ts';

const RFC = 'EKU9003173C9';
const HOUR = 3_600_000;
/** Far from the end of a day of central Mexico, and less than six years after what these tests ask for. */
const NOW = new Date('2026-11-20T18:00:00Z');

const { simulador, client } = await startWithEfirma(RFC, {}, NOW);
let token: string;

beforeEach(async () => {
  const { world } = simulador;
  Object.assign(world.settings, settingsSchema.parse({}));
  world.taxpayers.change(RFC, { filas: null });
  await renewToken();
});

async function renewToken() {
  ({ token } = await client.authenticate());
}

it('a refusal with 301 carries neither IdSolicitud nor RfcSolicitante', async () => {
  const refused = await requestEmitidos(client, token, RFC, { TipoSolicitud: 'Todo' });
  expect(refused).toEqual({
    CodEstatus: '301',
    Mensaje: 'XML Mal Formado:La solicitud de descarga no es válida. TipoSolicitud',
  });
});

it.each(['gzip', 'deflate, gzip;q=0.5', 'identity'])('asked for with Accept-Encoding: %s', async (encoding) => {
  const url = `${simulador.url}/cfdidescargamasivasolicitud/Autenticacion/Autenticacion.svc`;
  const sent = request(url, { method: 'POST', headers: { 'accept-encoding': encoding } }).end('<x/>');
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  const body = await buffer(answer);
  const isGzip = encoding.includes('gzip');
  expect([answer.headers['content-encoding'], answer.headers.vary]).toEqual([
    isGzip ? 'gzip' : undefined,
    'Accept-Encoding',
  ]);
  expect((isGzip ? gunzipSync(body) : body).toString('utf8')).toContain('a:ActionNotSupported');
});

let day = 0;

/** Asks for a period that no other test asks for. */
async function ask(change: Record<string, string> = {}): Promise<string> {
  day += 1;
  const FechaInicial = `2024-01-01T00:${String(day).padStart(2, '0')}:00`;
  const { IdSolicitud = '' } = await requestEmitidos(client, token, RFC, { FechaInicial, ...change });
  expect(IdSolicitud).toMatch(/^[0-9a-f-]{36}$/);
  return IdSolicitud;
}

async function verify(id: string) {
  const { attributes, text } = await client.send(
    'VerificaSolicitudDescarga',
    { IdSolicitud: id, RfcSolicitante: RFC },
    { token },
  );
  const paquetes = [...text.matchAll(/<IdsPaquetes>([^<]+)</g)].map(([, paquete = '']) => paquete);
  const { EstadoSolicitud, CodigoEstadoSolicitud, NumeroCFDIs, CodEstatus } = attributes;
  return { estado: EstadoSolicitud, codigo: CodigoEstadoSolicitud, filas: Number(NumeroCFDIs), CodEstatus, paquetes };
}

async function download(paquete: string): Promise<string | undefined> {
  const answer = await client.send('Descargar', { IdPaquete: paquete, RfcSolicitante: RFC }, { token });
  if (answer.attributes['CodEstatus'] !== '5000') expect(answer.text).toContain('<Paquete></Paquete>');
  return answer.attributes['CodEstatus'];
}

describe('life of a request', () => {
  it('goes through 1, 2 and 3 with a growing NumeroCFDIs', async () => {
    simulador.world.settings.verificaciones_hasta_terminar = 4;
    const id = await ask();
    const steps = [await verify(id), await verify(id), await verify(id), await verify(id)];
    expect(steps.map((step) => step.estado)).toEqual(['1', '2', '2', '3']);
    const filas = steps.map((step) => step.filas);
    expect(filas).toEqual([...filas].sort((a, b) => a - b));
    expect(new Set(filas).size).toBe(4);
    expect(steps.map((step) => step.paquetes)).toEqual([[], [], [], [`${id}_01`]]);
  });

  it('waits for the seconds that the settings ask for, on the movable clock', async () => {
    Object.assign(simulador.world.settings, { verificaciones_hasta_terminar: 0, segundos_hasta_terminar: 100 });
    const id = await ask();
    await verify(id);
    expect((await verify(id)).estado).toBe('2');
    simulador.world.clock.advance(100_000);
    expect((await verify(id)).estado).toBe('3');
  });

  it('is rejected with 5004 without rows and with 5003 beyond the limit, while CodEstatus stays 5000', async () => {
    const { world } = simulador;
    world.settings.verificaciones_hasta_terminar = 1;
    world.taxpayers.change(RFC, { filas: [] });
    expect(await verify(await ask())).toMatchObject({ CodEstatus: '5000', estado: '5', codigo: '5004', filas: 0 });
    world.taxpayers.change(RFC, { filas: null });
    world.settings.max_filas_metadata = 1000;
    expect(await verify(await ask())).toMatchObject({ CodEstatus: '5000', estado: '5', codigo: '5003', paquetes: [] });
    world.settings.max_filas_cfdi = 10;
    const short = { FechaFinal: '2024-01-20T00:00:00' };
    expect(await verify(await ask({ ...short, TipoSolicitud: 'CFDI' }))).toMatchObject({ codigo: '5003' });
    expect(await verify(await ask(short))).toMatchObject({ estado: '3' });
  });

  it('lapses into 6 after its hours', async () => {
    const id = await ask();
    simulador.world.clock.advance(72 * HOUR);
    await renewToken();
    expect(await verify(id)).toMatchObject({ estado: '6', paquetes: [] });
  });

  it('is unknown, 5004, under another id', async () => {
    expect(await verify('00000000-0000-4000-8000-000000000000')).toMatchObject({ CodEstatus: '5004', estado: '0' });
  });
});

describe('packages', () => {
  it('are several, numbered from _01, and given twice each', async () => {
    Object.assign(simulador.world.settings, { filas_por_paquete: 50, verificaciones_hasta_terminar: 1 });
    const id = await ask({ FechaFinal: '2024-02-20T00:00:00' });
    const { filas, paquetes } = await verify(id);
    expect(paquetes).toEqual(Array.from({ length: Math.ceil(filas / 50) }, (_, n) => `${id}_0${n + 1}`));
    expect(paquetes.length).toBeGreaterThan(2);
    const [first = '', second = ''] = paquetes;
    expect(await download(first.toUpperCase())).toBe('5000');
    expect(await download(first)).toBe('5000');
    expect(await download(first)).toBe('5008');
    expect(await download(second)).toBe('5000');
  });

  it('are gone after 72 hours: 5007', async () => {
    simulador.world.settings.verificaciones_hasta_terminar = 1;
    const id = await ask();
    await verify(id);
    simulador.world.clock.advance(72 * HOUR - 60_000);
    await renewToken();
    expect(await download(`${id}_01`)).toBe('5000');
    simulador.world.clock.advance(60_000);
    expect(await download(`${id}_01`)).toBe('5007');
  });

  it('unknown ones give 5004, and numbers that a request does not have 5007', async () => {
    simulador.world.settings.verificaciones_hasta_terminar = 1;
    const id = await ask();
    await verify(id);
    expect(await download(`${id}_99`)).toBe('5007');
    expect(await download('00000000-0000-4000-8000-000000000000_01')).toBe('5004');
  });
});

describe('equal requests', () => {
  it('5005 while one is in force; one second more is another request', async () => {
    const same = { FechaInicial: '2023-01-01T00:00:00' };
    await ask(same);
    expect((await requestEmitidos(client, token, RFC, same))['CodEstatus']).toBe('5005');
    await ask({ FechaInicial: '2023-01-01T00:00:01' });
  });

  it('5002 for the third of type CFDI in a life; metadata goes on', async () => {
    const again = async (change: Record<string, string>) => {
      simulador.world.clock.advance(73 * HOUR);
      await renewToken();
      return (await requestEmitidos(client, token, RFC, change))['CodEstatus'];
    };
    const cfdi = { FechaInicial: '2023-02-01T00:00:00', TipoSolicitud: 'CFDI' };
    expect([await again(cfdi), await again(cfdi), await again(cfdi)]).toEqual(['5000', '5000', '5002']);
    const metadata = { FechaInicial: '2023-02-01T00:00:00' };
    expect([await again(metadata), await again(metadata), await again(metadata)]).toEqual(['5000', '5000', '5000']);
  });
});

describe('a quota that is used up', () => {
  it('comes at the verification by setting: state 5 with 5002', async () => {
    Object.assign(simulador.world.settings, { agotadas: 'al verificar', max_solicitudes_iguales: 1 });
    const cfdi = { FechaInicial: '2023-04-01T00:00:00', TipoSolicitud: 'CFDI' };
    await ask(cfdi);
    simulador.world.clock.advance(73 * HOUR);
    await renewToken();
    const id = await ask(cfdi);
    const refused = { CodEstatus: '5000', estado: '5', codigo: '5002', filas: 0, paquetes: [] };
    expect([await verify(id), await verify(id)]).toEqual([refused, refused]);
    const { attributes } = await client.send(
      'VerificaSolicitudDescarga',
      { IdSolicitud: id, RfcSolicitante: RFC },
      { token },
    );
    expect(attributes['Mensaje']).toBe('Solicitud Aceptada');
  });
});

describe('request by UUID', () => {
  const folio = async (uuid: string) =>
    (await client.send('SolicitaDescargaFolio', { Folio: uuid, RfcSolicitante: RFC }, { token })).attributes;

  it('5012 for a cancelled one, 5011 beyond the limit of the day, 301 for no UUID', async () => {
    const { world } = simulador;
    const rows = [...world.taxpayers.rows(RFC, 'emitidos', 1_760_000_000, 1_780_000_000)];
    const cancelado = rows.find((row) => row.estatus === 'Cancelado')?.uuid ?? '';
    const [uno = '', dos = ''] = rows.filter((row) => row.estatus === 'Vigente').map((row) => row.uuid);
    expect((await folio(cancelado))['CodEstatus']).toBe('5012');
    expect((await folio('nada'))['CodEstatus']).toBe('301');
    world.settings.max_folios_por_dia = 1;
    expect((await folio(uno))['CodEstatus']).toBe('5000');
    expect((await folio(dos))['CodEstatus']).toBe('5011');
    world.clock.advance(24 * HOUR);
    await renewToken();
    expect((await folio(dos))['CodEstatus']).toBe('5000');
  });
});
