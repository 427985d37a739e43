import { describe, expect, it } from 'vitest';
import type { ContextoPaso } from '../solicitud/parte.ts';
import { claimed, PERIODO, parte } from '../solicitud/testing/un-paso.ts';
import { sendAndKeep } from './evidencia.ts';

const down = new Error('storage does not answer');
const { rfc } = claimed();
const efirma = { tipo: 'efirma', rfc, cer: Buffer.alloc(0), key: Buffer.alloc(0) } as const;
const request = { consulta: 'solicitar-metadata', rfc, tipo: 'recibidos', periodo: PERIODO } as const;
const look = { consulta: 'verificar-metadata', rfc, tipo: 'recibidos', periodo: PERIODO, folio: 'F' } as const;

/** Context whose SAT answers so, and whose storage notes the names of evidence, or fails. */
function contextOf(
  respuesta: object,
  { contenido = 'xml', fails }: { contenido?: 'xml' | 'metadata'; fails?: Error } = {},
) {
  const kept: string[] = [];
  const context = {
    solicitud: claimed({ contenido }),
    parte: parte({ contenido: 'xml', desfase: 2 }),
    signal: new AbortController().signal,
    sat: {
      async send(_consulta: object, _credencial: object, { onAnswer }: { onAnswer?: (texto: string) => void }) {
        onAnswer?.('<answer/>');
        return respuesta;
      },
    },
    paquetes: {
      async saveEvidencia(_id: string, nombre: string) {
        if (fails !== undefined) throw fails;
        kept.push(nombre);
      },
    },
  } as unknown as ContextoPaso;
  return { context, kept };
}

describe('the evidence of a package with XML', () => {
  it('is each answer of the SAT, under the request that it answers', async () => {
    const { context, kept } = contextOf({ resultado: 'ACEPTADA', folio: 'F' });
    await sendAndKeep(context, request, efirma);
    expect(kept).toEqual(['xml-20250101T000000-20250131T235959-2-0-solicitar-metadata.xml']);
  });

  it.each([
    ['"not ready"', { resultado: 'EN_PROCESO' }, 'xml'],
    ['an answer about metadata alone', { resultado: 'TERMINADA' }, 'metadata'],
  ] as const)('is not %s', async (_name, respuesta, contenido) => {
    const { context, kept } = contextOf(respuesta, { contenido });
    await sendAndKeep(context, look, efirma);
    expect(kept).toEqual([]);
  });

  it('is missing rather than the folio of a request, when storage fails after it', async () => {
    const { context } = contextOf({ resultado: 'ACEPTADA', folio: 'F' }, { fails: down });
    expect(await sendAndKeep(context, request, efirma)).toEqual({ resultado: 'ACEPTADA', folio: 'F' });
  });

  it('is tried again with the step that looks, unless no package may hold the bytes', async () => {
    const done = { resultado: 'TERMINADA', paquetes: [], registros: 0 };
    await expect(sendAndKeep(contextOf(done, { fails: down }).context, look, efirma)).rejects.toBe(down);
    const refused = contextOf(done, { fails: new TypeError('a token') });
    expect(await sendAndKeep(refused.context, look, efirma)).toEqual(done);
  });
});
