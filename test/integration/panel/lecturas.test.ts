import { describe, expect, it } from 'vitest';
import { duringTests } from '../fixtures/during-tests.ts';
import { textsOf, usePanel } from './fixtures/panel.ts';
import { createSolicitudesDePrueba } from './fixtures/solicitudes.ts';

const panel = usePanel();
const { owner, finished } = createSolicitudesDePrueba(panel);

/** An account with one download of a person, and three readings after it: two of one day, and one of the day before. */
const account = duringTests(async () => {
  const { persona, taxpayer } = await owner();
  const [pedida, ...lecturas] = [
    await finished(taxpayer, { desde: '2025-01-01', hasta: '2025-01-31' }),
    await finished(taxpayer, { desde: '2025-02-01', hasta: '2025-02-28' }),
    await finished(taxpayer, { desde: '2025-03-01', hasta: '2025-03-31' }),
    await finished(taxpayer, { desde: '2025-04-01', hasta: '2025-04-30' }),
  ];
  await panel.sql`UPDATE solicitud SET sincronizacion_id = gen_random_uuid() WHERE id = ANY (${lecturas})`;
  // A movement never changes.
  await panel.sql`ALTER TABLE movimiento DISABLE TRIGGER USER`;
  await panel.sql`UPDATE movimiento SET operacion = 'sincronizacion' WHERE solicitud_id = ANY (${lecturas})`;
  await panel.sql`ALTER TABLE movimiento ENABLE TRIGGER USER`;
  const { cuentaId } = persona;
  await panel.sql`INSERT INTO uso_dia (cuenta_id, dia, tipo, operacion, movimientos, importe)
    SELECT ${cuentaId}, (now() AT TIME ZONE 'America/Mexico_City')::date, 'cargo', 'sincronizacion', 3, -3`;
  await panel.sql`INSERT INTO auditoria (cuenta_id, actor, accion) SELECT ${cuentaId}, 'usuario:' || ${persona.usuarioId}, a
    FROM unnest(ARRAY['cambiar-nombre', 'usar-consentimiento', 'usar-consentimiento']) a`;
  return { persona, pedida, lecturas, close: async () => {} };
});

describe('readings of subscriptions', () => {
  it('stay out of the solicitudes and their counts, until the filter asks for them: one line a day, which opens', async () => {
    const { persona, pedida, lecturas } = account;
    const { $ } = await persona.get('/solicitudes');
    expect($('tbody tr')).toHaveLength(1);
    expect($('tbody a').attr('href')).toBe(`/solicitudes/${pedida}`);
    expect($('nav[aria-label="Solicitudes por estado"]').text()).toContain('Terminadas (1)');
    const folded = (await persona.get('/solicitudes?origen=lecturas')).$;
    expect(folded('tbody tr')).toHaveLength(1);
    expect(folded('tbody tr').text()).toMatch(/Terminadas.*120.*3/);
    const day = (await persona.get(folded('tbody a').attr('href') ?? '')).$;
    expect([...day('tbody a')].map((each) => day(each).attr('href')).sort()).toEqual(
      lecturas.map((id) => `/solicitudes/${id}`).sort(),
    );
  });

  it('are not the last download of the first page, nor among its calls', async () => {
    const { persona, pedida } = account;
    const { $, main } = await persona.get('/inicio');
    expect($('section[aria-label="Última descarga"] a').attr('href')).toBe(`/solicitudes/${pedida}`);
    expect(main).not.toContain('Lectura automática');
  });

  it('are left out of the movements, shown by day when asked for, and in the file', async () => {
    const { persona, lecturas } = account;
    const plain = (await persona.get('/saldo/movimientos')).main;
    expect(plain).not.toContain('Lectura automática ');
    const folded = (await persona.get('/saldo/movimientos?origen=lecturas')).$;
    expect(textsOf(folded, 'tbody tr:only-child td')).toEqual(['3', '0', '−3']);
    const one = (await persona.get('/saldo/movimientos?operacion=sincronizacion')).$;
    expect(one('tbody tr')).toHaveLength(lecturas.length);
    expect((await persona.get('/saldo/movimientos.csv')).text.match(/sincronizacion/g)).toHaveLength(lecturas.length);
  });

  it('are left out of the changes of the account and of the audit log, which has them by day', async () => {
    const { persona } = account;
    const noted = (await persona.get('/equipo/cambios')).main;
    expect(noted).toContain('Cambió su nombre');
    expect(noted).not.toContain('Se pidió una lectura');
    const chief = await panel.registrar({ rol: 'OPERADOR' });
    const log = (query: string) => chief.get(`/operador/auditoria?cuenta=${persona.cuentaId}${query}`);
    expect((await log('')).main).not.toContain('Se pidió una lectura');
    const { $ } = await log('&accion=usar-consentimiento');
    expect(textsOf($, 'tbody td').at(-1)).toBe('2');
    const day = await chief.get($('tbody a').attr('href') ?? '');
    expect(day.$('tbody tr')).toHaveLength(2);
  });
});
