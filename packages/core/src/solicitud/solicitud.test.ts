import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { Avance } from '../ports/solicitudes.ts';
import { SatError } from '../sat-error.ts';
import { progresoDe } from './parte.ts';
import { claimed, NOW, PERIODO, parte, released, step } from './testing/un-paso.ts';

const available = () =>
  parte({
    estado: 'DISPONIBLE',
    folio: 'F',
    paquetes: [
      { paquete: 'A', orden: 1, objectKey: 'done', relecturas: 0 },
      { paquete: 'B', orden: 2, objectKey: null, relecturas: 0 },
    ],
  });

describe('before the SAT is asked', () => {
  it('ends a solicitud that is past its deadline', async () => {
    const result = await step(claimed({ deadlineAt: NOW }));
    expect([result.name, result.first]).toEqual(['fail', { estado: 'VENCIDA', motivo: 'PLAZO_AGOTADO' }]);
  });

  it('writes a single part with the intent to ask for it, before it is asked for', async () => {
    const accepted = { 'solicitar-metadata': { resultado: 'ACEPTADA', folio: 'F' } } as const;
    const result = await step(claimed({ partes: [] }), accepted);
    expect(result.names).toEqual(['save', 'sat solicitar-metadata', 'release']);
    const [, saved] = result.calls[0] as [string, Avance];
    expect(saved).toEqual({
      nuevas: {
        reemplaza: null,
        periodos: [PERIODO],
        contenidos: ['metadata'],
        pedida: { parteId: expect.any(String), estado: 'SOLICITANDO', envios: 1, desfase: 0 },
      },
      eventos: [{ tipo: 'ACEPTADA' }],
    });
    const parteId = saved.nuevas?.pedida?.parteId;
    expect(released(result).avance.partes).toMatchObject([{ parteId, estado: 'SOLICITADA', folio: 'F' }]);
  });

  it.each([
    ['are several', { desde: '2023-01-01', hasta: '2025-05-31', canal: 'portal' }, null, 29],
    ['cannot be asked for', {}, 'FALTA_LLAVE', 1],
  ] as const)('makes the parts first when they %s', async (_, change, opened, periodos) => {
    const { avance, next } = released(await step(claimed({ partes: [], ...change }), {}, null, opened));
    expect(avance.nuevas).toMatchObject({ reemplaza: null, contenidos: ['metadata'] });
    expect(avance.nuevas?.periodos).toHaveLength(periodos);
    expect(avance.nuevas).not.toHaveProperty('pedida');
    expect(next).toEqual({ queue: 'descargas', inSeconds: 0 });
  });

  it('waits for the part that is due first', async () => {
    const at = (seconds: number) => new Date(NOW.getTime() + seconds * 1_000);
    const result = await step(claimed({ partes: [parte({ dueAt: at(90) }), parte({ id: 'p2', dueAt: at(30) })] }));
    expect(released(result).next).toEqual({ queue: 'descargas', inSeconds: 30 });
    expect(result.names).toEqual(['release']);
  });

  it('goes to assembly when every part is there', async () => {
    const partes = [parte({ estado: 'DESCARGADA' }), parte({ id: 'p2', estado: 'VACIA' })];
    expect(released(await step(claimed({ partes }))).next).toEqual({ queue: 'ensambles', inSeconds: 0 });
  });

  it.each([
    ['portal', 'CIEC_RECHAZADA'],
    ['soap', 'EFIRMA_RECHAZADA'],
  ] as const)('asks nothing over %s with a credential that the SAT has refused', async (canal, motivo) => {
    const result = await step(claimed({ canal, isCredencialRechazada: true }));
    expect([result.names, result.first]).toEqual([['fail'], { estado: 'ERROR', motivo }]);
  });

  it('waits for the e.firma whose hour is over; a CIEC that is gone ends it', async () => {
    expect((await step(claimed({ sellada: null }))).name).toBe('awaitEfirma');
    const result = await step(claimed({ sellada: null, canal: 'portal' }));
    expect([result.name, result.first]).toEqual(['fail', { estado: 'ERROR', motivo: 'CREDENCIAL_NO_DISPONIBLE' }]);
  });
});

