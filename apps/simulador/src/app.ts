import { Hono } from 'hono';
import { createAgr } from './buzon/agr.ts';
import { createAplicacionesc } from './buzon/aplicacionesc.ts';
import { createAperturas } from './buzon/llegadas.ts';
import { createConsultaqr } from './consultaqr/consultaqr.ts';
import { createControl } from './control/control.ts';
import { createDescargaMasiva } from './descarga-masiva/descarga-masiva.ts';
import { createListas } from './listas/listas.ts';
import { createNidp } from './nidp/nidp.ts';
import { createOpinionPublica } from './opinion-publica/opinion-publica.ts';
import { createPortal } from './portal/portal.ts';
import { createProdretencionverificacion } from './prodretencionverificacion/prodretencionverificacion.ts';
import { createPstcdypisr } from './pstcdypisr/pstcdypisr.ts';
import { createPtsc32d } from './ptsc32d/ptsc32d.ts';
import { CLIENTE_32D } from './ptsc32d/sign-in.ts';
import { createPtscdecprov } from './ptscdecprov/ptscdecprov.ts';
import { createRepository } from './rdc/rdc.ts';
import { createRfcampc } from './rfcampc/rfcampc.ts';
import { createSiat } from './siat/siat.ts';
import { createWorld, type World, type WorldOptions } from './world/world.ts';
import { createWwwmat } from './wwwmat/wwwmat.ts';

/** The simulator without a socket: each real host is a path prefix named by the host's first label. */
export type Simulador = { app: Hono; world: World };

/** Creates a world and the services over it. */
export async function createSimulador(options: WorldOptions = {}): Promise<Simulador> {
  const world = await createWorld(options);
  const app = new Hono();
  const portal = createPortal(world);
  app.get('/salud', (c) => c.json({ estado: 'ok', ahora: world.clock.now().toISOString() }));
  const aperturas = createAperturas();
  app.route('/control', createControl(world, aperturas));
  for (const documento of ['cfdi', 'retenciones'] as const) {
    for (const { prefix, app: service } of createDescargaMasiva(world, documento)) app.route(prefix, service);
  }
  app.route('/cfdiau', portal.cfdiau);
  app.route('/portalcfdi', portal.portalcfdi);
  app.route('/prodretencioncontribuyente', portal.prodretencioncontribuyente);
  const login = createNidp(world, { prefijo: 'login', acceso: portal.acceso });
  const loginda = createNidp(world, { prefijo: 'loginda', acceso: portal.acceso, clientes: [CLIENTE_32D] });
  app.route('/login', login.app).route('/loginda', loginda.app);
  app.route('/ptsc32d', createPtsc32d({ world, loginda }));
  app.route('/pstcdypisr', createPstcdypisr({ world, loginda }));
  app.route('/ptscdecprov', createPtscdecprov({ world, loginda }));
  app.route('/siat', createSiat(world));
  app.route('/wwwmat', createWwwmat(world, login)).route('/rfcampc', createRfcampc(world, login));
  const { aplicacionesc, loginc } = createAplicacionesc(world, login, aperturas);
  app
    .route('/aplicacionesc', aplicacionesc)
    .route('/loginc', loginc)
    .route('/agr', createAgr(world, login, aperturas));
  app.route('/consultaqr', createConsultaqr(world));
  app.route('/prodretencionverificacion', createProdretencionverificacion(world));
  app.route('/rdc', createRepository(world));
  app.route('/opinion-publica', createOpinionPublica(world));
  const listas = createListas(world);
  app.route('/wu1agsprosta001', listas.wu1agsprosta001).route('/omawww', listas.omawww).route('/www', listas.www);
  return { app, world };
}
