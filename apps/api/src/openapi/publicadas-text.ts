import type { OperacionPublicada } from '@acuse/contract';

const HEAD = `import type { OperacionPublicada } from './operacion-publicada.ts';

/**
 * Every operation of the API, by path. Generated from the operations themselves by \`npm run generate\`; a test compares
 * the two.
 */
export const OPERACIONES = [
`;

const TAIL = `] as const satisfies readonly OperacionPublicada[];

/** How an operation is named where it is switched off or charged for. */
export type PathOperacion = (typeof OPERACIONES)[number]['path'];
`;

const LINE_WIDTH = 120;

/** The text of packages/contract/src/operaciones.ts, formatted as the repository's formatter would. */
export function publicadasText(operaciones: readonly OperacionPublicada[]): string {
  const blocks = operaciones.map((operacion) => {
    const lines = Object.entries(operacion).map(([name, value]) => property(name, literal(value)));
    return `  {\n${lines.join('')}  },\n`;
  });
  return `${HEAD}${blocks.join('')}${TAIL}`;
}

function property(name: string, value: string): string {
  const line = `    ${name}: ${value},`;
  return `${line.length <= LINE_WIDTH ? line : `    ${name}:\n      ${value},`}\n`;
}

function literal(value: string | number): string {
  if (typeof value === 'number') return String(value);
  // Characters that a single-quoted literal cannot hold as they are, and none of our texts has, fall back to JSON's
  // escapes.
  return /['\\\n]/.test(value) ? JSON.stringify(value) : `'${value}'`;
}