describe('asking', () => {
  it('writes the intent before the call and the folio after it', async () => {
    const result = await step(claimed(), { 'solicitar-metadata': { resultado: 'ACEPTADA', folio: 'F1' } });
    expect(result.names).toEqual(['save', 'sat solicitar-metadata', 'release']);
    expect(result.calls[0]?.[1]).toEqual({ partes: [{ parteId: 'p1', estado: 'SOLICITANDO', envios: 1, desfase: 0 }] });
    const { avance, next } = released(result);
    expect(avance.partes?.[0]).toMatchObject({ estado: 'SOLICITADA', folio: 'F1' });
    expect(next.inSeconds).toBeGreaterThan(50);
  });

  it('sends an unfinished intent once more', async () => {
    const result = await step(claimed({ partes: [parte({ estado: 'SOLICITANDO', envios: 1 })] }), {
      'solicitar-metadata': { resultado: 'ACEPTADA', folio: 'F1' },
    });
    expect(result.calls[0]?.[1]).toEqual({ partes: [{ parteId: 'p1', estado: 'SOLICITANDO', envios: 2, desfase: 0 }] });
  });

  it('moves a second when the SAT has an equal request, a few times', async () => {
    const answer = { resultado: 'REPETIDA', codigo: '5005', mensaje: 'm' } as const;
    const { avance } = released(await step(claimed(), { 'solicitar-metadata': answer }));
    expect(avance.partes?.[0]).toMatchObject({ estado: 'PENDIENTE', desfase: 1 });
    const result = await step(claimed({ partes: [parte({ desfase: 6 })] }), { 'solicitar-metadata': answer });
    expect([result.name, result.first]).toEqual([
      'fail',
      { estado: 'ERROR', motivo: 'SOLICITUDES_AGOTADAS', codigo: '5005' },
    ]);
  });

  it('ends when the SAT refuses', async () => {
    const result = await step(claimed(), {
      'solicitar-metadata': { resultado: 'RECHAZADA', codigo: '5001', mensaje: 'm' },
    });
    expect(result.first).toEqual({ estado: 'RECHAZADA', motivo: 'SAT_RECHAZO_LA_SOLICITUD', codigo: '5001' });
  });
});

describe('too many rows', () => {
  it.each(['solicitar-metadata', 'verificar-metadata'] as const)(
    'halves the period on the answer to %s',
    async (consulta) => {
      const estado = consulta === 'verificar-metadata' ? 'SOLICITADA' : 'PENDIENTE';
      const { avance, next } = released(
        await step(claimed({ partes: [parte({ estado })] }), { [consulta]: { resultado: 'DEMASIADOS' } }),
      );
      expect(avance.nuevas?.reemplaza).toBe('p1');
      expect(avance.nuevas?.periodos).toHaveLength(2);
      expect(next).toEqual({ queue: 'descargas', inSeconds: 0 });
    },
  );

  it('ends when a period of seconds cannot be divided', async () => {
    const periodo = { inicio: '2025-01-01T00:00:00', fin: '2025-01-01T00:00:01' };
    const result = await step(claimed({ partes: [parte({ periodo })] }), {
      'solicitar-metadata': { resultado: 'DEMASIADOS' },
    });
    expect(result.first).toMatchObject({ estado: 'ERROR', motivo: 'DEMASIADOS_CFDI_POR_SEGUNDO' });
  });
});

