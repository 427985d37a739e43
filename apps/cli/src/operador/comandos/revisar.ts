import type { Mark } from '@acuse/roles/finding';
import { integerArgument } from '@acuse/roles/operator';
import { type Command, Option } from 'commander';

/** What of the operator's environment and clock is looked at. */
export interface ReviewDeps {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly now: () => number;
  readonly print: (line: string) => void;
  /** Ends the order with this code of the system. */
  readonly exitWith: (code: number) => void;
}

const PROCESSES = ['api', 'worker', 'panel'] as const;
const SIGNS: Readonly<Record<Mark, string>> = { bien: '✓', aviso: '!', falla: '✗', omitida: '–' };
const SECONDS = 10;
/** 1 is every order that could not be carried out. */
const EXIT = { falla: 2, aviso: 3 } as const;

interface Options {
  readonly proceso?: readonly (typeof PROCESSES)[number][];
  readonly segundos: number;
  readonly json?: boolean;
}

/** Looks at an installation before it goes live, and whenever something is odd. */
export function addRevisar(program: Command, { env, now, print, exitWith }: ReviewDeps): void {
  program
    .command('revisar')
    .description(
      'Revisa la instalación desde esta máquina, con los ajustes de su ambiente: ajustes, secretos, base de datos, migraciones, cola, almacén, autoridades de e.firma, captchas, cada servidor del SAT y relojes. Dice qué está mal y qué hacer. Termina con 0 si todo está bien, 3 si solo hay avisos y 2 si hay fallas.',
    )
    .addOption(
      new Option(
        '--proceso <proceso...>',
        'de quién son los ajustes de esta máquina; si no se da, se deduce de ellos',
      ).choices(PROCESSES),
    )
    .option('--segundos <n>', 'lo más que se espera a cada servidor', integerArgument, SECONDS)
    .option('--json', 'una línea de JSON por revisión')
    .action(async ({ proceso = [], segundos, json = false }: Options) => {
      // What it looks at is of every process: the other orders start without it.
      const [{ review }, { readInstallation }] = await Promise.all([
        import('../revisar/review.ts'),
        import('../revisar/environment.ts'),
      ]);
      const found = await review(readInstallation(env, proceso), { now, timeoutMs: Math.max(segundos, 1) * 1_000 });
      for (const { check, mark, seen, remedy } of found)
        print(
          json
            ? JSON.stringify({ revision: check, resultado: mark, que: seen, remedio: remedy })
            : `${SIGNS[mark]} ${check}: ${seen}.${remedy === null ? '' : ` ${remedy}`}`,
        );
      const count = (mark: Mark) => found.filter((each) => each.mark === mark).length;
      if (!json) print(`${count('bien')} bien, ${count('aviso')} con aviso, ${count('falla')} con falla.`);
      const worst = (['falla', 'aviso'] as const).find((mark) => count(mark) > 0);
      if (worst !== undefined) exitWith(EXIT[worst]);
    });
}
