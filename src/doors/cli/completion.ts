import type { Command } from 'commander'
import { CLIENTS } from './clients/list.ts'
import { CommandError, EXIT } from './exit-codes.ts'

const clientNames = CLIENTS.map((client) => client.name).join(' ')

const SCRIPTS: Record<string, (commands: string) => string> = {
  bash: (commands) => `_kvault() {
  local word="\${COMP_WORDS[COMP_CWORD]}"
  if [ "$COMP_CWORD" -eq 1 ]; then COMPREPLY=($(compgen -W "${commands}" -- "$word"))
  elif [[ "\${COMP_WORDS[1]}" =~ ^(connect|disconnect)$ ]]; then COMPREPLY=($(compgen -W "${clientNames}" -- "$word"))
  else COMPREPLY=($(compgen -f -- "$word")); fi
}
complete -F _kvault kvault`,
  zsh: (commands) => `#compdef kvault
_kvault() {
  if (( CURRENT == 2 )); then compadd ${commands}
  elif [[ \${words[2]} == (connect|disconnect) ]]; then compadd ${clientNames}
  else _files; fi
}
compdef _kvault kvault`,
  fish: (commands) => `complete -c kvault -f -n __fish_use_subcommand -a "${commands}"
complete -c kvault -f -n "__fish_seen_subcommand_from connect disconnect" -a "${clientNames}"`,
}

export function completionScript(shell: string, program: Command): string {
  const script = SCRIPTS[shell]
  if (!script)
    throw new CommandError(
      `No completion for "${shell}". Known: ${Object.keys(SCRIPTS).join(', ')}.`,
      EXIT.usage,
    )
  const shown = program.createHelp().visibleCommands(program)
  return script(shown.map((command) => command.name()).join(' '))
}
