import { isFecha } from '@acuse/contract';
import { calendarDay, fault49Bis, VIGENCIA_49BIS } from '@acuse/core';
import { type Command, InvalidArgumentError } from 'commander';
import type { CliDeps } from '../deps.ts';
import { AUTOR, rfcArgument, textArgument } from '../search.ts';

function diaArgument(text: string): string {
  if (!isFecha(text)) throw new InvalidArgumentError('debe ser un día como 2026-07-10.');
  const de = { rfc: null, hoy: calendarDay(new Date()) };
  if (fault49Bis({ proveedor: null, publicadoEn: text }, de) !== null)
    throw new InvalidArgumentError(`debe ser un día del ${VIGENCIA_49BIS}, cuando entró en vigor el artículo, a hoy.`);
  return text;
}

export function addAviso49Bis(program: Command, deps: () => CliDeps): void {
  const aviso = program
    .command('aviso-49bis')
    .description(
      'Emisores que publicó el SAT por el artículo 49 Bis del CFF: nadie los publica de forma que un programa los lea.',
    );

  aviso
    .command('anotar')
    .description(
      'Anota cuándo se publicó un emisor; se avisa a quien tiene CFDI vigentes suyos. Otra fecha la sustituye.',
    )
    .argument('<rfc>', 'RFC del emisor', rfcArgument)
    .requiredOption('--publicado <día>', 'día de la publicación, AAAA-MM-DD', diaArgument)
    .option('--nota <texto>', 'lo que convenga recordar, como el oficio', textArgument)
    .action(async (rfc: string, { publicado, nota }: { publicado: string; nota?: string }) => {
      const nuevo = { contribuyenteId: null, rfc, publicadoEn: publicado, nota: nota ?? null, ...AUTOR };
      deps().show({ rfc, publicado_en: publicado, vence_en: await deps().plazos.add(nuevo) });
    });

  aviso
    .command('listar')
    .description('Los que anotó el operador, del más nuevo al más antiguo.')
    .action(async () => {
      for (const { rfc, publicadoEn, venceEn, nota } of await deps().plazos.ofAll())
        deps().show({ rfc, publicado_en: publicadoEn, vence_en: venceEn, nota });
    });

  aviso
    .command('borrar')
    .description('Quita lo anotado de un emisor.')
    .argument('<rfc>', 'RFC del emisor', rfcArgument)
    .action(async (rfc: string) => {
      deps().show({ borrado: await deps().plazos.remove(null, rfc, AUTOR) });
    });
}
