import type { CanalSat } from '../ports/sat.ts';
import type { Avance, CambioParte, ClaimedSolicitud, NuevoEvento, Parte } from '../ports/solicitudes.ts';
import { type Agenda, esperaTrasConsulta } from './agenda.ts';
import { otroCanal } from './change-channel.ts';
import type { ContextoPaso, Paso } from './paso.ts';
import { periodosDe } from './periodos.ts';

/**
 * The sealed credential that a part is asked with: its channel need not be that of its solicitud while an empty answer
 * is confirmed.
 */
export function selladaDe(solicitud: ClaimedSolicitud, { canal }: Pick<Parte, 'canal'>) {
  return canal === solicitud.canal ? solicitud.sellada : solicitud.otra;
}

/** True while a part is asked once more because the SAT said that it has no CFDI. */
export const isPorConfirmar = ({ vacias }: Pick<Parte, 'vacias'>): boolean => vacias.length > 0;

/** Both channels said that there is nothing. */
export const isConfirmada = ({ vacias }: Pick<Parte, 'vacias'>): boolean => new Set(vacias).size > 1;

/**
 * What follows from "no CFDI", which the SAT says wrongly at times: the same channel is asked once more after a while,
 * then the other one where its credential is there. The same words of both are a fact; twice those of one channel are
 * all that can be had without it.
 */
export function trasVacia({ solicitud, parte, agenda }: ContextoPaso, evento: NuevoEvento): Paso {
  const vacia = { ...parte, vacias: [...parte.vacias, parte.canal] };
  if (isConfirmada(vacia)) return conclude(vacia, [evento, { tipo: 'VACIA_CONFIRMADA' }]);
  if (vacia.vacias.length === 1) return askAgain(solicitud, vacia, agenda, evento);
  return askOther(solicitud, vacia, [evento]);
}

/** What follows when a channel that should confirm an empty answer cannot be asked. */
export function sinConfirmar(solicitud: ClaimedSolicitud, parte: Parte): Paso {
  const isFirst = parte.vacias.includes(parte.canal);
  return isFirst ? askOther(solicitud, parte, []) : conclude(parte, [{ tipo: 'VACIA_SIN_CONFIRMAR' }]);
}

function conclude({ id, vacias }: Parte, eventos: readonly NuevoEvento[]): Paso {
  return {
    avance: {
      consultado: true,
      partes: [{ parteId: id, estado: 'VACIA', vacias, registros: 0, fallos: 0 }],
      eventos,
    },
    inSeconds: 0,
  };
}

/** Asked as another request in the eyes of the SAT, which refuses equal ones. */
const anew = (parte: Parte, canal: CanalSat): CambioParte => ({
  parteId: parte.id,
  estado: 'PENDIENTE',
  canal,
  vacias: parte.vacias,
  folio: null,
  paquetes: [],
  desfase: parte.desfase + 1,
  consultas: 0,
  fallos: 0,
});

function askOther(solicitud: ClaimedSolicitud, parte: Parte, before: readonly NuevoEvento[]): Paso {
  const canal = otroCanal(parte.canal);
  if (!selladaDe(solicitud, { canal })) return conclude(parte, [...before, { tipo: 'VACIA_SIN_CONFIRMAR' }]);
  const eventos: readonly NuevoEvento[] = [...before, { tipo: 'VACIA_POR_CONFIRMAR', detalle: canal }];
  const periodos = periodosDe({ canal, tipo: solicitud.tipo, periodo: parte.periodo });
  const avance: Avance =
    periodos.length > 1
      ? { nuevas: { reemplaza: parte.id, periodos, canal, vacias: parte.vacias } }
      : { partes: [{ ...anew(parte, canal), dueInSeconds: 0 }] };
  return { avance: { consultado: true, ...avance, eventos }, inSeconds: 0 };
}

function askAgain(solicitud: ClaimedSolicitud, parte: Parte, agenda: Agenda, evento: NuevoEvento): Paso {
  const inSeconds = secondsToAgain(solicitud, parte, agenda);
  return {
    avance: {
      consultado: true,
      partes: [{ ...anew(parte, parte.canal), dueInSeconds: inSeconds }],
      eventos: [evento, { tipo: 'VACIA_POR_CONFIRMAR', detalle: parte.canal }],
    },
    inSeconds,
  };
}

/**
 * A while, by CIEC together with the next look; never more than half of what the credential and the solicitud have
 * left.
 */
function secondsToAgain(solicitud: ClaimedSolicitud, parte: Parte, agenda: Agenda): number {
  const { now, deadlineAt } = solicitud;
  const { vaciaSegundos } = agenda;
  const { canal } = parte;
  const wait =
    canal === 'portal'
      ? Math.max(vaciaSegundos, esperaTrasConsulta(agenda, { ...solicitud, canal, consultas: 0 }))
      : vaciaSegundos;
  const ends = Math.min(deadlineAt.getTime(), selladaDe(solicitud, parte)?.expiraEn.getTime() ?? now.getTime());
  return Math.max(0, Math.min(wait, (ends - now.getTime()) / 2_000));
}
