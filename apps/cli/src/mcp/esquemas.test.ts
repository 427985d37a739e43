import { OPERACIONES, type OperacionDelServicio } from '@acuse/sdk/operaciones';
import { describe, expect, it } from 'vitest';
import { inputOf, outputOf } from './esquemas.ts';

const operacionOf = (path: string): OperacionDelServicio => {
  const found = OPERACIONES.find((one) => one.path === path);
  if (found === undefined) throw new Error(`there is no ${path}`);
  return found;
};

describe('the schema of what a tool takes', () => {
  it('asks for the RFC only where that of the key is not known', () => {
    const facturas = operacionOf('tax/facturas');
    expect(inputOf(facturas, '').required).toEqual(['rfc', 'desde', 'hasta']);
    expect(inputOf(facturas, 'ACU200101DB1').required).toEqual(['desde', 'hasta']);
  });

  it('has the cursor of the answer before, in words of the tools', () => {
    const { properties = {} } = inputOf(operacionOf('descarga/listar'), '');
    expect(Object.keys(properties)).toEqual(['estado', 'tipo', 'desde', 'hasta', 'limite', 'cursor']);
    expect(properties['cursor']).toEqual({ type: 'string', description: expect.stringContaining('El cursor de') });
  });
});

describe('the schema of what a tool answers', () => {
  it.each(OPERACIONES.map(({ path }) => path))('of %s refuses nothing that a later service may add', (path) => {
    const text = JSON.stringify(outputOf(operacionOf(path)));
    expect(text).not.toMatch(/"(enum|const|pattern|format|minimum|maximum|required|examples|additionalProperties)":/);
  });

  it('says the type and the meaning of each field', () => {
    expect(outputOf(operacionOf('descarga/listar'))).toMatchObject({
      properties: {
        data: {
          properties: {
            items: { items: { properties: { estado: { type: 'string', description: expect.any(String) } } } },
          },
        },
        cursor: { type: ['string', 'null'] },
      },
    });
    expect(outputOf(operacionOf('usuario/datos-fiscales'))).toMatchObject({
      properties: { saldo: { type: 'integer' }, recortes: { type: 'array' } },
    });
  });
});
