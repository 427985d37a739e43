import { describe, expect, it } from 'vitest';
import { PaqueteSatInvalido } from '../ports/paquetes.ts';
import type { ClaimedSolicitud, Claims, Parte } from '../ports/solicitudes.ts';
import { SatError } from '../sat-error.ts';
import { assembleSolicitud } from '../solicitud/ensamble.ts';
import { noCheckpoint } from '../solicitud/parte.ts';
import { claimed, NOW, PERIODO, parte, released, step } from '../solicitud/testing/un-paso.ts';
import { claveXml, quotaRfc } from './cuota-xml.ts';

const HOUR = 3_600_000;
const at = (ms: number) => new Date(NOW.getTime() + ms);
const ciec = { tipo: 'ciec', kid: 'k', sobre: Buffer.alloc(0), expiraEn: at(HOUR) } as const;
const xml = (change: Partial<Parte> = {}) => parte({ id: 'x1', contenido: 'xml', ...change });
const whole = parte({ estado: 'DESCARGADA' });
const solicitud = (change: Partial<ClaimedSolicitud> = {}) =>
  claimed({ contenido: 'xml', deadlineAt: at(100 * HOUR), partes: [xml(), whole], ...change });
const atPortal = (change: Partial<Parte> = {}) =>
  solicitud({
    canal: 'portal',
    sellada: ciec,
    partes: [xml({ canal: 'portal', ...change }), { ...whole, canal: 'portal' }],
  });
const tipos = (result: Awaited<ReturnType<typeof step>>) => released(result).avance.eventos?.map(({ tipo }) => tipo);

describe('a solicitud of XML', () => {
  it('begins with a part of metadata and one of XML for each period', async () => {
    const { avance } = released(await step(solicitud({ partes: [] })));
    expect(avance.nuevas).toMatchObject({ contenidos: ['metadata', 'xml'] });
    const rows = await step(claimed({ partes: [] }), { 'solicitar-metadata': { resultado: 'ACEPTADA', folio: 'F' } });
    expect(rows.calls[0]).toMatchObject(['save', { nuevas: { contenidos: ['metadata'] } }]);
  });

  it('divides a part of XML into parts of XML', async () => {
    const { avance } = released(await step(solicitud(), { 'solicitar-metadata': { resultado: 'DEMASIADOS' } }));
    expect(avance.nuevas).toMatchObject({ reemplaza: 'x1', contenidos: ['xml'], canal: 'soap' });
  });

  it('waits for XML alone until nine tenths of its time are over, and then names what is missing', async () => {
    const open = [whole, xml({ estado: 'SOLICITADA', folio: 'F', dueAt: at(99 * HOUR) })];
    const early = released(await step(solicitud({ partes: open, now: at(89 * HOUR) })));
    expect(early.next).toEqual({ queue: 'descargas', inSeconds: 3_600 });
    const asked = [whole, xml({ estado: 'SOLICITADA', folio: 'F' })];
    const sinListo = { 'verificar-metadata': { resultado: 'EN_PROCESO' } } as const;
    const looked = await step(solicitud({ partes: asked, now: at(90 * HOUR - 1_000) }), sinListo);
    expect(released(looked).next).toEqual({ queue: 'descargas', inSeconds: 1 });
    const late = await step(solicitud({ partes: open, now: at(90 * HOUR) }));
    expect(released(late).next).toEqual({ queue: 'ensambles', inSeconds: 0 });
    expect(released(late).avance.partes).toMatchObject([
      { parteId: 'x1', estado: 'VACIA', motivo: 'NO_ENTREGADO_POR_EL_SAT' },
    ]);
    expect(tipos(late)).toEqual(['XML_SIN_ENTREGA']);
  });

  it('delivers the packages that are stored when one of them cannot be read', async () => {
    const paquete = (name: string) => ({ paquete: name, orden: 1, objectKey: `k-${name}`, relecturas: 1 });
    const parts = [whole, xml({ estado: 'DESCARGADA', paquetes: [paquete('A'), paquete('B')] })];
    const calls: unknown[][] = [];
    const claims = { release: async (...args: unknown[]) => void calls.push(args) } as unknown as Claims;
    const assemble = async () => {
      throw new PaqueteSatInvalido('CRC', 'k-B', 'm');
    };
    const paquetes = { assemble, remove: async () => {} };
    const held = solicitud({ fase: 'ENSAMBLE', partes: parts });
    await assembleSolicitud(
      { claims, paquetes, checkpoint: noCheckpoint, observe: [] },
      held,
      new AbortController().signal,
    );
    expect(calls[0]?.slice(1)).toMatchObject([
      { partes: [{ parteId: 'x1', estado: 'VACIA', releer: { paquete: 'B' } }] },
      { queue: 'ensambles' },
    ]);
    expect(calls[0]?.[1]).not.toHaveProperty('partes.0.paquetes');
  });

  it('keeps waiting while metadata is open', async () => {
    const open = [parte({ dueAt: at(95 * HOUR) }), xml({ dueAt: at(95 * HOUR) })];
    expect(released(await step(solicitud({ partes: open, now: at(92 * HOUR) }))).next.queue).toBe('descargas');
  });
});