describe('looking', () => {
  const asked = parte({ estado: 'SOLICITADA', folio: 'F', consultas: 3 });

  it('waits longer with every look', async () => {
    const { avance, next } = released(
      await step(claimed({ partes: [asked] }), { 'verificar-metadata': { resultado: 'EN_PROCESO' } }),
    );
    expect(avance).toMatchObject({ consultado: true, partes: [{ consultas: 4, fallos: 0 }] });
    expect(next.inSeconds).toBeGreaterThan(400);
  });

  it('takes the packages', async () => {
    const answer = { resultado: 'TERMINADA', paquetes: ['A', 'B'], registros: 9 } as const;
    const { avance, next } = released(await step(claimed({ partes: [asked] }), { 'verificar-metadata': answer }));
    expect(avance.partes?.[0]).toMatchObject({ estado: 'DISPONIBLE', paquetes: ['A', 'B'], registros: 9 });
    expect(next.inSeconds).toBe(0);
  });

  it.each([
    { canal: 'portal', tipo: 'recibidos', desfase: 0 },
    { canal: 'portal', tipo: 'emitidos', desfase: 0, filtros: { estado_comprobante: 'vigente' } },
    { canal: 'soap', tipo: 'emitidos', desfase: 1 },
  ] as const)(
    'takes no number of rows for that of the part where more was asked for: %o',
    async ({ desfase, ...own }) => {
      const { avance } = released(
        await step(claimed({ ...own, partes: [{ ...asked, canal: own.canal, desfase }] }), {
          'verificar-metadata': { resultado: 'TERMINADA', paquetes: ['A'], registros: 9 },
        }),
      );
      expect(avance.partes?.[0]).toMatchObject({ estado: 'DISPONIBLE', paquetes: ['A'], registros: null });
    },
  );

  it.each(['RECHAZADA', 'ERROR', 'VENCIDA', 'DESCONOCIDA'] as const)(
    'asks anew after %s, twice, then ends',
    async (resultado) => {
      const answer = { 'verificar-metadata': { resultado, codigo: '404', mensaje: 'm' } };
      const { avance } = released(await step(claimed({ partes: [asked] }), answer));
      expect(avance.partes?.[0]).toMatchObject({
        estado: 'PENDIENTE',
        folio: null,
        paquetes: [],
        desfase: 1,
        reenvios: 1,
      });
      const result = await step(claimed({ partes: [{ ...asked, reenvios: 2 }] }), answer);
      expect(result.first).toEqual({
        estado: resultado === 'RECHAZADA' ? 'RECHAZADA' : 'ERROR',
        motivo: `SAT_${resultado}`,
        codigo: '404',
      });
    },
  );
});

describe('fetching', () => {
  const zip = { resultado: 'PAQUETE', zip: Readable.from([]) } as const;

  it('stores one package a step', async () => {
    const result = await step(claimed({ partes: [available()] }), { 'descargar-paquete': zip });
    expect(result.names).toEqual(['sat descargar-paquete', 'saveSat', 'release']);
    expect(released(result).avance.partes?.[0]).toMatchObject({
      estado: 'DESCARGADA',
      guardado: { paquete: 'B', objectKey: 'k' },
    });
  });

  it('does not spend a second download on a copy that is there already', async () => {
    const result = await step(claimed({ partes: [available()] }), {}, 'B');
    expect(result.names).toEqual(['release']);
    expect(released(result).avance.partes?.[0]).toMatchObject({ estado: 'DESCARGADA', guardado: { paquete: 'B' } });
  });

  it('asks again for a package that the SAT no longer gives', async () => {
    const result = await step(claimed({ partes: [available()] }), {
      'descargar-paquete': { resultado: 'AGOTADO', codigo: '5008', mensaje: 'm' },
    });
    expect(released(result).avance.partes?.[0]).toMatchObject({ estado: 'PENDIENTE', paquetes: [], reenvios: 1 });
  });
});

