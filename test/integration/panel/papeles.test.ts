import { createPagos, PAPELES, type Papel } from '@acuse/db';
import { isParte, puede } from '@acuse/page';
import { createWebhooks } from '@acuse/webhooks/db';
import { describe, expect, it } from 'vitest';
import { RUTAS } from '../../../apps/panel/src/rutas.ts';
import { BANCO } from './fixtures/pagos.ts';
import { addRfc, attributesOf, newMiembro, type Persona, usePanel } from './fixtures/panel.ts';
import { createSolicitudesDePrueba, RESUMEN } from './fixtures/solicitudes.ts';

/**
 * Roles with access to each address of an account: P owns it, C keeps the books, D writes programs. Written by hand, to
 * be compared with the declarations.
 */
const ESPERADO: Readonly<Record<string, string>> = {
  'GET /inicio': 'PCD',
  'GET /rfcs': 'PCD',
  'GET /rfcs/nuevo': 'PC',
  'POST /rfcs/nuevo': 'PC',
  'GET /rfcs/importar': 'P',
  'POST /rfcs/importar': 'P',
  'POST /rfcs/importar/confirmar': 'P',
  'GET /rfcs/:rfc': 'PCD',
  'POST /rfcs/:rfc': 'PC',
  'GET /rfcs/:rfc/llave': 'PD',
  'POST /rfcs/:rfc/llave': 'PD',
  'GET /rfcs/:rfc/llave/revocar': 'PD',
  'POST /rfcs/:rfc/llave/revocar': 'PD',
  'GET /rfcs/:rfc/credenciales': 'PC',
  'POST /rfcs/:rfc/credenciales/ciec': 'PC',
  'POST /rfcs/:rfc/credenciales/efirma': 'PC',
  'GET /rfcs/:rfc/al-dia': 'PC',
  'GET /rfcs/:rfc/al-dia/cambios.csv': 'PC',
  'GET /rfcs/:rfc/cfdi': 'PC',
  'GET /rfcs/:rfc/cfdi.xlsx': 'PC',
  'POST /rfcs/:rfc/al-dia': 'PC',
  'POST /rfcs/:rfc/al-dia/cambiar': 'PC',
  'GET /rfcs/:rfc/proveedores': 'PC',
  'GET /rfcs/:rfc/llamadas': 'PD',
  'GET /rfcs/:rfc/operaciones': 'PD',
  'POST /rfcs/:rfc/operaciones': 'PD',
  'GET /rfcs/:rfc/direcciones': 'PD',
  'POST /rfcs/:rfc/direcciones': 'PD',
  'GET /saldo': 'PCD',
  'POST /saldo/aviso': 'P',
  'GET /saldo/movimientos': 'PCD',
  'GET /saldo/movimientos.csv': 'PCD',
  'GET /saldo/comprar': 'P',
  'GET /saldo/comprar/confirmar': 'P',
  'POST /saldo/comprar': 'P',
  'GET /saldo/compras': 'P',
  'GET /saldo/compras/:id': 'P',
  'POST /saldo/compras/:id/cancelar': 'P',
  'POST /saldo/compras/:id/continuar': 'P',
  'GET /saldo/compras/:id/regreso': 'P',
  'GET /solicitudes': 'PCD',
  'GET /solicitudes/nueva': 'PC',
  'POST /solicitudes/nueva': 'PC',
  'GET /solicitudes/:id': 'PCD',
  'GET /solicitudes/:id/avance': 'PCD',
  'GET /solicitudes/:id/cancelar': 'PC',
  'POST /solicitudes/:id/cancelar': 'PC',
  'POST /solicitudes/:id/descargar': 'PC',
  'GET /webhooks': 'PCD',
  'GET /webhooks/nuevo': 'PD',
  'POST /webhooks/nuevo': 'PD',
  'GET /webhooks/:id': 'PCD',
  'POST /webhooks/:id': 'PD',
  'POST /webhooks/:id/estado': 'PD',
  'POST /webhooks/:id/secreto': 'PD',
  'POST /webhooks/:id/prueba': 'PD',
  'POST /webhooks/:id/borrar': 'PD',
  'GET /webhooks/:id/entregas/:entrega': 'PCD',
  'POST /webhooks/:id/entregas/:entrega': 'PD',
  'GET /pruebas': 'PD',
  'GET /pruebas/:grupo/:operacion': 'PD',
  'POST /pruebas/:grupo/:operacion': 'PD',
  'POST /llaves/olvidar': 'PD',
  'GET /equipo': 'P',
  'POST /equipo/invitar': 'P',
  'POST /equipo/invitaciones/:id/revocar': 'P',
  'GET /equipo/cambios': 'P',
  'GET /equipo/personas/:id': 'P',
  'POST /equipo/personas/:id/rol': 'P',
  'POST /equipo/personas/:id/quitar': 'P',
  'POST /equipo/personas/:id/traspaso': 'P',
};

