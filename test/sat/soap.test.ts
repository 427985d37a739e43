import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { answered, edited, efirmaDe, errorOf, gate } from './setup.ts';
import { DESCARGAR, RFC, SOLICITAR, setUp, VERIFICAR } from './soap-setup.ts';

const OTHER_KEY = generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey.export({
  type: 'pkcs8',
  format: 'der',
});

describe('documento retenciones', () => {
  const documento = 'retenciones';

  it('goes to the addresses of its own service, step by step, with the operation of issued or received ones', async () => {
    const { world, requests, ask } = await setUp();
    world.settings.verificaciones_hasta_terminar = 1;
    const solicitada = await ask({ ...SOLICITAR, documento });
    if (solicitada.resultado !== 'ACEPTADA') throw new Error(solicitada.resultado);
    const { folio } = solicitada;
    const fin = await ask({ ...VERIFICAR, documento, folio });
    if (fin.resultado !== 'TERMINADA') throw new Error(fin.resultado);
    const paquete = fin.paquetes[0] ?? '';
    const descargada = await ask({ ...DESCARGAR, documento, folio, paquete });
    if (descargada.resultado === 'PAQUETE') descargada.zip.destroy();
    await ask({ ...SOLICITAR, documento, tipo: 'emitidos' });
    expect(requests.map(({ host, path }) => `${host.split('.')[0]}${path}`)).toEqual([
      'retendescargamasivasolicitud/Autenticacion/Autenticacion.svc',
      'retendescargamasivasolicitud/SolicitaDescargaService.svc',
      'retendescargamasivasolicitud/VerificaSolicitudDescargaService.svc',
      'retendescargamasiva/DescargaMasivaService.svc',
      'retendescargamasivasolicitud/SolicitaDescargaService.svc',
    ]);
    const [, recibidas, , , emitidas] = requests.map(({ body }) => String(body));
    for (const text of ['TipoSolicitud="Metadata"', 'EstadoComprobante="Todos"', `RfcReceptor="${RFC}"`]) {
      expect(recibidas).toContain(text);
    }
    expect(emitidas).toContain('SolicitaDescargaEmitidos');
    expect(emitidas).toContain(`RfcEmisor="${RFC}"`);
  });

  it('has tokens of its own, each kept, and renews none but its own when the service refuses it', async () => {
    const { world, requests, ask, services } = await setUp();
    const verificar = { ...VERIFICAR, documento } as const;
    const cfdi = { ...VERIFICAR, documento: 'cfdi' } as const;
    for (const consulta of [VERIFICAR, verificar, cfdi, verificar]) await ask(consulta);
    const [one, other] = ['cfdidescargamasivasolicitud', 'retendescargamasivasolicitud'] as const;
    expect(services('Autentica')).toEqual([one, other]);
    const verified = requests.filter(({ path }) => path.startsWith('/Verifica'));
    expect(new Set(verified.map(({ headers }) => headers?.['authorization'])).size).toBe(2);
    const refused = edited((xml) => xml.replace('CodEstatus="5004"', 'CodEstatus="300"'), { times: 1 });
    world.faults.add({ service: other, operation: 'VerificaSolicitudDescarga', ...refused });
    expect(await ask(verificar)).toMatchObject({ resultado: 'DESCONOCIDA' });
    await ask(VERIFICAR);
    expect(services('Autentica')).toEqual([one, other, other]);
  });
});

describe('a token', () => {
  it.each([
    ['of another namespace', 'http://DescargaMasivaTerceros.gob.mx', 'http://otro'],
    ['whose life is of another namespace', 'wssecurity-utility', 'otro'],
  ])('%s is none', async (_name, is, other) => {
    const { ask, fault } = await setUp();
    fault(
      'Autentica',
      edited((xml) => xml.replaceAll(is, other)),
    );
    expect(await errorOf(ask(VERIFICAR))).toMatchObject({ motivo: 'RESPUESTA_ILEGIBLE' });
  });
});

