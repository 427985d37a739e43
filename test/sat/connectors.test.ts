import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { answered, ciecDe, edited, efirmaDe, errorOf, MARZO, type Mount, newRfc, setUp } from './setup.ts';

/** What a connector asks for, where the simulator answers it, and which credentials it takes. */
interface Connector {
  readonly ask: (mount: Mount, ...rest: Tail<Parameters<Mount['ask']>>) => Promise<object>;
  readonly service: string;
  readonly operation: string;
  readonly soloCiec?: true;
  /** The answer is not HTML but a document. */
  readonly isDocumento?: true;
  /** The answer is a page that the browser opens, no data for a page. */
  readonly isPagina?: true;
  /** Where the host is entered, and says whose it is; by default the answer itself. */
  readonly inicio?: string;
  /** A redirect is taken for the end of the session, wherever it leads; by default it is followed within the SAT. */
  readonly redirectEndsSession?: true;
  /** Log-ins after the host alone forgot the session: a guarded host is not let renew it. */
  readonly accesos?: 2;
}
type Tail<T extends readonly unknown[]> = T extends readonly [unknown, ...infer R] ? R : never;

const CONNECTORS: Readonly<Record<string, Connector>> = {
  'listar-facturas': {
    ask: (m, ...rest) => m.ask({ consulta: 'listar-facturas', periodo: MARZO, maximo: 1000 }, ...rest),
    service: 'portalcfdi',
    operation: 'Buscar',
    inicio: 'AbrirConsulta',
    redirectEndsSession: true,
  },
  'solicitar-metadata': {
    ask: (m, ...rest) => m.ask({ consulta: 'solicitar-metadata', tipo: 'recibidos', periodo: MARZO }, ...rest),
    service: 'portalcfdi',
    operation: 'Buscar',
    soloCiec: true,
    inicio: 'AbrirConsulta',
    redirectEndsSession: true,
  },
  'bajar-xml': {
    ask: async (m, ...rest) => {
      const reserve = async () => true;
      const consulta = { consulta: 'bajar-xml', tipo: 'recibidos', periodo: MARZO, reserve } as const;
      const found = await m.ask(consulta, ...rest);
      return found.resultado === 'XML' ? Readable.from(found.documentos).toArray() : found;
    },
    service: 'portalcfdi',
    operation: 'Buscar',
    soloCiec: true,
    inicio: 'AbrirConsulta',
    redirectEndsSession: true,
  },
  'listar-retenciones': {
    ask: (m, ...rest) => m.ask({ consulta: 'listar-retenciones', ejercicio: 2025 }, ...rest),
    service: 'prodretencioncontribuyente',
    operation: 'Buscar',
    isPagina: true,
    soloCiec: true,
    inicio: 'Inicio',
  },
  'listar-comunicados': {
    ask: (m, ...rest) => m.ask({ consulta: 'listar-comunicados', desde: '2020-01-01', hasta: '2026-12-31' }, ...rest),
    service: 'aplicacionesc',
    operation: 'Comunicados',
    isPagina: true,
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
    redirectEndsSession: true,
  },
  'listar-declaraciones': {
    ask: (m, ...rest) => m.ask({ consulta: 'listar-declaraciones', ejercicio: 2025 }, ...rest),
    service: 'pstcdypisr',
    operation: 'Buscar',
    inicio: 'Inicio',
    redirectEndsSession: true,
  },
  'listar-declaraciones, up to 2021': {
    ask: (m, ...rest) => m.ask({ consulta: 'listar-declaraciones', ejercicio: 2019 }, ...rest),
    service: 'ptscdecprov',
    operation: 'Buscar',
    isPagina: true,
    inicio: 'Inicio',
  },
  'descargar-constancia': {
    ask: (m, ...rest) => m.ask({ consulta: 'descargar-constancia' }, ...rest),
    service: 'rfcampc',
    operation: 'DescargarConstancia',
    isDocumento: true,
    inicio: 'ConsultaTramite',
    redirectEndsSession: true,
  },
};

const foreign = { status: 302, headers: { location: 'https://malo.example/' } };

/** Faulty answers, with their errors. */
const FALLAS = [
  ['a maintenance page', { kind: 'html200' }, 'RESPUESTA_ILEGIBLE'],
  ['nothing', { kind: 'empty200' }, 'RESPUESTA_ILEGIBLE'],
  ['another document', { kind: 'wrong-content' }, 'RESPUESTA_ILEGIBLE'],
  ['the beginning of the answer', { kind: 'malformed' }, 'RESPUESTA_ILEGIBLE'],
  ['a connection that is cut', { kind: 'cut' }, 'NO_RESPONDE'],
  ['HTTP 503', { kind: 'status' }, 'SERVICIO_CON_ERROR'],
  ['HTTP 404', { kind: 'status', status: 404 }, 'SERVICIO_CON_ERROR'],
  ['20 MB', answered('x'.repeat(20 * 1024 * 1024)), 'RESPUESTA_ILEGIBLE'],
] as const;

/** Everything but what differs from one answer of the SAT to the next. */
function stable(respuesta: object): object {
  const { pdf: _, folio: __, fecha: ___, ...rest } = respuesta as { pdf?: unknown; folio?: unknown; fecha?: unknown };
  return rest;
}

