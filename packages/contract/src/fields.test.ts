import { describe, expect, it } from 'vitest';
import { hasCheckDigit, parseRfc, rfcField } from './fields.ts';

describe('parseRfc', () => {
  it.each(['ACU200101DB1', 'XIQB891116QE4', 'H&E951128469', 'OÑO120726RX3', 'ZUÑ920208KL4', 'XAXX010101000'])(
    'takes %s',
    (rfc) => {
      expect(parseRfc(rfc)).toBe(rfc);
    },
  );

  it('trims, upper-cases and composes', () => {
    expect(parseRfc(' oño120726rx3\n')).toBe('OÑO120726RX3');
    expect(parseRfc('OÑO120726RX3')).toBe('OÑO120726RX3');
  });

  it.each(
    [
      [
        '',
        'ACU2001',
        'ACU200101DB12X',
        'ACU201301AB1',
        'ACU200230AB1',
        'ACU200100AB1',
        'AC1200101AB1',
        'ACU200101AB*',
        'ACU 200101AB1',
      ],
      [null, undefined, 12, {}, [], true],
    ].flat(),
  )('refuses %j', (value) => {
    expect(parseRfc(value)).toBeNull();
  });

  it('knows 29 February only in leap years', () => {
    expect(parseRfc('ACU200229AB1')).not.toBeNull();
    expect(parseRfc('ACU210229AB1')).toBeNull();
  });
});

describe('rfcField', () => {
  it('normalises', () => {
    expect(rfcField.parse('acu200101db1')).toBe('ACU200101DB1');
  });
  it('refuses with a text', () => {
    expect(rfcField.safeParse('nada').error?.issues[0]?.message).toContain('12 o 13');
  });
});

describe('the check digit', () => {
  it.each(['SAT970701NN3', 'EKU9003173C9', 'XIQB891116QE4', 'CACX7605101P8', 'FUNK671228PH6', 'MAG041126GT8'])(
    'is right in %s, and wrong when any other character stands there',
    (rfc) => {
      const others = [...'0123456789A'].filter((digit) => !rfc.endsWith(digit));
      expect(hasCheckDigit(rfc)).toBe(true);
      expect(others.filter((digit) => hasCheckDigit(rfc.slice(0, -1) + digit))).toEqual([]);
    },
  );

  it('tells a slip inside of the RFC', () => {
    expect(hasCheckDigit('SAT970710NN3')).toBe(false);
    expect(hasCheckDigit('STA970701NN3')).toBe(false);
  });

  it('is none in the generic RFCs', () => {
    expect(['XAXX010101000', 'XEXX010101000'].map(hasCheckDigit)).toEqual([true, true]);
  });
});
