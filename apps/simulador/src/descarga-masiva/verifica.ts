import type { World } from '../world/world.ts';
import { authorize } from './authorize.ts';
import { type Outcome, outcome } from './codes.ts';
import { injectedOutcome } from './injected-outcome.ts';
import { attributes, soapAnswer } from './soap/answer.ts';
import type { SoapCall, SoapOperation } from './soap/endpoint.ts';
import { NS } from './soap/namespaces.ts';
import { solicitudOf } from './solicita.ts';
import type { Solicitudes } from './solicitudes.ts';
import type { Tokens } from './tokens.ts';

type Deps = { world: World; tokens: Tokens; solicitudes: Solicitudes };
type Verificacion = Outcome & { estado: number; codigo: number; filas: number; paquetes: readonly string[] };

const NAME = 'VerificaSolicitudDescarga';

/** The operation VerificaSolicitudDescarga: how far a request is, and its packages when it is finished. */
export function createVerifica(deps: Deps): SoapOperation {
  return {
    name: NAME,
    path: '/VerificaSolicitudDescargaService.svc',
    action: `${NS.descarga}/IVerificaSolicitudDescargaService/${NAME}`,
    namespace: NS.descarga,
    element: NAME,
    ownFaults: ['code', 'stuck'],
    rfcOf: (message) => solicitudOf(message)?.getAttribute('RfcSolicitante') ?? '',
    detailOf: (operation) => ({ IdSolicitud: solicitudOf({ operation })?.getAttribute('IdSolicitud') ?? '' }),
    handle: async (call) => {
      const { code, mensaje, estado, codigo, filas, paquetes } = await decide(deps, call);
      const values = {
        CodEstatus: code,
        EstadoSolicitud: estado,
        CodigoEstadoSolicitud: codigo,
        NumeroCFDIs: filas,
        Mensaje: mensaje,
      };
      const ids = paquetes.map((id) => `<IdsPaquetes>${id}</IdsPaquetes>`).join('');
      return soapAnswer(
        `<${NAME}Response xmlns="${NS.descarga}"><${NAME}Result${attributes(values)}>${ids}</${NAME}Result></${NAME}Response>`,
      );
    },
  };
}

async function decide({ world, tokens, solicitudes }: Deps, call: SoapCall): Promise<Verificacion> {
  const { fault } = call;
  const element = solicitudOf(call);
  if (!element) return refuse(outcome(301, 'falta el elemento solicitud'));
  const unauthorized = authorize(world, tokens, call, element);
  if (unauthorized) return refuse(unauthorized);
  const rfc = element.getAttribute('RfcSolicitante') ?? '';
  const solicitud = solicitudes.find(rfc, element.getAttribute('IdSolicitud') ?? '');
  if (!solicitud) return { ...refuse(outcome(5004)), codigo: 5004 };
  if (fault?.kind === 'stuck') return { ...outcome(5000), estado: 1, codigo: 5000, filas: 0, paquetes: [] };
  if (fault) {
    const { estado = 0, codigoEstado = 0 } = fault;
    return { ...injectedOutcome(fault), estado, codigo: codigoEstado, filas: 0, paquetes: [] };
  }
  const progreso = await solicitudes.verify(solicitud);
  const paquetes = progreso.estado === 3 ? solicitud.paquetes.map(({ id }) => id) : [];
  return { ...outcome(5000), ...progreso, paquetes };
}

function refuse(why: Outcome): Verificacion {
  return { ...why, estado: 0, codigo: 0, filas: 0, paquetes: [] };
}
