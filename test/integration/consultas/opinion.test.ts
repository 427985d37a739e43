import { MAGIAS, type Magia } from '@acuse/simulador';
import { beforeAll, describe, expect, it } from 'vitest';
import { issueOpinion, opinionPdf } from '../../../apps/simulador/src/ptsc32d/opinion-pdf.ts';
import { newEfirmaCaller } from '../fixtures/efirma.ts';
import { createBucket } from '../fixtures/objetos.ts';
import { saldoDe } from '../fixtures/pedidos.ts';
import { expectOk, useServicio } from '../fixtures/servicio.ts';
import { CONTRIBUYENTES, hoy } from './verdad.ts';

const SENTIDOS = MAGIAS.filter((magia): magia is Magia & { opinion: string } => magia.opinion !== undefined);
const PERSONAS = [
  ...CONTRIBUYENTES.map(([name, rfc]) => [`POSITIVO, ${name}`, rfc, 'POSITIVO'] as const),
  ...SENTIDOS.flatMap(({ opinion, moral, fisica }) => [
    [`${opinion}, persona moral`, moral, opinion] as const,
    [`${opinion}, persona física`, fisica, opinion] as const,
  ]),
];

const servicio = useServicio();
beforeAll(async () => {
  await createBucket(servicio);
});

/**
 * What a negative opinion must name: each return that was not filed and each debt; nothing else of an opinion has a
 * reason to list.
 */
function expectMotivo(rfc: string, motivo: unknown, sentido: string): void {
  if (sentido === 'POSITIVO') {
    expect(motivo).toBeNull();
    return;
  }
  expect(motivo).toEqual(expect.stringMatching(/\S{3}/));
  const { obligacionesOmitidas, creditos } = servicio.simulador.world.taxpayers.profile(rfc).opinion;
  expect([obligacionesOmitidas.length > 0, creditos.length > 0]).toEqual(
    sentido === 'NEGATIVO' ? [true, true] : [false, false],
  );
  for (const { ejercicio, periodo, descripcion } of obligacionesOmitidas)
    expect(motivo).toContain(`${ejercicio} ${periodo} ${descripcion.replace(/\.$/, '')}`);
  for (const { numero, autoridad, importe } of creditos) {
    expect(motivo).toContain(numero);
    expect(motivo).toContain(`Autoridad: ${autoridad}`);
    expect(String(motivo).replaceAll(',', '')).toContain(importe.toFixed(2));
  }
}

/** Every document that the simulated authority could have made of the taxpayer between two moments: one a second. */
async function documentsBetween(rfc: string, from: number, to: number): Promise<Buffer[]> {
  const { world } = servicio.simulador;
  const documents: Buffer[] = [];
  for (let ms = from; Math.floor(ms / 1_000) <= Math.floor(to / 1_000); ms += 1_000) {
    const clock = { ...world.clock, now: () => new Date(ms) };
    documents.push(await opinionPdf(issueOpinion({ ...world, clock }, rfc), '2025'));
  }
  return documents;
}

describe.each(PERSONAS)('%s', (_name, rfc, sentido) => {
  it('tax/opinion-cumplimiento, with CIEC', async () => {
    const caller = await servicio.newCiecCaller({ rfc });
    const data = await expectOk(caller.call('tax/opinion-cumplimiento', { rfc }));
    expect(data).toEqual({
      rfc,
      opinion: sentido,
      fecha_consulta: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      motivo: data['motivo'],
      saldo: 9,
      canal: 'portal',
      credencial: 'ciec',
    });
    expectMotivo(rfc, data['motivo'], sentido);
    expect(await saldoDe(servicio, caller)).toBe(9);
  });

  it('tax/opinion-cumplimiento-fiel: the document as it was issued, by its URL alone', async () => {
    const caller = await newEfirmaCaller(servicio, { rfc });
    const before = Date.now();
    const data = await expectOk(caller.call('tax/opinion-cumplimiento-fiel', { rfc }));
    const after = Date.now();
    expect(data).toMatchObject({ rfc, opinion: sentido });
    expectMotivo(rfc, data['motivo'], sentido);
    expect(Date.parse(String(data['expira_en']))).toBeGreaterThan(after);

    const response = await fetch(String(data['pdf_firmado_url']));
    expect(response.status).toBe(200);
    expect(response.headers.get('content-disposition')).toContain('.pdf');
    const pdf = Buffer.from(await response.arrayBuffer());
    expect(pdf.subarray(0, 5).toString()).toBe('%PDF-');
    const issued = await documentsBetween(rfc, before, after);
    expect(issued.filter((document) => document.equals(pdf))).toHaveLength(1);
  });
});

it('reads the reasons from the layout before June 2025 too', async () => {
  const address = `${servicio.simulador.url}/ptsc32d/simulador/ajustes`;
  const draw = (diseno: string) => fetch(address, { method: 'PUT', body: JSON.stringify({ diseno }) });
  expect((await draw('anterior')).status).toBe(200);
  for (const [, rfc, sentido] of PERSONAS) {
    const caller = await servicio.newCiecCaller({ rfc });
    const { opinion, motivo } = await expectOk(caller.call('tax/opinion-cumplimiento', { rfc }));
    expect([rfc, opinion, motivo === null]).toEqual([rfc, sentido, sentido === 'POSITIVO']);
    const { obligacionesOmitidas, creditos } = servicio.simulador.world.taxpayers.profile(rfc).opinion;
    for (const { ejercicio, periodo, descripcion } of obligacionesOmitidas)
      for (const part of [descripcion.replace(/\.$/, ''), `${ejercicio} ${periodo}`]) expect(motivo).toContain(part);
    for (const { numero } of creditos) expect(motivo).toContain(numero);
  }
  await draw('2025');
});

describe('tax/opinion-cumplimiento-publica', () => {
  it('of all senses that are published, dated at the midnight of Mexico, free of charge', async () => {
    const caller = await servicio.newCaller({ saldo: 0 });
    let published = 0;
    for (const [name, rfc, sentido] of PERSONAS) {
      const { autorizaPublicacion } = servicio.simulador.world.taxpayers.profile(rfc).opinion;
      if (!autorizaPublicacion) continue;
      published += 1;
      const before = hoy();
      const data = await expectOk(caller.call('tax/opinion-cumplimiento-publica', { rfc }));
      const dia = String(data['fecha_publicacion']).slice(0, 10);
      expect([before, hoy()]).toContain(dia);
      expect([name, data]).toEqual([
        name,
        { rfc, opinion: sentido, fecha_publicacion: `${dia}T06:00:00.000Z`, advertencias: expect.any(Array) },
      ]);
    }
    expect(published).toBeGreaterThan(SENTIDOS.length * 2);
  });

  it('one that its taxpayer does not let be published is not told, whatever it is', async () => {
    const caller = await servicio.newCaller({ saldo: 0 });
    const rfc = 'EKU9003173C9';
    const { world } = servicio.simulador;
    const answers = [];
    for (const autorizaPublicacion of [true, false, true]) {
      world.taxpayers.change(rfc, { perfil: { opinion: { autorizaPublicacion } } });
      const { status, body } = await caller.call('tax/opinion-cumplimiento-publica', { rfc });
      answers.push([status, body.cfdi_codigo, body.data?.['opinion']]);
    }
    expect(answers).toEqual([
      [200, 1, 'POSITIVO'],
      [404, 2002, undefined],
      [200, 1, 'POSITIVO'],
    ]);
  });
});
