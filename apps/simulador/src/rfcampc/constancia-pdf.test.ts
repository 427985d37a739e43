import { extractText, getDocumentProxy } from 'unpdf';
import { beforeAll, describe, expect, test } from 'vitest';
import type { CambioPerfil } from '../world/taxpayers/perfil.ts';
import { createWorld, type World } from '../world/world.ts';
import { writeConstanciaPdf } from './constancia-pdf.ts';

const MORAL = 'EKU9003173C9';
const NOW = new Date('2026-03-01T05:30:00Z');
let world: World;

beforeAll(async () => {
  world = await createWorld();
});

/** The text of each page in the order it was written, by a library that did not write it. */
async function pagesOf(rfc: string, cambio?: CambioPerfil): Promise<string[]> {
  if (cambio) world.taxpayers.change(rfc, { perfil: cambio });
  const pdf = await writeConstanciaPdf(rfc, world.taxpayers.profile(rfc), NOW);
  const proxy = await getDocumentProxy(new Uint8Array(pdf));
  return (await extractText(proxy, { mergePages: false })).text;
}

const flat = (text: string) => text.replace(/\s+/g, ' ');

describe('the text of the constancia', () => {
  test('of a legal person has the card, the long dates and both fields of a line', async () => {
    const { idCif, nombre, regimenCapital, domicilio } = world.taxpayers.profile(MORAL);
    const text = (await pagesOf(MORAL)).join('\n');
    expect(text).toContain('CÉDULA DE IDENTIFICACIÓN FISCAL\n');
    expect(text).toContain(`idCIF: ${idCif}\n`);
    expect(text).toContain(
      `Denominación/Razón Social: ${nombre}\nRégimen Capital: ${regimenCapital}\nNombre Comercial:\n`,
    );
    expect(text).toContain(`Código Postal: ${domicilio.cp} Tipo de Vialidad: ${domicilio.tipoVialidad}\n`);
    expect(text).toContain('Fecha inicio de operaciones: 12 DE ABRIL DE 1990\n');
    expect(text).toMatch(/\n[A-Z ]+ , [A-Z ]+ A 28 DE\s+FEBRERO\s+DE\s+2026\n/);
    expect(flat(text)).toContain(
      `Cadena Original Sello: ||2026/02/28 23:30:00|${MORAL}|CONSTANCIA DE SITUACIÓN FISCAL|`,
    );
    expect(text).not.toContain('CURP');
  });

  test('leaves a label without a value beside the next label', async () => {
    const domicilio = { numeroInterior: '', colonia: 'DEL VALLE' };
    const text = (await pagesOf('PERJ800101AB7', { domicilio })).join('\n');
    expect(text).toContain('\nNúmero Interior: Nombre de la Colonia: DEL VALLE\n');
  });

  test('puts a value that does not fit beside its label below it, whole', async () => {
    const domicilio = { municipio: 'DOLORES HIDALGO CUNA DE LA INDEPENDENCIA NACIONAL', vialidad: 'X'.repeat(40) };
    const text = (await pagesOf('PERJ800101AB7', { domicilio })).join('\n');
    const label = 'Nombre del Municipio o Demarcación Territorial:';
    expect(text).toContain(`${label}\n${domicilio.municipio}\n`);
    expect(text).toContain(domicilio.vialidad);
  });
});

describe('long tables', () => {
  const obligaciones = Array.from({ length: 40 }, (_, i) => ({
    descripcion: `Obligación ${i} de las personas físicas con un nombre que no cabe en una sola línea de la columna "${i}" & más`,
    vencimiento: `A más tardar el día ${i} del mes inmediato posterior al periodo que corresponda, sin excepción.`,
    desde: '2020-01-15',
    hasta: i % 3 === 0 ? '2024-12-31' : null,
  }));

  test('wrap their cells, run over pages without repeating headings, and neither lose nor divide a row', async () => {
    const pages = await pagesOf('XOJI740919U48', { obligaciones });
    expect(pages.length).toBeGreaterThan(2);
    expect(pages.join().match(/Descripción de la Obligación/g)).toHaveLength(1);
    for (const { descripcion, vencimiento, hasta } of obligaciones) {
      const row = `${descripcion} ${vencimiento} 15/01/2020${hasta === null ? '' : ' 31/12/2024'}`;
      expect(pages.filter((page) => flat(page).includes(row))).toHaveLength(1);
      expect(pages.join()).not.toContain(descripcion);
    }
  });

  test('number every page at its end', async () => {
    const pages = await pagesOf('XOJI740919U48', { obligaciones });
    for (const [i, page] of pages.entries()) {
      expect(page.endsWith(`\nPágina [${i + 1}] de [${pages.length}]`)).toBe(true);
    }
  });
});
