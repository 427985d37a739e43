import { type Consola, print } from '@acuse/roles/client';
import type { AcuseError, DatosTaxDescargaMetadata, Solicitud } from '@acuse/sdk';
import { plain } from './presentar.ts';

const BAR = { least: 10, most: 30 };
const UNICODE = { begin: '│', full: '█', end: '│' };
const ASCII = { begin: '[', full: '#', end: ']' };
const [GREEN, PLAIN] = ['\u001b[32m', '\u001b[0m'];
const CLEAR_LINE = '\r\u001b[2K';

const percent = (part: number) => `${String(Math.floor(part * 100)).padStart(3)} %`;
const number = new Intl.NumberFormat('es-MX');

/** State of a request in a few words. */
export function wordsOf({ estado, registros, motivo, retrasada, completo_hacia }: Solicitud): string[] {
  return [
    estado,
    ...(registros === null ? [] : [`${number.format(registros)} CFDI`]),
    ...(estado === 'ESPERA_EFIRMA' ? ['guarde la e.firma: acuse vault firma-guardar'] : []),
    ...(completo_hacia ? [`el portal ya dio los XML de hoy: completa hacia el ${completo_hacia.slice(0, 10)}`] : []),
    ...(retrasada ? ['el SAT lleva más de 72 horas con ella'] : []),
    ...(motivo === null ? [] : [plain(motivo)]),
  ];
}

/** A line of a terminal: a bar where it fits, and as much of the words as fits. */
function terminalLine(
  part: number,
  words: readonly string[],
  columns: number,
  { sinColor, sinUnicode }: Consola['entorno'],
): string {
  const text = `${percent(part)}  ${words.join('  ')}`;
  // The last column stays empty: some terminals begin a new line there.
  const room = columns - 1 - text.length - 3;
  const width = Math.min(BAR.most, room);
  if (width < BAR.least) return text.slice(0, Math.max(0, columns - 1));
  const { begin, full, end } = sinUnicode ? ASCII : UNICODE;
  const done = full.repeat(Math.floor(part * width));
  const [on, off] = sinColor ? ['', ''] : [GREEN, PLAIN];
  return `${begin}${on}${done}${off}${' '.repeat(width - done.length)}${end} ${text}`;
}

/**
 * Shows how far something is: on the standard error, as one line that changes on a terminal and elsewhere a line for
 * each change; for a program, as lines of JSON among its answers.
 */
export function createAvance(consola: Consola) {
  const { errores, entorno, json } = consola;
  const isDrawn = errores.isTTY && !entorno.sinCursor;
  let last = '';
  let isOver = false;

  function tell(line: object): void {
    const text = JSON.stringify(line);
    if (text !== last) print(consola, text);
    last = text;
  }

  function show(part: number, words: readonly string[]): void {
    const text = `${percent(part).trim()} ${words.join(', ')}`;
    // Work under way may end a moment after a failure.
    if (text === last || isOver) return;
    last = text;
    if (!isDrawn) return void errores.write(`${text}\n`);
    errores.write(CLEAR_LINE + terminalLine(part, words, errores.columns || 80, entorno));
  }

  /** Takes the line away that is not to stay. */
  function clear(): void {
    if (isDrawn && last !== '' && !json) errores.write(CLEAR_LINE);
    last = '';
  }

  /** Says something that stays. */
  function say(text: string): void {
    clear();
    errores.write(`${text}\n`);
  }

  return {
    say,
    /** From here on nothing is shown of how far it is. */
    end() {
      clear();
      isOver = true;
    },
    pedida({ solicitud_id, estado, duplicada: same }: DatosTaxDescargaMetadata) {
      const duplicada = same === true;
      if (json) tell({ solicitud_id, estado, duplicada });
      else say(`Solicitud ${solicitud_id}: ${duplicada ? 'ya estaba en curso, y no se cobra otra vez' : 'hecha'}.`);
    },
    solicitud(solicitud: Solicitud) {
      const { solicitud_id, estado, progreso, registros, motivo } = solicitud;
      if (json) tell({ solicitud_id, estado, progreso, registros, motivo });
      else show(progreso, wordsOf(solicitud));
    },
    fallo({ nombre, message }: AcuseError) {
      if (json) tell({ reintento: nombre });
      else say(`Sin respuesta; se pregunta otra vez. ${message}`);
    },
    paquete(received: number, total: number) {
      const part = received / total;
      // Elsewhere than on a terminal every tenth is enough.
      if (!json) show(isDrawn ? part : Math.floor(part * 10) / 10, ['descargando el ZIP']);
    },
  };
}
