import { spawn } from 'node:child_process';
import { once } from 'node:events';

export type Env = Readonly<Record<string, string>>;

/** Once aborted, it ends what runs. */
export const interruption = new AbortController();

/** Runs a program and gives its output. @throws Error with the end of what it wrote when it fails. */
export async function run(program: string, args: readonly string[], env: Env = {}): Promise<string> {
  const { signal } = interruption;
  const child = spawn(program, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'], signal });
  let [output, written] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk;
  });
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      written += chunk;
    });
  const [code, reason] = await once(child, 'close');
  if (code !== 0)
    throw new Error(`${program} ${args.slice(0, 3).join(' ')} ended with ${code ?? reason}:\n${written.slice(-3_000)}`);
  return output;
}

/** Whether a program ends well; false also where there is none of that name. */
export const succeeds = (program: string, args: readonly string[], env: Env = {}): Promise<boolean> =>
  run(program, args, env).then(
    () => true,
    () => false,
  );
