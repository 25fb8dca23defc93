import { type Command } from 'commander';

/** A script that completes the commands, their subcommands and options; null for an unknown shell. */
export function buildCompletionScript(program: Command, shell: string): string | null {
  const commands = program.commands.map((command) => ({
    name: command.name(),
    about: command.description().replaceAll("'", ''),
    words: [
      ...command.commands.map((sub) => sub.name()),
      ...[command, ...command.commands].flatMap(({ options }) => options.map(({ long }) => long ?? '')),
    ],
  }));
  const names = commands.map(({ name }) => name).join(' ');
  const cases = commands.map(({ name, words }) => `    ${name}) choices='${words.join(' ')}' ;;`).join('\n');
  if (shell === 'bash')
    return `_commissions() {
  local choices='${names}'
  [ "$COMP_CWORD" -gt 1 ] && case "\${COMP_WORDS[1]}" in
${cases}
    *) choices='' ;;
  esac
  COMPREPLY=($(compgen -W "$choices" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -F _commissions commissions
`;
  if (shell === 'zsh')
    return `#compdef commissions
_commissions() {
  local choices='${names}'
  (( CURRENT > 2 )) && case "\${words[2]}" in
${cases}
    *) choices='' ;;
  esac
  compadd -- \${=choices}
}
compdef _commissions commissions
`;
  if (shell === 'fish')
    return commands
      .flatMap(({ name, about, words }) => [
        `complete -c commissions -f -n '__fish_use_subcommand' -a ${name} -d '${about}'`,
        `complete -c commissions -f -n '__fish_seen_subcommand_from ${name}' -a '${words.join(' ')}'`,
      ])
      .join('\n')
      .concat('\n');
  return null;
}