describe('the rules of the SAT', () => {
  it('refuse an end in the future', async () => {
    const { ask, now } = await setUp();
    const fin = `${now().getUTCFullYear() + 1}-01-31T23:59:59`;
    const outcome = errorOf(ask({ ...SOLICITAR, periodo: { ...SOLICITAR.periodo, fin } }));
    expect(await outcome).toMatchObject({ motivo: 'PETICION_RECHAZADA', codigo: '301' });
  });

  it.each([true, false])('take our messages, with a strict check of the seal: %s', async (isStrict) => {
    const { ask, world } = await setUp();
    Object.assign(world.settings, { sello_completo: isStrict, verificaciones_hasta_terminar: 1 });
    const periodo = { ...SOLICITAR.periodo, inicio: `2026-03-01T08:11:0${isStrict ? 1 : 2}` };
    const solicitada = await ask({ ...SOLICITAR, periodo });
    if (solicitada.resultado !== 'ACEPTADA') throw new Error(solicitada.resultado);
    const { folio } = solicitada;
    const fin = await ask({ ...VERIFICAR, periodo, folio });
    if (fin.resultado !== 'TERMINADA') throw new Error(fin.resultado);
    const descargada = await ask({ ...DESCARGAR, periodo, folio, paquete: fin.paquetes[0] ?? '' });
    if (descargada.resultado === 'PAQUETE') descargada.zip.destroy();
    expect(descargada.resultado).toBe('PAQUETE');
  });
});

describe('tokens', () => {
  it('are used until 30 s before the end that the SAT gives them', async () => {
    const { ask, advance, count, requests } = await setUp();
    for (const ms of [0, 269_000, 1_000]) {
      advance(ms);
      await ask(VERIFICAR);
    }
    expect(count('Autentica')).toBe(2);
    const [, first, second, , third] = requests.map(({ headers }) => headers?.['authorization']);
    expect(second).toBe(first);
    expect(third).not.toBe(first);
  });

  it('live by the length that the SAT gives, whatever its clock says', async () => {
    const { ask, advance, count, fault } = await setUp();
    const times = (created: string, expires: string) =>
      edited((xml) => xml.replace(/(?<=<u:Created>)[^<]+/, created).replace(/(?<=<u:Expires>)[^<]+/, expires));
    fault('Autentica', times('2020-01-01T00:00:00.000Z', '2020-01-01T00:01:00.000Z'));
    await ask(VERIFICAR);
    advance(29_000);
    await ask(VERIFICAR);
    expect(count('Autentica')).toBe(1);
    advance(1_000);
    await ask(VERIFICAR);
    expect(count('Autentica')).toBe(2);
    advance(60_000);
    fault('Autentica', times('2020-01-01T00:00:00.000Z', '2020-01-01T00:00:00.000Z'));
    expect(await errorOf(ask(VERIFICAR))).toMatchObject({ motivo: 'RESPUESTA_ILEGIBLE' });
  });

  it('are asked for once by many who wait, and not shared between certificates', async () => {
    const { ask, count } = await setUp();
    await Promise.all(Array.from({ length: 20 }, () => ask(VERIFICAR)));
    expect([count('Autentica'), count('VerificaSolicitudDescarga')]).toEqual([1, 20]);
    const rfc = 'H&E951128469';
    await ask({ ...VERIFICAR, rfc }, await efirmaDe(rfc));
    expect(count('Autentica')).toBe(2);
  });

  it('outlive one impatient caller, and end with the last', async () => {
    const { ask, count, fault, efirma } = await setUp();
    const arrived = gate();
    const released = gate();
    fault('Autentica', {
      kind: 'edited',
      edit: async (answer) => {
        arrived.open();
        await released.opened;
        return answer;
      },
    });
    const impatient = new AbortController();
    const first = errorOf(ask(VERIFICAR, efirma, impatient.signal));
    const second = ask(VERIFICAR);
    await arrived.opened;
    impatient.abort();
    expect(await first).toMatchObject({ motivo: 'CANCELADA' });
    released.open();
    expect(await second).toMatchObject({ resultado: 'DESCONOCIDA' });
    expect(count('Autentica')).toBe(1);
  });

  it('are no longer asked for when no caller waits', async () => {
    const { ask, fault, efirma } = await setUp();
    const controller = new AbortController();
    const closed = gate();
    fault('Autentica', {
      kind: 'edited',
      edit: () =>
        new Response(
          new ReadableStream({
            start: (stream) => stream.enqueue(Buffer.from('<')),
            pull: () => controller.abort(),
            cancel: () => closed.open(),
          }),
        ),
    });
    expect(await errorOf(ask(VERIFICAR, efirma, controller.signal))).toMatchObject({ motivo: 'CANCELADA' });
    await closed.opened;
  });

  it('are not renewed for ever', async () => {
    const { ask, count, fault } = await setUp();
    fault(
      'VerificaSolicitudDescarga',
      edited((xml) => xml.replace('CodEstatus="5004"', 'CodEstatus="300"')),
    );
    expect(await errorOf(ask(VERIFICAR))).toMatchObject({ motivo: 'SERVICIO_CON_ERROR', codigo: '300' });
    expect([count('Autentica'), count('VerificaSolicitudDescarga')]).toEqual([2, 2]);
  });

  it.each([
    ['that ends the header early', 'a"b'],
    ['with a line break', 'a&#13;&#10;x: y'],
    ['that is empty', ''],
    ['without end', 'a'.repeat(8193)],
  ])('%s are refused', async (_name, token) => {
    const { ask, count, fault } = await setUp();
    fault(
      'Autentica',
      edited((xml) => xml.replace(/(?<=<AutenticaResult>)[^<]+/, token)),
    );
    expect(await errorOf(ask(VERIFICAR))).toMatchObject({ motivo: 'RESPUESTA_ILEGIBLE' });
    expect(count('VerificaSolicitudDescarga')).toBe(0);
  });
});

