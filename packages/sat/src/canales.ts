import {
  type CanalSat,
  type CatalogoConsultas,
  type CredencialDe,
  canalDe,
  type EnvioSat,
  type NombreConsulta,
  type NombreDescarga,
  type Respuesta,
  type Sat,
  SatError,
} from '@acuse/core';
import type { NombreConsultaPortal } from './portal/portal.ts';
import type { NombreConsultaPublica } from './publico/create-publico.ts';

/** A channel to the SAT: the signed web service, the portals with a log-in, or public pages. */
export type NombreCanal = CanalSat | 'publico';

/** A whole channel (`portal`) or one consulta of it (`portal:listar-facturas`). */
export type CanalDesactivado = NombreCanal | `${NombreCanal}:${NombreConsulta}`;

const DESCARGAS: ReadonlySet<NombreConsulta> = new Set<NombreDescarga>([
  'solicitar-metadata',
  'verificar-metadata',
  'descargar-paquete',
]);

/** Names of all consultas of a channel; the values do not matter. Readers of settings load no code that sends them. */
const namesOf = <N extends NombreConsulta>(all: Readonly<Record<N, 0>>) => Object.keys(all) as N[];
const PORTAL = namesOf<NombreConsultaPortal>({
  'solicitar-metadata': 0,
  'verificar-metadata': 0,
  'descargar-paquete': 0,
  'bajar-xml': 0,
  entrar: 0,
  'consultar-opinion': 0,
  'listar-facturas': 0,
  'listar-retenciones': 0,
  'listar-declaraciones': 0,
  'listar-comunicados': 0,
  'listar-notificaciones': 0,
  'descargar-constancia': 0,
});
const PUBLICO = namesOf<NombreConsultaPublica>({ 'consultar-cfdi': 0, 'consultar-constancia-qr': 0 });

/** Everything that can be switched off: channels first. */
export const CANALES_DESACTIVABLES: readonly CanalDesactivado[] = [
  ...(['soap', 'portal', 'publico'] as const),
  ...[...DESCARGAS].map((consulta) => `soap:${consulta}` as const),
  ...PORTAL.map((consulta) => `portal:${consulta}` as const),
  ...PUBLICO.map((consulta) => `publico:${consulta}` as const),
];

interface SatSettings {
  /** Channels and consultas that the operator has switched off. */
  readonly desactivados?: readonly CanalDesactivado[];
}

export interface Canales {
  readonly soap?: Sat<NombreDescarga>;
  readonly portal?: Sat<NombreConsultaPortal>;
  readonly publico?: Sat<NombreConsultaPublica>;
}

/**
 * The channel of a consulta asked with a credential: bulk downloads by e.firma are the web service's, everything else
 * with a log-in the portals'.
 */
export function canalDeConsulta<N extends NombreConsulta>(consulta: N, credencial: CredencialDe<N>): NombreCanal {
  if (credencial === null) return 'publico';
  return DESCARGAS.has(consulta) ? canalDe(credencial) : 'portal';
}

/**
 * The tax authority over its channels. A channel that is switched off, or was not given, answers CANAL_DESACTIVADO; it
 * never falls back to another one, since a folio of one channel means nothing to the other.
 */
export function createSat(options: Canales & { readonly settings?: SatSettings }): Sat {
  const off = new Set(options.settings?.desactivados ?? []);
  return {
    send<N extends NombreConsulta>(
      consulta: CatalogoConsultas[N]['consulta'] & { readonly consulta: N },
      credencial: CatalogoConsultas[N]['credencial'],
      envio: EnvioSat,
    ): Promise<Respuesta<N>> {
      const nombre = canalDeConsulta(consulta.consulta, credencial);
      const canal = options[nombre];
      if (canal === undefined || off.has(nombre) || off.has(`${nombre}:${consulta.consulta}`)) {
        return Promise.reject(new SatError('CANAL_DESACTIVADO', { detalle: `${nombre}:${consulta.consulta}` }));
      }
      // `canalDeConsulta` gives a channel that takes this consulta; the compiler cannot follow that through the name.
      return (canal as Sat).send(consulta, credencial, envio);
    },
  };
}
