import { createCuentas } from '@acuse/db';
import { quien } from '../../../http/quien.ts';
import { MAX_MOTIVO } from './formularios.tsx';
import { renderCuenta } from './pagina.tsx';
import { defineRutaCuenta, hrefCuenta } from './ruta-cuenta.ts';

/** Suspends an account: its keys answer 1003 from their next call. */
export const suspender = defineRutaCuenta({
  metodo: 'POST',
  sub: '/suspension',
  async handle(contexto, found) {
    const { campos, deps, redirigir } = contexto;
    const motivo = (campos['motivo'] ?? '').trim();
    if (motivo === '' || motivo.length > MAX_MOTIVO)
      return renderCuenta(contexto, found, {
        'suspension.motivo': `Escriba por qué, en hasta ${MAX_MOTIVO} caracteres: el cliente lo lee en su panel.`,
      });
    const cuentaId = found.cuenta.id;
    const isDone = await createCuentas(deps.database).suspend({
      ...{ cuentaId, motivo },
      ...quien(contexto),
    });
    return redirigir(hrefCuenta(cuentaId), {
      tono: isDone ? 'exito' : 'info',
      texto: isDone
        ? 'La cuenta quedó suspendida: sus llaves responden 1003 desde su siguiente llamada.'
        : 'La cuenta ya estaba suspendida.',
    });
  },
});

/** Opens a suspended account again. */
export const reabrir = defineRutaCuenta({
  metodo: 'POST',
  sub: '/reapertura',
  async handle(contexto, { cuenta }) {
    const isDone = await createCuentas(contexto.deps.database).reopen({
      cuentaId: cuenta.id,
      ...quien(contexto),
    });
    return contexto.redirigir(hrefCuenta(cuenta.id), {
      tono: isDone ? 'exito' : 'info',
      texto: isDone
        ? 'La cuenta quedó abierta: sus llaves responden desde su siguiente llamada.'
        : 'La cuenta ya estaba abierta.',
    });
  },
});