describe('a SAT that does not answer', () => {
  it('waits longer with every failure and forgets nothing', async () => {
    const { avance, next } = released(
      await step(claimed({ partes: [parte({ fallos: 2 })] }), { 'solicitar-metadata': new SatError('TIEMPO_AGOTADO') }),
    );
    expect(avance.partes?.[0]).toMatchObject({ parteId: 'p1', fallos: 3 });
    expect(avance.partes?.[0]?.estado).toBeUndefined();
    expect(next.inSeconds).toBeGreaterThan(90);
  });

  const inVain = () => Object.assign(new SatError('SERVICIO_CON_ERROR'), { isAccesoPerdido: true });

  it('by CIEC asks for no part before the next try when a log-in came to nothing', async () => {
    const two = [parte({ canal: 'portal' }), parte({ id: 'p2', canal: 'portal' })];
    const { avance, next } = released(
      await step(claimed({ canal: 'portal', partes: two }), { 'solicitar-metadata': inVain() }),
    );
    expect(avance.partes?.[0]).toMatchObject({ parteId: 'p1', fallos: 1, accesos: 1 });
    expect(next.inSeconds).toBeGreaterThanOrEqual(24);
    expect(next.inSeconds).toBeLessThanOrEqual(36);
  });

  it.each([0, 9])(
    'by CIEC waits for the next look when a second log-in came to nothing: %s failures in a row',
    async (fallos) => {
      const two = [parte({ canal: 'portal', fallos }), parte({ id: 'p2', canal: 'portal', accesos: 1 })];
      const result = await step(claimed({ canal: 'portal', partes: two }), { 'solicitar-metadata': inVain() });
      expect(released(result).next.inSeconds).toBeGreaterThanOrEqual(3_600);
      expect(released(result).next.inSeconds).toBeLessThanOrEqual(3_960);
    },
  );

  it('by CIEC is asked soon again after a failure that cost no log-in, whatever was lost before', async () => {
    const result = await step(claimed({ canal: 'portal', partes: [parte({ canal: 'portal', accesos: 5 })] }), {
      'solicitar-metadata': new SatError('NO_RESPONDE'),
    });
    expect(released(result).next.inSeconds).toBeLessThanOrEqual(36);
  });

  it('was not asked while a log-in is under way: the claim is given back for later, and that is no failure', async () => {
    const busy = new SatError('OCUPADO', { esperaMs: 7_000 });
    const two = [parte({ fallos: 2 }), parte({ id: 'p2' })];
    const result = await step(claimed({ partes: two }), { 'solicitar-metadata': busy });
    expect(released(result)).toMatchObject({ avance: {}, next: { queue: 'descargas', inSeconds: 7 } });
    expect(Object.keys(released(result).avance)).toEqual([]);
  });

  it('ends at once when the credential is refused, and marks it', async () => {
    const result = await step(claimed(), { 'solicitar-metadata': new SatError('CIEC_RECHAZADA') });
    expect(result.names).toEqual(['save', 'sat solicitar-metadata', 'markRefused', 'fail']);
    expect(result.first).toMatchObject({ estado: 'ERROR', motivo: 'CIEC_RECHAZADA' });
  });

  it('ends at once on what will not change by waiting', async () => {
    const result = await step(claimed(), { 'solicitar-metadata': new SatError('SIN_RESOLVEDOR_DE_CAPTCHA') });
    expect(result.names).toEqual(['save', 'sat solicitar-metadata', 'fail']);
  });

  it('lets failures of our own out', async () => {
    await expect(step(claimed(), { 'solicitar-metadata': new TypeError('ours') })).rejects.toThrow('ours');
  });
});