it.each([
  ['may be tried again', 'a:InvalidSecurity', 1, 'SERVICIO_CON_ERROR', /^SERVICIO_CON_ERROR: a:InvalidSecurity$/],
  [
    'names the difference of the clocks when there is one',
    'a:InvalidSecurity',
    420,
    'SERVICIO_CON_ERROR',
    /: relojes desfasados 4(?:19|20) s$/,
  ],
  // The e.firma of these tests lives for ten days.
  [
    'is the fault of an e.firma that has run out by the clock of the SAT',
    'a:InvalidSecurity',
    864_001,
    'EFIRMA_RECHAZADA',
    /^/,
  ],
  ['is not for another fault', 's:Client', 864_001, 'SERVICIO_CON_ERROR', /^/],
])('an authentication that the SAT does not believe %s', async (_what, codigo, seconds, motivo, message) => {
  const { ask, fault } = await setUp();
  const date = new Date(Date.now() + seconds * 1_000).toUTCString();
  const falla = `<s:Fault><faultcode>${codigo}</faultcode></s:Fault>`;
  const sobre = `<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>${falla}</s:Body></s:Envelope>`;
  fault('Autentica', answered(sobre, { status: 500, headers: { 'content-type': 'text/xml', date } }));
  const error = await errorOf(ask(VERIFICAR));
  expect(error).toMatchObject({ motivo, codigo });
  expect(error.message).toMatch(message);
});

describe('an e.firma that cannot sign', () => {
  it.each([
    ['with the key of another certificate', { key: OTHER_KEY }],
    ['with a broken certificate', { cer: Buffer.from('no') }],
    ['with a key of zeros', { key: Buffer.alloc(1200) }],
  ])('%s is refused before anything is sent', async (_name, change) => {
    const { ask, efirma, requests } = await setUp();
    expect(await errorOf(ask(VERIFICAR, { ...efirma, ...change }))).toMatchObject({
      motivo: 'EFIRMA_RECHAZADA',
      codigo: null,
    });
    expect(requests).toEqual([]);
  });
});

it('asks nothing for a caller who has given up', async () => {
  const { ask, efirma, requests } = await setUp();
  expect(await errorOf(ask(VERIFICAR, efirma, AbortSignal.abort()))).toMatchObject({ motivo: 'CANCELADA' });
  expect(requests).toEqual([]);
});
