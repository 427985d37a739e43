import { describe, expect, it } from 'vitest';
import { answered, ciecDe, edited, efirmaDe, errorOf, MARZO, type Montaje, newRfc, setUp } from './setup.ts';

/** What a connector asks for, where the simulator answers it, and which credentials it takes. */
interface Conector {
  readonly ask: (montaje: Montaje, ...rest: Tail<Parameters<Montaje['ask']>>) => Promise<object>;
  readonly service: string;
  readonly operation: string;
  readonly soloCiec?: true;
  /** The answer is not HTML but a document. */
  readonly isDocumento?: true;
  /** Where the host is entered, and says whose it is; by default the answer itself. */
  readonly inicio?: string;
  /** Log-ins after the host alone forgot the session: a guarded host is not let renew it. */
  readonly accesos?: 2;
}
type Tail<T extends readonly unknown[]> = T extends readonly [unknown, ...infer R] ? R : never;

const CONECTORES: Readonly<Record<string, Conector>> = {
  'listar-facturas': {
    ask: (m, ...rest) => m.ask({ consulta: 'listar-facturas', periodo: MARZO, maximo: 1000 }, ...rest),
    service: 'portalcfdi',
    operation: 'Buscar',
    inicio: 'AbrirConsulta',
  },
  'solicitar-metadata': {
    ask: (m, ...rest) => m.ask({ consulta: 'solicitar-metadata', tipo: 'recibidos', periodo: MARZO }, ...rest),
    service: 'portalcfdi',
    operation: 'Buscar',
    soloCiec: true,
    inicio: 'AbrirConsulta',
  },
  'listar-retenciones': {
    ask: (m, ...rest) => m.ask({ consulta: 'listar-retenciones', ejercicio: 2025 }, ...rest),
    service: 'prodretencioncontribuyente',
    operation: 'Buscar',
    soloCiec: true,
    inicio: 'Inicio',
  },
  'listar-comunicados': {
    ask: (m, ...rest) => m.ask({ consulta: 'listar-comunicados', desde: '2020-01-01', hasta: '2026-12-31' }, ...rest),
    service: 'aplicacionesc',
    operation: 'Comunicados',
  },
  'listar-notificaciones': {
    ask: (m, ...rest) => m.ask({ consulta: 'listar-notificaciones' }, ...rest),
    service: 'agr',
    operation: 'Notificaciones',
    accesos: 2,
  },
  'consultar-opinion': {
    ask: (m, ...rest) => m.ask({ consulta: 'consultar-opinion' }, ...rest),
    service: 'ptsc32d',
    operation: 'ObtenerRespuestaCompletaPdf',
    isDocumento: true,
    inicio: 'Inicio',
  },
  'listar-declaraciones': {
    ask: (m, ...rest) => m.ask({ consulta: 'listar-declaraciones', ejercicio: 2025 }, ...rest),
    service: 'pstcdypisr',
    operation: 'Buscar',
    inicio: 'Inicio',
  },
  'listar-declaraciones, up to 2021': {
    ask: (m, ...rest) => m.ask({ consulta: 'listar-declaraciones', ejercicio: 2019 }, ...rest),
    service: 'ptscdecprov',
    operation: 'Buscar',
    inicio: 'Inicio',
  },
  'descargar-constancia': {
    ask: (m, ...rest) => m.ask({ consulta: 'descargar-constancia' }, ...rest),
    service: 'rfcampc',
    operation: 'DescargarConstancia',
    isDocumento: true,
    inicio: 'ConsultaTramite',
  },
};

const foreign = { status: 302, headers: { location: 'https://malo.example/' } };

/** What may come instead of an answer, and as which errors it may be told. */
const FALLAS = [
  ['a maintenance page', { kind: 'html200' }, ['RESPUESTA_ILEGIBLE']],
  ['nothing', { kind: 'empty200' }, ['RESPUESTA_ILEGIBLE']],
  ['another document', { kind: 'wrong-content' }, ['RESPUESTA_ILEGIBLE']],
  ['the beginning of the answer', { kind: 'malformed' }, ['RESPUESTA_ILEGIBLE']],
  ['a connection that is cut', { kind: 'cut' }, ['NO_RESPONDE', 'RESPUESTA_ILEGIBLE']],
  ['HTTP 503', { kind: 'status' }, ['SERVICIO_CON_ERROR']],
  ['HTTP 404', { kind: 'status', status: 404 }, ['SERVICIO_CON_ERROR']],
  ['20 MB', answered('x'.repeat(20 * 1024 * 1024)), ['RESPUESTA_ILEGIBLE']],
  ['a foreign host', answered(null, foreign), ['RESPUESTA_ILEGIBLE', 'HOST_NO_PERMITIDO', 'SERVICIO_CON_ERROR']],
] as const;

/** Everything but what differs from one answer of the SAT to the next. */
function stable(respuesta: object): object {
  const { pdf: _, folio: __, fecha: ___, ...rest } = respuesta as { pdf?: unknown; folio?: unknown; fecha?: unknown };
  return rest;
}

