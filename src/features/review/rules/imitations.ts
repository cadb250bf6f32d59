import { type Trigger, trigger } from '../rule.ts'

const ROLE_TAGS: Trigger[] = [
  trigger(
    'role_tag',
    'warn',
    '<|',
    /<\|(?:im_start|im_end|im_sep|start_header_id|end_header_id|eot_id|begin_of_text|end_of_text|endoftext|system|user|assistant|tool|end|eom_id|python_tag)\|>/iy,
  ),
  trigger('role_tag', 'warn', '[inst]¦[/inst]¦<<sys>>¦<</sys>>', /\[\/?INST\]|<<\/?SYS>>/y),
  trigger('role_tag', 'warn', '<start_of_turn>¦<end_of_turn>', /<(?:start|end)_of_turn>/iy),
  trigger(
    'role_tag',
    'warn',
    '<system¦</system¦<developer¦</developer¦<instructions',
    /<\/?(?:system(?:[-_](?:prompt|reminder|message|instructions?))?|developer|instructions)>/iy,
  ),
  trigger(
    'role_tag',
    'warn',
    '</assistant¦<assistant>¦</user><¦</human>',
    /<\/?assistant>|<\/user><|<\/human>/iy,
  ),
  trigger(
    'role_tag',
    'warn',
    '"role"',
    /"role"\s{0,3}:\s{0,3}"(?:system|assistant|developer|tool)"\s{0,3},\s{0,8}"(?:content|tool_call)/iy,
  ),
  trigger(
    'role_tag',
    'warn',
    '### system¦### instruction¦### human¦### assistant¦### user',
    /### (?:system|instructions?|human|assistant|user)(?: message| prompt)?(?::|[ \t]{0,3}\n)/iy,
  ),
  trigger(
    'role_tag',
    'warn',
    'human:¦user:',
    /(?<=^|[\n\r]|\\n)(?:human|user): [^\n]{1,300}\n{1,3}assistant:/iy,
  ),
  trigger('role_tag', 'warn', '[system', /\[system(?: message| prompt| note)?\] ?\w/iy),
  trigger('role_tag', 'warn', 'begin system', /begin system (?:prompt|message)/iy),
  trigger('role_tag', 'warn', 'system:', /(?<=^|[\n\r])SYSTEM: ?(?=[A-Za-z])/y),
]

const TOOL_CALLS: Trigger[] = [
  trigger(
    'tool_call',
    'block',
    '<invoke¦<function_calls¦<function_results',
    /<(?:invoke name=|function_calls>|function_results>)/iy,
  ),
  trigger(
    'tool_call',
    'warn',
    '<tool_call¦<tool_use¦<tool_result¦<function=¦<use_mcp¦<access_mcp¦<execute_command¦<write_to_file¦<tool_name¦<read_file>¦<replace_in_file',
    /<(?:tool_(?:calls?|use|results?|name)>|function=\w{1,60}>|(?:use_mcp_tool|access_mcp_resource|execute_command|write_to_file|read_file|replace_in_file)>)/iy,
  ),
  trigger(
    'tool_call',
    'warn',
    '"tool_calls"¦"function_call"¦"tool_call_id"',
    /"(?:tool_calls|function_call|tool_call_id)"\s{0,3}:\s{0,3}["[{]/iy,
  ),
  trigger(
    'tool_call',
    'warn',
    '"tool_use"¦"tool_result"',
    /(?<="type"\s{0,3}:\s{0,3})"tool_(?:use|result)"/iy,
  ),
  trigger('tool_call', 'warn', 'tools/call', /(?<="method"\s{0,3}:\s{0,3}")tools\/call/iy),
  trigger(
    'tool_call',
    'warn',
    'action input:¦observation:',
    /(?<=(?:^|[\n\r])action: [^\n]{1,80}\n)action input:|(?<=^|[\n\r])observation: [^\n]{0,200}\n(?:thought|action):/iy,
  ),
  trigger('tool_call', 'warn', 'thought:', /(?<=^|[\n\r])thought: [^\n]{0,200}\naction: [^\n]{1,80}/iy),
  trigger('tool_call', 'warn', '```tool', /```tool(?:_code|_call|_use)?\n/iy),
  trigger('tool_call', 'warn', '[tool_calls]', /\[tool_calls\]/iy),
  trigger(
    'tool_call',
    'warn',
    'call the tool¦use your¦invoke the tool¦call your',
    /(?:(?:call|invoke) the tool \w|(?:use|call) your (?:shell|terminal|bash|browser|file|edit|command|mail|web)[\w ]{0,12} ?tool)/iy,
  ),
]

export const IMITATION_TRIGGERS: readonly Trigger[] = [...ROLE_TAGS, ...TOOL_CALLS]