describe('a request of XML at the web service', () => {
  const accepted = { 'solicitar-metadata': { resultado: 'ACEPTADA', folio: 'F' } } as const;

  it('takes a turn of the two equal ones before the SAT is asked', async () => {
    const result = await step(solicitud(), accepted);
    expect(result.names.slice(0, 4)).toEqual(['ping', 'take', 'save', 'sat solicitar-metadata']);
    expect(result.calls[1]).toEqual(['take', claveXml('recibidos', PERIODO, null), 1]);
  });

  it('differs by as many seconds as equal ones are spent', async () => {
    const result = await step(solicitud(), accepted, null, null, () => [], [false, false, true]);
    expect(result.calls.find(([name]) => name === 'save')?.[1]).toMatchObject({ partes: [{ desfase: 2 }] });
  });

  it('is not sent once a minute of them is spent', async () => {
    const result = await step(solicitud(), accepted, null, null, () => [], Array(61).fill(false));
    expect(result.names).not.toContain('sat solicitar-metadata');
    expect(tipos(result)).toEqual(['XML_SIN_ENTREGA']);
  });

  it('is not sent a ninth time', async () => {
    const result = await step(solicitud({ partes: [xml({ envios: 8 }), whole] }), accepted);
    expect(result.names).toEqual(['release']);
    expect(tipos(result)).toEqual(['XML_SIN_ENTREGA']);
  });

  it('spends the key when the SAT answers 5002 at once', async () => {
    const answer = { resultado: 'REPETIDA', codigo: '5002', mensaje: 'm' } as const;
    const result = await step(solicitud(), { 'solicitar-metadata': answer });
    expect(result.names.filter((name) => name === 'take')).toHaveLength(3);
    expect(released(result).avance.partes).toMatchObject([{ estado: 'PENDIENTE', desfase: 1 }]);
  });

  it.each([
    ['without a CIEC: the solicitud goes on without the XML', null, undefined],
    ['with a CIEC: the portal is asked for the XML', ciec, { contenidos: ['xml'], canal: 'portal', reemplaza: 'x1' }],
  ] as const)('is given up by the SAT, %s', async (_name, otra, nuevas) => {
    const answer = { resultado: 'ERROR', codigo: '5006', mensaje: 'm' } as const;
    const asked = xml({ estado: 'SOLICITADA', folio: 'F', reenvios: 2 });
    const result = await step(solicitud({ otra, partes: [asked, whole] }), { 'verificar-metadata': answer });
    const { avance } = released(result);
    if (nuevas) expect(avance.nuevas).toMatchObject(nuevas);
    else expect(avance.partes).toMatchObject([{ parteId: 'x1', estado: 'VACIA', motivo: 'NO_ENTREGADO_POR_EL_SAT' }]);
  });

  const waits = xml({ estado: 'SOLICITADA', folio: 'F' });
  const toPortal = { reemplaza: 'x1', contenidos: ['xml'], canal: 'portal' };

  it('goes over to the portal when the hour of the key is over', async () => {
    const result = await step(solicitud({ otra: ciec, partes: [waits, whole], sellada: null }));
    expect(released(result).avance.nuevas).toMatchObject(toPortal);
  });

  it.each([
    ['the SAT is not ready', { resultado: 'EN_PROCESO' } as const],
    ['the SAT does not answer', new SatError('NO_RESPONDE')],
  ])('goes over to the portal when half of the time is over and %s', async (_name, answer) => {
    const at50 = (hours: number) => solicitud({ otra: ciec, partes: [waits, whole], now: at(hours * HOUR) });
    const answers = { 'verificar-metadata': answer };
    expect(released(await step(at50(49), answers)).avance.nuevas).toBeUndefined();
    expect(released(await step(at50(50), answers)).avance.nuevas).toMatchObject(toPortal);
  });

  it('keeps what the SAT has ready after half of the time', async () => {
    const late = solicitud({ otra: ciec, partes: [waits, whole], now: at(60 * HOUR) });
    const answer = { resultado: 'TERMINADA', paquetes: ['A'], registros: 9 } as const;
    const { avance } = released(await step(late, { 'verificar-metadata': answer }));
    expect(avance.partes).toMatchObject([{ estado: 'DISPONIBLE', paquetes: ['A'] }]);
  });

  it('waits for the e.firma where there is no CIEC', async () => {
    expect((await step(solicitud({ sellada: null }))).names).toEqual(['awaitEfirma']);
  });

  it('keeps a stored package when the web service is down before the metadata is asked', async () => {
    const portal = xml({
      id: 'x2',
      canal: 'portal',
      estado: 'DESCARGADA',
      paquetes: [{ paquete: 'portal', orden: 1, objectKey: 'k', relecturas: 0 }],
    });
    const down = { 'solicitar-metadata': new SatError('NO_RESPONDE') };
    const failing = parte({ fallos: 9 });
    const names = async (partes: Parte[]) => (await step(solicitud({ otra: ciec, partes }), down)).names;
    expect(await names([failing])).toContain('changeChannel');
    expect(await names([failing, portal])).not.toContain('changeChannel');
  });

  it('ends the solicitud when the SAT refuses the e.firma', async () => {
    const result = await step(solicitud(), { 'solicitar-metadata': new SatError('EFIRMA_RECHAZADA') });
    expect(result.names.slice(-2)).toEqual(['markRefused', 'fail']);
  });
});

