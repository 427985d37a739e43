import { X509Certificate } from 'node:crypto';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { createSignedClient, type SendOptions, type SignedClient, type Style } from '../testing/signed-client.ts';
import { issue, startWithEfirma } from '../testing/start-with-efirma.ts';
import type { Efirma } from '../world/pki.ts';
import { createWorld } from '../world/world.ts';

const RFC = 'H&E951128469';
const OTHER_RFC = 'XIQB891116QE4';

const { simulador, client, efirma } = await startWithEfirma(RFC);
let token: string;

beforeEach(async () => {
  simulador.world.settings.sello_completo = true;
  token = (await client.authenticate()).token;
});

let second = 0;

/** A request that no other one equals. */
function ask(options: Partial<SendOptions> = {}, from: SignedClient = client, rfc = RFC) {
  second += 1;
  const content = '<des:RfcReceptores><des:RfcReceptor></des:RfcReceptor></des:RfcReceptores>';
  const FechaInicial = `2026-03-01T00:${String(Math.floor(second / 60)).padStart(2, '0')}:${String(second % 60).padStart(2, '0')}`;
  return from.send(
    'SolicitaDescargaEmitidos',
    { FechaInicial, FechaFinal: '2026-03-31T00:00:00', RfcEmisor: rfc, RfcSolicitante: rfc, TipoSolicitud: 'Metadata' },
    { token, content, ...options },
  );
}

function clientOf(efirma: Efirma, hosts?: { solicitud: string; descarga: string }): SignedClient {
  return createSignedClient({ url: simulador.url, ...efirma, ...(hosts && { hosts }) });
}

describe('signatures in the three styles of the public clients', () => {
  it.each<Style>(['A', 'B', 'C'])('accepts style %s in all three operations', async (style) => {
    const asked = await ask({ style });
    expect(asked.attributes).toMatchObject({ CodEstatus: '5000', RfcSolicitante: 'H&amp;E951128469' });
    const id = asked.attributes['IdSolicitud'] ?? '';
    const options = { token, style };
    const verify = () => client.send('VerificaSolicitudDescarga', { IdSolicitud: id, RfcSolicitante: RFC }, options);
    expect((await verify()).attributes).toMatchObject({ CodEstatus: '5000', EstadoSolicitud: '1' });
    expect((await verify()).attributes).toMatchObject({ CodEstatus: '5000', EstadoSolicitud: '3' });
    const got = await client.send('Descargar', { IdPaquete: `${id}_01`, RfcSolicitante: RFC }, options);
    expect(got.attributes['CodEstatus']).toBe('5000');
    expect(got.text).toContain('<Paquete>UEsDB');
  });

  it('reads an RFC with Ñ that a client sends as Latin-1', async () => {
    const countOf = async (encoding: 'utf8' | 'latin1') => {
      const content = '<des:RfcReceptores><des:RfcReceptor>ÑAM9207103I4</des:RfcReceptor></des:RfcReceptores>';
      const asked = await ask({ content, encoding });
      const verify = () =>
        client.send(
          'VerificaSolicitudDescarga',
          { IdSolicitud: asked.attributes['IdSolicitud'] ?? '', RfcSolicitante: RFC },
          { token },
        );
      await verify();
      return (await verify()).attributes['NumeroCFDIs'];
    };
    const count = await countOf('latin1');
    expect(Number(count)).toBeGreaterThan(0);
    expect(count).toBe(await countOf('utf8'));
  });

  it('takes the SOAPAction in quotes too', async () => {
    expect((await ask({ quotesAction: true })).attributes['CodEstatus']).toBe('5000');
  });

  it.each<[string, Style, (message: string) => string]>([
    ['a changed criterion', 'A', (m) => m.replace('2026-03-31', '2026-03-30')],
    ['a changed criterion', 'B', (m) => m.replace('2026-03-31', '2026-03-30')],
    ['a changed criterion', 'C', (m) => m.replace('2026-03-31', '2026-03-30')],
    [
      'an added element',
      'A',
      (m) => m.replace('</des:RfcReceptores>', '<des:RfcReceptor>XAXX010101000</des:RfcReceptor></des:RfcReceptores>'),
    ],
    ['a changed digest', 'A', (m) => m.replace(/(<DigestValue>)(.)/, (_, tag, c) => tag + (c === 'A' ? 'B' : 'A'))],
    [
      'a changed signature value',
      'A',
      (m) => m.replace(/(<SignatureValue>)(.)/, (_, tag, c) => tag + (c === 'A' ? 'B' : 'A')),
    ],
    [
      'a changed signature value',
      'B',
      (m) => m.replace(/(<SignatureValue>)(.)/, (_, tag, c) => tag + (c === 'A' ? 'B' : 'A')),
    ],
    [
      'a changed signature value',
      'C',
      (m) => m.replace(/(<xd:SignatureValue>)(.)/, (_, tag, c) => tag + (c === 'A' ? 'B' : 'A')),
    ],
    ['a changed SignedInfo', 'A', (m) => m.replace('<Reference URI="">', '<Reference>')],
    ['no signature', 'A', (m) => m.replace(/<Signature .*<\/Signature>/, '')],
  ])('refuses %s (style %s) with 302', async (_, style, tamper) => {
    const { attributes } = await ask({ style, tamper });
    expect(attributes).toMatchObject({ CodEstatus: '302', IdSolicitud: '' });
  });
});

