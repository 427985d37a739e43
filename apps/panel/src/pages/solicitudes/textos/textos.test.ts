import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { describeEvento, TIPOS_EVENTO } from './eventos.ts';
import { describeCodigo, explain, MOTIVOS } from './motivos.ts';

const ROOT = new URL('../../../../../../packages/', import.meta.url);

/** The sources that end solicitudes or write to their timeline. */
const FOLDERS = ['core/src/solicitud/', 'db/src/claims/'];
const FILES = ['db/src/sweeper.ts', 'db/src/cuentas/llaves.ts', 'db/src/solicitudes/solicitudes.ts'];

/** Words of those folders that are neither events nor reasons: states of parts and phases, answers of the SAT's port, SQL. */
const OTHERS = new Set(
  `EN_PROCESO PENDIENTE SOLICITANDO DISPONIBLE DESCARGADA VACIA DESCARGA ENSAMBLE DEMASIADOS AGOTADO BEGIN COMMIT ROLLBACK`.split(
    ' ',
  ),
);

const inFolders = () =>
  FOLDERS.flatMap((folder) =>
    readdirSync(new URL(folder, ROOT))
      .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
      .map((name) => folder + name),
  );

/** All that speaks to the database: events are written in the statements that change what they tell of. */
const everyStatement = () =>
  readdirSync(new URL('db/src/', ROOT), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.startsWith('generated'))
    .map((name) => `db/src/${name}`);

/** Every word that the pattern finds in these sources, once. */
function found(pattern: RegExp, paths = [...inFolders(), ...FILES]): string[] {
  const texts = paths.map((path) => readFileSync(new URL(path, ROOT), 'utf8'));
  return [...new Set(texts.flatMap((text) => [...text.matchAll(pattern)].map(([, word]) => word ?? '')))];
}

describe('the words of the workers', () => {
  test('that are events have a sentence each', () => {
    const written = found(/INSERT INTO evento \([^)]*\)\s+SELECT id, '([A-Z_]+)'/g, everyStatement());
    expect(written).toContain('ESPERA_EFIRMA');
    const events = found(/tipo: '([A-Z_]+)'/g).concat(written);
    expect(events.length).toBeGreaterThanOrEqual(12);
    expect(events.filter((tipo) => !TIPOS_EVENTO.some((known) => known === tipo))).toEqual([]);
    expect(found(/estado: '(ERROR|RECHAZADA|VENCIDA)'/g).sort()).toEqual(['ERROR', 'RECHAZADA', 'VENCIDA']);
  });

  test('that are reasons have a cause and a remedy each', () => {
    const reasons = found(/motivo(?::| =) '([A-Z_]+)'/g).concat(
      found(/\['(?:ERROR|VENCIDA|CANCELADA)', '([A-Z_]+)'/g),
    );
    expect(reasons).toEqual(expect.arrayContaining(['API_KEY_REVOCADA', 'PLAZO_AGOTADO', 'EFIRMA_EXPIRADA']));
    expect(reasons.length).toBeGreaterThanOrEqual(8);
    expect(reasons.filter((motivo) => !Object.hasOwn(MOTIVOS, motivo))).toEqual([]);
  });

  test('are all known: a new one has to be given a text', () => {
    const words = found(/'([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*)'/g, inFolders()).filter((word) => word.length > 3);
    expect(words).toContain('EFIRMA_RECHAZADA');
    const known = new Set<string>([...TIPOS_EVENTO, ...Object.keys(MOTIVOS), ...OTHERS]);
    expect(words.filter((word) => !known.has(word))).toEqual([]);
  });
});

describe('a sentence of the timeline', () => {
  test.each(TIPOS_EVENTO)('for %s is Spanish, whatever comes with it', (tipo) => {
    for (const codigo of [null, '5005', 'NO_RESPONDE', 'FILA', 'rarísimo'])
      for (const detalle of [
        null,
        '3',
        '2024-01-01T00:00:00/2024-01-31T23:59:59',
        'PLAZO_AGOTADO',
        'NO_RESPONDE',
        'x/y/z',
      ]) {
        const { texto, detalle: more = '' } = describeEvento({ tipo, codigo, detalle });
        expect(texto).toMatch(/^\p{Lu}.*[.:]$/u);
        expect(texto).not.toMatch(/[A-Z]+_[A-Z]+/);
        expect(`${texto} ${more}`).not.toMatch(/undefined|null|NaN|código \.| {2}/);
      }
  });

  test('tells the period, the answer and its code', () => {
    const period = '2024-01-01T00:00:00/2024-01-31T23:59:59';
    expect(describeEvento({ tipo: 'SOLICITADA', codigo: 'F-1', detalle: period })).toMatchObject({
      texto: 'El SAT aceptó la petición del 1 ene 2024, 00:00:00 al 31 ene 2024, 23:59:59.',
      detalle: 'Folio del SAT: F-1',
    });
    expect(
      describeEvento({ tipo: 'SAT_SIN_RESPUESTA', codigo: 'HTTP 503', detalle: 'SERVICIO_CON_ERROR' }),
    ).toMatchObject({
      texto: 'El SAT no dio respuesta: su servicio contestó que está fallando. Se intentará de nuevo.',
      detalle: 'código HTTP 503',
    });
    expect(describeEvento({ tipo: 'TERMINADA', codigo: null, detalle: '1200' }).texto).toContain(
      '1,200 CFDI',
    );
    expect(
      describeEvento({ tipo: 'RECHAZADA', codigo: '5001', detalle: 'SAT_RECHAZO_LA_SOLICITUD' }).detalle,
    ).toBe(
      'El SAT no admitió la solicitud tal como se hizo. El SAT dijo: código 5001: no autoriza a pedir por este RFC.',
    );
  });

  test('of a version to come says that it is one, and its name only beside that', () => {
    for (const tipo of ['constructor', 'DE_MAÑANA'])
      expect(describeEvento({ tipo, codigo: '5000', detalle: 'd' })).toEqual({
        texto: 'La solicitud avanzó: esta versión del panel todavía no describe cómo.',
        detalle: `Clave: ${tipo}. código 5000: recibida. d`,
        tono: 'neutro',
      });
    expect(describeEvento({ tipo: 'X', codigo: null, detalle: null }).detalle).toBe('Clave: X');
    expect(explain('__proto__').causa).toContain('__proto__');
    expect(describeCodigo('toString')).toBe('código toString');
  });
});

test('every reason ends in what somebody can do', () => {
  for (const { causa, remedio } of Object.values(MOTIVOS)) {
    expect(causa).toMatch(/^\p{Lu}.*\.$/u);
    expect(remedio).toMatch(/^\p{Lu}.*\.$/u);
    expect(`${causa} ${remedio}`).not.toMatch(/error/i);
  }
});
