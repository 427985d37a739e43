import { direccionesOf } from './direcciones.ts';
import { startSimulador } from './start.ts';

/**
 * What the package gives to programs. Its types name nothing of another package: they are published as they stand here.
 */

/** How to start a simulator. */
export interface StartOptions {
  /** Where it listens. Default `127.0.0.1`: this machine alone. */
  readonly host?: string | undefined;
  /** Default 0: one that is free. */
  readonly puerto?: number | undefined;
  /** HTTPS, with a certificate of the authority `ca`. Default: HTTP. */
  readonly https?: boolean | undefined;
  /** Folder that keeps the authority and its certificates from one start to the next. Default: memory only. */
  readonly datos?: string | undefined;
  /** What its clock shows at the start; time flows on from there. Default: the machine's time. */
  readonly reloj?: Date | undefined;
  readonly ajustes?: Partial<Ajustes> | undefined;
}

/** Numbers and switches of the simulated SAT. */
export interface Ajustes {
  /** The same seed gives the same taxpayers and CFDI. Default `acuse`. */
  semilla: string;
  /** Rows of a package. Default 250,000. */
  filas_por_paquete: number;
  /** A request for more rows of metadata is refused with 5003. Default 1,000,000. */
  max_filas_metadata: number;
  /** The same of a request for XML. Default 200,000. */
  max_filas_cfdi: number;
  /** Which verification sees a request finished. Default 2. */
  verificaciones_hasta_terminar: number;
  /** Seconds of the clock that a request takes at least. Default 0. */
  segundos_hasta_terminar: number;
  /** Hours of the clock after which a package answers 5007. Default 72. */
  horas_paquete: number;
  /** Hours of the clock after which a request answers EstadoSolicitud 6. Default 72. */
  horas_solicitud: number;
  /** Downloads of a package; then 5008. Default 2. */
  max_descargas: number;
  /** Equal requests for XML in a lifetime; then 5002. Default 2. */
  max_solicitudes_iguales: number;
  /** Place of the answer 5002: the request, or the verification of an accepted request. Default `al pedir`. */
  agotadas: 'al pedir' | 'al verificar';
  /** Requests by UUID a day; then 5011. Default 2,000. */
  max_folios_por_dia: number;
  /** XML that the portal gives a taxpayer on a day. Default 2,000. */
  max_xml_por_dia: number;
  /** Members of an XML package that are unlike the others. Default `normales`. */
  paquetes_xml: 'normales' | 'mayusculas' | 'perdido' | 'doble' | 'renombrado' | 'todo';
  /** Life of a token in seconds of the clock. Default 300. */
  segundos_token: number;
  /** Whether the digest of a seal and its reference are checked, which the SAT does not. Default false. */
  sello_completo: boolean;
  /** Whether a log-in by CIEC shows a captcha. Default true. */
  captcha: boolean;
  /** How many right captchas are taken for wrong ones first. Default 0. */
  captchas_rechazados: number;
  /** Number of false empty answers for the magic RFC of the false empty. Default 1. */
  vacios_falsos: number;
  /** Milliseconds that an answer to the slow magic RFC takes. Default 1,000. */
  ms_lento: number;
  /** Milliseconds that an answer to the hanging magic RFC takes. Default 180,000. */
  ms_colgado: number;
  /** Proceedings of list 69-B that had begun by 2026-10-31. Default 14,500. */
  filas_69b: number;
  /** Day of the cut of list 69-B, `yyyy-MM-dd`. Default 2026-10-31. */
  corte_69b: string;
  /** Rows of each other list (69, seals without effect). Default 400. */
  filas_listados: number;
  /** Day on which the SAT put the other lists where they are, `yyyy-MM-dd`. Default 2026-11-06. */
  fecha_listados: string;
  /** What all lists are written in; the SAT's is the default. */
  codificacion_listas: 'windows-1252' | 'utf-8' | 'utf-16' | 'cp850';
}

/** The four services of a bulk download. */
export interface DireccionesDescargaMasiva {
  readonly autenticacion: string;
  readonly solicitud: string;
  readonly verificacion: string;
  readonly descarga: string;
}