describe('a seal that matches but is not declared as it must be', () => {
  it.each<[string, Partial<SendOptions>]>([
    ['a reference to something else', { uri: '#otro' }],
    ['an algorithm other than SHA-1', { hash: 'sha256' }],
  ])('refuses %s with 302', async (_, options) => {
    expect((await ask(options)).attributes).toMatchObject({ CodEstatus: '302', IdSolicitud: '' });
  });
});

describe('a seal as the SAT checks it', () => {
  beforeEach(() => {
    simulador.world.settings.sello_completo = false;
  });

  it.each<[string, Partial<SendOptions>]>([
    ['a criterion that was changed after it was signed', { tamper: (m) => m.replace('2026-03-31', '2026-03-30') }],
    [
      'another digest in a SignedInfo that was signed with it',
      { style: 'C', tamper: (m) => m.replace('TipoSolicitud="Metadata"', 'TipoSolicitud="CFDI"') },
    ],
    ['a reference to something else', { uri: '#otro' }],
  ])('takes %s', async (_, options) => {
    expect((await ask(options)).attributes).toMatchObject({ CodEstatus: '5000' });
  });

  it.each<[string, Partial<SendOptions>]>([
    ['no signature', { tamper: (m) => m.replace(/<Signature .*<\/Signature>/, '') }],
    ['a changed SignedInfo', { tamper: (m) => m.replace('<Reference URI="">', '<Reference>') }],
    [
      'a changed digest',
      { tamper: (m) => m.replace(/(<DigestValue>)(.)/, (_, tag, c) => tag + (c === 'A' ? 'B' : 'A')) },
    ],
    [
      'a changed signature value',
      { tamper: (m) => m.replace(/(<SignatureValue>)(.)/, (_, tag, c) => tag + (c === 'A' ? 'B' : 'A')) },
    ],
  ])('refuses %s with 302', async (_, options) => {
    expect((await ask(options)).attributes).toMatchObject({ CodEstatus: '302', IdSolicitud: '' });
  });
});

describe('RfcSolicitante', () => {
  it('may be absent in all three operations: the certificate says who asks', async () => {
    const asked = await client.send(
      'SolicitaDescargaRecibidos',
      {
        FechaInicial: '2026-04-01T00:00:00',
        FechaFinal: '2026-04-30T00:00:00',
        RfcReceptor: RFC,
        TipoSolicitud: 'Metadata',
      },
      { token },
    );
    expect(asked.attributes).toMatchObject({ CodEstatus: '5000', RfcSolicitante: 'H&amp;E951128469' });
    const IdSolicitud = asked.attributes['IdSolicitud'] ?? '';
    const verify = () => client.send('VerificaSolicitudDescarga', { IdSolicitud }, { token });
    await verify();
    expect((await verify()).attributes).toMatchObject({ CodEstatus: '5000', EstadoSolicitud: '3' });
    const got = await client.send('Descargar', { IdPaquete: `${IdSolicitud}_01` }, { token });
    expect(got.attributes['CodEstatus']).toBe('5000');
    expect(simulador.world.log.list({ operation: 'Descargar' }).at(-1)).toMatchObject({ rfc: RFC });
  });

  it('must be that of the certificate where it is there: 303', async () => {
    const { attributes } = await client.send(
      'VerificaSolicitudDescarga',
      { IdSolicitud: '00000000-0000-4000-8000-000000000000', RfcSolicitante: OTHER_RFC },
      { token },
    );
    expect(attributes).toMatchObject({ CodEstatus: '303', Mensaje: 'Sello no corresponde con RfcSolicitante' });
  });
});

