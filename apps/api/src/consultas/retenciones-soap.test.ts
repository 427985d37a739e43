import type { RespuestaVerificarMetadata, SolicitarMetadata, VerificarMetadata } from '@acuse/core';
import { zipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { expectCharged, expectGivenBack, prepare } from '../../test/consulta.ts';
import { createKit } from '../../test/kit.ts';

const PATH = 'tax/retenciones';
const HEADER =
  'Uuid~RfcEmisor~NombreEmisor~RfcReceptor~NombreReceptor~RfcPac~FechaEmision~FechaCertificacionSat~Monto~EfectoComprobante~Estatus~FechaCancelacion';

function zipOf(...rows: readonly (readonly [uuid: string, fecha: string, estatus: string])[]): Buffer {
  const lines = rows.map(
    ([uuid, fecha, estatus]) => `${uuid}~ACU200101DB1~ACUÍFERA~~~PAC~${fecha}~${fecha}~100.50~~${estatus}~`,
  );
  const name = '45C5C344-DA01-497A-9271-5AA3852EE6AE_01.txt';
  return Buffer.from(zipSync({ [name]: Buffer.from(`${[HEADER, ...lines].join('\r\n')}\r\n`) }));
}

const A = 'aaaaaaaa-4e5f-4061-8273-94a5b6c7d8e9';
const B = 'BBBBBBBB-4E5F-4061-8273-94A5B6C7D8E9';
const terminada: RespuestaVerificarMetadata = { resultado: 'TERMINADA', paquetes: ['p1'], registros: 2 };
const packages = (zip: Buffer) => [{ resultado: 'PAQUETE', zip }] as const;
const accept = ({ tipo }: SolicitarMetadata) => ({ resultado: 'ACEPTADA', folio: `f-${tipo}` }) as const;
const settings = { satEsperaMs: 1 };

/** A promise that the test resolves. */
function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open: () => open(), opened };
}

