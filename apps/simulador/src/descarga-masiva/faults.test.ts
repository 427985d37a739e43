import { beforeEach, describe, expect, it } from 'vitest';
import { requestEmitidos, startWithEfirma } from '../testing/start-with-efirma.ts';
import type { Fault } from '../world/faults.ts';

const RFC = 'EKU9003173C9';
const SOLICITUD = 'cfdidescargamasivasolicitud';
const DESCARGA = 'cfdidescargamasiva';

const { simulador, client } = await startWithEfirma(RFC, { settings: { max_descargas: 100 } });
let { token } = await client.authenticate();
const { IdSolicitud: id = '' } = await requestEmitidos(client, token, RFC);
beforeEach(async () => {
  token = (await client.authenticate()).token;
});

const verify = () => client.send('VerificaSolicitudDescarga', { IdSolicitud: id, RfcSolicitante: RFC }, { token });
const download = () => client.send('Descargar', { IdPaquete: `${id}_01`, RfcSolicitante: RFC }, { token });
const inject = (fault: Omit<Fault, 'service'> & { service?: string }) =>
  simulador.world.faults.add({ service: SOLICITUD, times: 1, ...fault });
await verify();
await verify();

describe('faults of the transport', () => {
  it('a slow answer, which later calls overtake', async () => {
    const rule = inject({ kind: 'slow', operation: 'Autentica', ms: 3_600_000 });
    let hasCome = false;
    // It ends with the simulator, at the end of these tests.
    client.authenticate().then(
      () => {
        hasCome = true;
      },
      () => {},
    );
    while (rule.taken === 0) await new Promise((resolve) => setImmediate(resolve));
    expect((await client.authenticate()).token).not.toBe('');
    expect((await verify()).attributes['EstadoSolicitud']).toBe('3');
    expect(hasCome).toBe(false);
  });

  it('a slow answer, which comes whole', async () => {
    inject({ kind: 'slow', operation: 'Autentica', ms: 50 });
    expect((await client.authenticate()).token).not.toBe('');
  });
});

describe('faults of the service', () => {
  it('a request stuck in state 1 for as long as the rule lasts', async () => {
    simulador.world.faults.add({ service: SOLICITUD, operation: 'VerificaSolicitudDescarga', kind: 'stuck' });
    for (let n = 0; n < 4; n++) expect((await verify()).attributes['EstadoSolicitud']).toBe('1');
    simulador.world.faults.remove();
    expect((await verify()).attributes['EstadoSolicitud']).toBe('3');
  });

  it('any SAT code, with the two states beside it', async () => {
    inject({ kind: 'code', code: 404 });
    expect((await verify()).attributes).toMatchObject({ CodEstatus: '404', Mensaje: 'Error no Controlado' });
    inject({ kind: 'code', code: 5000, estado: 4, codigoEstado: 404 });
    expect((await verify()).attributes).toMatchObject({
      CodEstatus: '5000',
      EstadoSolicitud: '4',
      CodigoEstadoSolicitud: '404',
    });
    inject({ kind: 'code', code: 5006 });
    expect(await requestEmitidos(client, token, RFC)).toMatchObject({ CodEstatus: '5006', IdSolicitud: '' });
    inject({ kind: 'code', service: DESCARGA, code: 404 });
    expect((await download()).attributes).toMatchObject({ CodEstatus: '404' });
    inject({ kind: 'code' });
    expect((await client.authenticate()).text).toContain('a:InvalidSecurity');
  });

  it('a package that is no ZIP though the answer is whole', async () => {
    inject({ kind: 'wrong-content', service: DESCARGA });
    const { attributes, text } = await download();
    expect(attributes['CodEstatus']).toBe('5000');
    const base64 = /<Paquete>([^<]+)</.exec(text)?.[1] ?? '';
    expect(Buffer.from(base64, 'base64').toString()).toMatch(/^<html>/);
  });
});
