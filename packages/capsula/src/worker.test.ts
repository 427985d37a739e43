import { type ClaimedSolicitud, type Parte, type Presigned, SatError, SinFirma } from '@acuse/core';
import { describe, expect, it } from 'vitest';
import { claimed, NOW, parte, released, step as stepWith } from '../../core/src/solicitud/testing/un-paso.ts';
import { capsulaSource } from './worker.ts';

const HOUR_MS = 3_600_000;
const later = (hours: number) => new Date(NOW.getTime() + hours * HOUR_MS);
const capsulaOf = (): Presigned => ({
  tipo: 'presigned',
  rfc: 'ACU200101DB1',
  cer: Buffer.alloc(0),
  firmas: new Map([['00', Buffer.from('firma')]]),
});
/** Runs one step with the source of capsulas, which opens `capsula`. */
const step = (
  solicitud: ClaimedSolicitud,
  answers: Parameters<typeof stepWith>[1] = {},
  stored: string | null = null,
  capsula: Presigned | null = null,
) =>
  stepWith(solicitud, answers, stored, null, (calls) => [
    capsulaSource({
      async keep(_held, _credencial, folios) {
        calls.push(['keep', folios]);
      },
      open: async () => capsula,
    }),
  ]);
const solicitada = (change: Partial<Parte> = {}) => parte({ estado: 'SOLICITADA', folio: 'F', ...change });
/** One whose caller wants a capsula, with a week until its deadline. */
const wanted = (change: Partial<ClaimedSolicitud> = {}) =>
  claimed({ mayPresign: true, deadlineAt: later(168), partes: [solicitada()], ...change });
/** The same after the hour of the key, with the signatures for its request. */
const alone = (change: Partial<ClaimedSolicitud> = {}) =>
  wanted({ sellada: null, presigned: { folios: ['F'], expiraEn: later(71) }, ...change });

describe('with the key at hand', () => {
  const accepted = { 'solicitar-metadata': { resultado: 'ACEPTADA', folio: 'F' } } as const;

  it('signs beforehand once the SAT has given the folio, which is noted first', async () => {
    const result = await step(wanted({ partes: [parte()] }), accepted);
    expect(result.names).toEqual(['save', 'sat solicitar-metadata', 'save', 'keep', 'release']);
    expect(result.calls[3]).toEqual(['keep', ['F']]);
    expect(released(result).next.inSeconds).toBeGreaterThan(0);
    expect(result.key.every((byte) => byte === 0)).toBe(true);
  });

  it('signs nothing without the request of the caller, and nothing for the portal', async () => {
    const unasked = await step(wanted({ mayPresign: false, partes: [parte()] }), accepted);
    expect(unasked.names).toEqual(['save', 'sat solicitar-metadata', 'release']);
    const portal = wanted({ canal: 'portal', partes: [parte({ canal: 'portal' })] });
    expect((await step(portal, accepted)).names).toEqual(['save', 'sat solicitar-metadata', 'release']);
  });

  const looking = { 'verificar-metadata': { resultado: 'EN_PROCESO' } } as const;
  it.each<[string, Partial<ClaimedSolicitud>, boolean]>([
    ['there is none', {}, true],
    ['it is for another request', { presigned: { folios: ['G'], expiraEn: later(72) } }, true],
    ['it is of a key that was stored before', { presigned: { folios: ['F'], expiraEn: later(70.9) } }, true],
    ['it is there', { presigned: { folios: ['F'], expiraEn: later(71.1) } }, false],
    [
      'it lasts as long as the solicitud',
      { presigned: { folios: ['F'], expiraEn: later(5) }, deadlineAt: later(5) },
      false,
    ],
  ])('looks after it at each look: %s', async (_name, change, isMade) => {
    const result = await step(wanted(change), looking);
    expect(result.names).toEqual([...(isMade ? ['keep'] : []), 'sat verificar-metadata', 'release']);
  });

  it('signs for all requests that the SAT has', async () => {
    const partes = [
      solicitada(),
      solicitada({ id: 'p2', folio: 'G', estado: 'DISPONIBLE' }),
      solicitada({ id: 'p3', folio: 'H', estado: 'DESCARGADA' }),
      parte({ id: 'p4' }),
    ];
    const result = await step(wanted({ partes }), looking);
    expect(result.calls[0]).toEqual(['keep', ['F', 'G']]);
  });
});

