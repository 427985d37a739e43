import { LISTADOS, PALABRAS_EFOS } from '@acuse/listas';
import { createRiesgo } from '@acuse/riesgo/db';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { useDatabase } from '../fixtures/database.ts';
import { publish, publishListado, type Renglon } from './listar.ts';
import { cfdi, subscribeTo } from './suscrito.ts';

const t = useDatabase();
const PRO = ['PRO010101AB1', 'ÑUÑ030303AB3'] as const;

/** What the lists say, list by list and file by file, as a look at everything finds it. */
interface World {
  efos: readonly Renglon[] | null;
  readonly archivos: Map<Archivo, readonly { rfc: string; supuesto: string }[]>;
}
const ARCHIVOS = ['firmes', 'no-localizados', 'cancelados', 'condonados-21', 'csd', '69-b-bis'] as const;
type Archivo = (typeof ARCHIVOS)[number];
const PALABRAS: Record<Archivo, readonly string[]> = {
  firmes: ['FIRMES'],
  'no-localizados': ['NO LOCALIZADOS'],
  cancelados: ['CANCELADOS', 'CANCELADOS POR INSOLVENCIA'],
  'condonados-21': ['Condonado, en parte'],
  csd: ['FRACCION X', 'FRACCION XI'],
  '69-b-bis': ['Definitivo', 'Sentencia Favorable'],
};
const ADVERSAS: readonly string[] = [
  ...[
    'firmes FIRMES',
    'no-localizados NO LOCALIZADOS',
    'cancelados CANCELADOS POR INSOLVENCIA',
    'csd FRACCION X',
    'csd FRACCION XI',
  ],
  ...['69-b-bis Definitivo', '69-b Definitivo', '69-b Presunto'],
];
/** The worse the earlier: of a list of article 69-B one word counts. */
const WORST = ['Definitivo', 'Presunto', 'Desvirtuado', 'Sentencia Favorable'];

interface Standing {
  readonly supuesto: string;
  readonly adverso: boolean;
  readonly adversas: readonly string[];
}

/** Under which words each of these stands, by `RFC list`. */
function look(world: World, rfcs: readonly string[]): Map<string, Standing> {
  const filas = [
    ...(world.efos ?? []).map(({ rfc, situacion }) => ({
      rfc: rfc ?? '',
      lista: '69-B',
      supuesto: PALABRAS_EFOS[situacion],
      archivo: '69-b',
    })),
    ...[...world.archivos].flatMap(([archivo, own]) =>
      own.map((fila) => ({ ...fila, archivo, lista: LISTADOS[archivo].lista })),
    ),
  ];
  const found = new Map<string, Standing>();
  for (const rfc of rfcs)
    for (const lista of ['69-B', '69-B Bis', '69', 'CSD']) {
      const own = filas.filter((fila) => fila.rfc === rfc && fila.lista === lista);
      const words = [...new Set(own.map(({ supuesto }) => supuesto))].sort();
      if (words.length === 0) continue;
      const adversas = own.filter((f) => ADVERSAS.includes(`${f.archivo} ${f.supuesto}`)).map((f) => f.supuesto);
      const one = WORST.find((word) => words.includes(word)) ?? '';
      const supuesto = lista.startsWith('69-B') ? one : words.join(', ');
      found.set(`${rfc} ${lista}`, { supuesto, adverso: adversas.length > 0, adversas });
    }
  return found;
}

/**
 * Events of a crossing from noted and found counterparties, and the new notes. A list that is not loaded removes no
 * counterparty.
 */
function crossed(noted: Map<string, Standing>, found: Map<string, Standing>, there: ReadonlySet<string>): unknown[][] {
  const told: unknown[][] = [];
  for (const key of new Set([...noted.keys(), ...found.keys()])) {
    const [was, is] = [noted.get(key), found.get(key)];
    if (!there.has(key.slice(key.indexOf(' ') + 1))) continue;
    if (is === undefined) {
      told.push([key, 'sale', was?.supuesto, false]);
      noted.delete(key);
      continue;
    }
    const isNew = (word: string) => !`, ${was?.supuesto}, `.includes(`, ${word}, `);
    const isSaid = key.includes(' 69-B') || was?.adverso !== is.adverso || is.adversas.some(isNew);
    if (was === undefined) told.push([key, 'entra', is.supuesto, is.adverso]);
    else if (was.supuesto !== is.supuesto && isSaid) told.push([key, 'cambia', is.supuesto, is.adverso]);
    noted.set(key, is);
  }
  return told;
}

