import type { CredencialEfirma } from '@acuse/core';
import { afterEach, describe, expect, it } from 'vitest';
import { createEfirma } from '../testing/certificados.ts';
import { autenticaResponse, soapFault, verificaResponse } from '../testing/respuestas-soap.ts';
import { type SoapRig, startSoapRig } from '../testing/soap-rig.ts';

const periodo = { inicio: '2026-01-01T00:00:00', fin: '2026-01-31T23:59:59' };
const verificar = {
  consulta: 'verificar-metadata',
  rfc: 'EKU9003173C9',
  tipo: 'emitidos',
  periodo,
  folio: '4e80345d-917f-40bb-a98f-4a73939343c5',
} as const;
const enProceso = verificaResponse({
  CodEstatus: '5000',
  EstadoSolicitud: '1',
  CodigoEstadoSolicitud: '5000',
});
const tokenInvalido = verificaResponse({
  CodEstatus: '300',
  EstadoSolicitud: '0',
  Mensaje: 'Usuario No Válido',
});

let rig: SoapRig;
let reloj = Date.parse('2026-05-05T10:00:00Z');
const now = () => reloj;
async function start(options: Parameters<typeof startSoapRig>[0] = {}) {
  reloj = Date.parse('2026-05-05T10:00:00Z');
  rig = await startSoapRig({ now, ...options });
  rig.on('VerificaSolicitudDescarga', enProceso);
}
afterEach(() => rig.close());

const ask = (credencial: CredencialEfirma = rig.credencial, signal = new AbortController().signal) =>
  rig.sat.send(verificar, credencial, { signal });

describe('tokens', () => {
  it('are used until 30 s before the end that the SAT gives them', async () => {
    await start();
    await ask();
    reloj += 269_000;
    await ask();
    expect(rig.count('Autentica')).toBe(1);
    reloj += 1_000;
    await ask();
    expect(rig.count('Autentica')).toBe(2);
    expect(rig.last('VerificaSolicitudDescarga').headers.authorization).not.toContain('token1');
  });

  it('live by the length that the SAT gives, whatever its clock says', async () => {
    await start();
    rig.on('Autentica', autenticaResponse('otro', new Date('2020-01-01T00:00:00Z'), 60));
    await ask();
    reloj += 29_000;
    await ask();
    expect(rig.count('Autentica')).toBe(1);
    reloj += 1_000;
    await ask();
    expect(rig.count('Autentica')).toBe(2);
  });

  it('are passed on as received', async () => {
    await start();
    const token =
      'eyJhbGciOiJodHRwOi8vd3d3LnczLm9yZy8yMDAxLzA0L3htbGRzaWctbW9yZSNobWFjLXNoYTI1NiJ9.e30.s-_%26wrap_subject%3d3330';
    rig.on('Autentica', autenticaResponse(token, new Date(reloj)));
    await ask();
    expect(rig.last('VerificaSolicitudDescarga').headers.authorization).toBe(`WRAP access_token="${token}"`);
  });

  it('are asked for once by many who wait', async () => {
    await start();
    await Promise.all(Array.from({ length: 20 }, () => ask()));
    expect(rig.count('Autentica')).toBe(1);
    expect(rig.count('VerificaSolicitudDescarga')).toBe(20);
  });

  it('are not shared between certificates', async () => {
    await start();
    await ask();
    await ask(createEfirma());
    expect(rig.count('Autentica')).toBe(2);
  });

  it('outlive one impatient caller, and end with the last', async () => {
    await start();
    let release = () => {};
    const arrived = new Promise<void>((seen) => {
      rig.on('Autentica', async (response) => {
        seen();
        await new Promise<void>((resolve) => {
          release = resolve;
        });
        response.end(autenticaResponse('lento', new Date(reloj)));
      });
    });
    const impatient = new AbortController();
    const first = ask(rig.credencial, impatient.signal);
    const second = ask();
    await arrived;
    impatient.abort();
    await expect(first).rejects.toMatchObject({ motivo: 'CANCELADA' });
    release();
    expect(await second).toEqual({ resultado: 'EN_PROCESO' });
    expect(rig.count('Autentica')).toBe(1);
  });

  it('are no longer asked for when nobody waits', async () => {
    await start();
    const controller = new AbortController();
    const closed = new Promise((resolve) => {
      rig.on('Autentica', (response) => {
        response.on('close', resolve);
        controller.abort();
      });
    });
    await expect(ask(rig.credencial, controller.signal)).rejects.toMatchObject({ motivo: 'CANCELADA' });
    await closed;
  });

  it('are renewed once when the SAT refuses one, and the call is repeated', async () => {
    await start();
    rig.on('VerificaSolicitudDescarga', tokenInvalido, enProceso);
    expect(await ask()).toEqual({ resultado: 'EN_PROCESO' });
    expect(rig.count('Autentica')).toBe(2);
    expect(rig.count('VerificaSolicitudDescarga')).toBe(2);
  });

  it('are not renewed for ever', async () => {
    await start();
    rig.on('VerificaSolicitudDescarga', tokenInvalido);
    await expect(ask()).rejects.toMatchObject({ motivo: 'SERVICIO_CON_ERROR', codigo: '300' });
    expect(rig.count('Autentica')).toBe(2);
    expect(rig.count('VerificaSolicitudDescarga')).toBe(2);
  });

  it.each([
    ['that ends the header early', 'a"b'],
    ['with a line break', 'a&#13;&#10;x: y'],
    ['that is empty', ''],
    ['without end', 'a'.repeat(8193)],
  ])('%s are refused', async (_name, token) => {
    await start();
    rig.on('Autentica', autenticaResponse(token, new Date(reloj)));
    await expect(ask()).rejects.toMatchObject({ motivo: 'RESPUESTA_ILEGIBLE' });
    expect(rig.count('VerificaSolicitudDescarga')).toBe(0);
  });

  it('that end before they begin are refused', async () => {
    await start();
    rig.on('Autentica', autenticaResponse('t', new Date(reloj), 0));
    await expect(ask()).rejects.toMatchObject({ motivo: 'RESPUESTA_ILEGIBLE' });
  });
});

