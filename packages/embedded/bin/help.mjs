// What each command says of itself, before anything is installed. `demo` and `start` say it from their own options.
const HELP = {
  demo: ['npm run demo', 'Hace el trabajo principal de la nada hasta un ZIP comprobado.', []],
  start: ['npm start', 'Enciende todo con el panel hasta Ctrl-C.', []],
  test: [
    'npm test -- [rutas] [opciones de vitest]',
    'Corre todas las pruebas que esta máquina permite: las de Redis si hay redis-server, las de contenedores si hay Docker.',
    [
      ['packages/vault', 'solo las pruebas cuya ruta lo contiene; pueden ser varias'],
      ['-t <texto>', 'solo las pruebas cuyo nombre lo contiene'],
    ],
  ],
  verify: [
    'npm run verify -- [rutas] [opciones de vitest]',
    'Comprueba formato, lint, tipos y las pruebas unitarias, de contrato y de arquitectura. Dice al final qué falló.',
    [],
  ],
  'test:faults': [
    'npm run test:faults -- [--deep] [rutas] [opciones de vitest]',
    'Mata procesos y servidores al azar mientras trabajan, unos 25 minutos. FAULTS_SEED=<semilla> repite una corrida.',
    [['--deep', 'los tamaños grandes, de horas (test/faults/sizes.ts)']],
  ],
  'test:slow': [
    'npm run test:slow -- [rutas] [opciones de vitest]',
    'Corre las pruebas de tamaños, de memoria y de textos hostiles, y los flujos enteros sobre la otra cola.',
    [],
  ],
  'test:containers': [
    'npm run test:containers -- [opciones de vitest]',
    'Construye las imágenes, enciende docker-compose.yml y corre las pruebas en contenedores; sin Docker lo instala (root, Debian).',
    [],
  ],
  'test:mutants': [
    'npm run test:mutants -- [palabras del nombre de una guarda]',
    'Quita cada guarda (llave única del libro, época, token del panel…) en una copia y comprueba que una prueba lo note.',
    [],
  ],
  measure: [
    'npm run measure',
    'Imprime las cifras de la casa: líneas, palabras y archivos, cada una con su límite y su meta.',
    [],
  ],
  bench: [
    'npm run bench -- [medidas] [opciones]',
    'Mide cada cifra junto a su piso en la misma máquina. Sin decir cuáles, todas menos las últimas seis:',
    [
      ['accept', 'solicitudes aceptadas por segundo, y las respuestas de paquete'],
      ['jobs', 'pasos de los workers por segundo'],
      ['backlog', 'lo mismo con muchas solicitudes en espera'],
      ['looks', '100,000 solicitudes abiertas, cada una vista cada 5 minutos'],
      ['takeover', 'cuánto tarda otro worker en seguir con lo de uno muerto'],
      ['small', 'lo que cuesta una descarga pequeña: procesador, S3 y base de datos'],
      ['spread', 'las transacciones de una descarga con 20 workers de un lugar y con uno de 20'],
      ['fair', 'lo que espera una cuenta con poco junto a otra con mucho'],
      ['million', 'un millón de filas, desde la solicitud hasta el ZIP'],
      ['panel', 'páginas del panel'],
      ['consultas', 'cada instrucción SQL con un millón de solicitudes'],
      ['assemble', 'armado de un ZIP de 300,000 filas'],
      ['almacen', 'lo que cuesta reunir CFDI en un almacén que ya tiene muchos, y consultarlo'],
      ['growth', 'el costo según el tamaño; escribe docs/developers/growth.md y su gráfica'],
      ['year', 'lo que ocupa un año de 100,000 RFC; escribe la última sección de esa página'],
      ['soak', 'la memoria bajo carga sostenida'],
      ['xml', '200,000 XML, desde la solicitud hasta el ZIP'],
      ['capacity', 'lo que piden 100,000 RFC: calcula, no mide'],
      ['--share <n>', 'parte del tamaño y del tiempo usuales, como 0.01: comprueba que una medida corre (1)'],
      ['--to <n>', 'con growth y almacen: el tamaño mayor, como 1e5'],
      ['--minutes <n>', 'con soak: cuántos minutos (30)'],
      ['--formato <f>', 'con million: csv, xlsx, ndjson o parquet (csv)'],
    ],
  ],
  build: ['npm run build -- [opciones de tsc]', 'Compila cada parte en su carpeta dist, para empacarla.', []],
  release: [
    'npm run release -- --dry-run [--carpeta <carpeta>]',
    'Hace lo que se publica: paquetes de npm, Python y Composer, chart, imágenes, lista de bibliotecas y sumas. No publica.',
    [['--carpeta <c>', 'dónde quedan (.acuse/publicacion)']],
  ],
  generate: [
    'npm run generate',
    'Escribe otra vez el cliente de Prisma, lo generado de los clientes (TypeScript, Python, PHP), docs/openapi.json, operaciones, errores y códigos del SAT en docs/integrators, docs/developers/data-model.md y .env.example.',
    [],
  ],
};

/** Whether the arguments of a command ask for its help. */
export const asksForHelp = (args) => args.includes('--help') || args.includes('-h');

/** The help of one command, in Spanish. */
export function helpOf(name) {
  const [usage, summary, options] = HELP[name];
  const lines = [...options, ['--help', 'muestra esta ayuda']].map(([what, help]) => `  ${what.padEnd(16)} ${help}`);
  return [`Uso: ${usage}`, '', summary, '', ...lines].join('\n');
}

/** All commands, each with what it does. */
export function helpOfAll() {
  const lines = Object.values(HELP).map(
    ([usage, summary]) => `  ${(usage.split(' -- ')[0] ?? usage).padEnd(22)} ${summary.replace(/:$/, '.')}`,
  );
  return ['Órdenes de este repositorio; cada una explica sus opciones con «-- --help»:', '', ...lines].join('\n');
}
