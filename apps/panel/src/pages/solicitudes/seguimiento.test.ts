import type { AvanceSolicitud } from '@acuse/db';
import { silentLogger } from '@acuse/runtime';
import { afterEach, expect, test, vi } from 'vitest';
import { createSeguimiento, type LimitesSeguimiento, type Seguimiento } from './seguimiento.ts';

const ID = '01936f5e-7c3a-7b1e-8f00-2a4b6c8d0e1f';
const AVANCE: AvanceSolicitud = {
  id: ID,
  estado: 'EN_PROCESO',
  fase: 'DESCARGA',
  progreso: 0.1,
  intentos: 1,
  registros: null,
  ultimaConsulta: null,
  proximaConsulta: new Date(0),
  terminadaEn: null,
  partes: { unidad: 'parte', total: 1, listas: 0 },
  xmlCopiados: null,
  completoHacia: null,
  ultimoEvento: null,
};
const FIN: AvanceSolicitud = {
  ...AVANCE,
  estado: 'TERMINADA',
  progreso: 1,
  proximaConsulta: null,
  terminadaEn: new Date(1),
};

const closers: AbortController[] = [];
afterEach(() => {
  for (const controller of closers.splice(0)) controller.abort();
});

/** Waits for what comes in the hub's own time, however busy the machine is. */
const until = (isTrue: () => boolean) => vi.waitUntil(isTrue, { interval: 1, timeout: 25_000 });

/** A hub over a world that the test moves. */
function world(limites: Partial<LimitesSeguimiento> = {}) {
  const apagado = new AbortController();
  closers.push(apagado);
  const state = {
    avances: [AVANCE] as AvanceSolicitud[],
    vivas: new Set(['s1', 's2']),
    looks: [] as string[][],
    away: false,
  };
  const hub = createSeguimiento({
    watch: async (ids) => {
      state.looks.push([...ids]);
      if (state.away) throw new Error('away');
      return state.avances;
    },
    liveSessions: async () => state.vivas,
    apagado: apagado.signal,
    log: silentLogger,
    limites: { cadaMs: 5, ...limites },
  });
  return { hub, state, apagado };
}

/** Reads a stream into messages as they come. */
function reader(stream: ReadableStream<Uint8Array> | null) {
  if (!stream) throw new Error('refused');
  const messages: string[] = [];
  const source = stream.getReader();
  const done = (async () => {
    for (;;) {
      const { value, done: isOver } = await source.read();
      if (isOver) return;
      messages.push(new TextDecoder().decode(value));
    }
  })();
  return { messages, done, cancel: () => source.cancel() };
}

const open = (hub: Seguimiento, sesionId = 's1', visto: string | null = null) =>
  hub.open({ solicitudId: ID, sesionId, visto });

test('tells where it is at once, then each change once, then the end, and closes', async () => {
  const { hub, state } = world();
  const { messages, done } = reader(open(hub));
  await until(() => messages.length === 2);
  expect(messages[0]).toBe('retry: 2000\n\n');
  expect(messages[1]).toMatch(/^id: EN_PROCESO\.[^\n]+\nevent: avance\ndata: \{[^\n]+\}\n\n$/);
  const looks = state.looks.length;
  await until(() => state.looks.length > looks + 3);
  expect(messages).toHaveLength(2);
  state.avances = [{ ...AVANCE, progreso: 0.5 }];
  await until(() => messages.length === 3);
  expect(JSON.parse(/data: (.+)/.exec(messages[2] ?? '')?.[1] ?? '')).toMatchObject({
    porcentaje: 50,
    palabra: 'EN_PROCESO',
  });
  state.avances = [FIN];
  await done;
  expect(messages.at(-1)).toMatch(/^id: fin\nevent: fin\ndata: /);
  expect(hub.abiertos).toBe(0);
});

test('gives a browser that comes back nothing that it has, and everything that it has not', async () => {
  const { hub, state } = world();
  const first = reader(open(hub));
  await until(() => first.messages.length === 2);
  const seen = /^id: (.+)/.exec(first.messages[1] ?? '')?.[1] ?? '';
  await first.cancel();
  const again = reader(open(hub, 's1', seen));
  const looks = state.looks.length;
  await until(() => state.looks.length > looks + 2);
  expect(again.messages).toEqual(['retry: 2000\n\n']);
  await again.cancel();
  state.avances = [FIN];
  const late = reader(open(hub, 's1', seen));
  await late.done;
  expect(late.messages.at(-1)).toContain('event: fin');
});

test('looks once for all browsers, and not at all when there are none', async () => {
  vi.useFakeTimers();
  try {
    const { hub, state } = world({ cadaMs: 1_000, porSesion: 10 });
    const all = Array.from({ length: 10 }, (_, n) => reader(open(hub, n < 5 ? 's1' : 's2')));
    await vi.advanceTimersByTimeAsync(500);
    expect(all.map(({ messages }) => messages.length)).toEqual(all.map(() => 2));
    expect(state.looks).toEqual([[ID]]);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(state.looks).toHaveLength(6);
    await Promise.all(all.map(({ cancel }) => cancel()));
    await vi.advanceTimersByTimeAsync(5_000);
    expect(state.looks).toHaveLength(7);
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});

test('ends every stream when the process stops, and opens none any more', async () => {
  const { hub, apagado } = world();
  const [a, b] = [reader(open(hub)), reader(open(hub, 's2'))];
  apagado.abort();
  await Promise.all([a.done, b.done]);
  expect(open(hub)).toBeNull();
});

test('ends the stream of a solicitud that is gone', async () => {
  const { hub, state } = world();
  const { done } = reader(open(hub));
  state.avances = [];
  await done;
});

test('has a limit for a session and one for the process; closed streams do not count', async () => {
  const { hub } = world({ porSesion: 2, enTotal: 3 });
  const mine = [reader(open(hub)), reader(open(hub))];
  expect(open(hub)).toBeNull();
  reader(open(hub, 's2'));
  expect(open(hub, 's2')).toBeNull();
  await mine[0]?.cancel();
  expect(open(hub)).not.toBeNull();
});

test('says something now and then, also while the database is away, and goes on when it is back', async () => {
  const { hub, state } = world({ heartbeatMs: 1 });
  const { messages, done } = reader(open(hub));
  await until(() => messages.filter((message) => message === ': latido\n\n').length > 2);
  state.away = true;
  const beats = messages.length;
  await until(() => messages.length > beats + 3);
  state.away = false;
  state.avances = [FIN];
  await done;
  expect(messages.at(-1)).toContain('event: fin');
});

test('keeps little for a browser that does not read, but never loses the end', async () => {
  const { hub, state } = world({ cadaMs: 1, heartbeatMs: 1 });
  const stream = open(hub);
  if (!stream) throw new Error('refused');
  for (let n = 0; n < 50; n++) {
    const looks = state.looks.length;
    state.avances = [{ ...AVANCE, intentos: n + 2 }];
    await until(() => state.looks.length > looks + 1);
  }
  state.avances = [FIN];
  const { messages, done } = reader(stream);
  await done;
  expect(messages.length).toBeLessThan(15);
  expect(messages.at(-1)).toContain('event: fin');
});
