import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { entrar, type Panel, startPanel } from './fixtures/panel.ts';

let panel: Panel;
beforeAll(async () => {
  panel = await startPanel();
});
afterAll(() => panel.close());

describe('sign-up and log-in', () => {
  it('signs somebody up, logs out, and logs in again', async () => {
    const ana = await panel.registrar({ nombre: 'Ana' });
    const cookie = [...ana.cookies.values()][0];
    expect((await ana.get('/entrar')).location).toBe('/inicio');
    expect((await ana.enviar('/no-existe', '/salir')).location).toBe('/entrar');
    expect([...ana.cookies.values()][0]).not.toBe(cookie);
    const page = await ana.get('/entrar');
    expect(page.status).toBe(200);
    expect(page.text).toContain('Salió del panel.');
    expect((await ana.get('/entrar')).text).not.toContain('Salió del panel.');
    await entrar(ana, ana.email.toUpperCase(), ana.password);
    expect((await ana.get('/entrar')).location).toBe('/inicio');
  });
});
