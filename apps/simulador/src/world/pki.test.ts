import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createPki, type EfirmaOrder } from './pki.ts';

const order = (change: Partial<EfirmaOrder> = {}): EfirmaOrder => ({
  rfc: 'OÑO120726RX3',
  nombre: 'ORGANICOS ÑAVEZ OSORIO',
  password: '12345678a',
  desde: new Date('2024-01-01T00:00:00Z'),
  vence: new Date('2052-06-01T00:00:00Z'),
  ...change,
});

describe('certificates of the simulator', () => {
  it('have the subject, serial and usages of an e.firma', async () => {
    const pki = await createPki();
    const { cer, numero } = await pki.issue(order());
    const { x509, ...rest } = pki.inspect(cer);
    expect(rest).toEqual({ rfc: 'OÑO120726RX3', numero, tipo: 'fiel', isOwn: true, isRevoked: false });
    expect(numero).toMatch(/^\d{20}$/);
    expect(Buffer.from(x509.serialNumber, 'hex').toString()).toBe(numero);
    expect(x509.subject).toMatch(/^x500UniqueIdentifier=OÑO120726RX3 \/ [A-Z0-9]{13}$/m);
    expect(x509.subject).toMatch(/^serialNumber=\\ \/ [A-Z0-9]{18}$/m);
    expect(x509.subject).not.toMatch(/^OU=/m);
    expect(x509.keyUsage).toEqual(['1.3.6.1.5.5.7.3.4', '1.3.6.1.5.5.7.3.2']);
    expect(new Date(x509.validTo).toISOString()).toBe('2052-06-01T00:00:00.000Z');
    expect(x509.issuer).toMatch(/^CN=AC SIMULADOR$/m);
  });

  it('name a natural person alone', async () => {
    const pki = await createPki();
    const { x509, rfc } = pki.inspect((await pki.issue(order({ rfc: 'XIQB891116QE4' }))).cer);
    expect(rfc).toBe('XIQB891116QE4');
    expect(x509.subject).toMatch(/^x500UniqueIdentifier=XIQB891116QE4$/m);
    expect(x509.subject).toMatch(/^serialNumber=XIQB891116[A-Z0-9]{8}$/m);
  });

  it('have a unit and no extended usage when they are a CSD', async () => {
    const pki = await createPki();
    const { x509, tipo } = pki.inspect((await pki.issue(order({ csd: true }))).cer);
    expect(tipo).toBe('csd');
    expect(x509.subject).toMatch(/^OU=/m);
    expect(x509.keyUsage).toBeUndefined();
  });

  it('are not its own when another authority of the same name issued them', async () => {
    const [mine, theirs] = await Promise.all([createPki(), createPki()]);
    expect(mine.inspect((await theirs.issue(order())).cer).isOwn).toBe(false);
  });

  it('outlive a restart with a data folder, the authority too', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'simulador-pki-'));
    onTestFinished(() => rm(dataDir, { recursive: true }));
    const first = await createPki({ dataDir });
    expect(await readFile(join(dataDir, 'ca.pem'), 'utf8')).toBe(first.caPem);
    const { numero, cer } = await first.issue(order());
    const second = await createPki({ dataDir });
    expect(second.caPem).toBe(first.caPem);
    expect(second.inspect(cer).isOwn).toBe(true);
    expect((await second.find(numero))?.rfc).toBe('OÑO120726RX3');
    expect(await second.find('00000000000000000000')).toBeNull();
    expect(await second.find('../autoridad')).toBeNull();
    expect(second.inspect((await second.issue(order())).cer).isOwn).toBe(true);
  });
});
