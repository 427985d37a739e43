import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { FromWorker, Question, Questions, ToWorker, WorkerSettings } from './protocol.ts';

/** What CommonJS in a bundle of ECMAScript modules asks for. */
const COMMON_JS = `import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);
const __dirname = import.meta.dirname, __filename = import.meta.filename;`;

/** Bundles the worker into one file: the test starts many, and each would be compiled again. */
async function compile(folder: string): Promise<string> {
  const outfile = join(folder, 'worker.mjs');
  await build({
    entryPoints: [fileURLToPath(new URL('worker.ts', import.meta.url))],
    outfile,
    bundle: true,
    logLevel: 'error',
    platform: 'node',
    format: 'esm',
    target: 'node20',
    conditions: ['acuse-source'],
    external: ['pg-native'],
    banner: { js: COMMON_JS },
  });
  return outfile;
}

/** What the world answers to each question. */
export type World = {
  readonly [Q in Question]: (of: Questions[Q]['of'], worker: string) => Promise<Questions[Q]['is']>;
};

/**
 * Workers in processes of their own, which make their turns together. One that dies, by its own hand or by `killAfter`,
 * is replaced before the next turn; one that sleeps is left out of the next and woken for the one after.
 */
export async function startCrew(
  size: number,
  settingsOf: (name: string) => WorkerSettings,
  world: Omit<World, 'sleep'>,
  onError: (text: string) => void,
) {
  let [born, turns, readings, deaths] = [0, 0, 0, 0];
  const folder = await mkdtemp(join(tmpdir(), 'acuse-anio-'));
  const program = await compile(folder);
  const members = new Set<Awaited<ReturnType<typeof start>>>();

  async function start() {
    born += 1;
    const name = `anio-${born}`;
    const child: ChildProcess = fork(program, [JSON.stringify(settingsOf(name))], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    let [isIdle, isDead, questionsLeft, readingsOfTurns] = [true, false, Number.POSITIVE_INFINITY, 0];
    const asleep: number[] = [];
    let settle = () => {};
    const say = (message: ToWorker) => {
      if (child.connected) child.send(message, () => {});
    };
    const answer = async (id: number, what: Question, of: unknown) => {
      questionsLeft -= 1;
      if (questionsLeft < 0) child.kill('SIGKILL');
      else if (what === 'sleep') {
        asleep.push(id);
        settle();
      } else say({ kind: 'answer', id, is: await world[what](of as never, name) });
    };
    child.on('message', (message: FromWorker) => {
      if (message.kind === 'question')
        void answer(message.id, message.what, message.of).catch((e) => onError(String(e)));
      else if (message.kind === 'error') onError(`${name}: ${message.text}`);
      else if (message.kind === 'idle') {
        isIdle = true;
        readings += message.readings - readingsOfTurns;
        readingsOfTurns = message.readings;
        settle();
      }
    });
    child.on('exit', () => {
      isDead = true;
      settle();
    });
    const over = () =>
      new Promise<void>((resolve) => {
        settle = resolve;
        if (isIdle || isDead) resolve();
      });
    await Promise.race([once(child, 'message'), once(child, 'exit')]);
    return {
      isDead: () => isDead,
      isAsleep: () => asleep.length > 0,
      killAfter: (questions: number) => {
        questionsLeft = questions;
      },
      /** Wakes it where it sleeps, and lets it end the turn that it slept in. */
      async wake(): Promise<void> {
        for (const id of asleep.splice(0)) say({ kind: 'answer', id, is: null });
        await over();
      },
      /** Until it is idle, asleep or dead. */
      async turn(now: number): Promise<void> {
        isIdle = false;
        say({ kind: 'turn', n: turns, now });
        await over();
      },
      async stop(): Promise<void> {
        if (isDead) return;
        child.kill('SIGKILL');
        await once(child, 'exit');
      },
    };
  }

  const fill = async () => {
    for (const member of members)
      if (member.isDead()) {
        members.delete(member);
        deaths += 1;
      }
    const missing = Array.from({ length: size - members.size }, start);
    for (const member of await Promise.all(missing)) members.add(member);
  };
  await fill();
  let slept: typeof members = new Set();
  return {
    /** One turn of all who are awake, at this time. */
    async turn(now: number): Promise<void> {
      await fill();
      turns += 1;
      const sleeping = new Set([...members].filter((member) => member.isAsleep()));
      const toWake = [...sleeping].filter((member) => slept.has(member));
      slept = sleeping;
      await Promise.all(toWake.map((member) => member.wake()));
      const awake = [...members].filter((member) => !member.isAsleep() && !member.isDead());
      await Promise.all(awake.map((member) => member.turn(now)));
    },
    /** Kills one of them when it has asked so many questions more. */
    killAfter: (nth: number, questions: number) => [...members][nth % members.size]?.killAfter(questions),
    turns: () => turns,
    counts: () => ({ turns, readings, deaths }),
    async stop(): Promise<void> {
      await Promise.all([...members].map((member) => member.stop()));
      await rm(folder, { recursive: true, force: true });
    },
  };
}
