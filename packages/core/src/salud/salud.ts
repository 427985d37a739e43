import type { Modo } from '../ports/boveda.ts';
import { CANALES_CON_ESTADO, saludDeCanal, type TramoCanal } from './canales.ts';
import { horaDelDia, isNear, type Minimos, type ResumenEsperas, resumenDe, type SumaEsperas } from './esperas.ts';

/** Public data about the health of the authority and of this service, before it is judged. */
export interface LecturaSalud {
  /** Sums of the last day, by channel. */
  readonly tramos: readonly TramoCanal[];
  /** How long downloads took in the last weeks. */
  readonly esperas: readonly SumaEsperas[];
  /** Roles with a living worker. */
  readonly trabajan: readonly string[];
}

/** What a reading of `en` says, as it goes over the wire: the waits are those of requests of `modo`. */
export function datosDeSalud(lectura: LecturaSalud, en: Date, modo: Modo, minimos: Minimos) {
  const { tramos, esperas, trabajan } = lectura;
  const hora = horaDelDia(en);
  const [descargas, ensambles] = ['descargas', 'ensambles'].map((rol) => trabajan.includes(rol));
  return {
    modo,
    cifras_de: en.toISOString(),
    canales: CANALES_CON_ESTADO.map((nombre) => {
      const { canal, estado, desde, fallas, medianaMs, p90Ms } = saludDeCanal(nombre, tramos, en);
      return { canal, estado, desde: desde?.toISOString() ?? null, fallas, mediana_ms: medianaMs, p90_ms: p90Ms };
    }),
    descargas: (['soap', 'portal'] as const).flatMap((canal) =>
      (['emitidos', 'recibidos'] as const).map((tipo) => {
        const suyas = esperas.filter((suma) => suma.modo === modo && suma.canal === canal && suma.tipo === tipo);
        const near = suyas.filter((suma) => isNear(suma.hora, hora));
        const recientes = suyas.filter((suma) => suma.isReciente);
        return {
          canal,
          tipo,
          a_esta_hora: datosDeEspera(resumenDe(near, minimos)),
          ultimas_24_horas: datosDeEspera(resumenDe(recientes, minimos)),
        };
      }),
    ),
    servicio: {
      estado: descargas && ensambles ? ('NORMAL' as const) : ('CON_FALLAS' as const),
      descargas: descargas === true,
      ensambles: ensambles === true,
    },
  };
}

export type DatosDeSalud = ReturnType<typeof datosDeSalud>;

/** Minutes, to the tenth where they are few. */
const minutos = (segundos: number) =>
  segundos < 600 ? Math.max(0.1, Math.round(segundos / 6) / 10) : Math.round(segundos / 60);

function datosDeEspera(resumen: ResumenEsperas | null) {
  if (resumen === null) return null;
  const { medianaSegundos, p90Segundos, muestras } = resumen;
  return { mediana_minutos: minutos(medianaSegundos), p90_minutos: minutos(p90Segundos), muestras };
}
