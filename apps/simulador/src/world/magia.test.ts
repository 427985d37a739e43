import { describe, expect, it } from 'vitest';
import { MAGIAS } from './magia/catalogo.ts';
import { implicitFault, magiaDe } from './magia.ts';
import { checkDigit, isRfc } from './taxpayers/persona.ts';
import { parseWallTime } from './wall-time.ts';

const rfcs = MAGIAS.flatMap(({ moral, fisica }) => [moral, fisica]);

describe('magic RFCs', () => {
  it.each(rfcs)('%s is well formed, with a real date and its check digit', (rfc) => {
    expect(isRfc(rfc)).toBe(true);
    const date = rfc.slice(-9, -3);
    expect(parseWallTime(`19${date.slice(0, 2)}-${date.slice(2, 4)}-${date.slice(4)}`)).not.toBeNull();
    expect(rfc.at(-1)).toBe(checkDigit(rfc.slice(0, -1)));
  });

  it('are of a legal and of a natural person each, and no two alike', () => {
    expect(MAGIAS.map(({ moral, fisica }) => [moral.length, fisica.length])).toEqual(MAGIAS.map(() => [12, 13]));
    expect(new Set(rfcs).size).toBe(rfcs.length);
  });

  it('are found in any letter case, and other RFCs have no magic', () => {
    expect(magiaDe('cai900215sia')?.clave).toBe('caído');
    expect(magiaDe('EKU9003173C9')).toBeNull();
  });

  it('bring the fault of their effect, with the waits of the settings', () => {
    const settings = { ms_lento: 7, ms_colgado: 8 };
    expect(implicitFault('cfdiau', 'LEN900215SI6', settings)).toMatchObject({ kind: 'slow', ms: 7 });
    expect(implicitFault('cfdiau', 'COLG900215SI1', settings)).toMatchObject({ kind: 'slow', ms: 8 });
    expect(implicitFault('cfdiau', 'CAI900215SIA', settings)).toMatchObject({ kind: 'status', status: 503 });
    expect(implicitFault('cfdiau', 'VAC900215SI6', settings)).toBeNull();
  });
});
