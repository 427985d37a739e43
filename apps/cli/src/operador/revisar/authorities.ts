import { readFile } from 'node:fs/promises';
import { type Finding, fault, orFine, warning } from '@acuse/roles/finding';
import { explain } from '@acuse/runtime';
import { type AutoridadVista, inspectAutoridades } from '@acuse/vault';

/** An e.firma lives four years (article 17-D CFF): so long after its end an authority is still needed. */
const EFIRMA_YEARS = 4;
const SOON_DAYS = 90;
const DAY_MS = 86_400_000;

const dayOf = (date: Date) => date.toISOString().slice(0, 10);

/** Looks at the files of the authorities that issue e.firmas, at the moment `now` (milliseconds). */
export async function reviewAuthorities(files: readonly string[], now: number): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  const seen: AutoridadVista[] = [];
  const pems: string[] = [];
  for (const file of files) {
    try {
      const text = await readFile(file, 'latin1');
      const within = inspectAutoridades([text]);
      pems.push(text);
      if (within.length === 0) findings.push(noPem(file));
    } catch (error) {
      findings.push(
        fault(
          `${file}: no se pudo leer`,
          error instanceof RangeError ? 'Tiene un certificado dañado. Vuelva a descargarlo del SAT.' : explain(error),
        ),
      );
    }
  }
  seen.push(...inspectAutoridades(pems));
  findings.push(
    ...periods(
      seen.filter(({ isAuthority }) => isAuthority),
      now,
    ),
  );
  const current = seen.filter((each) => each.isAuthority && isCurrent(each, now));
  return orFine(
    findings,
    `${current.map(({ nombre, vigenteHasta }) => `${nombre} (hasta ${dayOf(vigenteHasta)})`).join(', ')}`,
  );
}

const noPem = (file: string) =>
  fault(
    `${file}: no tiene ningún certificado en PEM`,
    'Si es DER, conviértalo: openssl x509 -inform DER -in AC.cer -out AC.pem',
  );

const isCurrent = ({ vigenteDesde, vigenteHasta }: AutoridadVista, now: number) =>
  vigenteDesde.getTime() <= now && now <= vigenteHasta.getTime();

function* periods(authorities: readonly AutoridadVista[], now: number): Generator<Finding> {
  const current = authorities.filter((each) => isCurrent(each, now));
  const latest = Math.max(...current.map(({ vigenteHasta }) => vigenteHasta.getTime()));
  if (authorities.length === 0)
    yield fault(
      'ningún archivo tiene una autoridad: no se aceptaría ninguna e.firma',
      'Ponga en EFIRMA_AUTORIDADES los certificados de las autoridades del SAT (docs/operators/operate.md dice cuáles).',
    );
  else if (current.length === 0)
    yield fault(
      'todas las autoridades vencieron: no se aceptaría ninguna e.firma nueva',
      'Agregue los certificados vigentes de las autoridades del SAT (docs/operators/operate.md dice cuáles).',
    );
  else if (latest - now < SOON_DAYS * DAY_MS)
    yield warning(
      `la última autoridad vigente vence el ${dayOf(new Date(latest))}`,
      'Busque en el SAT la que la sigue y agréguela antes de esa fecha.',
    );
  for (const each of authorities) {
    const useless = new Date(each.vigenteHasta);
    useless.setUTCFullYear(useless.getUTCFullYear() + EFIRMA_YEARS);
    if (useless.getTime() < now)
      yield warning(
        `${each.nombre} venció el ${dayOf(each.vigenteHasta)} y ninguna e.firma suya sigue vigente`,
        'Quítela de EFIRMA_AUTORIDADES.',
      );
    if (!each.isChained)
      yield warning(
        `${each.nombre}: entre los archivos no está quien la firmó`,
        'Agregue también la autoridad raíz, y compruebe la huella con la que publica el SAT (openssl x509 -fingerprint -sha256).',
      );
  }
}
