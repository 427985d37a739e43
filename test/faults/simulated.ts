import { Readable } from 'node:stream';
import {
  type AdvanceDeps,
  type Avance,
  advanceSolicitud,
  assembleSolicitud,
  type CanalSat,
  type ClaimedSolicitud,
  type Claims,
  changed,
  type NombrePaso,
  newParte,
  noCheckpoint,
  PaqueteSatInvalido,
  type Paquetes,
  type Parte,
  type QueueName,
  type Sat,
  SatError,
  StaleEpoch,
  toSeconds,
} from '@acuse/core';
import { createRandom } from './random.ts';
import { AGENDA, CLAIMED, COPIES, CUOTAS, DEADLINE, HOUR, NO_XML, START, sealed } from './simulated-facts.ts';

const LEASE = 60_000;
/** Rows that the simulated SAT gives in one request, and in one package. */
const [MAX_ROWS, PACKAGE] = [4, 2];
/** Ports are called this often before a simulation counts as endless. */
const ENDLESS = 20_000;
const signal = new AbortController().signal;

type Fin = 'TERMINADA' | 'ERROR' | 'RECHAZADA' | 'VENCIDA' | 'CANCELADA' | 'ESPERA_EFIRMA';
type Objeto = { rows: readonly string[]; isBroken: boolean };

/**
 * One solicitud from its acceptance to its end in a world that follows from a seed. Its clock, database, storage and
 * SAT are simulated, and each call waits until the world lets it go on. Workers die between any two calls, calls fail
 * before or after their effect, claims expire during a sleep, wake-ups come twice and late. The core is the real one.
 */
