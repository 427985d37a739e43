import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import pg from 'pg';

/** The floor of an acceptance: one Hono route, one durable INSERT of a row of the same size, nothing else. */
const pool = new pg.Pool({ connectionString: process.argv[2], max: 20 });
await pool.query(
  'CREATE TABLE IF NOT EXISTS piso (id bigserial PRIMARY KEY, rfc text, tipo text, desde date, hasta date, creada_en timestamptz DEFAULT now())',
);
const app = new Hono();
app.post('/piso', async (c) => {
  const { rfc, tipo, desde, hasta } = await c.req.json();
  const { rows } = await pool.query({
    name: 'piso',
    text: 'INSERT INTO piso (rfc, tipo, desde, hasta) VALUES ($1, $2, $3, $4) RETURNING id',
    values: [rfc, tipo, desde, hasta],
  });
  return c.json({ id: rows[0].id });
});
serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => process.send?.({ port }));