describe('after the hour of the key', () => {
  it('polls and fetches by the signatures made beforehand', async () => {
    const capsula = capsulaOf();
    const fin = { 'verificar-metadata': { resultado: 'TERMINADA', paquetes: ['F_01'], registros: 3 } } as const;
    const result = await step(alone(), fin, null, capsula);
    expect(result.calls[0]).toEqual(['sat', 'verificar-metadata', 'presigned']);
    expect(released(result).avance.partes?.[0]).toMatchObject({ estado: 'DISPONIBLE' });
    for (const firma of capsula.firmas.values()) expect(firma.every((byte) => byte === 0)).toBe(true);

    const paquetes = [{ paquete: 'F_01', orden: 1, objectKey: null, relecturas: 0 }];
    const fetched = await step(
      alone({ partes: [solicitada({ estado: 'DISPONIBLE', paquetes })] }),
      { 'descargar-paquete': { resultado: 'PAQUETE', zip: null as never } },
      null,
      capsulaOf(),
    );
    expect(fetched.calls).toContainEqual(['sat', 'descargar-paquete', 'presigned']);
    expect(released(fetched).next.queue).toBe('ensambles');
  });

  it.each<[string, Partial<ClaimedSolicitud>]>([
    ['there is none', { presigned: null }],
    ['it is for another request', { presigned: { folios: ['G'], expiraEn: later(1) } }],
    ['something has to be asked for', { partes: [parte()] }],
  ])('waits for the e.firma: %s', async (_name, change) => {
    const result = await step(alone(change), {}, null, capsulaOf());
    expect(result.names).toEqual(['awaitEfirma']);
  });

  it('waits for the e.firma when the signatures do not open', async () => {
    expect((await step(alone())).names).toEqual(['awaitEfirma']);
  });

  it.each([
    ['it has no signature for a package', new SinFirma()],
    ['the SAT refuses the certificate', new SatError('EFIRMA_RECHAZADA', { codigo: '305' })],
    ['the SAT cannot read the seal', new SatError('PETICION_RECHAZADA', { codigo: '302' })],
  ])('waits for the e.firma, and ends nothing: %s', async (_name, error) => {
    const result = await step(alone(), { 'verificar-metadata': error }, null, capsulaOf());
    expect(result.names).toEqual(['sat verificar-metadata', 'awaitEfirma']);
  });

  it('tries again what the SAT doubts, and waits for the e.firma when that goes on', async () => {
    const doubt = { 'verificar-metadata': new SatError('SERVICIO_CON_ERROR', { codigo: 'a:InvalidSecurity' }) };
    const once = await step(alone(), doubt, null, capsulaOf());
    expect(released(once).avance.partes?.[0]).toMatchObject({ fallos: 1 });
    const often = await step(alone({ partes: [solicitada({ fallos: 5 })] }), doubt, null, capsulaOf());
    expect(often.names).toEqual(['sat verificar-metadata', 'awaitEfirma']);
    // A bad hour of the service says nothing about the signatures.
    const down = { 'verificar-metadata': new SatError('NO_RESPONDE') };
    const away = await step(alone({ partes: [solicitada({ fallos: 50 })] }), down, null, capsulaOf());
    expect(released(away).avance.partes?.[0]).toMatchObject({ fallos: 51 });
  });

  it('asks for nothing again: it waits for the e.firma when the SAT gives a request up', async () => {
    const gone = { 'verificar-metadata': { resultado: 'VENCIDA', codigo: '5000', mensaje: '' } } as const;
    const { avance } = released(await step(alone(), gone, null, capsulaOf()));
    expect(avance.partes?.[0]).toMatchObject({ estado: 'PENDIENTE', folio: null, reenvios: 1 });
    expect((await step(alone({ partes: [parte({ reenvios: 1 })] }), {}, null, capsulaOf())).names).toEqual([
      'awaitEfirma',
    ]);
  });

  it('confirms an empty answer by its own request, and leaves it unconfirmed when that is not there', async () => {
    const empty = { 'verificar-metadata': { resultado: 'VACIA' } } as const;
    const confirming = solicitada({ vacias: ['soap'] });
    const twice = released(await step(alone({ partes: [confirming] }), empty, null, capsulaOf()));
    expect(twice.avance.partes?.[0]).toMatchObject({ estado: 'VACIA', vacias: ['soap', 'soap'] });
    const asked = released(await step(alone({ partes: [parte({ vacias: ['soap'] })] }), {}, null, capsulaOf()));
    expect(asked.avance.eventos).toEqual([{ tipo: 'VACIA_SIN_CONFIRMAR' }]);
    const unread = released(await step(alone({ partes: [confirming] })));
    expect(unread.avance.eventos).toEqual([{ tipo: 'VACIA_SIN_CONFIRMAR' }]);
  });
});
