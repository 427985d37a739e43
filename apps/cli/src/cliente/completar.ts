import { Argument, type Command } from 'commander';

const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];

/** What each shell runs: all of them ask the program itself, so that they never know more or less than it. */
const SCRIPTS: Record<Shell, string> = {
  bash: `_acuse() {
  local IFS=$'\\n'
  COMPREPLY=($(acuse completar --palabras -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _acuse acuse`,
  zsh: `(( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
_acuse() {
  local -a palabras
  palabras=("\${(@f)$(acuse completar --palabras -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "$palabras" ]]; then compadd -a palabras; else _files; fi
}
compdef _acuse acuse`,
  fish: `function __acuse_palabras
  set -l palabras (acuse completar --palabras -- (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)
  if test -n "$palabras"
    printf '%s\\n' $palabras
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c acuse -f -a '(__acuse_palabras)'`,
};

/** Completions for the last of the typed words; none where a file is expected. */
export function wordsAfter(program: Command, words: readonly string[]): string[] {
  const typed = words.at(-1) ?? '';
  let command = program;
  let wanted: string[] | null = null;
  for (const word of words.slice(0, -1)) {
    const option = command.options.find(({ long, short }) => word === long || word === short);
    if (wanted !== null) wanted = null;
    else if (option?.required) wanted = option.argChoices ?? [];
    else command = command.commands.find((each) => each.name() === word) ?? command;
  }
  const all = wanted ?? [
    ...(typed.startsWith('-')
      ? [...command.options.flatMap(({ long }) => long ?? []), '--help']
      : [
          ...command.commands.map((each) => each.name()),
          ...command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices),
        ]),
  ];
  return all.filter((word) => word.startsWith(typed));
}

/** Completion of a shell. */
export function addCompletion(program: Command, print: (line: string) => void): void {
  program
    .command('completar')
    .summary('Autocompletado para bash, zsh o fish')
    .description(
      'Escribe lo que hace que su consola complete las órdenes. En bash, agregue a ~/.bashrc:\n  source <(acuse completar bash)\n' +
        'En zsh, a ~/.zshrc:\n  source <(acuse completar zsh)\nEn fish:\n  acuse completar fish > ~/.config/fish/completions/acuse.fish',
    )
    .addArgument(new Argument('[consola]', 'cuál').choices(SHELLS).default('bash'))
    .action((shell: Shell) => print(SCRIPTS[shell]));
}

/** The words that a shell asks to complete, or null when this is no such question. */
export const wordsAsked = ([order, option, mark, ...words]: readonly string[]): string[] | null =>
  order === 'completar' && option === '--palabras' && mark === '--' ? words : null;