const LETRAS: Readonly<Record<Papel, string>> = { PROPIETARIO: 'P', CONTADOR: 'C', DESARROLLADOR: 'D' };
const SIN_PERMISO = 'Su rol no permite esto';
const SIN_TOKEN = 'Esta acción no se hizo';

const DE_CUENTA = RUTAS.filter(({ acceso }) => !['publica', 'persona', 'operador'].includes(acceso));

/** What stands in the addresses: things of the account, so that its pages show all that they can. */
const lugares: Record<string, string> = { ':grupo': 'efos', ':operacion': 'consultar' };
const PARAMETRO = /:\w+(\{[^}]*\})?/g;
const addressOf = (path: string) =>
  path.replaceAll(PARAMETRO, (name) => lugares[name === ':id' ? `${path.split('/')[1]}:id` : name] ?? name);
const patternOf = (path: string) => new RegExp(`^${path.replace('.', '\\.').replaceAll(PARAMETRO, '[^/]+')}$`);

const personas = new Map<Papel, Persona>();
const personaOf = (papel: Papel): Persona => {
  const persona = personas.get(papel);
  if (persona === undefined) throw new Error(`nobody is ${papel}`);
  return persona;
};

const panel = usePanel({ env: BANCO }, async (panel) => {
  const { owner, accepted, finished } = createSolicitudesDePrueba(panel);
  const { persona: ana, taxpayer } = await owner();
  await addRfc(panel.db, ana);
  personas.set('PROPIETARIO', ana);
  for (const papel of ['CONTADOR', 'DESARROLLADOR'] as const) personas.set(papel, await newMiembro(panel, ana, papel));
  const elegida = '/saldo/comprar/confirmar?paquete=100&forma=transferencia';
  const compra = (await ana.submit(elegida, '/saldo/comprar')).location?.split('/').at(-1) ?? '';
  await ana.submit('/webhooks/nuevo', '/webhooks/nuevo', { url: 'https://erp.example/', 'evento.saldo.bajo': 'si' });
  const [webhook] = await panel.sql<{ id: string }>`SELECT id FROM webhook WHERE cuenta_id = ${ana.cuentaId}`;
  const prueba = await createWebhooks(panel.db).ping({ cuentaId: ana.cuentaId }, webhook?.id ?? '');
  if (prueba === null || prueba === 'PRUEBAS_DEMASIADAS') throw new Error('no delivery');
  await createPagos(panel.db).confirmar({ id: compra, actor: 'prueba', ip: null });
  await finished(taxpayer, {}, { resumen: RESUMEN });
  Object.assign(lugares, {
    ':rfc': taxpayer.rfc,
    ':entrega': prueba.entrega,
    'saldo:id': compra,
    'webhooks:id': webhook?.id,
    'equipo:id': personaOf('CONTADOR').usuarioId,
    'solicitudes:id': await accepted(taxpayer, { desde: '2024-01-01' }),
  });
});

