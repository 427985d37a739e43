import { createAccessSnapshots } from '@acuse/db';
import { parseApiKey } from '@acuse/vault';
import { parse } from 'csv-parse/sync';
import { describe, expect, it } from 'vitest';
import { newRfc } from '../fixtures/database.ts';
import { addRfc, type Persona, usePanel, usePersona } from './fixtures/panel.ts';
import { atGate } from './fixtures/rfcs.ts';

const panel = usePanel();
const ana = usePersona(panel);

const PATH = '/rfcs/importar';
const CONFIRMAR = `${PATH}/confirmar`;
const csv = (text: string) => new File([text], 'rfcs.csv', { type: 'text/csv' });
const review = (persona: Persona, text: string, more: Record<string, string> = {}) =>
  persona.submit(PATH, PATH, { archivo: csv(text), ...more });
/** Sends the form of a reviewed file. */
async function confirm(persona: Persona, text: string) {
  const { $ } = await review(persona, text);
  const campos = Object.fromEntries(
    $(`form[action="${CONFIRMAR}"]`)
      .serializeArray()
      .map(({ name, value }) => [name, value]),
  );
  return { campos, answer: await persona.post(CONFIRMAR, campos) };
}
const countsOf = ({ cuentaId }: Persona) =>
  panel.sql`SELECT (SELECT count(*)::int FROM contribuyente WHERE cuenta_id = ${cuentaId}) AS rfcs,
    (SELECT count(*)::int FROM api_key k JOIN contribuyente c ON c.id = k.contribuyente_id WHERE c.cuenta_id = ${cuentaId}) AS llaves,
    (SELECT count(*)::int FROM conexion WHERE cuenta_id = ${cuentaId}) AS enlaces,
    (SELECT count(*)::int FROM auditoria WHERE cuenta_id = ${cuentaId}) AS cambios`;

describe('the import of a file', () => {
  it('shows the review without any change, faulty lines first', async () => {
    const before = await countsOf(ana);
    const { $, main, status } = await review(ana, `rfc,nombre\n${newRfc()},Uno\nACU200101,<b>Corto</b>\n`);
    expect([status, await countsOf(ana)]).toEqual([200, before]);
    expect(main).toContain('1 RFC recibirá su API key');
    expect($('tbody tr').first().text()).toContain('Faltan caracteres');
  });

  it.each([
    ['', 'está vacío'],
    ['nombre\nUno', 'no tiene la columna rfc'],
    ['PK\u0001\u0002', 'no es de texto'],
  ])('names the fault of %j beside the field', async (text, motivo) => {
    const { $, status } = await review(ana, text);
    expect(status).toBe(422);
    expect($('#campo-archivo-error').text()).toContain(motivo);
  });

  it('refuses a form without a file, and one whose texts cannot be shown to a taxpayer', async () => {
    expect((await ana.submit(PATH, PATH, {})).$('#campo-archivo-error').text()).toBe('Elija el archivo CSV.');
    const { $ } = await review(ana, `rfc\n${newRfc()}`, { finalidad: 'x' });
    expect($('#campo-finalidad-error').text()).toContain('al menos 2 caracteres');
  });

  it('gives the keys once, as a file that no cache keeps; the same form again changes nothing', async () => {
    const beto = await panel.registrar({ nombre: 'Contadores del Norte' });
    const { rfc: conocido } = await addRfc(panel.db, beto);
    const [uno, dos] = [newRfc(), newRfc()];
    const { campos, answer } = await confirm(
      beto,
      `rfc;correo\r\n${uno};\r\n${dos};dos@example.com\r\n${conocido};\r\n`,
    );
    expect(answer.status).toBe(200);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-disposition': 'attachment; filename="llaves.csv"',
      'cache-control': 'no-store',
      'content-type': expect.stringContaining('text/csv'),
    });
    const rows = parse(answer.text, { columns: true }) as { rfc: string; api_key: string; enlace: string }[];
    expect(rows.map(({ rfc }) => rfc).sort()).toEqual([uno, dos, conocido].sort());
    for (const { rfc, api_key } of rows) {
      expect(await atGate(api_key, panel.db, panel.deps.hasher)).toMatchObject({ estado: 'ACTIVA', access: { rfc } });
      const access = await createAccessSnapshots(panel.db).load(parseApiKey(api_key)?.keyId ?? '');
      expect(access?.cuentaId).toBe(beto.cuentaId);
    }
    expect(rows.find(({ rfc }) => rfc === dos)?.enlace).toMatch(/\/conectar#[\w-]{43}$/);
    expect(rows.find(({ rfc }) => rfc === uno)?.enlace).toBe('');

    const before = await countsOf(beto);
    const again = await beto.post(CONFIRMAR, campos);
    expect([again.status, again.location]).toEqual([303, '/rfcs']);
    expect(await countsOf(beto)).toEqual(before);
    expect((await review(beto, `rfc\n${uno}`)).main).toContain('0 RFC recibirán su API key');
  });

  it('mails links under a confirmed address alone, and no more than 200 in a day', async () => {
    const mailing = await panel.another({ env: { CORREO_DE: 'avisos@acuse.example' } });
    const eva = await mailing.registrar();
    const confirmed = () =>
      panel.sql`UPDATE usuario SET correo_verificado_en = now(), correo_exigido = false WHERE id = ${eva.usuarioId}`;
    await confirmed();
    const lines = Array.from({ length: 201 }, (_, n) => `${newRfc()},c${n}@example.com`);
    const { answer } = await confirm(eva, `rfc,correo\n${lines.join('\n')}`);
    const rows = parse(answer.text, { columns: true }) as { enlace: string }[];
    expect(rows.filter(({ enlace }) => enlace !== '')).toHaveLength(1);
    expect(
      await panel.sql`SELECT FROM correo WHERE tipo = 'conexion.enlace' AND usuario_id = ${eva.usuarioId}`,
    ).toHaveLength(200);
  });

  // The last one: the connection ends with the refusal.
  it('takes no file beyond its limit', async () => {
    expect((await review(ana, `rfc\n${' '.repeat(2_200_000)}`)).status).toBe(413);
  });
});
