import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createClock } from '../clock.ts';
import { DAY, formatWallTime, parseWallTime } from '../wall-time.ts';
import { checkDigit, isRfc } from './persona.ts';
import type { Row, Tipo } from './row.ts';
import type { Filas } from './schedule.ts';
import { createTaxpayers, type Taxpayers } from './taxpayers.ts';

const RFC = 'EKU9003173C9';
const ENERO = parseWallTime('2026-01-01') ?? 0;

function create(semilla = 'pruebas', filas?: readonly Filas[]): Taxpayers {
  const taxpayers = createTaxpayers({ clock: createClock(), settings: { semilla } });
  if (filas) taxpayers.change(RFC, { filas });
  return taxpayers;
}

const tipos = fc.constantFrom<Tipo>('emitidos', 'recibidos');
const documentos = fc.constantFrom('cfdi' as const, 'retenciones' as const);
const rfcs = fc.constantFrom(RFC, 'XIQB891116QE4', 'ÑAM9207103I4', 'H&E951128469');
/** Ranges that follow each other with gaps, as the control API demands. */
const filas = fc
  .array(fc.record({ gap: fc.nat(5), days: fc.integer({ min: 1, max: 9 }), cantidad: fc.nat(300), tipo: tipos }), {
    maxLength: 5,
  })
  .map((parts) => {
    let next = ENERO;
    return parts.map(({ gap, days, cantidad, tipo }): Filas => {
      const desde = next + gap * DAY;
      next = desde + days * DAY;
      return { documento: 'cfdi', tipo, desde, hasta: next - DAY, cantidad };
    });
  });
const cuts = fc.array(fc.integer({ min: 0, max: 60 * DAY }), { minLength: 2, maxLength: 6 });

/** Asks for the interval from the first to the last cut in the parts that the cuts make. */
function inParts(ask: (inicio: number, fin: number) => Iterable<Row>, offsets: readonly number[]): Row[] {
  const sorted = [...offsets].sort((a, b) => a - b).map((offset) => ENERO + offset);
  return sorted.slice(1).flatMap((fin, n) => [...ask((sorted[n] ?? 0) + (n === 0 ? 0 : 1), fin)]);
}

