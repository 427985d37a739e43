import { type Command, Help } from 'commander';

/** Headings of the help. */
const TITLES: Readonly<Record<string, string>> = {
  'Usage:': 'Uso:',
  'Arguments:': 'Argumentos:',
  'Options:': 'Opciones:',
  'Global Options:': 'Opciones generales:',
  'Commands:': 'Órdenes:',
};

/** What the library says about an order that it cannot read, and how we say it; `$1` and `$2` are its groups. */
const ERRORS: readonly (readonly [RegExp, string])[] = [
  [/^unknown command '(.*)'$/, 'no existe la orden «$1»'],
  [/^unknown option '(.*)'$/, 'no existe la opción $1'],
  [/^required option '(.*)' not specified$/, 'falta la opción $1'],
  [/^missing required argument '(.*)'$/, 'falta el argumento <$1>'],
  [/^option '(.*)' argument missing$/, 'la opción $1 va con un valor'],
  [
    /^too many arguments(?: for '.*')?\. Expected (\d+) arguments? but got (\d+).*$/,
    'sobran argumentos: van $1 y llegaron $2',
  ],
  [/^option '(.*)' argument '(.*)' is invalid\. (.*)$/, 'la opción $1 no admite «$2»: $3'],
  [/^command-argument value '(.*)' is invalid for argument '(.*)'\. (.*)$/, '«$1» no sirve para <$2>: $3'],
];
const SUGGESTION = /^\(Did you mean (?:one of )?(.*)\?\)$/;

/** A line of the library in Spanish; one that is not known stays as it is. */
function inSpanish(line: string): string {
  const suggestion = SUGGESTION.exec(line)?.[1];
  if (suggestion !== undefined) return `¿Quiso decir ${suggestion}?`;
  const text = line.replace(/^error: /, '').replace(/Allowed choices are (.*)\.$/, 'debe ser una de $1');
  const found = ERRORS.find(([pattern]) => pattern.test(text));
  return found ? `Error: ${text.replace(...found)}` : line.replace(/^error: /, 'Error: ');
}

/** What the library adds to a description: the choices, and what counts when nothing is given. */
const hintsInSpanish = (text: string) => text.replace(/choices: /, 'una de ').replace(/default: /, 'si no se da: ');

/**
 * Makes a program, and every command that is added to it afterwards, speak Spanish: help, headings and what it says
 * about an order that it cannot read.
 */
export function speakSpanish(program: Command): Command {
  return program
    .helpOption('-h, --help', 'muestra esta ayuda')
    .helpCommand('ayuda [orden]', 'muestra la ayuda de una orden')
    .configureHelp({
      styleTitle: (title) => TITLES[title] ?? title,
      commandUsage: (command) =>
        Help.prototype.commandUsage
          .call(new Help(), command)
          .replaceAll('[options]', '[opciones]')
          .replaceAll('[command]', '[orden]'),
      subcommandTerm: (command) =>
        Help.prototype.subcommandTerm.call(new Help(), command).replaceAll('[options]', '[opciones]'),
      optionDescription: (option) => hintsInSpanish(Help.prototype.optionDescription.call(new Help(), option)),
      argumentDescription: (argument) => hintsInSpanish(Help.prototype.argumentDescription.call(new Help(), argument)),
    })
    .configureOutput({
      outputError: (text, write) => write(`${text.trimEnd().split('\n').map(inSpanish).join('\n')}\n`),
    });
}
