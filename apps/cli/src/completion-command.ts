import type { Command } from 'commander';

const SCRIPTS: Record<string, string> = {
  bash: `_waymark() {
  local IFS=$'\\n'
  COMPREPLY=($(waymark complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _waymark waymark`,
  zsh: `#compdef waymark
_waymark() {
  local -a found=("\${(@f)$(waymark complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n $found ]]; then compadd -a found; else _files; fi
}
compdef _waymark waymark`,
  fish: `complete -c waymark -a '(waymark complete -- (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'`,
};

/** Adds `completion`, and `complete`, which its scripts call. */
export function addCompletionCommand(program: Command): void {
  program
    .command('completion <shell>')
    .description('print the script that completes commands in bash, zsh or fish')
    .addHelpText('after', '\nFor example: eval "$(waymark completion bash)"')
    .action((shell: string) => {
      const script = SCRIPTS[shell];
      if (script === undefined) program.error(`error: there is no completion for "${shell}"; use bash, zsh or fish`);
      process.stdout.write(`${script}\n`);
    });
  program.command('complete [words...]', { hidden: true }).action((words: string[]) => {
    for (const candidate of candidates(program, words)) process.stdout.write(`${candidate}\n`);
  });
}

/** Returns what the last of the words may become. */
export function candidates(program: Command, words: readonly string[]): string[] {
  let command = program;
  for (const word of words.slice(0, -1)) command = command.commands.find((one) => one.name() === word) ?? command;
  const last = words.at(-1) ?? '';
  const option = command.options.find(({ long, required }) => required && long === words.at(-2));
  if (option !== undefined) return (option.argChoices ?? []).filter((choice) => choice.startsWith(last));
  const subcommands = command.createHelp().visibleCommands(command);
  const names =
    subcommands.length > 0 ? subcommands.map((one) => one.name()) : command.options.map(({ long }) => long!);
  const allowed = last.startsWith('-') || subcommands.length > 0 ? names : [];
  return allowed.filter((name) => name.startsWith(last));
}