describe.each(Object.entries(CONNECTORS))('%s', (nombre, { ask, service, operation, ...connector }) => {
  // Each fault at each connector is proven at length.
  const tags = nombre === Object.keys(CONNECTORS)[0] ? [] : ['slow'];

  it('logs in once with the CIEC, keeps the session, and is let in again without a captcha when the host forgot it', async () => {
    const mount = await setUp();
    const first = await ask(mount);
    expect(stable(await ask(mount))).toEqual(stable(first));
    expect(mount.calls('EntrarCiec')).toHaveLength(1);
    mount.fault(service, connector.inicio ?? operation, { kind: 'expired', times: 1 });
    expect(stable(await ask(mount))).toEqual(stable(first));
    expect(mount.accesos()).toBe(connector.accesos ?? 1);
    mount.fault(service, operation, { kind: 'expired', times: 1 });
    expect(stable(await ask(mount))).toEqual(stable(first));
  });

  it('logs in again, once, when the log-in host forgot the session too', { tags }, async () => {
    const mount = await setUp();
    const first = await ask(mount);
    mount.world.clock.advance(3_600_000);
    for (const again of await Promise.all([ask(mount), ask(mount)])) {
      expect(Object.keys(again)).toEqual(Object.keys(first));
    }
    expect(mount.accesos()).toBe(2);
  });

  it('does not go on for ever when a new session is gone at once', async () => {
    const mount = await setUp();
    mount.fault(service, operation, { kind: 'expired' });
    expect(await errorOf(ask(mount))).toMatchObject({ motivo: 'RESPUESTA_ILEGIBLE' });
    expect(mount.calls(operation, service).length).toBeLessThan(8);
    expect(mount.accesos()).toBeLessThanOrEqual(2);
  });

  it('takes an e.firma without a captcha, or says that it does not', async () => {
    const mount = await setUp({ rfc: 'EKU9003173C9', captcha: null });
    const efirma = await efirmaDe(mount.rfc);
    if (connector.soloCiec) {
      expect(await errorOf(ask(mount, efirma))).toMatchObject({ motivo: 'CANAL_DESACTIVADO' });
      expect(mount.requests).toEqual([]);
    } else {
      expect(Object.keys(await ask(mount, efirma)).length).toBeGreaterThan(0);
      expect([mount.calls('EntrarFiel').length, mount.calls('EntrarCiec').length]).toEqual([1, 0]);
    }
  });

  it('sends a refused CIEC once', async () => {
    const mount = await setUp();
    const mala = () => ask(mount, ciecDe(mount.rfc, 'equivocada'));
    for (const error of [await errorOf(mala()), await errorOf(mala())]) {
      expect(error).toMatchObject({ motivo: 'CIEC_RECHAZADA', clase: 'credencial', codigo: 'CIEC' });
    }
    expect(mount.accesos()).toBe(1);
  });

  it('asks nothing with the credential of another RFC, and nothing when the caller has given up', async () => {
    const mount = await setUp();
    const { rfc, canal } = mount;
    const otro = newRfc();
    const swapped: Mount = {
      ...mount,
      ask: (pregunta, credencial) =>
        canal.send({ ...pregunta, rfc: otro } as never, credencial ?? ciecDe(rfc), {
          signal: new AbortController().signal,
        }),
    };
    expect(await errorOf(ask(swapped))).toMatchObject({ motivo: 'PETICION_RECHAZADA' });
    const signal = AbortSignal.abort();
    expect(await errorOf(ask(mount, undefined, { signal }))).toMatchObject({ motivo: 'CANCELADA' });
    expect(mount.requests).toEqual([]);
  });

  // The page of the communiqués names no taxpayer.
  const named = service === 'aplicacionesc' ? [] : [connector.inicio ?? operation];
  it.each(named)('does not believe what names another RFC (%s)', async (pagina) => {
    const mount = await setUp();
    const otro = newRfc();
    const { rfc } = mount;
    if (connector.isDocumento) {
      const other = await setUp({ rfc: otro });
      let stolen = new Uint8Array();
      other.fault(service, operation, {
        kind: 'edited',
        times: 1,
        edit: async (answer) => {
          stolen = new Uint8Array(await answer.arrayBuffer());
          return new Response(stolen, answer);
        },
      });
      await ask(other);
      mount.fault(service, operation, answered(stolen, { headers: { 'content-type': 'application/octet-stream' } }));
    } else {
      mount.fault(
        service,
        pagina,
        edited((texto) => texto.replaceAll(rfc, otro)),
      );
    }
    expect(await errorOf(ask(mount))).toMatchObject({ motivo: 'RESPUESTA_ILEGIBLE' });
  });

  it('takes nothing else for an answer', { tags }, async () => {
    const mount = await setUp({ http: { breakerFailures: Number.POSITIVE_INFINITY } });
    const elsewhere = connector.redirectEndsSession ? 'RESPUESTA_ILEGIBLE' : 'HOST_NO_PERMITIDO';
    for (const [what, fault, motivo] of [...FALLAS, ['a foreign host', answered(null, foreign), elsewhere] as const]) {
      mount.fault(service, operation, fault);
      const { motivo: found } = await errorOf(ask(mount));
      const isPaginaVacia = what === 'nothing' && connector.isPagina;
      expect([what, found]).toEqual([what, isPaginaVacia ? 'SERVICIO_CON_ERROR' : motivo]);
      mount.world.faults.remove();
    }
    expect(mount.requests.every(({ host }) => host.endsWith('.sat.gob.mx'))).toBe(true);
    expect(Object.keys(await ask(mount)).length).toBeGreaterThan(0);
  });

  it('gives up when the caller does, in the middle', async () => {
    const mount = await setUp();
    const controller = new AbortController();
    mount.fault(service, operation, {
      kind: 'edited',
      edit: (answer) => {
        controller.abort();
        return answer;
      },
    });
    const error = await errorOf(ask(mount, undefined, { signal: controller.signal }));
    expect(error).toMatchObject({ motivo: 'CANCELADA' });
    expect(mount.calls(operation, service)).toHaveLength(1);
  });
});