export async function simulate(seed: number) {
  const azar = createRandom(seed);
  /** How hostile this world is, in faults per thousand calls; one in eight is not at all. */
  const hostility = azar.below(8) === 0 ? 0 : azar.below(150);
  const strikes = () => azar.below(1_000) < hostility;
  /** A SAT that wrongly answers that a period is empty. */
  const isLiar = hostility > 0 && azar.below(8) === 0;
  let now = START;
  let calls = 0;

  // The truth: one row in some seconds of three days.
  const desde = '2025-04-29';
  const hasta = '2025-05-01';
  const truth = [...new Set(Array.from({ length: azar.below(9) }, () => azar.below(3 * 24 * 60) * 60))]
    .sort((one, other) => one - other)
    .map((second) => new Date((toSeconds(`${desde}T00:00:00`) + second) * 1_000).toISOString().slice(0, 19));
  const rowsOf = ({ inicio, fin }: { inicio: string; fin: string }) => truth.filter((at) => at >= inicio && at <= fin);

  // The world's scheduler: waiting calls, and workers that die at their next call.
  const waiting: { worker: number; go: () => void }[] = [];
  let onIdle: () => void = () => {};
  let [running, workers] = [0, 0];
  const settle = () => {
    running -= 1;
    if (running === 0) onIdle();
  };
  /** A call to a port: waits, then works; may fail before the work, or after it without an answer. */
  async function port<T>(worker: number, work: () => T, failure: () => Error): Promise<T> {
    calls += 1;
    await new Promise<void>((go) => {
      waiting.push({ worker, go });
      settle();
    });
    if (strikes()) throw failure();
    const done = work();
    if (strikes()) throw failure();
    return done;
  }
  const down = () => new Error('down');
  /** Lets something run until everybody stands still again. */
  const letRun = (start: () => void): Promise<void> =>
    new Promise((idle) => {
      onIdle = idle;
      running += 1;
      start();
    });

  // The database.
  let [canal, canalDejado]: [CanalSat, CanalSat | null] = [azar.pick(['soap', 'portal']), null];
  let [estado, fase, epoch, gen, leaseUntil]: ['EN_PROCESO' | Fin, ClaimedSolicitud['fase'], number, number, number] = [
    'EN_PROCESO',
    'DESCARGA',
    0,
    1,
    0,
  ];
  let nextWake: { queue: QueueName; at: number } = { queue: 'descargas', at: START };
  let partes: Parte[] = [];
  let [ids, intents, refunds, ends] = [0, 0, 0, 0];
  let motivo: string | null = null;
  let result: readonly string[] | null = null;
  const isOpen = () => estado === 'EN_PROCESO';
  const present = () => {
    const queue: QueueName = fase === 'ENSAMBLE' ? 'ensambles' : 'descargas';
    return { estado, motivo, queue };
  };
  const end = (as: Fin, why: string | null = null) => {
    estado = as;
    motivo = why;
    leaseUntil = 0;
    gen += 1;
    ends += 1;
    if (as !== 'TERMINADA' && as !== 'ESPERA_EFIRMA') refunds += 1;
  };
  const write = ({ partes: cambios = [], nuevas }: Avance) => {
    for (const cambio of cambios) {
      if (cambio.estado === 'SOLICITANDO' && partes.some(({ id }) => id === cambio.parteId)) intents += 1;
      partes = partes.map((parte) => (parte.id === cambio.parteId ? changed(parte, cambio, new Date(now)) : parte));
    }
    if (!nuevas) return;
    partes = partes.filter(({ id }) => id !== nuevas.reemplaza);
    const { pedida } = nuevas;
    if (pedida) intents += 1;
    for (const periodo of nuevas.periodos) {
      ids += 1;
      const { parteId: id = `p${ids}`, estado = 'PENDIENTE', desfase = 0, envios = 0 } = pedida ?? {};
      const { canal: own = canal, vacias = [] } = nuevas;
      const parte = newParte({ canal: own, now: new Date(now) }, periodo);
      partes.push({ ...parte, id, vacias, estado, desfase, envios });
    }
    partes.sort((one, other) => (one.periodo.inicio < other.periodo.inicio ? -1 : 1));
  };
  const [hasBoth, assembles] = [azar.below(2) === 0, azar.below(2) === 0];
  const isRefused: Record<CanalSat, boolean> = { soap: false, portal: false };
  const view = (): ClaimedSolicitud => ({
    ...CLAIMED,
    desde,
    hasta,
    now: new Date(now),
    canal,
    canalDejado,
    fase,
    epoch,
    dueAt: new Date(now),
    claim: { at: new Date(now), eventos: [] },
    partes: partes.map((parte) => ({ ...parte })),
    isCredencialRechazada: isRefused[canal],
    sellada: sealed(canal),
    otra:
      hasBoth && !isRefused[canal === 'soap' ? 'portal' : 'soap'] ? sealed(canal === 'soap' ? 'portal' : 'soap') : null,
  });
  const claimsOf = (worker: number): Claims => {
    const fenced = <T>(held: ClaimedSolicitud, work: () => T): Promise<T> =>
      port(
        worker,
        () => {
          if (!isOpen() || held.epoch !== epoch) throw new StaleEpoch(held.id, held.epoch);
          return work();
        },
        down,
      );
    const release: Claims['release'] = (held, avance, { queue, inSeconds }) =>
      fenced(held, () => {
        write(avance);
        leaseUntil = 0;
        epoch += 1;
        gen += 1;
        fase = queue === 'ensambles' ? 'ENSAMBLE' : 'DESCARGA';
        nextWake = { queue, at: now + inSeconds * 1_000 };
      });
    return {
      claim: (input) =>
        port(
          worker,
          () => {
            const isPhase = (input.queue === 'ensambles') === (fase === 'ENSAMBLE');
            if (!isOpen() || input.gen !== gen || !isPhase || leaseUntil > now) return null;
            epoch += 1;
            leaseUntil = now + LEASE;
            return view();
          },
          down,
        ),
      save: (held, avance) => fenced(held, () => write(avance)),
      goOn: (held, avance) =>
        fenced(held, () => {
          write(avance);
          return view();
        }),
      release,
      extend: (held) =>
        fenced(held, () => {
          leaseUntil = now + LEASE;
        }),
      awaitEfirma: (held) => fenced(held, () => end('ESPERA_EFIRMA')),
      finish: (held, { registros, confianza }, unwritten) =>
        fenced(held, () => {
          if (unwritten) write(unwritten);
          end('TERMINADA');
          if (registros === 0 && confianza === 'sin_confirmar') refunds += 1;
          return false;
        }),
      fail: (held, fin) => fenced(held, () => end(fin.estado, fin.motivo)),
      changeChannel: (held, avance, { mayReturn }) =>
        fenced(held, () => {
          if (mayReturn) canalDejado = canal;
          canal = canal === 'soap' ? 'portal' : 'soap';
          partes = [];
          write(avance);
          leaseUntil = 0;
          epoch += 1;
          gen += 1;
          nextWake = { queue: 'descargas', at: now };
        }),
      markRefused: (_held, of) =>
        port(
          worker,
          () => {
            isRefused[of] = true;
          },
          down,
        ),
    };
  };

  // The SAT. By SOAP an equal request is refused; a package is given twice.
  const folios = new Map<string, { rows: readonly string[]; looks: number; given: number[] }>();
  const equals = new Set<string>();
  let [sends, broken] = [0, 0];
  const failures = ['NO_RESPONDE', 'TIEMPO_AGOTADO', 'RESPUESTA_ILEGIBLE', 'SERVICIO_CON_ERROR', 'OCUPADO'] as const;
  const silent = () => {
    const motivo = azar.pick(failures);
    return new SatError(motivo, motivo === 'OCUPADO' ? { esperaMs: 5_000 } : {});
  };
  const satOf = (worker: number): Sat<NombrePaso> => ({
    send: (async (consulta: Parameters<Sat['send']>[0], credencial: { tipo: string }) =>
      port(
        worker,
        () => {
          const isSoap = credencial.tipo === 'efirma';
          if (consulta.consulta === 'solicitar-metadata') {
            sends += 1;
            const { inicio, fin } = consulta.periodo;
            const key = `${inicio}/${fin}`;
            if (isSoap && equals.has(key)) return { resultado: 'REPETIDA', codigo: '5005', mensaje: 'igual' };
            const rows = isLiar && azar.below(3) === 0 ? [] : rowsOf(consulta.periodo);
            if (rows.length > MAX_ROWS) return { resultado: 'DEMASIADOS' };
            if (!isSoap && rows.length === 0) return { resultado: 'VACIA' };
            equals.add(key);
            const folio = `f${folios.size}`;
            folios.set(folio, { rows, looks: azar.below(6), given: [] });
            return { resultado: 'ACEPTADA', folio };
          }
          const found = folios.get('folio' in consulta ? String(consulta.folio) : '');
          if (!found) throw new Error('an unknown folio was asked for');
          const { rows, given } = found;
          if (consulta.consulta === 'verificar-metadata') {
            found.looks -= 1;
            if (found.looks >= 0) return { resultado: 'EN_PROCESO' };
            if (strikes())
              return { resultado: azar.pick(['ERROR', 'VENCIDA', 'RECHAZADA']), codigo: '404', mensaje: 'm' };
            if (rows.length === 0) return { resultado: 'VACIA' };
            const paquetes = Array.from(
              { length: Math.ceil(rows.length / PACKAGE) },
              (_, n) => `${consulta.folio}_${n}`,
            );
            return { resultado: 'TERMINADA', paquetes, registros: rows.length };
          }
          const n = Number(String((consulta as { paquete: string }).paquete).split('_')[1]);
          given[n] = (given[n] ?? 0) + 1;
          if (isSoap && given[n] > 2) return { resultado: 'AGOTADO', codigo: '5008', mensaje: 'm' };
          const isBroken = strikes();
          if (isBroken) broken += 1;
          const zip = Object.assign(new Readable({ read() {} }), {
            objeto: { rows: rows.slice(n * PACKAGE, (n + 1) * PACKAGE), isBroken },
          });
          return { resultado: 'PAQUETE', zip };
        },
        silent,
      )) as never,
  });

  // Storage.
  const objects = new Map<string, Objeto>();
  const stored = (objectKey: string) => ({ objectKey, bytes: 1, sha256: objectKey });
  const keyOf = ({ parteId, paquete }: { parteId: string; paquete: string }) => `${parteId}/${paquete}`;
  const paquetesOf = (worker: number): AdvanceDeps['paquetes'] & Pick<Paquetes, 'assemble' | 'remove'> => ({
    saveSat: (origen, zip) =>
      port(
        worker,
        () => {
          objects.set(keyOf(origen), (zip as Readable & { objeto: Objeto }).objeto);
          return stored(keyOf(origen));
        },
        down,
      ),
    ...NO_XML,
    findSat: (origen) => port(worker, () => (objects.has(keyOf(origen)) ? stored(keyOf(origen)) : null), down),
    ping: () => port(worker, () => {}, down),
    assemble: (plan) =>
      port(
        worker,
        () => {
          const rows = plan.partes.flatMap(({ paquetes, periodo, recortar }) =>
            paquetes.flatMap(({ objectKey }) => {
              if (strikes()) objects.delete(objectKey);
              const object = objects.get(objectKey);
              if (!object || object.isBroken) throw new PaqueteSatInvalido(object ? 'CRC' : 'AUSENTE', objectKey, 'm');
              return object.rows.filter((at) => !recortar || (at >= periodo.inicio && at <= periodo.fin));
            }),
          );
          result = rows;
          const isSure = plan.partes.every((parte) => parte.paquetes.length > 0 || parte.confirmada);
          const confianza = rows.length > 0 || isSure ? 'confirmado' : 'sin_confirmar';
          const resumen = { porEfecto: {}, porMes: {}, cancelados: 0 };
          return { ...stored('paquete.zip'), registros: rows.length, confianza, resumen, notas: {} };
        },
        down,
      ),
    remove: () => port(worker, () => {}, down),
  });

  /** A worker that answers a wake-up, as that of the process does. */
  async function answer(worker: number, { queue, of }: { queue: QueueName; of: number }): Promise<void> {
    const claims = claimsOf(worker);
    try {
      const claimed = await claims.claim({ solicitudId: 's', gen: of, queue, leaseSeconds: LEASE / 1_000 });
      if (!claimed) return;
      const deps = { claims, paquetes: paquetesOf(worker), cuotas: CUOTAS, checkpoint: noCheckpoint, observe: [] };
      try {
        if (queue === 'ensambles') await assembleSolicitud(deps, claimed, signal);
        else {
          const assembly = assembles ? deps : undefined;
          const own = { ...deps, assembly, sat: satOf(worker), agenda: AGENDA, sources: [COPIES] };
          await advanceSolicitud(own, claimed, signal);
        }
      } catch (error) {
        if (!(error instanceof StaleEpoch)) await claims.release(claimed, {}, { queue, inSeconds: 15 });
      }
    } catch {
      // The claim lapses, or there was none: it is woken again.
    }
  }
  const startWorker = (queue: QueueName, of: number) => {
    workers += 1;
    const worker = workers;
    return letRun(() => void answer(worker, { queue, of }).finally(settle));
  };

  // The world, until the end and a while longer, so that sleepers may try to spoil it.
  let after = 0;
  while (isOpen() || (waiting.length > 0 && after < 200)) {
    if (!isOpen()) after += 1;
    if (calls > ENDLESS) throw new Error(`seed ${seed} does not end`);
    const roll = azar.below(1_000);
    if (isOpen() && now >= DEADLINE) end('VENCIDA', 'PLAZO_AGOTADO');
    else if (isOpen() && roll < hostility / 200) end('CANCELADA');
    else if (waiting.length > 0 && roll < hostility) {
      // The chosen worker dies here.
      waiting.splice(azar.below(waiting.length), 1);
    } else if (waiting.length > 0 && (roll < 950 || !isOpen())) {
      const [one] = waiting.splice(azar.below(waiting.length), 1);
      if (one) await letRun(one.go);
    } else if (isOpen() && roll >= 1_000 - hostility / 4) {
      // A wake-up too many, at times one that is long over.
      await startWorker(nextWake.queue, gen - azar.below(3));
    } else if (isOpen()) {
      const isHeld = leaseUntil > now;
      // Without a worker time passes until the wake-up, or until the claim of the dead or sleeping one expires.
      if (waiting.length === 0 || hostility > 0)
        now = Math.max(now, isHeld ? leaseUntil : nextWake.at) + azar.below(2_000);
      if (leaseUntil <= now && nextWake.at <= now) {
        if (leaseUntil > 0) {
          leaseUntil = 0;
          gen += 1;
        }
        await startWorker(present().queue, gen);
      }
    }
  }

  return {
    ...present(),
    seed,
    ends,
    refunds,
    sends,
    intents,
    broken,
    isLiar,
    isHostile: hostility > 0,
    result: [...(result ?? [])] as string[],
    truth,
    hours: (now - START) / HOUR,
    given: [...folios.values()].flatMap((folio) => folio.given),
  };
}