const unArchivo = fc.constantFrom(...ARCHIVOS).chain((archivo) =>
  fc.record({
    archivo: fc.constant(archivo),
    filas: fc.array(fc.record({ rfc: fc.constantFrom(...PRO), supuesto: fc.constantFrom(...PALABRAS[archivo]) }), {
      maxLength: 4,
    }),
  }),
);
const situaciones = ['PRESUNTO', 'DESVIRTUADO', 'DEFINITIVO', 'SENTENCIA_FAVORABLE'] as const;
const unaEfos = fc.record({
  efos: fc.array(fc.record({ rfc: fc.constantFrom(...PRO), situacion: fc.constantFrom(...situaciones) }), {
    maxLength: 4,
  }),
});
const unPaso = fc.oneof(
  { arbitrary: unArchivo, weight: 4 },
  { arbitrary: unaEfos, weight: 2 },
  fc.record({ ida: fc.constantFrom('69-B', '69-B Bis', '69', 'CSD') }),
  fc.record({ lee: fc.constantFrom(...PRO) }),
);

test('whatever lists come, change and go, file by file, a crossing lists what a model finds and tells each change once', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(unPaso, fc.boolean()), { minLength: 4, maxLength: 10 }), async (pasos) => {
      await t.sql`DELETE FROM listado_vigente`;
      await t.sql`DELETE FROM efos_vigente`;
      const { almacenId, read, told } = await subscribeTo(t, 'proveedor.listado');
      await read([cfdi(0, PRO[0])]);
      const world: World = { efos: null, archivos: new Map() };
      const rfcs = new Set<string>([PRO[0]]);
      const noted = new Map<string, Standing>();
      const expected: unknown[][] = [];
      for (const [paso, isCrossed] of [...pasos, [{ lee: PRO[1] }, true] as const]) {
        if ('archivo' in paso) {
          await publishListado(t, paso.archivo, paso.filas);
          world.archivos.set(paso.archivo, paso.filas);
        } else if ('efos' in paso) {
          await publish(t, paso.efos);
          world.efos = paso.efos;
        } else if ('lee' in paso) {
          rfcs.add(paso.lee);
          await read([cfdi(PRO.indexOf(paso.lee), paso.lee)]);
        } else {
          await t.sql`DELETE FROM listado_vigente WHERE lista = ${paso.ida}`;
          if (paso.ida === '69-B') await t.sql`DELETE FROM efos_vigente`;
          if (paso.ida === '69-B') world.efos = null;
          for (const archivo of ARCHIVOS) if (LISTADOS[archivo].lista === paso.ida) world.archivos.delete(archivo);
        }
        if (!isCrossed) continue;
        while (!((await createRiesgo(t.db).cross(almacenId, 2))?.isOver ?? true));
        const there = new Set([...world.archivos.keys()].map((archivo): string => LISTADOS[archivo].lista));
        if (world.efos !== null) there.add('69-B');
        const more = crossed(noted, look(world, [...rfcs]), there);
        const heard = (await told()).slice(expected.length);
        expect(
          heard
            .map((e) => [`${e['proveedor_rfc']} ${e['lista']}`, e['cambio'], e['supuesto'], e['adverso']].join('|'))
            .sort(),
        ).toEqual(more.map((each) => each.join('|')).sort());
        expected.push(...more);
        const listed = await createRiesgo(t.db).list({ almacenId, despuesDe: null, limite: 100, uuids: 0 });
        expect(
          listed
            .map(({ rfc, lista, supuesto, isAdverso }) => [`${rfc} ${lista}`, supuesto, isAdverso].join('|'))
            .sort(),
        ).toEqual([...noted].map(([key, { supuesto, adverso }]) => [key, supuesto, adverso].join('|')).sort());
      }
    }),
    { numRuns: 12, seed: 20261123 },
  );
});
