import { beforeEach, describe, expect, it } from 'vitest';
import { createCircuitBreaker, createMemoryBreakerState } from './circuit-breaker.ts';

const host = 'cfdiau.sat.gob.mx';
const open = { motivo: 'CORTACIRCUITOS_ABIERTO', clase: 'reintentable' };
let reloj = 0;
let corta: ReturnType<typeof createCircuitBreaker>;
beforeEach(() => {
  reloj = 1_000_000;
  corta = createCircuitBreaker({ failures: 3, openMs: 10_000, now: () => reloj }, createMemoryBreakerState());
});

async function fail(times: number) {
  for (let i = 0; i < times; i += 1) {
    await corta.admit(host);
    await corta.report(host, 'fallo');
  }
}

describe('the breaker', () => {
  it('opens after so many failures in a row, for that host only', async () => {
    await fail(2);
    await corta.report(host, 'exito');
    await fail(2);
    await corta.admit(host);
    await fail(1);
    await expect(corta.admit(host)).rejects.toMatchObject(open);
    await corta.admit('siat.sat.gob.mx');
  });

  it('lets one probe through when its time is over, and closes on its success', async () => {
    await fail(3);
    reloj += 9_999;
    await expect(corta.admit(host)).rejects.toMatchObject(open);
    reloj += 1;
    await corta.admit(host);
    await expect(corta.admit(host)).rejects.toMatchObject(open);
    await corta.report(host, 'exito');
    await corta.admit(host);
    await corta.admit(host);
  });

  it('opens again on the failure of the probe', async () => {
    await fail(3);
    reloj += 10_000;
    await fail(1);
    reloj += 9_999;
    await expect(corta.admit(host)).rejects.toMatchObject(open);
  });

  it('lets another probe through when the first was given up or never heard of', async () => {
    await fail(3);
    reloj += 10_000;
    await corta.admit(host);
    await corta.report(host, 'neutral');
    await corta.admit(host);
    reloj += 10_000;
    await corta.admit(host);
  });

  it('counts answers that proved worthless as failures in a row', async () => {
    for (let i = 0; i < 3; i += 1) {
      await corta.admit(host);
      await corta.report(host, 'exito');
      await corta.withdraw(host);
    }
    await expect(corta.admit(host)).rejects.toMatchObject(open);
  });

  it('forgets worthless answers of before after good ones', async () => {
    for (let i = 0; i < 9; i += 1) {
      await corta.report(host, 'exito');
      await corta.withdraw(host);
      await corta.report(host, 'exito');
      await corta.report(host, 'exito');
    }
    await corta.admit(host);
  });

  it('stays closed however often one taxpayer is answered with errors, and opens after the third one', async () => {
    for (let i = 0; i < 20; i += 1) {
      await corta.admit(host);
      await corta.report(host, 'error', 'AVE900215SI8');
      await corta.report(host, 'exito', 'AVE900215SI8');
      await corta.withdraw(host, 'AVE900215SI8');
    }
    await corta.report(host, 'error', 'ACU200101DB1');
    await corta.admit(host);
    await corta.report(host, 'error', 'XIQB891116QE4');
    await expect(corta.admit(host)).rejects.toMatchObject(open);
    reloj += 10_000;
    await corta.admit(host);
    await corta.report(host, 'error', 'AVE900215SI8');
    await expect(corta.admit(host)).rejects.toMatchObject(open);
    reloj += 10_000;
    await corta.report(host, 'exito', 'ACU200101DB1');
    await corta.admit(host);
  });

  it('counts every failed connection, for every caller', async () => {
    for (let i = 0; i < 3; i += 1) await corta.report(host, 'fallo', 'AVE900215SI8');
    await expect(corta.admit(host)).rejects.toMatchObject(open);
  });

  it('stops nothing when its memory cannot be reached', async () => {
    const broken = createCircuitBreaker(
      { failures: 1, openMs: 10_000, now: () => reloj },
      { update: () => Promise.reject(new Error('down')) },
    );
    await broken.report(host, 'fallo');
    await broken.admit(host);
  });
});