describe('the key of equal requests of XML', () => {
  const key = (tipo: 'emitidos' | 'recibidos', filtros: Parameters<typeof claveXml>[2]) =>
    claveXml(tipo, PERIODO, filtros);

  it('is equal for the states that the SAT is asked for alike', () => {
    expect(key('emitidos', { estado_comprobante: 'vigente' })).toBe(key('emitidos', null));
    expect(key('emitidos', { estado_comprobante: 'cancelado' })).not.toBe(key('emitidos', null));
    expect(key('recibidos', { estado_comprobante: 'vigente' })).toBe(key('recibidos', {}));
  });

  it('differs by every other filter, and names no counterpart', () => {
    const filters = [
      null,
      { tipo_comprobante: 'P' },
      { complemento: 'pagos20' },
      { rfc_contraparte: ['ACU200101DB1'] },
    ];
    const keys = filters.map((filtros) => key('emitidos', filtros as Parameters<typeof claveXml>[2]));
    expect(new Set(keys).size).toBe(4);
    expect(keys.join()).not.toContain('ACU200101DB1');
  });

  it('of a test key is not the one of the RFC at the SAT', () => {
    expect(quotaRfc('live', 'ACU200101DB1')).toBe('ACU200101DB1');
    expect(quotaRfc('test', 'ACU200101DB1')).toBe('pruebas:ACU200101DB1');
  });
});

describe('XML of the portal', () => {
  const documentos = { resultado: 'XML', documentos: (async function* () {})() } as const;

  it('is stored as one package', async () => {
    const result = await step(atPortal(), { 'bajar-xml': documentos });
    expect(result.names).toEqual(['save', 'sat bajar-xml', 'saveXml', 'release']);
    expect(result.calls[0]?.[1]).toMatchObject({ partes: [{ estado: 'DISPONIBLE', paquetes: ['portal'] }] });
    expect(released(result).avance.partes).toMatchObject([
      { estado: 'DESCARGADA', motivo: null, guardado: { paquete: 'portal', objectKey: 'k' } },
    ]);
    expect(released(result).next.queue).toBe('ensambles');
  });

  it('is left out in part from the third try on', async () => {
    const omitibles = async (fallos: number) => {
      const result = await step(atPortal({ fallos }), { 'bajar-xml': documentos });
      return result.consultas.map((consulta) => 'omitibles' in consulta && consulta.omitibles);
    };
    expect([await omitibles(0), await omitibles(1), await omitibles(2)]).toEqual([[0], [0], [10]]);
  });

  it('is not fetched again when a worker died after it was stored', async () => {
    const result = await step(atPortal(), {}, 'portal');
    expect(result.names).toEqual(['save', 'release']);
  });

  it.each([{ resultado: 'CUOTA' } as const, new SatError('SERVICIO_CON_ERROR', { codigo: 'CUOTA_DEL_DIA' })])(
    'waits for the day after in central Mexico when the quota is spent: %o',
    async (answer) => {
      const result = await step(atPortal(), { 'bajar-xml': answer });
      // 06:00 of 1 June there; the next day begins in 18 hours.
      expect(released(result).next).toEqual({ queue: 'descargas', inSeconds: 18 * 3_600 + 60 });
      expect(released(result).avance.partes).toMatchObject([{ motivo: 'CUOTA_DEL_DIA' }]);
    },
  );

  it('keeps the quota as the reason when time is over', async () => {
    const waits = atPortal({ motivo: 'CUOTA_DEL_DIA', dueAt: at(99 * HOUR) });
    const result = await step({ ...waits, now: at(95 * HOUR) });
    expect(released(result).avance.partes).toMatchObject([{ estado: 'VACIA', motivo: 'CUOTA_DEL_DIA' }]);
  });

  it('is asked in smaller periods when the portal shows no more rows', async () => {
    const { avance } = released(await step(atPortal(), { 'bajar-xml': { resultado: 'DEMASIADOS' } }));
    expect(avance.nuevas).toMatchObject({ contenidos: ['xml'], canal: 'portal' });
    expect(avance.nuevas?.periodos).toHaveLength(31);
  });

  it('fills what the web service did not deliver after the 72 hours within which the SAT should answer', async () => {
    const fill = {
      otra: ciec,
      partes: [xml({ canal: 'portal' }), whole],
      deadlineAt: at(168 * HOUR),
      now: at(100 * HOUR),
    };
    const result = await step(solicitud(fill), { 'bajar-xml': documentos });
    expect(result.names).toContain('saveXml');
  });

  it('is left out when it should fill what the web service did not deliver and the CIEC is gone', async () => {
    const result = await step(solicitud({ partes: [xml({ canal: 'portal' }), whole] }));
    expect(tipos(result)).toEqual(['XML_SIN_ENTREGA']);
  });
});
