#!/usr/bin/env node
import { explain } from '@acuse/runtime';
import { SALIDAS } from './cliente/fallos.ts';
import { runCliente } from './cliente/run.ts';

/** Command groups that moved below «operador». */
const ANTERIORES = new Set([
  ...['cuenta', 'rfc', 'llave', 'saldo', 'pagos', 'operacion', 'ips', 'solicitudes', 'edos', 'captchas', 'migrar'],
  'secretos',
]);
/** What the operator had in groups that the service has as well. */
const COMPARTIDAS: Readonly<Record<string, readonly string[]>> = {
  usuario: ['crear', 'rol', 'restablecer', 'listar'],
  efos: ['cargar', 'estado'],
};

// A reader may stop early (`acuse … | head`); the command still does its work.
process.stderr.on('error', () => {});
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') return;
  process.stderr.write(`Error: no se pudo escribir la respuesta: ${explain(error)}\n`);
  process.exitCode = SALIDAS.archivo;
});

const args = process.argv.slice(2);
const [grupo = '', orden = ''] = args;
const isAnterior = ANTERIORES.has(grupo) || COMPARTIDAS[grupo]?.includes(orden) === true;
if (isAnterior) process.stderr.write(`Nota: ahora es «acuse operador ${grupo}»; así como la dio dejará de servir.\n`);

if (grupo === 'operador' || isAnterior) {
  // PostgreSQL and its libraries are loaded for the operator alone: an integrator's order starts without them.
  const { runOperador } = await import('./operador/run.ts');
  await runOperador(isAnterior ? args : args.slice(1));
} else await runCliente(args);
