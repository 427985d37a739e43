import { execFileSync, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** One command of a document, pasted as a whole. */
export interface Orden {
  readonly document: string;
  readonly text: string;
}

/** What a shell gave for a command. */
export interface Resultado {
  readonly code: number;
  readonly output: string;
}

/** All documents of the repository that people read. */
export const documents = (): string[] =>
  execFileSync('git', ['ls-files', '*.md'], { cwd: ROOT, encoding: 'utf8' }).trim().split('\n');

export const textOf = (document: string): string => readFileSync(`${ROOT}${document}`, 'utf8');

/** The fenced blocks of a document. */
export function blocksOf(document: string): { readonly language: string; readonly text: string }[] {
  return [...textOf(document).matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map(([, language = '', text = '']) => ({
    language,
    text,
  }));
}

/** The commands of the shell blocks of a document, in order. A line that ends with a backslash goes on. */
export function ordenesOf(document: string): Orden[] {
  return blocksOf(document).flatMap(({ language, text }) => {
    if (language !== 'sh') return [];
    const lines = text.replace(/\\\n\s*/g, ' ').split('\n');
    return lines
      .filter((line) => line.trim() !== '' && !line.startsWith('#'))
      .map((command) => ({ document, text: command }));
  });
}

/**
 * A bash that stays, so that a command sees what the ones before it set. `curl` fails with an answer that is an error.
 */
export function openShell(env: NodeJS.ProcessEnv) {
  const shell = spawn('bash', ['--norc', '--noprofile'], { cwd: ROOT, env, stdio: ['pipe', 'pipe', 'pipe'] });
  let output = '';
  let wake = () => {};
  for (const stream of [shell.stdout, shell.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
      wake();
    });
  shell.once('close', () => wake());

  return {
    async run(command: string): Promise<Resultado> {
      const mark = `@@${Math.random()}@@`;
      output = '';
      shell.stdin.write(`${command}\nprintf '\\n%s %s\\n' '${mark}' "$?"\n`);
      for (;;) {
        const [, before, code] = new RegExp(`^([\\s\\S]*)\\n${mark} (\\d+)\\n`).exec(output) ?? [];
        if (before !== undefined) return { code: Number(code), output: before };
        if (shell.exitCode !== null) throw new Error(`the shell ended at: ${command}\n${output}`);
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
    close: () => shell.kill('SIGKILL'),
  };
}
