import type { Solicitud } from '@acuse/sdk';
import type { Consola } from './consola.ts';

const BAR = { least: 10, most: 30 };
const [GREEN, PLAIN] = ['\u001b[32m', '\u001b[0m'];
const CLEAR_LINE = '\r\u001b[2K';

const percent = (part: number) => `${String(Math.floor(part * 100)).padStart(3)} %`;
const number = new Intl.NumberFormat('es-MX');

/** What is told of a request, in a few words. */
function wordsOf({ estado, registros, motivo, retrasada }: Solicitud): string[] {
  return [
    estado,
    ...(registros === null ? [] : [`${number.format(registros)} CFDI`]),
    ...(estado === 'ESPERA_EFIRMA' ? ['guarde la e.firma: acuse vault firma-guardar'] : []),
    ...(retrasada ? ['el SAT lleva más de 72 horas con ella'] : []),
    ...(motivo === null ? [] : [motivo]),
  ];
}

/** A line of a terminal: a bar where it fits, and as much of the words as fits. */
export function terminalLine(part: number, words: readonly string[], columns: number, color: boolean): string {
  const text = `${percent(part)}  ${words.join('  ')}`;
  // The last column stays empty: some terminals begin a new line there.
  const room = columns - 1 - text.length - 3;
  const width = Math.min(BAR.most, room);
  if (width < BAR.least) return text.slice(0, Math.max(0, columns - 1));
  const full = '█'.repeat(Math.floor(part * width));
  return `│${color ? GREEN : ''}${full}${color ? PLAIN : ''}${' '.repeat(width - full.length)}│ ${text}`;
}

/**
 * Shows how far something is on the standard error: one line that changes on a terminal, elsewhere a line for each
 * change.
 */
export function createAvance({ errores, entorno }: Pick<Consola, 'errores' | 'entorno'>) {
  const color = !entorno.sinColor;
  let last = '';

  function show(part: number, words: readonly string[]): void {
    const text = `${percent(part).trim()} ${words.join(', ')}`;
    if (text === last) return;
    last = text;
    if (!errores.isTTY) return void errores.write(`${text}\n`);
    errores.write(CLEAR_LINE + terminalLine(part, words, errores.columns || 80, color));
  }

  return {
    solicitud: (solicitud: Solicitud) => show(solicitud.progreso, wordsOf(solicitud)),
    /** Elsewhere than on a terminal every tenth is enough. */
    paquete(received: number, total: number) {
      const part = received / total;
      show(errores.isTTY ? part : Math.floor(part * 10) / 10, ['descargando el ZIP']);
    },
    /** Says something that stays. */
    say(text: string) {
      errores.write(`${errores.isTTY && last !== '' ? CLEAR_LINE : ''}${text}\n`);
      last = '';
    },
    /** Leaves the line as it is. */
    end() {
      if (errores.isTTY && last !== '') errores.write(CLEAR_LINE);
      last = '';
    },
  };
}

export type Avance = ReturnType<typeof createAvance>;
