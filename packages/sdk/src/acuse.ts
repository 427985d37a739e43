import { AcuseError, esPasajero } from './errors.ts';
import type { DatosDescargaPaquete, PeticionTaxDescargaMetadata, Solicitud } from './generated/openapi.ts';
import { Operaciones, VERSION } from './generated/operaciones.ts';
import { abrirPaquete, type OpcionesPaquete, type PaqueteAbierto } from './paquete.ts';
import { type AlIntentar, call, type OpcionesLlamada, type Pausa, sleep, type Transport } from './transport.ts';

/** How to reach a service. */
export interface OpcionesAcuse {
  /** Address of the service, without `/api/v1`: `https://acuse.example`. */
  readonly url: string;
  /** API key of the RFC. It belongs on a server: whoever reads a page or an app could take it from there. */
  readonly llave: string;
  /** Name of your application, told beside that of this package. */
  readonly aplicacion?: string | undefined;
  /** Repetitions of a call that failed for a moment, beside the first try; 4 by default. */
  readonly reintentos?: number | undefined;
  /** Milliseconds that one try may take; 150,000 by default, since queries wait for the SAT. */
  readonly plazoMs?: number | undefined;
  /** Gets each try of every call, for a log: its status, its `requestId` and how long it took. */
  readonly alIntentar?: AlIntentar | undefined;
  /** Another `fetch`: through a proxy, or with a certificate of your own. */
  readonly fetch?: typeof fetch | undefined;
  /** Pauses between tries and looks, for tests. */
  readonly pausa?: Partial<Pausa> | undefined;
}

/** Options of waiting for a request. */
export interface OpcionesEspera {
  /** Ends the waiting, not the request: that goes on, and can be waited for again by its id. */
  readonly signal?: AbortSignal | undefined;
  /** Told after each look. Keep `solicitud_id` of the first one: by it another process can go on waiting. */
  readonly alAvanzar?: ((solicitud: Solicitud) => void) | undefined;
  /** Told of a look that failed and will be made again, as while there is no network. */
  readonly alFallar?: ((error: AcuseError) => void) | undefined;
}

/** A request that ended with a package. */
export interface Descarga {
  readonly solicitud: Solicitud;
  readonly paquete: DatosDescargaPaquete;
}

/** Milliseconds between looks at a request: at first, and at most, when nothing changes. */
const LOOKS = { first: 1_000, most: 30_000, growth: 1.5 };
const PAUSE: Pausa = { primeraMs: 500, maximaMs: 20_000, esperar: sleep, azar: Math.random };

/** A browser sends its own name, and lets no page change it. */
const isBrowser = 'document' in globalThis;

/** The client of a service: one method an operation, grouped as their paths are, and the whole way of a download. */
export class Acuse extends Operaciones {
  readonly #transport: Transport;

  /** @throws TypeError for an address or a key that cannot be one. */
  constructor({ url, llave, aplicacion, reintentos = 4, plazoMs = 150_000, alIntentar, fetch, pausa }: OpcionesAcuse) {
    super();
    if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
      throw new TypeError(`«${url}» no es la dirección (url) de un servicio, como https://acuse.example.`);
    // What else it has could not be sent in a header.
    if (!/^[\x21-\x7e]+$/.test(llave))
      throw new TypeError('La API key (llave) está vacía o incompleta. Cópiela como la mostró el panel, sin espacios.');
    const userAgent = `${aplicacion === undefined ? '' : `${aplicacion} `}acuse-sdk/${VERSION}`;
    this.#transport = {
      base: `${new URL(url).href.replace(/\/+$/, '')}/api/v1/`,
      llave,
      reintentos,
      plazoMs,
      alIntentar,
      userAgent: isBrowser ? null : userAgent,
      fetch: fetch ?? globalThis.fetch.bind(globalThis),
      pausa: { ...PAUSE, ...pausa },
    };
  }

  protected call<T>(path: string, changes: boolean, peticion: object, opciones?: OpcionesLlamada): Promise<T> {
    return call<T>(this.#transport, path, changes, peticion, opciones);
  }

  /**
   * Asks for a download and waits until it has ended, which takes from seconds to days: `tax/descarga-metadata`, then
   * {@link esperar}. The same request made again while it runs is waited for, and not charged again.
   *
   * @throws AcuseError `SOLICITUD_SIN_PAQUETE` when it ended without a package; the credit was given back then.
   */
  async descargarYEsperar(
    peticion: PeticionTaxDescargaMetadata,
    opciones: OpcionesEspera & OpcionesLlamada = {},
  ): Promise<Descarga> {
    const { data } = await this.tax.descargaMetadata(peticion, opciones);
    return this.esperar(data.solicitud_id, opciones);
  }

  /**
   * Waits until a request has ended, also one that another process made. What fails for a moment is asked again for as
   * long as the signal lets it.
   *
   * @throws AcuseError `SOLICITUD_SIN_PAQUETE` as {@link descargarYEsperar}; `SOLICITUD_NO_ENCONTRADA`.
   */
  async esperar(solicitudId: string, { signal, alAvanzar, alFallar }: OpcionesEspera = {}): Promise<Descarga> {
    const { pausa } = this.#transport;
    let ms = LOOKS.first;
    let seen = '';
    for (;;) {
      try {
        const { data: solicitud } = await this.descarga.verificar({ solicitud_id: solicitudId }, { signal });
        alAvanzar?.(solicitud);
        if (solicitud.terminada_en !== null) {
          const { data: paquete } = await this.descarga.paquete({ solicitud_id: solicitudId }, { signal });
          return { solicitud, paquete };
        }
        const looks = JSON.stringify([solicitud.estado, solicitud.progreso, solicitud.registros]);
        ms = looks === seen ? Math.min(ms * LOOKS.growth, LOOKS.most) : LOOKS.first;
        seen = looks;
      } catch (error) {
        if (!(error instanceof AcuseError) || !esPasajero(error)) throw error;
        alFallar?.(error);
        ms = Math.max(ms, (error.reintentarEn ?? 0) * 1_000);
      }
      await pausa.esperar(ms * (0.5 + pausa.azar() / 2), signal);
    }
  }

  /** Opens the package of a request that has ended, checked by its SHA-256 as it comes. */
  abrirPaquete(solicitudId: string, opciones: OpcionesPaquete = {}): Promise<PaqueteAbierto> {
    const { signal } = opciones;
    const locate = async () => (await this.descarga.paquete({ solicitud_id: solicitudId }, { signal })).data;
    return abrirPaquete(this.#transport, locate, opciones);
  }
}