describe('retenciones by the web service', () => {
  it('asks for both sides of the year, waits, and lists each by date', async () => {
    const zip = zipOf([A, '2025-06-01 10:00:00', '0'], [B, '2025-01-01 00:00:00', '1']);
    const guion = {
      'solicitar-metadata': [accept],
      'verificar-metadata': [
        { resultado: 'EN_PROCESO' },
        { resultado: 'VACIA' },
        { resultado: 'EN_PROCESO' },
        terminada,
      ],
      'descargar-paquete': packages(zip),
    } as const;
    const { kit, a, sat } = await prepare(guion, 'efirma', { settings });
    const answer = await kit.call(PATH, { rfc: a.rfc, ejercicio: 2025 }, { key: a.key });
    await expectCharged(kit, a, answer);
    expect(answer.json.data).toMatchObject({
      total: 2,
      items: [
        { uuid: B, fecha: '2025-01-01', estado: 'VIGENTE', total: 100.5, receptor_rfc: null },
        { uuid: A.toUpperCase(), fecha: '2025-06-01', estado: 'CANCELADO' },
      ],
    });
    const asked = sat.consultas.filter((c) => c.consulta === 'solicitar-metadata');
    const periodo = { inicio: '2025-01-01T00:00:00', fin: '2025-12-31T23:59:59' };
    expect(asked.map(({ tipo }) => tipo).sort()).toEqual(['emitidos', 'recibidos']);
    for (const one of asked) expect(one).toMatchObject({ documento: 'retenciones', periodo });
    expect(await kit.filas('consulta_en_curso', a)).toHaveLength(0);
  });

  it('answers 5041 at the end of its time, and goes on with the same request when called again', async () => {
    let isReady = false;
    const guion = {
      'solicitar-metadata': [accept],
      'verificar-metadata': [() => (isReady ? { resultado: 'VACIA' as const } : { resultado: 'EN_PROCESO' as const })],
    };
    const { kit, a, sat } = await prepare(guion, 'efirma', { settings: { ...settings, presupuestoMs: 150 } });
    const first = await kit.call(PATH, { rfc: a.rfc, ejercicio: 2025 }, { key: a.key });
    expect([first.status, first.json.cfdi_codigo]).toEqual([503, 5041]);
    expect(first.json.data?.['motivo']).toContain('continuará');
    await expectGivenBack(kit, a, 1);
    expect(await kit.filas('consulta_en_curso', a)).toHaveLength(2);
    isReady = true;
    const patient = await createKit({ beside: kit, deps: { sat }, settings });
    const second = await patient.call(PATH, { rfc: a.rfc, ejercicio: 2025 }, { key: a.key });
    expect([second.status, second.json.data]).toMatchObject([200, { total: 0, canal: 'soap' }]);
    // Two requests for the year, and two more by the second look at an empty year.
    expect(sat.consultas.filter((c) => c.consulta === 'solicitar-metadata')).toHaveLength(4);
    expect(await kit.filas('consulta_en_curso', a)).toHaveLength(0);
  });

  it('fetches no package before both sides are ready, and asks for a ready side only once', async () => {
    let isReady = false;
    const guion = {
      'solicitar-metadata': [accept],
      'verificar-metadata': [
        ({ tipo }: VerificarMetadata) =>
          isReady || tipo === 'recibidos' ? terminada : ({ resultado: 'EN_PROCESO' } as const),
      ],
      'descargar-paquete': packages(zipOf([A, '2025-06-01 10:00:00', '1'])),
    };
    const { kit, a, sat } = await prepare(guion, 'efirma', { settings: { ...settings, presupuestoMs: 150 } });
    const ask = (one = kit) => one.call(PATH, { rfc: a.rfc, ejercicio: 2025 }, { key: a.key });
    expect([(await ask()).status, (await ask()).status]).toEqual([503, 503]);
    isReady = true;
    // Reading the packages takes a time of its own.
    const patient = await createKit({ beside: kit, deps: { sat }, settings });
    expect((await ask(patient)).json.data).toMatchObject({ total: 2 });
    const count = (name: string) => sat.consultas.filter(({ consulta }) => consulta === name).length;
    expect([count('solicitar-metadata'), count('descargar-paquete')]).toEqual([2, 2]);
    expect(await kit.filas('consulta_en_curso', a)).toHaveLength(0);
  });

  it('asks nothing more with the credential once it has answered', async () => {
    const [late, asked] = [gate(), gate()];
    const guion = {
      'solicitar-metadata': [
        async ({ tipo }: SolicitarMetadata) => {
          if (tipo === 'recibidos') {
            await asked.opened;
            return { resultado: 'DEMASIADOS', codigo: '5003', mensaje: '' } as const;
          }
          asked.open();
          await late.opened;
          return { resultado: 'ACEPTADA', folio: 'f' } as const;
        },
      ],
      'verificar-metadata': [terminada],
      'descargar-paquete': packages(zipOf([A, '2025-06-01 10:00:00', '1'])),
    };
    const { kit, a, sat } = await prepare(guion, 'efirma', { settings });
    let isAnswered = false;
    const call = kit.call(PATH, { rfc: a.rfc, ejercicio: 2025 }, { key: a.key }).finally(() => {
      isAnswered = true;
    });
    await expect.poll(() => sat.consultas.length).toBe(2);
    await new Promise((resolve) => setImmediate(resolve));
    expect(isAnswered).toBe(false);
    late.open();
    const answer = await call;
    expect([answer.status, answer.json.cfdi_codigo]).toEqual([400, 2001]);
    expect(await kit.filas('consulta_en_curso', a)).toHaveLength(1);
    expect(sat.consultas.some(({ consulta }) => consulta === 'descargar-paquete')).toBe(false);
  });

  it('asks from another second when the SAT says that it was asked before, however often, and leaves the year before out', async () => {
    const asked = new Set(['2025-01-01T00:00:00', '2024-12-31T23:59:59', '2024-12-31T23:59:58']);
    const guion = {
      'solicitar-metadata': [
        ({ periodo, tipo }: SolicitarMetadata) => {
          const isNew = !asked.has(tipo + periodo.inicio) && !asked.has(periodo.inicio);
          asked.add(tipo + periodo.inicio);
          return isNew
            ? ({ resultado: 'ACEPTADA', folio: 'f' } as const)
            : ({ resultado: 'REPETIDA', codigo: '5005', mensaje: '' } as const);
        },
      ],
      'verificar-metadata': [terminada],
      'descargar-paquete': packages(zipOf([A, '2024-12-31 23:59:59', '1'], [B, '2025-01-01 00:00:00', '1'])),
    } as const;
    const { kit, a, sat } = await prepare(guion, 'efirma', { settings, saldo: 8 });
    for (let call = 0; call < 8; call += 1) {
      const answer = await kit.call(PATH, { rfc: a.rfc, ejercicio: 2025 }, { key: a.key });
      expect(answer.json.data).toMatchObject({ total: 2, items: [{ uuid: B }, { uuid: B }] });
    }
    const starts = sat.consultas.flatMap((c) => (c.consulta === 'solicitar-metadata' ? [c.periodo.inicio] : []));
    for (const inicio of starts) expect(inicio).toMatch(/^(2025-01-01T00:00:00|2024-12-31T\d\d:\d\d:\d\d)$/);
  });

  it('answers 5041 when its time ends while the request is looked up', async () => {
    const { kit, a, sat } = await prepare({}, 'efirma', { settings });
    const apagado = new AbortController();
    const { consultasEnCurso } = kit.deps;
    const find: typeof consultasEnCurso.find = (...of) => {
      apagado.abort();
      return consultasEnCurso.find(...of);
    };
    const deps = { sat, apagado: apagado.signal, consultasEnCurso: { ...consultasEnCurso, find } };
    const hurried = await createKit({ beside: kit, settings, deps });
    const answer = await hurried.call(PATH, { rfc: a.rfc, ejercicio: 2025 }, { key: a.key });
    expect([answer.status, answer.json.cfdi_codigo]).toEqual([503, 5041]);
    await expectGivenBack(kit, a, 1);
    expect(sat.consultas).toEqual([]);
  });

  it.each(['RECHAZADA', 'ERROR', 'VENCIDA', 'DESCONOCIDA'] as const)('asks again once after %s', async (resultado) => {
    const guion = {
      'solicitar-metadata': [accept],
      'verificar-metadata': [{ resultado, codigo: '5000', mensaje: '' }],
    } as const;
    const { kit, a, sat } = await prepare(guion, 'efirma', { settings });
    const answer = await kit.call(PATH, { rfc: a.rfc, ejercicio: 2025 }, { key: a.key });
    expect([answer.status, answer.json.cfdi_codigo]).toEqual([503, 5041]);
    await expectGivenBack(kit, a, 1);
    const asked = (tipo: string) =>
      sat.consultas.filter((c) => c.consulta === 'solicitar-metadata' && c.tipo === tipo).length;
    // The side that fails first ends the other.
    expect(Math.max(asked('recibidos'), asked('emitidos'))).toBe(2);
  });

  it.each([
    ['no ZIP', Buffer.from('<html>')],
    ['a cut ZIP', zipOf([A, '2025-06-01 10:00:00', '1']).subarray(0, -8)],
    ['a row without a known state', zipOf([A, '2025-06-01 10:00:00', '7'])],
    ['a row without a date', zipOf([A, '', '1'])],
  ])('takes %s for no answer, never for fewer rows', async (_name, zip) => {
    const guion = {
      'solicitar-metadata': [accept],
      'verificar-metadata': [terminada],
      'descargar-paquete': packages(zip),
    } as const;
    const { kit, a } = await prepare(guion, 'efirma', { settings });
    const answer = await kit.call(PATH, { rfc: a.rfc, ejercicio: 2025 }, { key: a.key });
    expect([answer.status, answer.json.cfdi_codigo]).toEqual([503, 5041]);
    await expectGivenBack(kit, a, 1);
  });
});
