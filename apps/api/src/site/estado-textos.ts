import { type DatosDeSalud, UMBRALES } from '@acuse/core';
import type { Language } from './pages.ts';

const { peticiones, fallas, lentoMs } = UMBRALES;

const ES = {
  title: 'Estado del SAT',
  summary: 'Cómo contesta el SAT ahora, por dónde se le pregunta, y cuánto tardan las descargas en estar listas.',
  of: 'Cifras de',
  stale: 'No se han podido leer cifras nuevas: estas son las últimas que hay.',
  reload: 'Se cuentan cada minuto: vuelva a cargar la página para ver las de ahora.',
  none: 'Todavía no hay cifras',
  noneText: 'No se pudieron leer. Lo que ya se pidió sigue su curso. Vuelva a cargar la página en un minuto.',
  simulated: 'En esta instalación contesta un simulador en el lugar del SAT.',
  channels: 'Cómo contesta',
  channelHeads: ['Por dónde', 'Estado', 'Fallas', 'Mediana', 'Nueve de cada diez'],
  channelNames: { soap: 'Servicios web', portal: 'Portales', publico: 'Consultas públicas' },
  states: { NORMAL: 'Normal', LENTO: 'Lento', CON_FALLAS: 'Con fallas', SIN_DATOS: 'Sin datos' },
  since: 'desde',
  longer: 'desde hace un día o más',
  downloads: 'Cuánto tardan las descargas',
  downloadsText:
    'Desde que se piden al SAT hasta que todos sus paquetes están listos ahí. «A esta hora» son las de las últimas cuatro semanas que se pidieron a esta hora del día, una más o una menos.',
  downloadHeads: ['Descarga', 'A esta hora', 'Últimas 24 horas'],
  kinds: { emitidos: 'Emitidos', recibidos: 'Recibidos' },
  by: { soap: 'por servicio web', portal: 'por portal' },
  wait: (mediana: string, p90: string, n: string) =>
    `La mitad, en ${mediana} min o menos; nueve de cada diez, en ${p90} min o menos (${n} descargas o más).`,
  few: 'Muy pocas para decirlo',
  service: 'Este servicio',
  serviceItems: (datos: DatosDeSalud['servicio']) => [
    datos.descargas
      ? 'Las descargas avanzan: hay quien las lleve por el SAT.'
      : 'Nadie lleva las descargas por el SAT en este momento: lo pedido espera y seguirá solo.',
    datos.ensambles
      ? 'Los ZIP se preparan.'
      : 'Nadie prepara los ZIP en este momento: lo que está listo en el SAT espera y seguirá solo.',
  ],
  meaning: 'Qué quiere decir',
  meanings: [
    [
      'Con fallas',
      `de las últimas ${peticiones} peticiones o más, de la última media hora, falló una de cada ${1 / fallas} o más; cuentan las que no se enviaron porque el servidor estaba caído.`,
    ],
    ['Lento', `una de cada diez tardó ${lentoMs / 1_000} segundos o más.`],
    ['Sin datos', `en la última media hora hubo menos de ${peticiones} peticiones.`],
    ['Normal', 'lo demás.'],
  ],
  source:
    'Se cuenta lo que todas las cuentas de esta instalación le pidieron de verdad al SAT, sin decir de quién ni cuánto: de lo que fue muy poco, o de muy pocas cuentas, no se dice nada. No es una página del SAT.',
  json: 'Lo mismo para programas',
  locale: 'es-MX',
};

const EN: typeof ES = {
  title: 'State of the SAT',
  summary: 'How the SAT answers at present, by each way to ask it, and how long downloads take to be ready.',
  of: 'Figures of',
  stale: 'No newer figures could be read: these are the last there are.',
  reload: 'They are counted every minute: load the page again to see those of now.',
  none: 'There are no figures yet',
  noneText: 'They could not be read. What was asked for goes on. Load the page again in a minute.',
  simulated: 'In this installation a simulator answers in the place of the SAT.',
  channels: 'How it answers',
  channelHeads: ['By', 'State', 'Failures', 'Median', 'Nine of ten'],
  channelNames: { soap: 'Web services', portal: 'Portals', publico: 'Public queries' },
  states: { NORMAL: 'Normal', LENTO: 'Slow', CON_FALLAS: 'Failing', SIN_DATOS: 'No data' },
  since: 'since',
  longer: 'for a day or more',
  downloads: 'How long downloads take',
  downloadsText:
    'From being asked of the SAT until all their packages are ready there. “At this hour” are those of the last four weeks that were asked for at this hour of the day, one more or one less.',
  downloadHeads: ['Download', 'At this hour', 'Last 24 hours'],
  kinds: { emitidos: 'Issued', recibidos: 'Received' },
  by: { soap: 'by web service', portal: 'by portal' },
  wait: (mediana, p90, n) => `Half within ${mediana} min, nine of ten within ${p90} min (${n} downloads or more).`,
  few: 'Too few to tell',
  service: 'This service',
  serviceItems: (datos) => [
    datos.descargas
      ? 'Downloads go on: somebody carries them through the SAT.'
      : 'Nobody carries downloads through the SAT at this moment: what was asked for waits, and will go on by itself.',
    datos.ensambles
      ? 'ZIPs are being made.'
      : 'Nobody makes ZIPs at this moment: what is ready at the SAT waits, and will go on by itself.',
  ],
  meaning: 'What it means',
  meanings: [
    [
      'Failing',
      `of the last ${peticiones} requests or more, within half an hour, one in ${1 / fallas} or more failed; those that were not sent because the server was down count.`,
    ],
    ['Slow', `one in ten took ${lentoMs / 1_000} seconds or more.`],
    ['No data', `in the last half hour there were fewer than ${peticiones} requests.`],
    ['Normal', 'everything else.'],
  ],
  source:
    'What all accounts of this installation really asked of the SAT is counted, without telling whose or how much: of what was very little, or of very few accounts, nothing is told. This is no page of the SAT.',
  json: 'The same for programs',
  locale: 'en-GB',
};

/** Texts of the page of the SAT's health, in each language. */
export const TEXTOS: Readonly<Record<Language, typeof ES>> = { es: ES, en: EN };

export type Textos = typeof ES;
