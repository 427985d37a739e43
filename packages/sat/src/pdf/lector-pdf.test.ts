import { spawn } from 'node:child_process';
import { getEventListeners, once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { deflateSync } from 'node:zlib';
import { SatError } from '@acuse/core';
import fc from 'fast-check';
import ts from 'typescript';
import { afterAll, describe, expect, it } from 'vitest';
import { createLectorPdf, type LectorPdfSettings } from './lector-pdf.ts';
import { makePdf, streamOf, writePdf } from './testing/pdf-de-prueba.ts';

/** Only the tests of the time limit are about it. */
const PATIENT = { timeoutMs: 100_000 };
const lector = createLectorPdf(PATIENT);
afterAll(() => lector.close());

const signal = new AbortController().signal;
const read = (bytes: Uint8Array) => lector.read(bytes, { signal });

async function refusal(promise: Promise<unknown>): Promise<string> {
  const outcome = await promise.then(
    () => 'leído',
    (error: unknown) => error,
  );
  if (!(outcome instanceof SatError)) throw new Error('expected a SatError', { cause: outcome });
  expect(outcome.motivo).toBe('RESPUESTA_ILEGIBLE');
  return outcome.message;
}

async function refusalOf(bytes: Uint8Array, settings: LectorPdfSettings): Promise<string> {
  const own = createLectorPdf({ ...PATIENT, ...settings });
  try {
    return await refusal(own.read(bytes, { signal }));
  } finally {
    await own.close();
  }
}

const CATALOGO = '<</Type/Catalog/Pages 2 0 R>>';
const FUENTE = '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>';
/** One page whose content is object 4. */
const unaPagina = (contenido: Buffer) =>
  writePdf([
    CATALOGO,
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>',
    contenido,
    FUENTE,
  ]);

describe('readPdf', { timeout: 120_000 }, () => {
  it('keeps a thread for the next document, and ends it when there is none for a while', async () => {
    const own = createLectorPdf({ inactivoMs: 300 });
    const pdf = await makePdf((d) => d.text('hola', 50, 50));
    try {
      await own.read(pdf, { signal });
      await own.read(pdf, { signal });
      expect(own.threads).toBe(1);
      await expect.poll(() => own.threads, { timeout: 60_000 }).toBe(0);
      expect(await own.read(pdf, { signal })).toHaveLength(1);
    } finally {
      await own.close();
    }
  });

  it('gives lines from top to bottom and cells from left to right, whatever the order they were drawn in', async () => {
    const pdf = await makePdf((d) => {
      d.fontSize(9).text('último', 50, 300).text('SEGUNDA CELDA', 240, 100).text('Ñandú y cigüeña:', 50, 100);
      d.addPage().text('otra página', 50, 50);
    });
    const [primera, segunda] = await read(pdf);
    expect(primera?.lineas.map(({ texto }) => texto)).toEqual(['Ñandú y cigüeña:  SEGUNDA CELDA', 'último']);
    expect(primera?.lineas[0]?.celdas.map(({ x }) => Math.round(x))).toEqual([50, 240]);
    expect(segunda?.lineas).toMatchObject([{ pagina: 2, texto: 'otra página', cuerpo: 9 }]);
  });

  it('takes a text that is drawn twice to make it bold for one, and leaves out what stands on its side', async () => {
    const pdf = await makePdf((d) => {
      d.fontSize(10).text('NOMBRE', 50, 100).text('NOMBRE', 50.3, 100);
      d.rotate(90, { origin: [300, 300] }).text('SELLO', 300, 300);
    });
    expect((await read(pdf))[0]?.lineas.map(({ texto }) => texto)).toEqual(['NOMBRE']);
  });

  it('refuses a file that is no PDF, is encrypted, has no text, or has too many pages', async () => {
    expect(await refusal(read(Buffer.from('<html>Servicio no disponible</html>')))).toContain('no es un PDF');
    expect(await refusal(read(Buffer.alloc(0)))).toContain('no es un PDF');
    const cifrado = await makePdf((d) => d.text('secreto', 50, 50), { userPassword: 'clave' });
    expect(await refusal(read(cifrado))).toContain('PDF cifrado');
    expect(await refusal(read(await makePdf((d) => d.rect(1, 1, 9, 9).fill())))).toContain('PDF sin texto');
    const largo = await makePdf((d) => {
      for (let i = 0; i < 4; i += 1) d.text('hoja', 50, 50).addPage();
    });
    expect(await refusal(lector.read(largo, { signal, maxPaginas: 4 }))).toContain('demasiadas páginas');
    expect(await refusalOf(largo, { maxBytes: 100 })).toContain('demasiado grande');
    expect(await refusalOf(largo, { maxCaracteres: 10 })).toContain('demasiado texto');
  });

  it('keeps a thread for the next document unless it stopped in the middle of one', async () => {
    const pdf = await makePdf((d) => d.text('hola hola', 50, 50));
    const own = createLectorPdf({ maxThreads: 1, maxCaracteres: 5 });
    try {
      expect(await refusal(own.read(Buffer.from('<html>'), { signal }))).toContain('no es un PDF');
      expect(own.threads).toBe(1);
      expect(await refusal(own.read(pdf, { signal }))).toContain('demasiado texto');
      expect(own.threads).toBe(0);
    } finally {
      await own.close();
    }
  });

  it('refuses a document that is cut anywhere, and reads it whole', async () => {
    const pdf = await makePdf((d) => {
      for (let i = 0; i < 3; i += 1) d.text(`Régimen ${i}`, 50, 50).addPage();
    });
    const cuerpo = pdf.lastIndexOf('%%EOF');
    expect((await read(pdf)).length).toBe(4);
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: cuerpo + 4 }), async (length) => {
        await refusal(read(pdf.subarray(0, length)));
      }),
      { numRuns: 40 },
    );
  });

  it('gives text or an error when bytes are changed, and never dies of it', { tags: ['slow'] }, async () => {
    const pdf = await makePdf((d) => d.fontSize(9).text('PEÑA GÓMEZ', 50, 50).text('EKU9003173C9', 50, 80), {
      compress: true,
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(pdf.length - 1), fc.nat(255)), { minLength: 1, maxLength: 20 }),
        async (cambios) => {
          const roto = Buffer.from(pdf);
          for (const [at, byte] of cambios) roto[at] = byte;
          const outcome = await read(roto).catch((error: unknown) => error);
          if (!Array.isArray(outcome)) expect(outcome).toBeInstanceOf(SatError);
        },
      ),
      { numRuns: 12 },
    );
  });

  it('gives random bytes and nonsense between a real head and tail up', { tags: ['slow'] }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 2000 }), async (basura) => {
        await refusal(read(Buffer.concat([Buffer.from('%PDF-1.7\n'), basura, Buffer.from('\n%%EOF')])));
      }),
      { numRuns: 8 },
    );
  });

  it('refuses a page count that is a lie, and pages that contain themselves', { tags: ['slow'] }, async () => {
    const miles = writePdf([CATALOGO, '<</Type/Pages/Kids[3 0 R]/Count 999999999>>', '<</Type/Page/Parent 2 0 R>>']);
    expect(await refusal(read(miles))).toContain('RESPUESTA_ILEGIBLE');
    const circle = writePdf([CATALOGO, '<</Type/Pages/Kids[2 0 R 2 0 R]/Count 2>>']);
    expect(await refusal(read(circle))).toContain('RESPUESTA_ILEGIBLE');
  });

  it('refuses deep nesting', { tags: ['slow'] }, async () => {
    const deep = writePdf([CATALOGO, `<</Type/Pages/Kids${'['.repeat(200_000)}${']'.repeat(200_000)}/Count 1>>`]);
    expect(await refusal(read(deep))).toContain('RESPUESTA_ILEGIBLE');
    const contenido = streamOf('', Buffer.from(`BT /F1 9 Tf ${'['.repeat(300_000)} TJ ET`));
    expect(await refusal(read(unaPagina(contenido)))).toContain('RESPUESTA_ILEGIBLE');
  });

  it('refuses a stream that unpacks to more than it may, through two filters as well', async () => {
    const ceros = deflateSync(Buffer.alloc(12 * 1024 * 1024, 0x20));
    const una = unaPagina(streamOf('/Filter/FlateDecode', ceros));
    const settings = { maxBloqueBytes: 2 * 1024 * 1024 };
    expect(await refusalOf(una, settings)).toContain('PDF dañado');
    const dos = unaPagina(streamOf('/Filter[/FlateDecode/FlateDecode]', deflateSync(ceros)));
    expect(await refusalOf(dos, settings)).toContain('PDF dañado');
  });

  it('ends a document that takes too long, and reads the next one', async () => {
    const lento = unaPagina(
      streamOf('/Filter/FlateDecode', deflateSync(Buffer.from('BT /F1 9 Tf (a) Tj ET '.repeat(2_000_000)))),
    );
    const own = createLectorPdf({ timeoutMs: 1_500, maxTrazos: 1e9, maxCaracteres: 1e9, maxThreads: 1 });
    try {
      expect(await refusal(own.read(lento, { signal }))).toMatch(/a tiempo|memoria|terminó/);
      const good = await makePdf((d) => d.text('sigue', 50, 50));
      const longer = createLectorPdf({ maxThreads: 1 });
      expect((await longer.read(good, { signal }))[0]?.lineas[0]?.texto).toBe('sigue');
      await longer.close();
    } finally {
      await own.close();
    }
  });

  it('ends with the caller, also while it waits for a thread, and when it is closed', async () => {
    const pdf = await makePdf((d) => d.text('hola', 50, 50));
    const own = createLectorPdf({ maxThreads: 1 });
    const busy = own.read(pdf, { signal });
    const stop = new AbortController();
    const waiting = own.read(pdf, { signal: stop.signal });
    stop.abort();
    await expect(waiting).rejects.toMatchObject({ motivo: 'CANCELADA' });
    expect((await busy).length).toBe(1);
    const last = own.read(pdf, { signal });
    const closed = own.close();
    await expect(last).rejects.toMatchObject({ motivo: 'CANCELADA' });
    await closed;
    await expect(own.read(pdf, { signal })).rejects.toMatchObject({ motivo: 'CANCELADA' });
  });

  it('leaves nothing with the signal of a caller that lives longer than the document', async () => {
    const long = new AbortController().signal;
    await lector.read(await makePdf((d) => d.text('hola', 50, 50)), { signal: long });
    await refusal(lector.read(Buffer.from('no es un PDF'), { signal: long }));
    expect(getEventListeners(long, 'abort')).toEqual([]);
  });

  it('reads many documents with two threads', async () => {
    const pdfs = await Promise.all(
      Array.from({ length: 12 }, (_, i) => makePdf((d) => d.text(`documento ${i}`, 50, 50))),
    );
    const textos = await Promise.all(pdfs.map(async (pdf) => (await read(pdf))[0]?.lineas[0]?.texto));
    expect(textos).toEqual(pdfs.map((_, i) => `documento ${i}`));
  });

  it('runs from its source in a plain process, and lets it end while its threads are idle', {
    tags: ['slow'],
  }, async () => {
    expect(await runIn(new URL('./lector-pdf.ts', import.meta.url))).toEqual([0, 'desde un proceso']);
  });

  it('runs compiled, its thread without any loader', { tags: ['slow'] }, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'acuse-pdf-'));
    try {
      await compile(new URL('./', import.meta.url), folder);
      expect(await runIn(pathToFileURL(join(folder, 'lector-pdf.js')))).toEqual([0, 'desde un proceso']);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

/** Reads a document in a process of its own and gives its exit code and what it wrote. */
async function runIn(module: URL): Promise<[number, string]> {
  const pdf = await makePdf((d) => d.text('desde un proceso', 50, 50));
  const source = `
    const { createLectorPdf } = await import('${module.href}');
    const pdf = Buffer.from('${pdf.toString('base64')}', 'base64');
    const [pagina] = await createLectorPdf().read(pdf, { signal: new AbortController().signal });
    console.log(pagina.lineas[0].texto);
  `;
  const flags = ['--conditions=acuse-source', '--import', 'tsx', '--input-type=module', '--eval', source];
  const child = spawn(process.execPath, flags, { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk;
  });
  const [code] = await once(child, 'close');
  return [code, output.trim()];
}

/** What `tsc -b` makes of this folder, where the packages can be found as from here. */
async function compile(from: URL, to: string): Promise<void> {
  await writeFile(join(to, 'package.json'), '{"type":"module"}');
  await symlink(fileURLToPath(new URL('../../../../node_modules', import.meta.url)), join(to, 'node_modules'));
  for (const file of await readdir(from)) {
    if (!file.endsWith('.ts') || file.endsWith('.test.ts')) continue;
    const { outputText } = ts.transpileModule(await readFile(new URL(file, from), 'utf8'), {
      compilerOptions: {
        module: ts.ModuleKind.ESNext,
        target: ts.ScriptTarget.ES2023,
        rewriteRelativeImportExtensions: true,
        verbatimModuleSyntax: true,
      },
    });
    await writeFile(join(to, file.replace(/ts$/, 'js')), outputText);
  }
}
