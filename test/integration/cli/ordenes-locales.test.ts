import { describe, expect, it } from 'vitest';
import { UN_DIA } from '../fixtures/pedidos.ts';
import { runAcuse } from './acuse.ts';

const DIA = ['--desde', UN_DIA.desde, '--hasta', UN_DIA.hasta];

it('the service is not asked with a date, a period or an RFC that cannot be', async () => {
  const env = { ACUSE_URL: 'http://127.0.0.1:9', ACUSE_API_KEY: 'x', ACUSE_RFC: 'ACU200101DB1' };
  const fecha = 'debe ser una fecha real con formato AAAA-MM-DD';
  const rfc = 'debe tener 12 o 13 caracteres con el formato de un RFC';
  const ends = ['--hasta', '2026-01-31'];
  for (const [args, text] of [
    [
      ['tax', 'facturas', '--desde', '2026-02-30', ...ends],
      `la opción --desde <desde> no admite «2026-02-30»: ${fecha}`,
    ],
    [
      ['tax', 'facturas', '--desde', '2026-03-01', ...ends],
      'El periodo termina (2026-01-31) antes de empezar (2026-03-01).',
    ],
    [['tax', 'facturas', ...DIA, '--rfc', 'ACU20'], `la opción --rfc <rfc> no admite «ACU20»: ${rfc}`],
    [
      ['efos', 'consultar-lote', '--rfcs', 'ACU200101DB1,X'],
      `la opción --rfcs <rfcs> no admite «ACU200101DB1,X»: ${rfc}`,
    ],
    [['descargar', '--desde', '31/01/2026', ...ends], `la opción --desde <fecha> no admite «31/01/2026»: ${fecha}`],
    [['descargar', '--desde', '2026-03-01', ...ends], 'El periodo termina (2026-01-31) antes de empezar (2026-03-01).'],
    [['descargar', ...DIA, '--contraparte', 'x'], `la opción --contraparte <rfc...> no admite «x»: ${rfc}`],
    [['entrar', '--rfc', 'x'], '«x» no tiene el formato de un RFC.'],
  ] as const)
    expect([args, await runAcuse(args, { env })]).toEqual([args, { code: 2, out: '', err: `Error: ${text}\n` }]);
});

describe('the orders of the operator by their old names', () => {
  it('go on working, and say how they are called now', async () => {
    const old = await runAcuse(['cuenta', '--help']);
    expect(old.err).toContain('ahora es «acuse operador cuenta»');
    expect(old.out).toBe((await runAcuse(['operador', 'cuenta', '--help'])).out);
    expect((await runAcuse(['usuario', 'listar', '--help'])).err).toContain('acuse operador usuario');
    expect((await runAcuse(['usuario', 'datos-fiscales', '--help'])).err).toBe('');
  });
});
