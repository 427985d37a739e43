import { expect, it } from 'vitest';
import { type Persona, signIn, usePanel } from './fixtures/panel.ts';
import { createSolicitudesDePrueba } from './fixtures/solicitudes.ts';

const panel = usePanel();

/** Does `run` while the audit log refuses what it would note. */
async function withoutAudit(accion: string, run: () => Promise<unknown>): Promise<void> {
  const { pool } = panel.db;
  await pool.query(`ALTER TABLE auditoria ADD CONSTRAINT llena CHECK (accion <> '${accion}') NOT VALID`);
  try {
    await run();
  } finally {
    await pool.query('ALTER TABLE auditoria DROP CONSTRAINT llena');
  }
}

const sessions = async ({ usuarioId }: Persona) => {
  const text = `SELECT FROM sesion WHERE usuario_id = $1 AND fase = 'COMPLETA'`;
  return (await panel.db.pool.query(text, [usuarioId])).rowCount;
};
const lines = async ({ usuarioId, cuentaId }: Persona, accion: string) => {
  const text = `SELECT ip FROM auditoria WHERE actor = $1 AND cuenta_id = $2 AND accion = $3`;
  return (await panel.db.pool.query(text, [`usuario:${usuarioId}`, cuentaId, accion])).rows;
};

/** Each changes something of a person with a second session; how much of it there is before and after. */
const CAMBIOS = [
  {
    accion: 'entrar',
    run: ({ email, password }) => signIn(panel.newCliente(), email, password),
    of: sessions,
    counts: [2, 3],
  },
  {
    accion: 'cerrar-sesion',
    run: async (ana) => {
      const text = `SELECT id FROM sesion WHERE usuario_id = $1 ORDER BY creada_en DESC LIMIT 1`;
      const { rows } = await panel.db.pool.query<{ id: string }>(text, [ana.usuarioId]);
      await ana.submit('/cuenta', `/cuenta/sesiones/${rows[0]?.id}/cerrar`);
    },
    of: sessions,
    counts: [2, 1],
  },
  {
    accion: 'cerrar-sesiones',
    run: (ana) => ana.submit('/cuenta', '/cuenta/sesiones/cerrar'),
    of: sessions,
    counts: [2, 0],
  },
  {
    accion: 'cancelar-solicitud',
    run: async (ana, id) => ana.submit(`/solicitudes/${id}/cancelar`, `/solicitudes/${id}/cancelar`),
    of: async ({ cuentaId }) =>
      (await panel.db.pool.query(`SELECT FROM solicitud WHERE cuenta_id = $1 AND estado = 'EN_PROCESO'`, [cuentaId]))
        .rowCount,
    counts: [1, 0],
  },
] as const satisfies readonly {
  accion: string;
  run: (ana: Persona, solicitudId: string) => Promise<unknown>;
  of: (ana: Persona) => Promise<number | null>;
  counts: readonly [number, number];
}[];

it.each(CAMBIOS)('does nothing that the audit log does not say: $accion', async ({ accion, run, of, counts }) => {
  const { owner, accepted } = createSolicitudesDePrueba(panel);
  const { persona: ana, taxpayer } = await owner();
  await signIn(panel.newCliente(), ana.email, ana.password);
  const id = await accepted(taxpayer);
  expect(await of(ana)).toBe(counts[0]);
  const before = (await lines(ana, accion)).length;
  await withoutAudit(accion, () => run(ana, id).catch(() => {}));
  expect([await of(ana), (await lines(ana, accion)).length]).toEqual([counts[0], before]);
  await run(ana, id);
  expect(await of(ana)).toBe(counts[1]);
  expect((await lines(ana, accion)).slice(before)).toEqual([{ ip: '127.0.0.1' }]);
});
