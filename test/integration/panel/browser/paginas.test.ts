import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { periodosDe } from '@acuse/page/periodos';
import { createRiesgo } from '@acuse/riesgo/db';
import { createAlmacenes, createSincronizaciones } from '@acuse/sincronizacion/db';
import { createWebhooks } from '@acuse/webhooks/db';
import { describe, expect, it } from 'vitest';
import { RUTAS } from '../../../../apps/panel/src/rutas.ts';
import { csvOf } from '../../almacen/csv.ts';
import { publish } from '../../almacen/listar.ts';
import { comunicadosOf } from '../../consultas/verdad.ts';
import { newRfc } from '../../fixtures/database.ts';
import { askFor } from '../../fixtures/pedidos.ts';
import { type Caller, expectOk, waitForEnd } from '../../fixtures/servicio.ts';
import { writeLibro } from '../fixtures/libro-largo.ts';
import { addCaller, addRfc, newMiembro } from '../fixtures/panel.ts';
import { CHROMIUM, expectNoComplaints, lookAt, lookAtTables, type Tab } from './fixtures/browser.ts';
import { useInstallation } from './fixtures/instalacion.ts';
import { buyCreditos, pressButton, signIn } from './fixtures/persona.ts';
import { addThousand } from './fixtures/thousand.ts';

/** Addresses that give no page: a redirect, a file, a stream, a step of something else. */
const SIN_PAGINA = new Set([
  '/solicitudes/:id/avance',
  '/saldo/movimientos.csv',
  '/rfcs/:rfc/al-dia/cambios.csv',
  '/rfcs/:rfc/cfdi.xlsx',
  '/saldo/compras/:id/regreso',
  // Only after the password of a user with a second factor.
  '/entrar/codigo',
  // Looked at once the tool in its frame has drawn its page: colas.test.ts.
  '/operador/colas',
]);

const PUBLICAS = [
  '/',
  '/registro',
  '/entrar',
  '/restablecer',
  '/invitacion',
  '/olvide',
  '/verificar',
  '/correos/baja/:token',
];
const RFC = [
  '',
  '/llave',
  '/llave/revocar',
  '/credenciales',
  '/al-dia',
  '/cfdi',
  '/proveedores',
  '/llamadas',
  '/operaciones',
  '/direcciones',
].map((path) => `/rfcs/:rfc${path}`);
const CLIENTE = [
  '/inicio',
  '/rfcs',
  '/rfcs/nuevo',
  '/rfcs/importar',
  ...RFC,
  '/solicitudes',
  '/solicitudes/nueva',
  '/solicitudes/:id',
  '/saldo',
  '/saldo/movimientos',
  '/saldo/comprar',
  '/saldo/comprar/confirmar',
  '/saldo/compras',
  '/saldo/compras/:id',
  '/webhooks',
  '/webhooks/nuevo',
  '/webhooks/:id',
  '/webhooks/:id/entregas/:entrega',
  '/pruebas',
  '/pruebas/:grupo/:operacion',
  '/cuenta',
  '/cuenta/password',
  '/cuenta/dos-pasos',
  '/cuenta/correo',
  '/cuentas',
  '/cuentas/dejar',
  '/equipo',
  '/equipo/cambios',
  '/equipo/personas/:id',
];
/** Of a solicitud that has not ended; below. */
const EN_CURSO = ['/solicitudes/:id/cancelar'];
const OPERADOR = [
  '/operador',
  '/operador/cuentas',
  '/operador/cuentas/:id',
  '/operador/pagos',
  '/operador/secretos',
  '/operador/captchas',
  '/operador/listas',
  '/operador/correos',
  '/operador/auditoria',
];

/** The month before this one, whole. */
const DIAS = (() => {
  const { desde = '', hasta = '' } = periodosDe(new Date()).find(({ texto }) => texto === 'Mes pasado') ?? {};
  return { desde, hasta };
})();

const nameOf = (path: string) => path.replaceAll(/[^a-z]+/g, '-').replaceAll(/^-|-$/g, '') || 'portada';

