// What each npm script does.
import { fileURLToPath } from 'node:url';
import { runNode } from './children.mjs';
import { asksForHelp, helpOf, helpOfAll } from './help.mjs';
import { GENERATORS, generate, prepare } from './setup.mjs';
import { runCountedVitest, runVitest } from './tests.mjs';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** Runs a program from its TypeScript source. */
const program = (source) => async (args) =>
  (await runNode(['--conditions=acuse-source', '--import', 'tsx', source, ...args], { root })).code;

/** Folders of the tests that need no server. */
const WITHOUT_SERVERS = ['packages/', 'apps/', 'test/sat/', 'test/bench/', 'test/contract/', 'test/architecture/'];

async function verify(args) {
  const steps = [
    ['format and lint', () => runNode(['node_modules/@biomejs/biome/bin/biome', 'check', '.'], { root })],
    ['types', () => runNode(['node_modules/typescript/bin/tsc', '-p', 'test/tsconfig.json'], { root })],
    ['tests', async () => ({ code: await runVitest(root, ['--tags-filter=!slow', ...WITHOUT_SERVERS, ...args]) })],
  ];
  const failed = [];
  for (const [name, run] of steps) {
    const { code, interrupted } = await run();
    if (interrupted) return code;
    if (code !== 0) failed.push(name);
  }
  console.log(failed.length === 0 ? 'verify: all clean' : `verify: failed: ${failed.join(', ')}`);
  return failed.length === 0 ? 0 : 1;
}

async function generateAll() {
  for (const generator of GENERATORS) {
    await generate(root, generator);
    console.log(`${generator.output}: generated`);
  }
  return 0;
}

/** The simulator is published as a bundle, which stands in its `dist` ready to be packed. */
const SIMULADOR = 'apps/simulador';

async function build(args) {
  const others = args.filter((arg) => arg !== SIMULADOR);
  if (args.length === 0 || others.length > 0) {
    const { code } = await runNode(['node_modules/typescript/bin/tsc', '-b', ...others], { root });
    if (code !== 0) return code;
  }
  return args.length === 0 || args.includes(SIMULADOR) ? program('packages/embedded/src/release/apps.ts')([]) : 0;
}

function runFaults(args) {
  const isDeep = args.includes('--deep');
  // Read by test/vitest.config.ts.
  if (isDeep) process.env.FAULTS_SIZES = 'deep';
  return runCountedVitest(root, {}, ['--project=faults', ...args.filter((arg) => arg !== '--deep')]);
}

const COMMANDS = {
  demo: program('packages/embedded/src/commands/demo.ts'),
  start: program('packages/embedded/src/commands/start.ts'),
  bench: program('test/bench/main.ts'),
  measure: program('test/architecture/measure.ts'),
  build,
  verify,
  test: (args) => runCountedVitest(root, { slow: false }, args),
  'test:slow': (args) => runCountedVitest(root, { slow: true }, args),
  'test:faults': runFaults,
  'test:containers': program('test/containers/main.ts'),
  'test:mutants': program('test/mutants/main.ts'),
  generate: generateAll,
  release: program('packages/embedded/src/release/main.ts'),
};

/** Their options are their own to explain. */
const SELF_EXPLAINED = ['demo', 'start'];

/** Prepares the checkout, runs the command, sets the exit code. */
export async function main([name, ...args]) {
  const command = Object.hasOwn(COMMANDS, name ?? '') ? COMMANDS[name] : undefined;
  if (!command) {
    if (asksForHelp([name])) console.log(helpOfAll());
    else {
      console.error(name === undefined ? helpOfAll() : `No existe la orden «${name}».\n\n${helpOfAll()}`);
      process.exitCode = 2;
    }
    return;
  }
  if (asksForHelp(args) && !SELF_EXPLAINED.includes(name)) {
    console.log(helpOf(name));
    return;
  }
  try {
    await prepare(root);
    process.exitCode = await command(args);
  } catch (error) {
    console.error(
      error.code === undefined
        ? error.message
        : `No se pudo preparar ${root} (${error.code}${error.path ? ` en ${error.path}` : ''}). Revise de quién es la carpeta, con qué usuario da la orden y que quede espacio en el disco.`,
    );
    process.exitCode = 1;
  }
}