/** Where clients are pointed to. */
export interface Direcciones {
  readonly descargaMasiva: {
    readonly cfdi: DireccionesDescargaMasiva;
    readonly retenciones: DireccionesDescargaMasiva;
  };
  /** SOAP: status of a CFDI. */
  readonly estadoCfdi: string;
  /** Page: status of a CFDI de retenciones. */
  readonly estadoRetenciones: string;
  readonly listado69b: string;
  /** What stands for each of the SAT's hosts of web pages: `https://cfdiau.sat.gob.mx` and so on. */
  readonly portales: Readonly<Record<string, string>>;
  /** Reads a captcha of the log-in pages: POST `{"imagen": base64}` answers `{"respuesta": "…"}`. */
  readonly captcha: string;
  readonly control: string;
}

/** An e.firma or a CSD, as the SAT gives them: certificate in DER, key in encrypted PKCS#8 DER. */
export interface Efirma {
  readonly cer: Uint8Array;
  readonly key: Uint8Array;
  readonly password: string;
  /** The 20 digits of its certificate. */
  readonly numero: string;
}

export interface OpcionesEfirma {
  /** Default `12345678a`. */
  readonly password?: string | undefined;
  /** Name in the certificate; default: that of the taxpayer. */
  readonly nombre?: string | undefined;
  /** Its end; a past one gives an expired certificate. Default: in four years. */
  readonly vence?: Date | undefined;
  /** A seal certificate, which is no e.firma. */
  readonly csd?: boolean | undefined;
}

/** Something that goes wrong. */
export interface Falla {
  /** First label of a host (`cfdidescargamasiva`), or `*` for all. */
  readonly servicio: string;
  /** One operation of it (`Descargar`); default: any. */
  readonly operacion?: string | undefined;
  /** One taxpayer; default: any. */
  readonly rfc?: string | undefined;
  readonly tipo:
    | 'html200'
    | 'empty200'
    | 'status'
    | 'slow'
    | 'cut'
    | 'malformed'
    | 'wrong-content'
    | 'stuck'
    | 'code'
    | 'expired';
  /** How many calls it spoils; default: all until it is taken away. */
  readonly veces?: number | undefined;
  /** How many calls pass unharmed first. Default 0. */
  readonly despues_de?: number | undefined;
  /** Milliseconds of a `slow` one. Default 1,000. */
  readonly ms?: number | undefined;
  /** HTTP status of a `status` one. Default 503. */
  readonly status?: number | undefined;
  /** CodEstatus of a `code` one. Default 404. */
  readonly codigo?: number | undefined;
  /** EstadoSolicitud and CodigoEstadoSolicitud of a `code` one at the verification. */
  readonly estado?: number | undefined;
  readonly codigo_estado?: number | undefined;
  /** Mensaje of a `code` one. */
  readonly mensaje?: string | undefined;
}

/** A call that the simulator received. */
export interface Llamada {
  readonly servicio: string;
  readonly operacion: string;
  /** Empty without a named taxpayer. */
  readonly rfc: string;
  /** By the simulator's clock. */
  readonly fecha: Date;
  readonly detalle: Readonly<Record<string, string | number>>;
}

export interface CambioContribuyente {
  readonly nombre?: string | undefined;
  readonly ciec?: string | undefined;
  /** The rows it has, in place of the generated ones; null: the generated ones again. Days, both inside. */
  readonly filas?:
    | readonly {
        readonly documento?: 'cfdi' | 'retenciones' | undefined;
        readonly tipo: 'emitidos' | 'recibidos';
        readonly desde: string;
        readonly hasta: string;
        readonly cantidad: number;
      }[]
    | null
    | undefined;
  /** Whether its packages have entries that a reader must skip; null: every third one. */
  readonly basura?: boolean | null | undefined;
}

