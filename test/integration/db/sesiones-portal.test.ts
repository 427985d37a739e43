import { createSesionesPortal } from '@acuse/db';
import { describeSesionesPortal } from '../../../packages/sat/src/portal/testing/conformidad-sesiones.ts';
import { testDatabase } from '../fixtures/database.ts';

describeSesionesPortal('in PostgreSQL', async () => {
  const { db, close } = await testDatabase();
  return {
    sesiones: createSesionesPortal(db),
    async advance(ms) {
      const [before] = [`- ${Number(ms)} * interval '1 millisecond'`];
      await db.pool.query(`UPDATE sesion_portal SET usada_en = usada_en ${before}, abierta_en = abierta_en ${before}`);
      await db.pool.query(`UPDATE turno_acceso SET hasta = hasta ${before}, desde = desde ${before}`);
      await db.pool.query(`UPDATE rechazo_acceso SET creado_en = creado_en ${before}`);
    },
    close,
  };
});