describe.each(Object.entries(CONECTORES))('%s', (_nombre, { ask, service, operation, ...conector }) => {
  it('logs in once with the CIEC, keeps the session, and is let in again without a captcha when the host forgot it', async () => {
    const montaje = await setUp();
    const first = await ask(montaje);
    expect(stable(await ask(montaje))).toEqual(stable(first));
    expect(montaje.calls('EntrarCiec')).toHaveLength(1);
    montaje.fault(service, conector.inicio ?? operation, { kind: 'expired', times: 1 });
    expect(stable(await ask(montaje))).toEqual(stable(first));
    expect(montaje.accesos()).toBe(conector.accesos ?? 1);
  });

  it('logs in anew, once, when the log-in host forgot the session too', async () => {
    const montaje = await setUp();
    const first = await ask(montaje);
    montaje.world.clock.advance(3_600_000);
    for (const again of await Promise.all([ask(montaje), ask(montaje)])) {
      expect(Object.keys(again)).toEqual(Object.keys(first));
    }
    expect(montaje.accesos()).toBe(2);
  });

  it('does not go on for ever when a new session is gone at once', async () => {
    const montaje = await setUp();
    montaje.fault(service, operation, { kind: 'expired' });
    expect(await errorOf(ask(montaje))).toMatchObject({ motivo: 'RESPUESTA_ILEGIBLE' });
    expect(montaje.calls(operation, service).length).toBeLessThan(8);
  });

  it('takes an e.firma without a captcha, or says that it does not', async () => {
    const montaje = await setUp({ rfc: 'EKU9003173C9', captcha: null });
    const efirma = await efirmaDe(montaje.rfc);
    if (conector.soloCiec) {
      expect(await errorOf(ask(montaje, efirma))).toMatchObject({ motivo: 'CANAL_DESACTIVADO' });
      expect(montaje.requests).toEqual([]);
    } else {
      expect(Object.keys(await ask(montaje, efirma)).length).toBeGreaterThan(0);
      expect([montaje.calls('EntrarFiel').length, montaje.calls('EntrarCiec').length]).toEqual([1, 0]);
    }
  });

  it('sends a refused CIEC once', async () => {
    const montaje = await setUp();
    const mala = () => ask(montaje, ciecDe(montaje.rfc, 'equivocada'));
    for (const error of [await errorOf(mala()), await errorOf(mala())]) {
      expect(error).toMatchObject({ motivo: 'CIEC_RECHAZADA', clase: 'credencial', codigo: 'CIEC' });
    }
    expect(montaje.accesos()).toBe(1);
  });

  it('asks nothing with the credential of another RFC, and nothing when the caller has given up', async () => {
    const montaje = await setUp();
    const { rfc, canal } = montaje;
    const otro = newRfc();
    const swapped: Montaje = {
      ...montaje,
      ask: (pregunta, credencial) =>
        canal.send({ ...pregunta, rfc: otro } as never, credencial ?? ciecDe(rfc), {
          signal: new AbortController().signal,
        }),
    };
    expect(await errorOf(ask(swapped))).toMatchObject({ motivo: 'PETICION_RECHAZADA' });
    const signal = AbortSignal.abort();
    expect(await errorOf(ask(montaje, undefined, { signal }))).toMatchObject({ motivo: 'CANCELADA' });
    expect(montaje.requests).toEqual([]);
  });

  // The page of the communiqués names nobody.
  const named = service === 'aplicacionesc' ? [] : [conector.inicio ?? operation];
  it.each(named)('does not believe what names another RFC (%s)', async (pagina) => {
    const montaje = await setUp();
    const otro = newRfc();
    const { rfc } = montaje;
    if (conector.isDocumento) {
      const other = await setUp({ rfc: otro });
      let robado = new Uint8Array();
      other.fault(service, operation, {
        kind: 'edited',
        times: 1,
        edit: async (answer) => {
          robado = new Uint8Array(await answer.arrayBuffer());
          return new Response(robado, answer);
        },
      });
      await ask(other);
      montaje.fault(service, operation, answered(robado, { headers: { 'content-type': 'application/octet-stream' } }));
    } else {
      montaje.fault(
        service,
        pagina,
        edited((texto) => texto.replaceAll(rfc, otro)),
      );
    }
    expect(await errorOf(ask(montaje))).toMatchObject({ motivo: 'RESPUESTA_ILEGIBLE' });
  });

  it('takes nothing else for an answer', async () => {
    const montaje = await setUp({ http: { breakerFailures: Number.POSITIVE_INFINITY } });
    for (const [what, fault, motivos] of FALLAS) {
      montaje.fault(service, operation, fault);
      const error = await errorOf(ask(montaje));
      expect([what, motivos, error.clase]).toEqual([what, expect.arrayContaining([error.motivo]), expect.any(String)]);
      montaje.world.faults.remove();
    }
    expect(montaje.requests.every(({ host }) => host.endsWith('.sat.gob.mx'))).toBe(true);
    expect(Object.keys(await ask(montaje)).length).toBeGreaterThan(0);
  });

  it('gives up when the caller does, in the middle', async () => {
    const montaje = await setUp();
    const controller = new AbortController();
    montaje.fault(service, operation, {
      kind: 'edited',
      edit: (answer) => {
        controller.abort();
        return answer;
      },
    });
    const error = await errorOf(ask(montaje, undefined, { signal: controller.signal }));
    expect(error).toMatchObject({ motivo: 'CANCELADA' });
    expect(montaje.calls(operation, service)).toHaveLength(1);
  });
});
