import { ESTADOS_ABIERTOS } from '@acuse/contract';
import { createContribuyentes, createLibro, createListaSolicitudes } from '@acuse/db';
import { defineRuta } from '../../http/ruta.ts';
import { PocoSaldo } from '../saldo/poco-saldo.tsx';
import { pasosOf } from './pasos.ts';
import { PrimerosPasos } from './primeros-pasos.tsx';
import { recordatoriosOf } from './recordatorios.ts';
import { Dashboard, type Inicio } from './tablero.tsx';

/** Taxpayers whose credentials are looked at for reminders. */
const MAX_RFCS = 200;
const MAX_LLAMADAS = 6;
const MAX_EN_CURSO = 10;

/**
 * Where somebody arrives who has just logged in: the way to the first download, and once there was one, how things
 * stand.
 */
export const verInicio = defineRuta({
  metodo: 'GET',
  path: '/inicio',
  acceso: 'cliente',
  async handle({ deps, usuario, now, pagina }) {
    const { database, settings } = deps;
    const { cuentaId } = usuario;
    const libro = createLibro(database);
    const solicitudes = createListaSolicitudes(database);
    const [hay, enCurso, terminadas, rfcs, movimientos, resumen] = await Promise.all([
      solicitudes.summary(cuentaId),
      solicitudes.page(cuentaId, { estados: ESTADOS_ABIERTOS }, null, MAX_EN_CURSO),
      solicitudes.page(cuentaId, { estado: 'TERMINADA' }, null, 1),
      createContribuyentes(database).list(cuentaId, { contiene: '', despues: '', limit: MAX_RFCS }),
      libro.page({ cuentaId, filtro: { tipo: 'cargo' }, limite: MAX_LLAMADAS }),
      libro.summary(cuentaId),
    ]);
    const inicio: Inicio = {
      ...hay,
      saldo: resumen?.saldo ?? 0,
      enCurso: enCurso.filas,
      terminada: terminadas.filas[0] ?? null,
    };
    const isNuevo = inicio.terminada === null;
    return pagina({
      titulo: 'Inicio',
      contenido: (
        <>
          <h1>{isNuevo ? `Le damos la bienvenida, ${usuario.nombre || usuario.email}` : 'Inicio'}</h1>
          {inicio.huboSolicitud ? (
            <PocoSaldo saldo={inicio.saldo} umbral={resumen?.umbral ?? settings.saldoAviso} />
          ) : null}
          {isNuevo ? <PrimerosPasos pasos={pasosOf(rfcs, inicio)} /> : null}
          {isNuevo && rfcs.length === 0 ? null : (
            <Dashboard
              inicio={inicio}
              rfcs={rfcs}
              movimientos={movimientos}
              recordatorios={recordatoriosOf(rfcs, now)}
              now={now}
            />
          )}
        </>
      ),
    });
  },
});