describe('an address of an account', () => {
  it('is declared for those for whom the list has it, and none is missing there', () => {
    const declared = DE_CUENTA.map(({ metodo, path, acceso, accion }) => {
      if (!isParte(acceso)) throw new Error(`${path} is of no part of the account`);
      const allowed = PAPELES.filter((papel) => puede(papel, accion, acceso));
      return [`${metodo} ${path.replaceAll(/\{[^}]*\}/g, '')}`, allowed.map((papel) => LETRAS[papel]).join('')];
    });
    expect(Object.fromEntries(declared)).toEqual(ESPERADO);
  });

  it.each(PAPELES)('answers %s only where the list has that, before it looks at anything', async (papel) => {
    const persona = personaOf(papel);
    for (const { metodo, path } of DE_CUENTA) {
      const name = `${metodo} ${path.replaceAll(/\{[^}]*\}/g, '')}`;
      const at = addressOf(path);
      if (at.endsWith('/avance')) continue;
      // Without a token nothing is done by those who may.
      const { status, text } = metodo === 'GET' ? await persona.get(at) : await persona.post(at, {});
      const isAllowed = ESPERADO[name]?.includes(LETRAS[papel]);
      const refused = metodo === 'GET' ? isAllowed !== true : true;
      expect([name, status === 403]).toEqual([name, refused]);
      expect([name, text.includes(SIN_PERMISO), text.includes(SIN_TOKEN)]).toEqual([
        name,
        isAllowed !== true,
        isAllowed === true && metodo === 'POST',
      ]);
    }
  });

  it.each(PAPELES)('is offered to %s by no page where it would be refused', async (papel) => {
    const persona = personaOf(papel);
    const wrong: string[] = [];
    const pages = RUTAS.filter(
      ({ metodo, acceso }) => metodo === 'GET' && acceso !== 'publica' && acceso !== 'operador',
    );
    for (const { path } of pages) {
      const at = addressOf(path);
      if (/\/(avance|regreso)$|\.csv$/.test(at)) continue;
      const { $, status } = await persona.get(at);
      if (status !== 200) continue;
      const links = attributesOf($, 'a', 'href').map((href) => ['GET', href]);
      const forms = $('form').map((_, each) => [[$(each).attr('method')?.toUpperCase(), $(each).attr('action')]]);
      for (const [metodo, href = ''] of [...links, ...forms.get()]) {
        const target = href.split(/[?#]/)[0] ?? '';
        const ruta = RUTAS.find((each) => each.metodo === metodo && patternOf(each.path).test(target));
        if (ruta && isParte(ruta.acceso) && !puede(papel, ruta.accion, ruta.acceso))
          wrong.push(`${at}: ${metodo} ${href}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  it('says to whom it refuses something who may, in which account, and what to do', async () => {
    const { main } = await personaOf('CONTADOR').get('/saldo/compras');
    expect(main).toMatch(/su rol es contador, y con él no puede ver las compras/);
    expect(main).toContain(personaOf('PROPIETARIO').email);
    expect(main).not.toContain(personaOf('DESARROLLADOR').email);
  });

  it('shows a developer no state of a credential and nothing that a package holds', async () => {
    const terminada = await panel.sql<{ id: string }>`SELECT id FROM solicitud WHERE estado = 'TERMINADA'`;
    const solicitud = `/solicitudes/${terminada[0]?.id}`;
    const read = async (papel: Papel, path: string) => (await personaOf(papel).get(path)).main;
    for (const [path, words] of [
      [solicitud, /Descargar ZIP|CFDI por tipo/],
      ['/rfcs', /CIEC|e\.firma/],
      ['/inicio', /CIEC|e\.firma/],
      [addressOf('/rfcs/:rfc'), /Llave privada/],
    ] as const) {
      expect(await read('CONTADOR', path)).toMatch(words);
      expect(await read('DESARROLLADOR', path)).not.toMatch(words);
    }
  });
});
