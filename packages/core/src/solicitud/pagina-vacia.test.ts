import { expect, it } from 'vitest';
import { SatError } from '../sat-error.ts';
import { claimed, parte, step } from './testing/un-paso.ts';

it('a solicitud ends after a day of pages without a text, one after the other', async () => {
  const empty = () => new SatError('SERVICIO_CON_ERROR', { codigo: 'PAGINA_VACIA' });
  const at = (fallos: number) => claimed({ canal: 'portal', partes: [parte({ canal: 'portal', fallos })] });
  expect((await step(at(49), { 'solicitar-metadata': empty() })).name).toBe('release');
  const result = await step(at(50), { 'solicitar-metadata': empty() });
  expect([result.name, result.first]).toEqual([
    'fail',
    { estado: 'ERROR', motivo: 'SERVICIO_CON_ERROR', codigo: 'PAGINA_VACIA' },
  ]);
  const other = { 'solicitar-metadata': new SatError('SERVICIO_CON_ERROR', { codigo: 'HTTP 503' }) };
  expect((await step(at(50), other)).name).toBe('release');
});