describe('an authentication that the SAT does not believe', () => {
  const refuse = (codigo: string, date: string) =>
    rig.on('Autentica', (response) => {
      response.writeHead(500, { 'content-type': 'text/xml', date });
      response.end(soapFault(codigo));
    });

  it('may be tried again', async () => {
    await start();
    refuse('a:InvalidSecurity', 'Tue, 05 May 2026 10:00:01 GMT');
    const error = await ask().catch((e) => e);
    expect(error).toMatchObject({ motivo: 'SERVICIO_CON_ERROR', codigo: 'a:InvalidSecurity' });
    expect(error.message).toBe('SERVICIO_CON_ERROR: a:InvalidSecurity');
  });

  it('names the difference of the clocks when there is one', async () => {
    await start();
    refuse('a:InvalidSecurity', 'Tue, 05 May 2026 10:07:00 GMT');
    const error = await ask().catch((e) => e);
    expect(error).toMatchObject({ motivo: 'SERVICIO_CON_ERROR' });
    expect(error.message).toContain('420 s');
  });

  it('is the fault of the e.firma when its certificate has run out by the clock of the SAT', async () => {
    const credencial = createEfirma({ validoHasta: new Date('2026-05-05T10:00:00Z') });
    await start({ credencial });
    refuse('a:InvalidSecurity', 'Tue, 05 May 2026 10:00:01 GMT');
    await expect(ask()).rejects.toMatchObject({ motivo: 'EFIRMA_RECHAZADA', codigo: 'a:InvalidSecurity' });
  });

  it('is not for another fault', async () => {
    const credencial = createEfirma({ validoHasta: new Date('2026-05-05T10:00:00Z') });
    await start({ credencial });
    refuse('s:Client', 'Tue, 05 May 2026 10:00:01 GMT');
    await expect(ask()).rejects.toMatchObject({ motivo: 'SERVICIO_CON_ERROR', codigo: 's:Client' });
  });
});

describe('an e.firma that cannot sign', () => {
  it.each([
    ['with the key of another certificate', () => ({ ...rig.credencial, key: createEfirma().key })],
    ['with a broken certificate', () => ({ ...rig.credencial, cer: Buffer.from('no') })],
    ['with a key of zeros', () => ({ ...rig.credencial, key: Buffer.alloc(1200) })],
  ])('%s is refused before anything is sent', async (_name, credencial) => {
    await start();
    await expect(ask(credencial())).rejects.toMatchObject({ motivo: 'EFIRMA_RECHAZADA', codigo: null });
    expect(rig.servidor.peticiones).toEqual([]);
  });
});

describe('a query given up', () => {
  it('before it began sends nothing', async () => {
    await start();
    await expect(ask(rig.credencial, AbortSignal.abort())).rejects.toMatchObject({ motivo: 'CANCELADA' });
    expect(rig.servidor.peticiones).toEqual([]);
  });
});