const everyPage = () => {
  let url: string;
  let cliente: Tab;
  let operador: Tab;
  let abierta = '';
  let fallida = '';
  let llave = '';
  let codigo = '';
  let cuentaId = '';
  /** What stands in the addresses of this account. */
  const lugares: Record<string, string> = { ':grupo': 'tax', ':operacion': 'comunicados' };
  const addressOf = (path: string) =>
    path.replaceAll(/:\w+/g, (name) => lugares[name === ':id' ? `${path.split('/')[1]}${name}` : name] ?? name);

  const instalacion = useInstallation({}, async ({ servicio, panel, browser }) => {
    url = panel.url;
    const persona = await panel.registrar({ nombre: 'Comercializadora del Bajío, S.A. de C.V.' });
    const chief = await panel.registrar({ nombre: 'Operación', rol: 'OPERADOR' });
    [cliente, operador] = [await browser.abrir(), await browser.abrir()];
    await signIn(cliente.page, url, persona);
    await signIn(operador.page, url, chief);

    const { id: otro } = await addRfc(servicio.db, persona);
    const operaciones = ['tax/descarga-metadata', 'sincronizacion'];
    await writeLibro(servicio.database.url, {
      ...persona,
      contribuyentes: [otro],
      operaciones,
      filas: 2_000,
      segundos: 600,
    });

    /** CFDI of several months, kinds and states, as readings leave them. */
    const keepUpToDate = async ({ rfc, contribuyenteId, call }: Caller) => {
      await expectOk(call('sincronizacion/crear', { rfc, tipo: 'recibidos', desde: '2026-01-01' }));
      const almacenId = (await createSincronizaciones(servicio.db).find(contribuyenteId, null))?.almacenId ?? 0;
      const filas = Array.from({ length: 1_000 }, (_, n) => ({
        uuid: randomUUID(),
        receptor: [rfc, 'Yo'] as const,
        efecto: n % 9 === 0 ? 'E' : 'I',
        monto: `${n * 1_234}.56`,
        emisor: [proveedor(n % 300), `Proveedor del Noroeste ${n % 300}, S.A. de C.V.`] as const,
        emitida: `2026-0${1 + (n % 9)}-05T10:00:00`,
        cancelada: n % 5 === 0 ? '2026-10-01T09:00:00' : null,
      }));
      const lectura = { tipo: 'recibidos', desde: '2026-01-01', hasta: '2026-09-30', isConfirmada: true } as const;
      const { signal } = new AbortController();
      for (const those of [filas, filas.slice(1)])
        await createAlmacenes(servicio.db).merge(
          { almacenId, solicitudId: randomUUID(), pedidaEn: new Date(), ...lectura },
          csvOf(those),
          signal,
        );
      const publicada = '2026-03-01';
      await publish(servicio, [
        ...Array.from(
          { length: 40 },
          (_, n) => ({ rfc: proveedor(n * 5), situacion: 'DEFINITIVO', publicada }) as const,
        ),
        { rfc: proveedor(1), situacion: 'DESVIRTUADO', publicada },
      ]);
      await createRiesgo(servicio.db).cross(almacenId, 100);
    };

    const proveedor = (n: number) =>
      `PRO0${1 + (n % 9)}${10 + (Math.floor(n / 9 / 20) % 3)}${10 + (Math.floor(n / 9) % 20)}AB1`;
    const worker = await servicio.startWorker();
    const rfcConComunicados = (): string => {
      const rfc = newRfc();
      return comunicadosOf(servicio, rfc, DIAS).length > 0 ? rfc : rfcConComunicados();
    };
    const caller = await addCaller(servicio, persona, rfcConComunicados());
    llave = caller.apiKey;
    const ask = (who: typeof caller, mes: string) =>
      askFor(who, { tipo: 'recibidos', desde: `2025-${mes}-01`, hasta: `2025-${mes}-28` });
    const terminada = await ask(caller, '01');
    await waitForEnd(caller, terminada);
    await servicio.sql`UPDATE solicitud SET contrapartes_listadas = 2, contrapartes_adversas = 1 WHERE id = ${terminada}`;
    await servicio.sql`INSERT INTO riesgo_paquete (solicitud_id, rfc, lista, supuesto, es_adverso, publicada, nombre, ingresos, ingresos_monto, egresos, egresos_monto)
      SELECT ${terminada}, 'PRO010' || n || '01AB1', '69-B', s, s = 'Definitivo', '2026-03-01', 'Comercializadora del Noroeste, S.A. de C.V.', 12, 1234567.5, n, n
      FROM unnest(ARRAY['Definitivo', 'Desvirtuado']) WITH ORDINALITY AS x (s, n)`;
    const rechazado = await addCaller(servicio, persona, 'CIE900215SI6');
    fallida = await ask(rechazado, '01');
    await waitForEnd(rechazado, fallida);
    await worker.stop();
    abierta = await ask(caller, '02');
    await keepUpToDate(caller);

    ({ cuentaId } = persona);
    const otra = await newMiembro(panel, persona, 'PROPIETARIO');
    const invitar = { cuentaId, usuarioId: persona.usuarioId, email: 'contadora@despacho.example' };
    const invitada = await panel.deps.invitaciones.invite({ ...invitar, papel: 'CONTADOR', actor: 'prueba', ip: null });
    if (typeof invitada === 'string') throw new Error(invitada);
    ({ codigo } = invitada);

    const [webhookId, clave] = [randomUUID(), Buffer.alloc(9)];
    const alcance = { cuentaId: persona.cuentaId };
    const webhooks = createWebhooks(panel.db);
    await webhooks.create({
      id: webhookId,
      url: `https://erp.example/${'acuse'.repeat(200)}`,
      descripcion: 'ERP',
      eventos: ['solicitud.terminada'],
      rfcs: [],
      ...alcance,
      secreto: { id: randomUUID(), sobre: clave },
      actor: 'prueba',
      ip: null,
    });
    const prueba = await webhooks.ping(alcance, webhookId);
    if (prueba === null || prueba === 'PRUEBAS_DEMASIADAS') throw new Error('no delivery');
    const { entrega } = prueba;
    await servicio.sql`
      INSERT INTO webhook_intento (entrega_id, ms, status, respuesta) VALUES (${entrega}, 5, 500, ${'no'.repeat(500)})`;

    const [correo] = await servicio.sql<{ baja: string }>`
      INSERT INTO correo (usuario_id, para, tipo, estado, motivo, terminado_en, vence_en, error)
      VALUES (${persona.usuarioId}, ${persona.email}, 'solicitud.fallida', 'FALLIDO', 'RECHAZADO', now(), now(), ${`RECHAZADO: 550 ${'no '.repeat(90)}`}) RETURNING baja`;
    const { baja = '' } = correo ?? {};

    await cliente.page.goto(`${url}/saldo/comprar`);
    await buyCreditos(cliente.page);
    Object.assign(lugares, {
      ':token': baja,
      ':rfc': caller.rfc,
      'solicitudes:id': terminada,
      'saldo:id': cliente.page.url().split('/').at(-1),
      'operador:id': persona.cuentaId,
      'webhooks:id': webhookId,
      'equipo:id': otra.usuarioId,
      ':entrega': entrega ?? '',
    });
    await addThousand(servicio, {
      ...persona,
      contribuyenteId: caller.contribuyenteId,
      rfc: caller.rfc,
      entrega: entrega ?? '',
    });
  });

  it('is in the lists below', () => {
    const pages = RUTAS.filter(({ metodo, path }) => metodo === 'GET' && !SIN_PAGINA.has(path));
    expect([...new Set(pages.map(({ path }) => path))].sort()).toEqual(
      [...PUBLICAS, ...CLIENTE, ...EN_CURSO, ...OPERADOR].sort(),
    );
  });

  async function look(tab: Tab, address: string, nombre: string): Promise<void> {
    const answer = await tab.page.goto(url + address);
    expect([address, answer?.status()]).toEqual([address, 200]);
    await lookAt(tab, nombre);
    expectNoComplaints(tab);
  }

  it.each(PUBLICAS)('%s, without a log-in', async (path) => {
    const tab = await instalacion.browser.abrir();
    await look(tab, path === '/invitacion' ? `${path}?codigo=${codigo}` : addressOf(path), nameOf(path));
    await tab.close();
  });

  it.each(CLIENTE)('%s', async (path) => {
    const cuenta = path === '/cuentas/dejar' ? `?cuenta=${cuentaId}` : '';
    const query = path.endsWith('/confirmar') ? '?paquete=1000&forma=demostracion' : cuenta;
    await look(cliente, addressOf(path) + query, nameOf(path));
  });

  it.each(['/rfcs/:rfc/al-dia', '/rfcs/:rfc/cfdi', '/rfcs/:rfc/proveedores', '/solicitudes/:id'])(
    '%s, with tables that are whole on a phone, a tablet and a desk',
    async (path) => {
      await cliente.page.goto(url + addressOf(path));
      expect(await cliente.page.locator('main tbody tr').count()).toBeGreaterThan(0);
      await lookAtTables(cliente, nameOf(path));
    },
  );

  it.each(OPERADOR)('%s, for the operator', (path) => look(operador, addressOf(path), nameOf(path)));

  it('of a solicitud that goes on, and of one that failed', async () => {
    await look(cliente, `/solicitudes/${abierta}`, 'solicitud-en-proceso');
    for (const path of EN_CURSO) await look(cliente, path.replace(':id', abierta), nameOf(path));
    await look(cliente, `/solicitudes/${fallida}`, 'solicitud-fallida');
  });

  it('for an unknown thing', async () => {
    const answer = await cliente.page.goto(`${url}/solicitudes/no-existe`);
    expect(answer?.status()).toBe(404);
    await lookAt(cliente, 'no-encontrada');
  });

  it.each(['comunicados', 'facturas'])('with the answer of tax/%s as a table', async (operacion) => {
    const { page } = cliente;
    const query = new URLSearchParams({ ...DIAS, rfc: lugares[':rfc'] ?? '' });
    await page.goto(`${url}/pruebas/tax/${operacion}?${query}`);
    await page.getByLabel('API key', { exact: true }).fill(llave);
    await pressButton(page, 'Llamar a la API');
    await page.getByText('HTTP 200').first().waitFor();
    expect(await page.locator('#resultado tbody tr').count()).toBeGreaterThan(0);
    await lookAt(cliente, `prueba-respondida-${operacion}`);
    expectNoComplaints(cliente);
  });

  it('with the button that forgets the key of an answer', async () => {
    const { page } = cliente;
    await page.goto(`${url}/pruebas/tax/facturas`);
    await pressButton(page, 'Olvidar las API keys de esta sesión');
    await page.getByText('quedaron olvidadas').waitFor();
    expect(await page.getByLabel('API key', { exact: true }).getAttribute('required')).toBe('');
    expect(await page.getByText('Olvidar las API keys').count()).toBe(0);
    expectNoComplaints(cliente);
  });

  it('with the key that is shown once', async () => {
    const { page } = cliente;
    await page.goto(`${url}${addressOf('/rfcs/:rfc/llave')}`);
    await page.locator('input[name="anterior"]').fill(llave);
    await pressButton(page, 'Cambiar la llave');
    await page.getByText('Cópiela ahora').waitFor();
    await lookAt(cliente, 'llave-nueva');
    expectNoComplaints(cliente);
  });

  it('with the lines of a file of RFCs, the faulty ones first; its keys come once, whatever is clicked', async () => {
    const { page } = cliente;
    const [rfc = '', otro = ''] = [newRfc(), newRfc()].sort().reverse();
    const text = `rfc;nombre;correo\r\n${rfc};Uno, S.A.;\r\nACU200101;Corto;\r\n${otro};Dos;dos@example.com\r\n`;
    await page.goto(`${url}/rfcs`);
    await page.getByRole('link', { name: 'Importar' }).click();
    await page
      .getByLabel('Archivo CSV')
      .setInputFiles({ name: 'a.csv', mimeType: 'text/csv', buffer: Buffer.from(text) });
    await pressButton(page, 'Revisar el archivo');
    await page.getByText('2 RFC recibirán su API key').waitFor();
    expect(await page.locator('tbody tr').first().textContent()).toContain('Faltan caracteres');
    await lookAt(cliente, 'importar-revision');
    let asked = 0;
    page.on('request', (request) => {
      if (request.url().endsWith('/rfcs/importar/confirmar')) asked += 1;
    });
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Importar y bajar las llaves' }).dblclick();
    const file = await download;
    expect(file.suggestedFilename()).toBe('llaves.csv');
    const keys = await readFile(await file.path(), 'utf8');
    expect(keys).toMatch(
      new RegExp(
        `^rfc,api_key,enlace\r\n${rfc},acuse_test_[\\w-]+,\r\n${otro},acuse_test_[\\w-]+,http://\\S+/conectar#[\\w-]{43}\r\n$`,
      ),
    );
    await page.getByText('baja en un momento').waitFor();
    expect(asked).toBe(1);
    await page.goto(`${url}/rfcs?q=${rfc}`);
    await page.getByText('Uno, S.A.').first().waitFor();
    expectNoComplaints(cliente);
  });

  it('with what is wrong with a form', async () => {
    const { page } = cliente;
    await page.goto(`${url}/rfcs/nuevo`);
    const idCif = page.locator('input[name="id_cif"]');
    await page.locator('input[name="rfc"]').fill(newRfc());
    await page.getByText('Nombre e idCIF').click();
    await page.locator('input[name="nombre"]').fill('Ñandú & Hijos');
    await idCif.fill('1234');
    await pressButton(page, 'Agregar RFC');
    await page.locator('[aria-invalid="true"]').waitFor();
    expect([await idCif.inputValue(), await page.locator('input[name="nombre"]').inputValue()]).toEqual([
      '1234',
      'Ñandú & Hijos',
    ]);
    await lookAt(cliente, 'formulario-con-faltas');
    expectNoComplaints(cliente);
  });
};

describe.runIf(CHROMIUM !== null)(
  'every page, on a desk in light and on a phone in dark',
  { shuffle: false },
  everyPage,
);
describe.runIf(CHROMIUM !== null)(
  'every page, in both palettes on both',
  { tags: ['slow'], shuffle: false },
  everyPage,
);