/** A listening simulated SAT. Refusals reject with a RangeError with the reason, in Spanish. */
export interface Simulador {
  /** Its address, without a slash at the end. */
  readonly url: string;
  readonly direcciones: Direcciones;
  /** Certificates of the authority that issues its e.firmas, and its own for HTTPS; PEM. */
  readonly ca: string;
  /** Issues an e.firma that it accepts. */
  efirma(rfc: string, opciones?: OpcionesEfirma): Promise<Efirma>;
  /** Revokes a certificate by its 20 digits. */
  revocar(numero: string): Promise<void>;
  /** The CIEC of a taxpayer. */
  ciec(rfc: string): Promise<string>;
  cambiar(rfc: string, cambio: CambioContribuyente): Promise<void>;
  /** Makes something go wrong; gives the id by which it is taken away. */
  fallar(falla: Falla): Promise<string>;
  /** Takes a fault away, or all of them. */
  quitarFallas(id?: string): Promise<void>;
  /** Calls, oldest first. */
  llamadas(filtro?: {
    readonly servicio?: string;
    readonly operacion?: string;
    readonly rfc?: string;
  }): Promise<Llamada[]>;
  olvidarLlamadas(): Promise<void>;
  ahora(): Promise<Date>;
  /** Moves the clock by seconds; gives what it shows. */
  avanzar(segundos: number): Promise<Date>;
  /** Sets the clock, from where time flows on; null: the machine's time. */
  fijarReloj(instante: Date | null): Promise<Date>;
  ajustar(cambio: Partial<Ajustes>): Promise<Ajustes>;
  /** Ends it, with the connections to it. */
  close(): Promise<void>;
}

/** Starts a simulated SAT. Rejects when it may not listen at the given address. */
export async function start(options: StartOptions = {}): Promise<Simulador> {
  const { host, puerto: port, https, datos: dataDir, reloj, ajustes: settings } = options;
  const { app, url, world, close } = await startSimulador({ host, port, https, dataDir, settings });
  if (reloj) world.clock.set(reloj);

  /** Asks the control API, which knows the rules, without a socket. */
  const control = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const answer = await app.request(`/control${path}`, {
      method,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const json = (await answer.json()) as T & { error?: string };
    if (!answer.ok) throw new RangeError(json.error);
    return json;
  };
  const contribuyente = (rfc: string) => `/contribuyentes/${encodeURIComponent(rfc)}`;
  const askClock = async (method: 'GET' | 'POST', cambio?: object) =>
    new Date((await control<{ ahora: string }>(method, '/reloj', cambio)).ahora);
  return {
    url,
    direcciones: direccionesOf(url),
    ca: world.pki.caPem,
    efirma: async (rfc, { vence, ...opciones } = {}) => {
      const order = { rfc, ...opciones, vence: vence?.toISOString() };
      const { cer, key, ...same } = await control<Record<keyof Efirma, string>>('POST', '/efirma', order);
      return { ...same, cer: Buffer.from(cer, 'base64'), key: Buffer.from(key, 'base64') };
    },
    revocar: async (numero) => {
      await control('POST', '/efirma/revocar', { numero });
    },
    ciec: async (rfc) => (await control<{ ciec: string }>('GET', contribuyente(rfc))).ciec,
    cambiar: async (rfc, cambio) => {
      await control('PUT', contribuyente(rfc), cambio);
    },
    fallar: async (falla) => (await control<{ id: string }>('POST', '/fallas', falla)).id,
    quitarFallas: async (id) => {
      await control('DELETE', id === undefined ? '/fallas' : `/fallas/${encodeURIComponent(id)}`);
    },
    llamadas: async (filtro = {}) => {
      const query = new URLSearchParams(Object.entries(filtro).filter(([, value]) => value !== undefined));
      const { llamadas } = await control<{ llamadas: LoggedCall[] }>('GET', `/llamadas?${query}`);
      return llamadas.map(({ service, operation, at, detail, rfc }) => ({
        servicio: service,
        operacion: operation,
        rfc,
        fecha: new Date(at),
        detalle: detail,
      }));
    },
    olvidarLlamadas: async () => {
      await control('DELETE', '/llamadas');
    },
    ahora: () => askClock('GET'),
    avanzar: (segundos) => askClock('POST', { avanzar_segundos: segundos }),
    fijarReloj: (instante) => askClock('POST', { fijar: instante?.toISOString() ?? null }),
    ajustar: (cambio) => control<Ajustes>('PUT', '/ajustes', cambio),
    close,
  };
}

/** A call as the control API shows it. */
interface LoggedCall {
  readonly service: string;
  readonly operation: string;
  readonly rfc: string;
  readonly at: string;
  readonly detail: Record<string, string | number>;
}
