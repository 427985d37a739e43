import { describe, expect, it } from 'vitest';
import { parseSubject } from './certificado.ts';

describe('parseSubject', () => {
  it('reads lines, leading blanks and special characters as Node escapes them', () => {
    const subject = [
      'CN=HERRERÍA & ELECTRICOS S DE CV',
      'O=A\\, B \\+ C\\; \\"D\\" \\\\ \\<E\\>',
      'x500UniqueIdentifier=H&E951128469 / VADA800927DJ3',
      'serialNumber=\\ / VADA800927HSRSRL05',
      'OU=uno + OU=dos',
      'description=con\\0Asalto',
    ].join('\n');
    expect([...parseSubject(subject)]).toEqual([
      ['CN', ['HERRERÍA & ELECTRICOS S DE CV']],
      ['O', ['A, B + C; "D" \\ <E>']],
      ['x500UniqueIdentifier', ['H&E951128469 / VADA800927DJ3']],
      ['serialNumber', [' / VADA800927HSRSRL05']],
      ['OU', ['uno', 'dos']],
      ['description', ['con\nsalto']],
    ]);
  });

  it('does not let a value invent an attribute', () => {
    expect(parseSubject('CN=x\\0Ax500UniqueIdentifier=AAA010101AAA').has('x500UniqueIdentifier')).toBe(false);
    expect(parseSubject('CN=x \\+ OU=y').has('OU')).toBe(false);
  });
});
