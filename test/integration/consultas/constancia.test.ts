import { createContribuyentes } from '@acuse/db';
import type { Perfil } from '@acuse/simulador';
import { describe, expect, it } from 'vitest';
import { newEfirmaCaller } from '../fixtures/efirma.ts';
import { llamadas } from '../fixtures/pedidos.ts';
import { type Caller, expectOk, useServicio } from '../fixtures/servicio.ts';
import { CONTRIBUYENTES } from './verdad.ts';

/** Besides the two with odd letters: taxpayers with other regimes, and one that suspended its activities. */
const MAS = [
  ['persona moral', 'EKU9003173C9'],
  ['persona moral', 'BBB010101AB3'],
  ['persona moral en suspensión', 'SUS900215SI4'],
  ['persona moral sin obligaciones', 'SIN900215SI9'],
  ['persona física', 'CACX7605101P8'],
  ['persona física', 'XIQB891116QE4'],
  ['persona física', 'FUNK671228PH6'],
  ['persona física', 'KAHO641101B39'],
] as const;

const servicio = useServicio();

/** The profile as the control API tells it. */
async function perfilDe(rfc: string): Promise<Perfil> {
  const address = `${servicio.simulador.url}/control/contribuyentes/${encodeURIComponent(rfc)}`;
  return ((await (await fetch(address)).json()) as { perfil: Perfil }).perfil;
}

/** The name without the capital regime, as a CFDI needs it. */
function datosFiscalesOf(rfc: string, perfil: Perfil) {
  const { domicilio } = perfil;
  const regimenes = perfil.regimenes.map(({ clave, nombre }) => `${clave} - ${nombre}`);
  const interior = domicilio.numeroInterior === '' ? '' : ` INT ${domicilio.numeroInterior}`;
  return {
    rfc,
    nombre: perfil.nombre,
    regimen_fiscal: regimenes[0],
    domicilio: {
      calle: `${domicilio.tipoVialidad} ${domicilio.vialidad} ${domicilio.numeroExterior}${interior}`,
      colonia: domicilio.colonia,
      municipio: domicilio.municipio,
      estado: domicilio.entidad,
      cp: domicilio.cp,
    },
    fecha_inicio_operaciones: perfil.inicioOperaciones,
    estatus: perfil.estatus,
    regimenes,
    curp: perfil.curp,
  };
}

/** What the panel finds in an account by a part of a name. */
const search = async ({ cuentaId }: Caller, contiene: string) => {
  const found = await createContribuyentes(servicio.db).list(cuentaId, { contiene, despues: '', limit: 5 });
  return found.map(({ rfc, nombre }) => [rfc, nombre]);
};

const datosFiscales = async (caller: Caller) => {
  const answer = await caller.call('usuario/datos-fiscales', { rfc: caller.rfc });
  expect(answer.body).toMatchObject({ cfdi_descripcion: expect.any(String), saldo: 9 });
  return expectOk(Promise.resolve(answer));
};

describe.each([...CONTRIBUYENTES, ...MAS])('%s %s', (_name, rfc) => {
  it('datos-fiscales by idCIF, without any credential', async () => {
    servicio.simulador.world.log.clear();
    const perfil = await perfilDe(rfc);
    const caller = await servicio.newCaller({ rfc });
    await expectOk(caller.call('vault/rfc-registrar', { rfc, id_cif: perfil.idCif }));
    expect(await datosFiscales(caller)).toEqual({
      ...datosFiscalesOf(rfc, perfil),
      canal: 'publico',
      credencial: null,
    });
    expect(new Set(llamadas(servicio, { rfc }).map(({ service }) => service))).toEqual(new Set(['siat']));
  });

  it.each(['CIEC', 'e.firma'])('datos-fiscales and informacion-fiscal from the PDF, with %s', async (via) => {
    const perfil = await perfilDe(rfc);
    const caller = via === 'CIEC' ? await servicio.newCiecCaller({ rfc }) : await newEfirmaCaller(servicio, { rfc });
    const camino = { canal: 'portal', credencial: via === 'CIEC' ? 'ciec' : 'efirma' };
    expect(await datosFiscales(caller)).toEqual({ ...datosFiscalesOf(rfc, perfil), ...camino });
    const data = await expectOk(caller.call('tax/informacion-fiscal', { rfc }));
    expect(data).toEqual({
      rfc,
      regimenes: perfil.regimenes.map(({ clave }) => clave),
      obligaciones: perfil.obligaciones.map(({ descripcion, vencimiento, desde, hasta }) => ({
        tipo: descripcion,
        periodicidad: vencimiento.includes('mes inmediato posterior') ? 'Mensual' : 'Anual',
        vencimiento,
        desde,
        hasta,
      })),
      ...camino,
    });
  });
});

describe('the name in a constancia', () => {
  const [, rfc] = CONTRIBUYENTES[0];

  it.each(['usuario/datos-fiscales', 'tax/informacion-fiscal'])(
    'is shown and found in the panel once %s has answered, and noted once',
    async (path) => {
      const { nombre } = await perfilDe(rfc);
      const caller = await servicio.newCiecCaller({ rfc });
      expect(await search(caller, '')).toEqual([[rfc, null]]);
      for (const _ of [1, 2]) await expectOk(caller.call(path, { rfc }));
      expect(await search(caller, nombre.slice(2, 9).toUpperCase())).toEqual([[rfc, nombre]]);
      const { rows } = await servicio.db.pool.query(
        `SELECT actor, detalle FROM auditoria WHERE contribuyente_id = $1 AND accion = 'nombrar-rfc'`,
        [caller.contribuyenteId],
      );
      expect(rows).toEqual([{ actor: `api_key:${caller.apiKeyId}`, detalle: { nombre } }]);
    },
  );

  it('replaces no name given by a user', async () => {
    const caller = await servicio.newCiecCaller({ rfc });
    const { cuentaId } = caller;
    const rfcs = createContribuyentes(servicio.db);
    await rfcs.setNombre({ cuentaId, rfc, nombre: 'La de siempre', actor: 'prueba', ip: '127.0.0.1' });
    await datosFiscales(caller);
    expect(await search(caller, 'SIEMPRE')).toEqual([[rfc, 'La de siempre']]);
  });
});

it('the taxpayers of these tests have every kind of constancia: one regime, several, with and without obligations', async () => {
  const perfiles = await Promise.all([...CONTRIBUYENTES, ...MAS].map(([, rfc]) => perfilDe(rfc)));
  expect(new Set(perfiles.map(({ regimenes }) => regimenes.length))).toEqual(new Set([1, 2]));
  expect(perfiles.some(({ obligaciones }) => obligaciones.length === 0)).toBe(true);
  expect(perfiles.some(({ obligaciones }) => obligaciones.length > 3)).toBe(true);
  expect(perfiles.some(({ domicilio }) => domicilio.numeroInterior !== '')).toBe(true);
  expect(new Set(perfiles.map(({ estatus }) => estatus))).toEqual(new Set(['ACTIVO', 'SUSPENDIDO']));
});