describe('generated rows', () => {
  it('are the same whole or in parts, sorted and inside the interval', () => {
    fc.assert(
      fc.property(rfcs, tipos, documentos, cuts, (rfc, tipo, documento, offsets) => {
        const taxpayers = create();
        const ask = (inicio: number, fin: number) => taxpayers.rows(rfc, tipo, inicio, fin, { documento });
        const [inicio, fin] = [ENERO + Math.min(...offsets), ENERO + Math.max(...offsets)];
        const whole = [...ask(inicio, fin)];
        expect(inParts(ask, offsets)).toEqual(whole);
        expect(taxpayers.count(rfc, tipo, inicio, fin, { documento })).toBe(whole.length);
        expect(whole.every((row) => row.emision >= inicio && row.emision <= fin)).toBe(true);
        expect(whole.map((row) => row.emision)).toEqual(whole.map((row) => row.emision).sort((a, b) => a - b));
      }),
      { numRuns: 60 },
    );
  });

  it('asked for by name are exactly as many, the same whole or in parts', () => {
    fc.assert(
      fc.property(filas, tipos, cuts, (some, tipo, offsets) => {
        const taxpayers = create('pruebas', some);
        const ask = (inicio: number, fin: number) => taxpayers.rows(RFC, tipo, inicio, fin);
        const [inicio, fin] = [ENERO + Math.min(...offsets), ENERO + Math.max(...offsets)];
        const whole = [...ask(inicio, fin)];
        expect(inParts(ask, offsets)).toEqual(whole);
        expect(taxpayers.count(RFC, tipo, inicio, fin)).toBe(whole.length);
        const wanted = some.filter((range) => range.tipo === tipo).reduce((sum, range) => sum + range.cantidad, 0);
        expect(taxpayers.count(RFC, tipo, ENERO, ENERO + 400 * DAY)).toBe(wanted);
      }),
      { numRuns: 60 },
    );
  });

  it('can be asked for from any place on', () => {
    fc.assert(
      fc.property(fc.option(filas), fc.nat(400), (some, skip) => {
        const taxpayers = create('pruebas', some ?? undefined);
        const all = [...taxpayers.rows(RFC, 'emitidos', ENERO, ENERO + 90 * DAY)];
        expect([...taxpayers.rows(RFC, 'emitidos', ENERO, ENERO + 90 * DAY, { skip })]).toEqual(all.slice(skip));
      }),
      { numRuns: 40 },
    );
  });

  it('are the same in every process with the same seed, and others with another', () => {
    const rows = (semilla: string) => [...create(semilla).rows(RFC, 'emitidos', ENERO, ENERO + 30 * DAY)];
    expect(rows('pruebas')).toEqual(rows('pruebas'));
    expect(rows('pruebas')[0]).toMatchObject({ rfcEmisor: RFC, uuid: '0941232D-F01F-4B5B-A584-3DF86D7E1D8C' });
    expect(rows('otra')[0]?.uuid).not.toBe(rows('pruebas')[0]?.uuid);
  });

  it('have UUIDs that are unique and lead back to their row', () => {
    const taxpayers = create('pruebas', [
      { documento: 'cfdi', tipo: 'emitidos', desde: ENERO, hasta: ENERO, cantidad: 20_000 },
    ]);
    const uuids = new Set<string>();
    for (const row of taxpayers.rows(RFC, 'emitidos', ENERO, ENERO + DAY)) {
      expect(row.uuid).toMatch(/^[0-9A-F]{8}-[0-9A-F]{4}-4[0-9A-F]{3}-A[0-9A-F]{3}-[0-9A-F]{12}$/);
      uuids.add(row.uuid);
      if (uuids.size % 500 === 0) expect(taxpayers.find(RFC, 'emitidos', row.uuid.toLowerCase())).toEqual(row);
    }
    expect(uuids.size).toBe(20_000);
    expect(taxpayers.find(RFC, 'recibidos', [...uuids][0] ?? '')).toBeNull();
    const generated = create();
    for (const row of generated.rows(RFC, 'recibidos', ENERO, ENERO + 60 * DAY))
      expect(generated.find(RFC, 'recibidos', row.uuid)).toEqual(row);
  });

  it('do not exist before their hour has come', () => {
    const taxpayers = create();
    const corte = ENERO + 10 * DAY;
    const all = [...taxpayers.rows(RFC, 'emitidos', ENERO, ENERO + 20 * DAY)];
    const early = [...taxpayers.rows(RFC, 'emitidos', ENERO, ENERO + 20 * DAY, { corte })];
    expect(early).toEqual(all.filter((row) => row.emision <= corte));
    expect(early.length).toBeLessThan(all.length);
  });

  it('are awkward at the fixed places of every fifty', () => {
    const taxpayers = create('pruebas', [
      { documento: 'cfdi', tipo: 'emitidos', desde: ENERO, hasta: ENERO, cantidad: 100 },
    ]);
    const rows = [...taxpayers.rows(RFC, 'emitidos', ENERO, ENERO + DAY)];
    for (const start of [0, 50]) {
      expect(rows[start + 1]?.nombreReceptor).toContain('\n');
      expect(rows[start + 2]?.nombreReceptor).toMatch(/".*"/);
      expect(rows[start + 3]?.nombreReceptor).toMatch(/^"[^"]*,/);
      expect(rows[start + 4]?.nombreReceptor).toBe('PEÑA & ÑANDÚ');
      expect(rows[start + 5]).toMatchObject({ estatus: 'Cancelado', fechaCancelacion: expect.stringMatching(/^2026/) });
      expect(rows[start + 6]?.nombreReceptor).toBe('');
      expect(rows[start + 7]?.tercero?.uuid).toBe(rows[start + 7]?.uuid.toLowerCase());
    }
    expect(rows.filter((row) => row.estatus === 'Vigente').every((row) => row.fechaCancelacion === '')).toBe(true);
    expect(rows.some((row) => /[~|]/.test(row.nombreEmisor + row.nombreReceptor))).toBe(false);
  });
});

describe('taxpayers', () => {
  it('have a CIEC of sixteen characters made from the RFC, until it is changed', () => {
    const taxpayers = create();
    expect(taxpayers.taxpayer(RFC).ciec).toBe('CiecEKU9003173C9');
    expect(taxpayers.taxpayer('XIQB891116QE4').ciec).toBe('CiecXIQB891116QE');
    taxpayers.change(RFC, { ciec: 'Otra1234' });
    expect(taxpayers.taxpayer(RFC).ciec).toBe('Otra1234');
  });

  it('are only well-formed RFCs, whose counterparts are well-formed too', () => {
    const taxpayers = create();
    expect(() => taxpayers.taxpayer('eku9003173c9')).toThrow(RangeError);
    for (const row of taxpayers.rows(RFC, 'emitidos', ENERO, ENERO + 100 * DAY)) {
      expect(isRfc(row.rfcReceptor)).toBe(true);
    }
  });

  it('have check digits of the official rule', () => {
    expect(checkDigit('GODE561231GR')).toBe('8');
    expect(checkDigit('SAT970701NN')).toBe('3');
  });
});

describe('wall time', () => {
  it('reads and writes the same instants as the calendar', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4_000_000_000 }), (time) => {
        const text = new Date(time * 1000).toISOString().slice(0, 19);
        expect(formatWallTime(time, 'T')).toBe(text);
        expect(parseWallTime(text)).toBe(time);
      }),
    );
    expect(parseWallTime('2026-02-29')).toBeNull();
    expect(parseWallTime('2026-1-1')).toBeNull();
  });
});
