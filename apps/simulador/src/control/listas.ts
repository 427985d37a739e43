import type { Hono } from 'hono';
import { z } from 'zod';
import { type Paso, type Registro, situacionOf } from '../world/listado69b.ts';
import { NOMBRES_LISTADOS, type NombreListado, type RenglonListado } from '../world/listados.ts';
import { SITUACIONES_69B } from '../world/magia/catalogo.ts';
import { isRfc } from '../world/taxpayers/persona.ts';
import { formatWallTime, parseWallTime, type WallTime } from '../world/wall-time.ts';
import type { World } from '../world/world.ts';
import { ControlError, dia, parseBody } from './request-body.ts';

const pasoSchema = z.strictObject({
  situacion: z.enum(SITUACIONES_69B),
  oficio: z.string().default('500-05-2020-1 de fecha 02 de enero de 2020'),
  fecha_sat: dia,
  fecha_dof: dia.nullable().default(null),
});

const cambioSchema = z.strictObject({
  fecha_corte: z.iso.date().optional(),
  /** Rows of the generated list. */
  filas: z.int().min(0).max(200_000).optional(),
  /** Proceedings that replace all of their RFCs. */
  registros: z
    .array(
      z.strictObject({
        rfc: z.string().refine(isRfc, 'no tiene la forma de un RFC'),
        nombre: z.string().optional(),
        enmascarado: z.boolean().default(false),
        pasos: z.tuple([pasoSchema], pasoSchema),
      }),
    )
    .optional(),
  /** RFCs to take out of the list. */
  quitar: z.array(z.string().refine(isRfc, 'no tiene la forma de un RFC')).optional(),
});

const cambioListadoSchema = z.strictObject({
  /** Rows that replace all of their RFCs in this file. */
  registros: z
    .array(
      z.strictObject({
        rfc: z.string().refine(isRfc, 'no tiene la forma de un RFC'),
        nombre: z.string().optional(),
        supuesto: z.string(),
        publicada: dia,
      }),
    )
    .optional(),
  /** RFCs to take out of it. */
  quitar: z.array(z.string().refine(isRfc, 'no tiene la forma de un RFC')).optional(),
});

const isNombre = (text: string): text is NombreListado => NOMBRES_LISTADOS.some((nombre) => nombre === text);

/** GET, PUT and DELETE /listas/{file}: the other lists, each by the name of its file; DELETE of one is of all of them. */
function mountListados(app: Hono, world: World): void {
  const nombreOf = (text: string): NombreListado => {
    if (isNombre(text)) return text;
    throw new ControlError(404, `No hay tal lista. Hay: 69b, ${NOMBRES_LISTADOS.join(', ')}.`);
  };
  const shown = (nombre: NombreListado, rfc: string | undefined) => {
    const { registros, publicada } = world.listados.vigente(nombre);
    return {
      publicada: publicada.toISOString(),
      filas: registros.length,
      ...(rfc !== undefined && {
        registros: registros
          .filter((each) => each.rfc === rfc)
          .map((each) => ({ ...each, publicada: formatWallTime(each.publicada).slice(0, 10) })),
      }),
    };
  };
  app.get('/listas/:archivo', (c) => c.json(shown(nombreOf(c.req.param('archivo')), c.req.query('rfc'))));
  app.put('/listas/:archivo', async (c) => {
    const archivo = nombreOf(c.req.param('archivo'));
    const { registros = [], quitar = [] } = await parseBody(c, cambioListadoSchema);
    const rows = new Map<string, RenglonListado[]>(quitar.map((rfc) => [rfc, []]));
    for (const { nombre, ...registro } of registros) {
      const row = { ...registro, nombre: nombre ?? world.taxpayers.taxpayer(registro.rfc).nombre };
      rows.set(row.rfc, [...(rows.get(row.rfc) ?? []), row]);
    }
    world.listados.replace(archivo, rows);
    return c.json(shown(archivo, undefined));
  });
  app.delete('/listas/:archivo', (c) => {
    const archivo = nombreOf(c.req.param('archivo'));
    world.listados.reset();
    return c.json(shown(archivo, undefined));
  });
}

/** GET, PUT and DELETE /listas/69b: the list of article 69-B; DELETE brings the generated rows back. */
export function mountListas(app: Hono, world: World): void {
  app.get('/listas/69b', (c) => c.json(show(world, c.req.query('rfc'))));
  app.put('/listas/69b', async (c) => {
    const { fecha_corte, filas, registros = [], quitar = [] } = await parseBody(c, cambioSchema);
    const rows = new Map<string, Registro[]>(quitar.map((rfc) => [rfc, []]));
    for (const { rfc, nombre, enmascarado, pasos } of registros) {
      const [first, ...rest] = pasos;
      const registro: Registro = {
        rfc,
        nombre: nombre ?? world.taxpayers.taxpayer(rfc).nombre,
        isMasked: enmascarado,
        pasos: [readPaso(first), ...rest.map(readPaso)],
      };
      rows.set(rfc, [...(rows.get(rfc) ?? []), registro]);
    }
    checkCorte([...rows.values()].flat(), parseWallTime(fecha_corte ?? world.settings.corte_69b) ?? 0);
    if (fecha_corte !== undefined) world.settings.corte_69b = fecha_corte;
    if (filas !== undefined) world.settings.filas_69b = filas;
    world.listado69b.replace(rows);
    return c.json(show(world, undefined));
  });
  app.delete('/listas/69b', (c) => {
    world.listado69b.reset();
    return c.json(show(world, undefined));
  });
  mountListados(app, world);
}

/** Refuses a proceeding without a publication up to the cut of the list: the list would not show it. */
function checkCorte(registros: readonly Registro[], corte: WallTime): void {
  const day = (at: WallTime) => formatWallTime(at).slice(0, 10);
  for (const { rfc, pasos } of registros) {
    const first = Math.min(...pasos.map(({ fechaSat }) => fechaSat));
    if (first > corte)
      throw new ControlError(
        400,
        `${rfc} no estaría en la lista: su primer paso es del ${day(first)} y el corte, del ${day(corte)}. Mande una fecha_sat anterior, o un fecha_corte posterior.`,
      );
  }
}

function readPaso({ situacion, oficio, fecha_sat, fecha_dof }: z.output<typeof pasoSchema>): Paso {
  return { situacion, oficio, fechaSat: fecha_sat, fechaDof: fecha_dof };
}

function show(world: World, rfc: string | undefined) {
  const { corte, publicada, registros } = world.listado69b.vigente();
  return {
    fecha_corte: formatWallTime(corte).slice(0, 10),
    publicada: publicada.toISOString(),
    filas: registros.length,
    ...(rfc !== undefined && {
      registros: registros
        .filter((registro) => registro.rfc === rfc)
        .map((registro) => ({
          rfc,
          nombre: registro.nombre,
          enmascarado: registro.isMasked,
          situacion: situacionOf(registro),
        })),
    }),
  };
}