describe('certificates', () => {
  it('refuses a message that shows another certificate than the one that signed it: 302', async () => {
    const keyOf = ({ cer }: { readonly cer: Uint8Array }) => new X509Certificate(cer).publicKey;
    // The simulator gives one key to several e.firmas.
    let other = await issue(simulador, { rfc: RFC });
    while (keyOf(other).equals(keyOf(efirma))) other = await issue(simulador, { rfc: RFC });
    const tamper = (message: string) =>
      message.replace(/<X509Certificate>[^<]+/, `<X509Certificate>${other.cer.toString('base64')}`);
    expect((await ask({ tamper })).attributes['CodEstatus']).toBe('302');
  });

  it('refuses an e.firma of another RFC: 303', async () => {
    const other = clientOf(await issue(simulador, { rfc: OTHER_RFC }));
    const { token: own } = await other.authenticate();
    expect((await ask({ token: own }, other, RFC)).attributes['CodEstatus']).toBe('303');
  });

  it('refuses an expired one and a revoked one: 304', async () => {
    const expired = clientOf(await issue(simulador, { rfc: RFC, vence: new Date(Date.now() - 86_400_000) }));
    expect((await ask({ token: (await expired.authenticate()).token }, expired)).attributes['CodEstatus']).toBe('304');
    const efirma = await issue(simulador, { rfc: RFC });
    simulador.world.pki.revoke(efirma.numero);
    const revoked = clientOf(efirma);
    expect((await ask({ token: (await revoked.authenticate()).token }, revoked)).attributes['CodEstatus']).toBe('304');
  });

  it('lets a CSD authenticate and refuses its requests: 305', async () => {
    const csd = clientOf(await issue(simulador, { rfc: RFC, csd: true }));
    const { status, token: own } = await csd.authenticate();
    expect(status).toBe(200);
    expect((await ask({ token: own }, csd)).attributes['CodEstatus']).toBe('305');
  });

  it('refuses one of an unknown authority, of the same name even: 305', async () => {
    const stranger = clientOf(await issue({ world: await createWorld() }, { rfc: RFC }));
    const { token: own } = await stranger.authenticate();
    expect((await ask({ token: own }, stranger)).attributes['CodEstatus']).toBe('305');
  });
});

describe('tokens', () => {
  const refused = { CodEstatus: '300', IdSolicitud: '' };

  it('refuses none, a broken one and an altered one: 300', async () => {
    expect((await ask({ token: null })).attributes).toMatchObject(refused);
    expect((await ask({ token: 'x.y.z' })).attributes).toMatchObject(refused);
    const [header, payload = '', rest] = token.split('.');
    const altered = Buffer.from(Buffer.from(payload, 'base64url').toString().replace('"iat":1', '"iat":2')).toString(
      'base64url',
    );
    expect((await ask({ token: [header, altered, rest].join('.') })).attributes).toMatchObject(refused);
  });

  it("refuses the other service's token: 300", async () => {
    const efirma = await issue(simulador, { rfc: RFC });
    const hosts = { solicitud: 'retendescargamasivasolicitud', descarga: 'retendescargamasiva' };
    const { token: foreign } = await clientOf(efirma, hosts).authenticate();
    const cfdi = clientOf(efirma);
    expect((await ask({ token: foreign }, cfdi)).attributes).toMatchObject(refused);
    expect((await ask({ token: (await cfdi.authenticate()).token }, cfdi)).attributes['CodEstatus']).toBe('5000');
  });

  it("refuses another certificate's token: 300", async () => {
    const other = clientOf(await issue(simulador, { rfc: RFC }));
    expect((await ask({ token: (await other.authenticate()).token })).attributes).toMatchObject(refused);
  });

  it('refuses a token after five minutes: 300', async () => {
    const { clock } = simulador.world;
    const issuedAt = clock.now().getTime();
    const now = vi.spyOn(clock, 'now').mockImplementation(() => new Date(issuedAt));
    try {
      const { token: own } = await client.authenticate();
      now.mockImplementation(() => new Date(issuedAt + 299_000));
      expect((await ask({ token: own })).attributes['CodEstatus']).toBe('5000');
      now.mockImplementation(() => new Date(issuedAt + 300_000));
      expect((await ask({ token: own })).attributes).toMatchObject(refused);
    } finally {
      now.mockRestore();
    }
  });
});
