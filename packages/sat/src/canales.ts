import { type CanalSat, canalDe, type NombreConsulta, type Sat, SatError } from '@acuse/core';

/** A whole channel (`portal`) or one consulta of it (`portal:descargar-paquete`). */
export type CanalDesactivado = CanalSat | `${CanalSat}:${NombreConsulta}`;

export interface SatSettings {
  /** Channels and consultas that the operator has switched off. */
  readonly desactivados?: readonly CanalDesactivado[];
}

/**
 * The tax authority over its channels. The credential chooses: an e.firma travels by the SOAP service, a CIEC by the portal.
 * A channel that is switched off, or was not given, answers CANAL_DESACTIVADO; it never falls back to the other one,
 * since a folio of one channel means nothing to the other.
 */
export function createSat(options: { soap?: Sat; portal?: Sat; settings?: SatSettings }): Sat {
  const off = new Set(options.settings?.desactivados ?? []);
  return {
    send(consulta, credencial, envio) {
      const canal = canalDe(credencial);
      const sat = options[canal];
      if (sat === undefined || off.has(canal) || off.has(`${canal}:${consulta.consulta}`)) {
        return Promise.reject(
          new SatError('CANAL_DESACTIVADO', { detalle: `${canal}:${consulta.consulta}` }),
        );
      }
      return sat.send(consulta, credencial, envio);
    },
  };
}
