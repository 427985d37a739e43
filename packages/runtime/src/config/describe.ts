import type * as z from 'zod';
import { fieldDefault, fieldMeta, isOptional } from './field-meta.ts';

/** One variable as the documentation shows it. */
export interface ConfigEntry {
  readonly name: string;
  readonly description: string;
  readonly required: boolean;
  readonly secret: boolean;
  /** The default as it would be written in the environment, or null. */
  readonly default: string | null;
}

/** The variables of a schema, in the schema's order. */
export function describeConfig(schema: z.ZodObject<z.ZodRawShape>): readonly ConfigEntry[] {
  return Object.entries(schema.shape).map(([name, field]) => {
    const { description, secret = false } = fieldMeta(field);
    const value = fieldDefault(field);
    return {
      name,
      description,
      secret,
      required: !isOptional(field),
      default: value === undefined ? null : asVariable(name, value),
    };
  });
}

/**
 * The lines of an `.env.example` for some variables: required ones bare, the others commented out with their default.
 */
export function envExample(entries: readonly ConfigEntry[]): string {
  return entries
    .map((entry) => {
      const notes = [
        entry.required ? 'Obligatoria.' : 'Opcional.',
        entry.secret ? `Secreta: también se lee del archivo que indique ${entry.name}_FILE.` : '',
      ];
      const line = `${entry.name}=${entry.default ?? ''}`;
      return [
        ...entry.description.split('\n').map((part) => `# ${part}`),
        `# ${notes.filter((note) => note !== '').join(' ')}`,
        entry.required ? line : `#${line}`,
        '',
      ].join('\n');
    })
    .join('\n');
}

/** @throws TypeError for a default that no text of the environment would give. */
function asVariable(name: string, value: unknown): string {
  const items = Array.isArray(value) ? value : [value];
  if (items.some((item) => typeof item === 'object'))
    throw new TypeError(`The default of ${name} is no text: write it as .prefault('…'), as it is in the environment`);
  return items.join(',');
}
