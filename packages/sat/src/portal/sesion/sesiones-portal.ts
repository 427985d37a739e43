/** A session of the portal. The cookies are as good as the password while they live: whoever stores them seals them. */
export interface SesionPortal {
  readonly id: string;
  readonly cookies: string;
  /** Milliseconds since 1970 of the last answer that the portal gave to it. */
  readonly usadaEn: number;
  /** Proof of the CIEC that opened it (scrypt, base64) and its salt: another CIEC must not ride on this session. */
  readonly sal: string;
  readonly huella: string;
}

/** Where the sessions of the portal are kept, one per RFC. */
export interface SesionesPortal {
  load(rfc: string): Promise<SesionPortal | null>;
  save(rfc: string, sesion: SesionPortal): Promise<void>;
  drop(rfc: string): Promise<void>;
}

/** Sessions in the memory of this process. */
export function createSesionesEnMemoria(): SesionesPortal {
  const sesiones = new Map<string, SesionPortal>();
  return {
    async load(rfc) {
      return sesiones.get(rfc) ?? null;
    },
    async save(rfc, sesion) {
      sesiones.set(rfc, sesion);
    },
    async drop(rfc) {
      sesiones.delete(rfc);
    },
  };
}
