import { expect, it } from 'vitest';
import { describeConsulta, expectCharged, expectGivenBack, prepare } from '../../../test/consulta.ts';

const PATH = 'tax/opinion-cumplimiento-fiel';
const asks = ['consultar-opinion'] as const;
const pdf = Buffer.from('%PDF-1.7 firmado');
const opinion = { sentido: 'POSITIVO', folio: '26NA1', fecha: '2026-11-20', motivo: null, pdf } as const;

describeConsulta({ path: PATH, cost: 1, needs: 'efirma', asks, body: (rfc) => ({ rfc }) });

it('keeps the document as the SAT signed it and gives a URL of it', async () => {
  const { kit, a } = await prepare({ 'consultar-opinion': [opinion] }, 'efirma');
  const answer = await kit.call(PATH, { rfc: a.rfc }, { key: a.key });
  await expectCharged(kit, a, answer);
  const [documento] = await kit.filas<{ object_key: string }>('documento', a);
  if (!documento) throw new Error('no document was noted');
  expect(kit.saved.get(documento.object_key)).toEqual(pdf);
  expect(documento).toMatchObject({ tipo: 'opinion', bytes: String(pdf.length) });
  expect(answer.json.data).toEqual({
    rfc: a.rfc,
    opinion: 'POSITIVO',
    motivo: null,
    expira_en: '2026-11-20T19:00:00.000Z',
    pdf_firmado_url: expect.stringContaining(documento.object_key),
    canal: 'portal',
    credencial: 'efirma',
  });
});

it.each(['saveDocumento', 'presign'] as const)(
  'answers 503/5041 and gives the credit back when storage is away (%s)',
  async (step) => {
    const { kit: working } = await prepare({}, null);
    const paquetes = { ...working.deps.paquetes, [step]: () => Promise.reject(new Error('connect ECONNREFUSED')) };
    const { kit, a } = await prepare({ 'consultar-opinion': [opinion] }, 'efirma', { deps: { paquetes } });
    const answer = await kit.call(PATH, { rfc: a.rfc }, { key: a.key });
    expect([answer.status, answer.json.cfdi_codigo, answer.json.data]).toEqual([503, 5041, { reintentar_en: 60 }]);
    expect(answer.json.cfdi_texto).toMatch(/almacén.*No se cobró nada; repita la consulta/);
    expect(answer.text).not.toContain('ECONNREFUSED');
    expect(answer.headers.get('retry-after')).toBe('60');
    await expectGivenBack(kit, a, 1);
  },
);
