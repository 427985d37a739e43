import { Argument, Command, Option } from 'commander';
import { expect, it } from 'vitest';
import { speakSpanish } from './spanish.ts';

function complaintAbout(args: readonly string[]): string {
  let said = '';
  const program = speakSpanish(new Command('acuse'))
    .exitOverride()
    .configureOutput({
      writeErr: (text) => {
        said += text;
      },
    });
  program
    .command('pedir')
    .addArgument(new Argument('<que>').choices(['metadata', 'xml']))
    .addOption(new Option('--tipo <tipo>').choices(['emitidos', 'recibidos']))
    .requiredOption('--rfc <rfc>');
  expect(() => program.parse(args, { from: 'user' })).toThrow();
  return said;
}

it.each([
  [['pedri'], 'no existe la orden «pedri»\n¿Quiso decir pedir?'],
  [['pedir', '--rfc', 'x'], 'falta el argumento <que>'],
  [['pedir', 'xml'], 'falta la opción --rfc <rfc>'],
  [['pedir', 'csv', '--rfc', 'x'], '«csv» no sirve para <que>: debe ser una de metadata, xml'],
  [['pedir', 'xml', '--rfc'], 'la opción --rfc <rfc> va con un valor'],
  [['pedir', 'xml', '--tipo', 'x'], 'la opción --tipo <tipo> no admite «x»: debe ser una de emitidos, recibidos'],
  [['pedir', 'xml', '--rfc', 'x', '--rcf', 'x'], 'no existe la opción --rcf\n¿Quiso decir --rfc?'],
  [['pedir', 'xml', 'b', '--rfc', 'x'], 'sobran argumentos: van 1 y llegaron 2'],
])('tells in Spanish alone that %j cannot be read', (args, text) => {
  expect(complaintAbout(args)).toBe(`Error: ${text}\n`);
});