describe('a channel that gives no answer', () => {
  const expiraEn = new Date(NOW.getTime() + 1_000_000);
  const otra = { tipo: 'ciec', kid: 'k', sobre: Buffer.alloc(0), expiraEn } as const;
  const fail = (motivo: 'NO_RESPONDE' | 'SIN_RESOLVEDOR_DE_CAPTCHA' | 'CIEC_RECHAZADA') => ({
    'solicitar-metadata': new SatError(motivo),
  });
  const down = [parte({ fallos: 5 })];

  it('is left for the other one after five failures in a row, and its credential kept', async () => {
    const before = await step(claimed({ otra, partes: [parte({ fallos: 4 })] }), fail('NO_RESPONDE'));
    expect(before.name).toBe('release');
    const result = await step(claimed({ otra, partes: down }), fail('NO_RESPONDE'));
    expect([result.name, result.first, result.second]).toEqual([
      'changeChannel',
      {
        nuevas: { reemplaza: null, periodos: [PERIODO], contenidos: ['metadata'] },
        eventos: [{ tipo: 'CANAL_CAIDO', codigo: 'NO_RESPONDE', detalle: 'portal' }],
      },
      { mayReturn: true },
    ]);
  });

  it.each([
    ['the other credential is not there', { partes: down }],
    ['the SAT has accepted a part', { otra, partes: [...down, parte({ id: 'p2', folio: 'F' })] }],
    ['the SAT has said of a part that it is empty', { otra, partes: [...down, parte({ vacias: ['soap'] })] }],
    ['it left a channel before', { otra, partes: down, canalDejado: 'portal' }],
    ['it left this channel before', { otra, partes: down, canalDejado: 'soap' }],
  ] as const)('is waited for when %s', async (_when, change) => {
    expect((await step(claimed(change), fail('NO_RESPONDE'))).name).toBe('release');
  });

  it('is left after the second log-in in vain', async () => {
    const error = new SatError('NO_RESPONDE');
    error.isAccesoPerdido = true;
    const at = (accesos: number) => claimed({ canal: 'portal', otra, partes: [parte({ canal: 'portal', accesos })] });
    expect((await step(at(0), { 'solicitar-metadata': error })).name).toBe('release');
    expect((await step(at(1), { 'solicitar-metadata': error })).name).toBe('changeChannel');
  });

  it.each([
    ['portal', 'soap', null],
    ['portal', 'soap', otra],
    ['soap', 'portal', otra],
  ] as const)('is gone back to from %s, which cannot be asked: %s, %j', async (canal, canalDejado, kept) => {
    const away = claimed({ canal, canalDejado, otra: kept });
    for (const motivo of ['SIN_RESOLVEDOR_DE_CAPTCHA', 'CIEC_RECHAZADA'] as const) {
      const result = await step(away, fail(motivo));
      expect([result.name, result.second]).toEqual(['changeChannel', { mayReturn: false }]);
    }
  });

  it.each([
    ['it was never left', claimed({ otra })],
    ['it has come back', claimed({ otra, canalDejado: 'soap' })],
    ['the CIEC to come back with is gone', claimed({ canalDejado: 'portal' })],
  ])('is not gone back to when %s', async (_when, solicitud) => {
    expect((await step(solicitud, fail('SIN_RESOLVEDOR_DE_CAPTCHA'))).name).toBe('fail');
  });

  it('is left for the portal when the hour of the e.firma is over, unless the SAT has accepted a part', async () => {
    const over = { sellada: null, otra } as const;
    const result = await step(claimed(over));
    expect([result.names, result.second]).toEqual([['changeChannel'], { mayReturn: true }]);
    expect((await step(claimed({ ...over, canalDejado: 'portal' }))).name).toBe('changeChannel');
    const accepted = [parte({ estado: 'SOLICITADA', folio: 'F' })];
    expect((await step(claimed({ ...over, partes: accepted }))).name).toBe('awaitEfirma');
  });
});

describe('the credential', () => {
  it('is zeroed after every step, failed ones too', async () => {
    const { key } = await step(claimed(), { 'solicitar-metadata': new SatError('NO_RESPONDE') });
    expect(key.every((byte) => byte === 0)).toBe(true);
  });
});

describe('progresoDe', () => {
  it.each([
    ['nothing asked yet', {}, 0],
    ['all pending', { PENDIENTE: 3 }, 0],
    ['half there', { DESCARGADA: 1, PENDIENTE: 1 }, 0.45],
    ['all stored', { DESCARGADA: 1, VACIA: 1 }, 0.9],
  ])('%s', (_what, partes, expected) => {
    expect(progresoDe({ estado: 'EN_PROCESO', fase: 'DESCARGA', partes })).toBe(expected);
  });
  it('is 1 only at the end', () => {
    expect(progresoDe({ estado: 'EN_PROCESO', fase: 'ENSAMBLE', partes: { DESCARGADA: 1 } })).toBe(0.9);
    for (const estado of ['TERMINADA', 'ERROR', 'RECHAZADA', 'VENCIDA'] as const)
      expect(progresoDe({ estado, fase: 'DESCARGA', partes: {} })).toBe(1);
  });
});
