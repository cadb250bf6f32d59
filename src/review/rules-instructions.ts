import {
  CONTROLS,
  INVISIBLE,
  INVISIBLE_PAIRS,
  PAIRS_OR_PRIVATE,
  PRIVATE_PAIRS,
  PRIVATE_USE,
  TERMINAL_SEQUENCE,
} from '../text/unicode.ts'
import { CYRILLIC_TWINS } from './fold.ts'
import { type Finding, farTrigger, type Severity, type Trigger, trigger } from './rule.ts'

const BEFORE = 'agent_instruction'

const TAKE_OVER: Trigger[] = [
  farTrigger(
    BEFORE,
    'block',
    'ignore¦disregard¦forget¦overrid¦bypass¦discard¦set aside¦abandon¦stop following¦do not follow¦dismiss¦ignoring',
    {
      head: String.raw`(?<![a-z])(?:ignor(?:e|ing)|disregard(?:ing)?|forget|overrid(?:e|es|ing)|bypass|discard|set aside|abandon|stop following|do not follow|dismiss)\b[^.!?\n]{0,40}?\b(?:previous(?:ly)?|prior|above|earlier|preceding|former|past|your|system|you (?:were|have been|are)|operator|developer)\b`,
      gap: '[^.!?\\n]{0,40}?',
      part: String.raw`(?:instruction|prompt|\brules?\b|guideline|direction|directive|\borders?\b|\bpolic(?:y|ies)\b|were told|been told|were given|been given|told you|safety|\bcontext\b.{0,20}\band\b|messages? (?:of|from))`,
      within: 130,
      stop: /[.!?\n]/g,
    },
  ),
  trigger(
    BEFORE,
    'block',
    'forget¦ignore¦disregard',
    /(?<![a-z])(?:forget|ignore|disregard) (?:everything|all|anything|whatever|what)\b[^.!?\n]{0,30}\b(?:above|before|told|said|learned|instruct|rules|orders|so far)/iy,
  ),
  trigger(
    BEFORE,
    'block',
    'instructions¦guidelines¦rules¦restrictions¦safety¦filters¦guardrails',
    /(?<=\b(?:your|safety|content|previous|earlier|prior|the|system|all|these) {1,2}(?:safety |content |earlier |previous )?)(?:instructions|guidelines|rules|restrictions|safety (?:rules|checks|guidelines|filters)|filters|guardrails)\b(?! of (?:the|this|an?) (?:key|token|file|plan|account|bucket|role|policy)\b)[^.!?\n]{0,20}?\b(?:are void|are lifted|are off|are disabled|is off|do(?:es)? not apply|no longer appl|are suspended|have been (?:lifted|disabled|removed)|don.t apply)/iy,
  ),
  trigger(
    BEFORE,
    'block',
    'restrictions¦safety checks',
    /(?:restrictions|safety checks) (?:are|have been|were) (?:lifted|off|disabled|removed|suspended)/iy,
  ),
  trigger(
    BEFORE,
    'block',
    'you are now¦you will now act¦from now on¦you now have¦you are no longer',
    /(?:you are now|you will now act as|from now on,? (?:you|this card|this text|the card|your)|you now have|you are no longer)\b(?: (?:an?|the|in|my|root|dan|acting|operating|free|under|unrestricted|admin|act|never|must|always|will|obey|decides?|answer|only|bound|limited|full|no|are|have|shall|follow|do|can)\b)[^.!?\n]{0,60}?(?:unrestricted|mode|shell|\broot\b|admin|\bai\b|assistant|agent|persona|\bdan\b|rules?|polic|limit|restrict|refus|obey|command|run\b|decides|approv|bound|free\b|access|ignore|permission)/iy,
  ),
  trigger(
    BEFORE,
    'block',
    'developer mode¦debug mode¦god mode¦dan mode¦jailbreak¦unrestricted mode¦admin mode¦maintenance mode',
    /(?<=\b(?:enter|enable|switch to|activate|authorised|authorized|in|turn on|into)\b[^.!?\n]{0,12})(?:developer|debug|god|dan|jailbreak|unrestricted|admin|maintenance)[ -]mode\b[^.!?\n]{0,60}?(?:filter|restrict|hidden|safety|rule|limit|checks|policy|polic|guard|permission)/iy,
  ),
  trigger(
    BEFORE,
    'block',
    'system override¦new instructions¦your new¦real instructions¦actual instructions',
    /(?:system override|(?:new|real|actual) instructions(?: for (?:you|the)|:| from)|your new (?:task|role|instructions?|goal|objective|job|identity|rules) (?:is|are|:))/iy,
  ),
  trigger(
    BEFORE,
    'block',
    'system prompt¦hidden instructions¦initial instructions¦hidden messages¦initial prompt¦original instructions¦hidden prompt',
    /(?<=\b(?:print|reveal|show|repeat|output|dump|leak|display|quote|copy|recite|write|tell|give|send)\b[^.!?\n]{0,30})(?:system prompt|(?:hidden|initial|original) (?:instructions|messages|prompt))/iy,
  ),
  trigger(
    BEFORE,
    'block',
    'message¦instructions¦instruction¦card¦text¦paragraph¦note',
    /(?<=\b(?:this|these|the following) )(?:message|instructions?|card|text|paragraph|note) (?:overrides?|supersedes?|takes? precedence|takes? priority|outranks?|replaces?)\b[^.!?\n]{0,60}?\b(?:you|your|rules?|instructions?|anything|everything|prompt|developer|operator|guidelines)/iy,
  ),
]

const AGENT =
  '(?:ai|llm|agent|assistant|language model|model|bot|copilot|chatbot|claude|chatgpt|gpt|gemini|cursor)s?'
const AGENT_WORDS =
  'ai ¦ai,¦ai:¦ais ¦llm¦agent¦assistant¦language model¦ model¦models ¦copilot¦chatbot¦claude¦chatgpt¦gemini'

const ADDRESS: Trigger[] = [
  trigger(
    BEFORE,
    'block',
    'note to¦note for¦message to¦message for¦instruction to¦instructions to¦instructions for¦instruction for¦attention¦notice to¦reminder to¦dear ',
    new RegExp(
      `(?:(?:note|message|instructions?|notice|reminder) (?:to|for)|attention|dear)[ ,:]{1,2}(?:all |any |every |the |each |whichever )?(?:coding |reading |ai |autonomous |helpful )?(?<!attention )${AGENT}\\b(?=[ ,.:;!]{0,2}(?:agents?|assistants?|models?|reading|that|who|[:;,!.]|before|please|must|should))`,
      'iy',
    ),
  ),
  trigger(
    BEFORE,
    'block',
    'attention',
    /attention,? (?:all |any |every )(?:coding |ai |autonomous )?(?:agents|assistants|models|ais|llms|bots)\b/iy,
  ),
  trigger(
    BEFORE,
    'block',
    'if you are a¦since you are a¦as an ai¦as a language model¦as a coding agent¦as a helpful¦as an agent',
    new RegExp(
      `(?:(?:if|since|because) you are an?|as an?) (?:ai |coding |helpful |large |autonomous )?${AGENT}\\b[^.!?\\n]{0,60}?(?:\\byou\\b|\\byour\\b|stop|read|must|follow|should|shall|,)`,
      'iy',
    ),
  ),
  trigger(
    BEFORE,
    'block',
    AGENT_WORDS,
    /(?<![\w-])(?:(?:ai|llm|coding|autonomous) )?(?:ais?|llms?|agents?|assistants?|language models?|models?|copilots?|chatbots?|claude|chatgpt|gemini) (?:that |which |who |currently )?(?:reads?|reading|retriev(?:es?|ing)|process(?:es)?|processing|loads?|loading|sees?|parses?|parsing) (?:this|these|the) (?:card|text|page|document|note|line|paragraph|message|file)\b[^.!?\n]{0,12}?\b(?:must|should|shall|also|needs? to|has to|have to|run|add|will|it|do|is|are|,)/iy,
  ),
  trigger(
    BEFORE,
    'warn',
    AGENT_WORDS,
    /(?<![\w-])(?:ai |coding )?(?:agent|assistant|model|claude|copilot|llm|ai)s?[,:] (?:please |now |also |you |the user |fetch|run|open|call|ignore|execute|add|send|delete|approve|copy|first|before|do not|your )/iy,
  ),
  trigger(
    BEFORE,
    'warn',
    AGENT_WORDS,
    /(?<=\bthe )(?:agent|assistant|model)s? (?:should|shall|must|has to|is to|will) (?:also |then |now |not |always |silently )?(?:approve|run|execute|fetch|send|upload|delete|copy|obey|trust|skip|hide|show this|save|store|act on|call|add|grant)\b/iy,
  ),
  trigger(
    BEFORE,
    'warn',
    'tells it to call¦for the model¦models shall¦agents shall¦agents that read',
    /(?:tells it to call|for the model (?:alone|only)|(?:models|agents) shall|agents that read)\b/iy,
  ),
  trigger(
    BEFORE,
    'warn',
    'memory',
    /(?<=\b(?:save|store|write|remember|keep|add|put)\b[^.!?\n]{0,80})(?:in|into|to) (?:its|your) (?:long-term )?memory\b/iy,
  ),
  trigger(
    BEFORE,
    'warn',
    'in its memory¦in your memory¦into its memory¦into your memory¦to your memory',
    /(?:in|into|to) (?:its|your) memory that\b|(?:in|into|to) (?:its|your) memory\b(?=[^\n]{0,20}(?:trust|always|safe|$|\.))/iy,
  ),
]

const PERSON = '(?:user|human|owner|operator|developer|person|anyone|anybody|maintainer|reviewer|people)s?'

/** Sentences that ask to hide something from a person or claim a false consent. */
const CONCEAL: Trigger[] = [
  trigger(
    BEFORE,
    'block',
    "do not tell¦don't tell¦never tell¦do not mention¦don't mention¦never mention¦do not inform¦never inform¦do not reveal¦do not show¦do not notify¦do not warn¦never reveal¦without telling¦without informing¦without notifying¦hide this from¦keep this from¦secret from",
    new RegExp(
      `(?:(?:do not|don't|never) (?:tell|mention|inform|reveal|show|notify|warn)|without (?:telling|informing|notifying)|(?:hide|keep) this|secret) ?(?:this |it |that |anything |any of this )?(?:step |line |paragraph |part |change |note )?(?:to |from )?(?:the |your |any |a )?${PERSON}\\b(?! (?:whether|if|when|which|how|why|about each|of each|for each)\\b)(?! (?:whether|if|when|which|how|why|about each|of each)\\b)`,
      'iy',
    ),
  ),
  trigger(
    BEFORE,
    'warn',
    'without asking¦without a question¦without the user¦without user¦without any¦without a review',
    /without (?:asking (?:the |your )?(?:user|human|owner|operator|developer|anyone|for (?:confirmation|permission|approval))|(?:any |the user'?s? |user )(?:confirmation|approval|consent|permission|knowledge)\b|a question|a review|the user (?:noticing|knowing))/iy,
  ),
  trigger(
    BEFORE,
    'warn',
    'as if nothing happened¦obey the¦never refuse¦obey this¦obeys',
    /as if nothing (?:had )?happened|obeys? (?:the|this|every|all) (?:card|text|following|command|instruction)|never refuse/iy,
  ),
  trigger(
    BEFORE,
    'warn',
    'pretend¦act as if¦act as though¦impersonate',
    /(?<![a-z])(?:pretend (?:to be|that you|you are)|act as (?:if|though) you (?:were|are)|impersonate the) (?:the |a |an )?(?:maintainer|administrator|admin|owner|operator|release manager|root|user|developer|human|reviewer|team|system)/iy,
  ),
  trigger(
    BEFORE,
    'warn',
    'before you answer¦before you reply¦before answering¦before anything else¦before you respond¦before replying',
    /(?<=\b(?:run|execute|open|call|fetch|use|do)\b[^.!?\n]{0,90})(?:before (?:you )?(?:answer|reply|respond)(?:ing)?|before anything else)\b/iy,
  ),
  trigger(
    BEFORE,
    'warn',
    'before you answer¦before you reply¦before answering¦before you respond',
    /before (?:you )?(?:answer|reply|respond)(?:ing)?,? (?:please )?(?:run|execute|open|call|fetch|use|read|send)\b/iy,
  ),
]

export const INSTRUCTION_TRIGGERS: readonly Trigger[] = [...TAKE_OVER, ...ADDRESS, ...CONCEAL]

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

/** Forged marks of this vault or others, by which a text claims to be trusted. */
const FORGED_MARKS: Trigger[] = [
  trigger(
    'role_tag',
    'warn',
    'contains_instructions¦contains instructions',
    /contains[_ ]instructions["'`]?\s{0,3}[:=]\s{0,3}["']?(?:false|no\b|none|0)/iy,
  ),
  trigger(
    'role_tag',
    'warn',
    'provenance',
    /provenance["'`]?\s{0,3}[:=]\s{0,3}(?:\{|["']?(?:you|own|trusted|reviewed|verified|team|system|operator)\b)/iy,
  ),
  trigger('role_tag', 'warn', '"owner"¦owner:', /"?owner"?\s{0,2}:\s{0,2}"?you"?\b/iy),
  trigger(
    'role_tag',
    'warn',
    '(own card¦(team card¦(public card¦[own card¦[team card',
    /[([](?:own|team|public) card [0-9a-z]{6}/iy,
  ),
  trigger(
    'role_tag',
    'warn',
    'tool result¦tool output¦tool response¦tool_result¦function result¦function output',
    /(?<=^|[\n\r][ \t>#*-]{0,6}|\[|<)(?:tool|function)[ _](?:results?|output|response)(?:\]|>|\s?:)/iy,
  ),
  trigger(
    'role_tag',
    'warn',
    'end of untrusted¦end untrusted¦end of trusted¦begin trusted¦end of card¦end of data¦end of quoted¦end of external¦end of document¦end of user¦end_of_untrusted¦begin instructions¦end of context¦end of tool¦end of the card¦end of retrieved¦end of recalled¦end of memory',
    /(?<=[-=<[#*>]{2,10} ?\/?)(?:end|begin)[ _](?:of[ _])?(?:the[ _])?(?:untrusted|trusted|card|data|quoted|external|document|user|instructions|context|tool|retrieved|recalled|memory)\b/iy,
  ),
  trigger(
    'role_tag',
    'warn',
    'system notice¦system directive¦system instruction¦operator notice¦operator message¦operator instruction¦operator directive¦administrator notice¦admin notice¦developer instruction¦developer notice¦developer message¦system override¦vault notice',
    /(?:system|operator|admin(?:istrator)?|developer|vault) (?:notice|directive|instruction|message|override)s?(?: from [\w ]{1,30})?\s?[:\]]/iy,
  ),
  trigger(
    'role_tag',
    'warn',
    'message from¦notice from¦instruction from¦instructions from¦on behalf of',
    /(?:message|notice|instructions?) from (?:the |your )?(?:system|operator|vault|administrator|developers?|anthropic|openai|google|knowledge vault|platform|principal)\b\s?(?:[:\]]|team)/iy,
  ),
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

export const IMITATION_TRIGGERS: readonly Trigger[] = [...ROLE_TAGS, ...FORGED_MARKS, ...TOOL_CALLS]

const ONE = `[${INVISIBLE}${PRIVATE_USE}]|${INVISIBLE_PAIRS}|${PRIVATE_PAIRS}`
const SEQUENCES = new RegExp(`(?:${ONE}){1,4000}`, 'g')

const OVERRIDES = /[\u202a-\u202e]/
const TAGS = /[\u{e0000}-\u{e007f}]/u
/** A region flag emoji: a black flag, letters as tags, and an end tag. */
const REGION_FLAG = /^[\u{e0030}-\u{e0039}\u{e0061}-\u{e007a}]{3,6}\u{e007f}$/u
const BLACK_FLAG = '\u{1f3f4}'

const OTHER_SCRIPT = /[^\0-\u00a0\u2000-\u206f]/u
/** Excludes ASCII, because `#` and digits count as emoji. */
const SYMBOL = /(?![\0-\x7f])[\p{S}\p{P}\p{Extended_Pictographic}]/u

type Neighbours = { before: string; after: string }
const isBeside =
  (script: RegExp) =>
  ({ before, after }: Neighbours): boolean =>
    script.test(before) || script.test(after)

type IsAtHome = (around: Neighbours) => boolean

/** Contexts in which a single invisible character is legitimate. */
const HOMES: [RegExp, IsAtHome][] = [
  [/[\u200e\u200f\u061c]/, () => true],
  [/\u200c|\u200d|\u034f/, isBeside(OTHER_SCRIPT)],
  [/\u200b/, isBeside(/[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u)],
  [/[\ufe0e\ufe0f]/, ({ before, after }) => SYMBOL.test(before) || after === '\u20e3'],
  [/[\ufe00-\ufe0d]/, ({ before }) => OTHER_SCRIPT.test(before)],
  [/[\u{e0100}-\u{e01ef}]/u, ({ before }) => /\p{Script=Han}/u.test(before)],
  [/[\u180b-\u180f]/, isBeside(/\p{Script=Mongolian}/u)],
  [/[\u115f\u1160]/, isBeside(/[\u1100-\u11ff\ua960-\ua97f\ud7b0-\ud7ff]/)],
  [/[\u17b4\u17b5]/, isBeside(/\p{Script=Khmer}/u)],
  [/[\u{13430}-\u{1343f}]/u, isBeside(/[\u{13000}-\u{1342f}]/u)],
  [/[\u{1bca0}-\u{1bca3}]/u, isBeside(/[\u{1bc00}-\u{1bc9f}]/u)],
  [/[\u{1d173}-\u{1d17a}]/u, isBeside(/[\u{1d100}-\u{1d1ff}]/u)],
]

const NOWHERE: IsAtHome = () => false
/** Cached per character: some scripts have an invisible character in every other word. */
const homes = new Map<string, IsAtHome>()

function homeOf(sign: string): IsAtHome {
  const known = homes.get(sign)
  if (known) return known
  const home = HOMES.find(([signs]) => signs.test(sign))?.[1] ?? NOWHERE
  homes.set(sign, home)
  return home
}

function neighboursOf(text: string, start: number, end: number): Neighbours {
  const before = text.codePointAt(start - 2) ?? 0
  return {
    before: before > 0xffff ? String.fromCodePoint(before) : text.slice(Math.max(0, start - 1), start),
    after: end < text.length ? String.fromCodePoint(text.codePointAt(end) ?? 0) : '',
  }
}

/** A joiner may follow a variation selector, as in many emoji. */
const MAX_HARMLESS_LENGTH = 2
const IS_PRIVATE = new RegExp(`^(?:[${PRIVATE_USE}]|${PRIVATE_PAIRS})+$`)
const LETTER_OR_DIGIT = /[A-Za-z0-9]/

function weigh(text: string, start: number, end: number): Finding['severity'] | undefined {
  const sequence = text.slice(start, end)
  if (OVERRIDES.test(sequence)) return 'block'
  const around = neighboursOf(text, start, end)
  if (TAGS.test(sequence))
    return around.before === BLACK_FLAG && REGION_FLAG.test(sequence) ? undefined : 'block'
  const signs = sequence.length === 1 ? [sequence] : [...sequence]
  if (signs.length > MAX_HARMLESS_LENGTH) return 'block'
  // Some editors write a byte order mark at the start.
  if (start === 0 && sequence === '\ufeff') return undefined
  // Terminals show icons by private-use characters, apart from words.
  if (IS_PRIVATE.test(sequence))
    return LETTER_OR_DIGIT.test(around.before) && LETTER_OR_DIGIT.test(around.after) ? 'warn' : 'note'
  return signs.every((sign) => homeOf(sign)(around)) ? undefined : 'warn'
}

/** Single characters of this kind are common in texts from the web. */
const OFTEN_STRAY = /^[\u00ad\u200b-\u200d\u2060\ufeff]+$/
/** Two invisible characters between any letters can encode a message; only a few are accidents. */
const MAX_ACCIDENTS = 8
/** The limit of findings per severity, counted separately so that a block cannot hide behind warnings. */
const MAX_PER_SEVERITY = 20

function findInvisible(text: string): Finding[] {
  const found = { block: [] as Finding[], warn: [] as Finding[], note: [] as Finding[] }
  let accidents = 0
  for (const { index: start, 0: sequence } of text.matchAll(SEQUENCES)) {
    const end = start + sequence.length
    const weight = weigh(text, start, end)
    if (weight === undefined) continue
    if (weight === 'warn' && !OFTEN_STRAY.test(sequence)) accidents++
    const severity = accidents > MAX_ACCIDENTS ? 'block' : weight
    if (found[severity].length < MAX_PER_SEVERITY)
      found[severity].push({ rule: 'hidden_text', severity, start, end })
    if (found.block.length === MAX_PER_SEVERITY) break
  }
  return [...found.block, ...found.warn, ...found.note]
}

const ANY = new RegExp(`[${CONTROLS}]`, 'g')
/** Matches a carriage return that ends no line. */
const RETURN = /\r(?!\r{0,3}(?:\n|$))/g

const SEQUENCE = new RegExp(TERMINAL_SEQUENCE, 'y')
/** Matches titles, links and clipboard access, up to the bell or the string terminator. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this looks for
const COMMAND = /\x1b\](\d{0,5})[^\x07\x1b]{0,4000}(?:\x07|\x1b\\)?/y
/** Terminals hide these sequences up to the string terminator. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this looks for
const UNSHOWN = /\x1b[PX^_][^\x1b]{0,4000}(?:\x1b\\)?/y
/** Selects the usual character set, as `tput sgr0` does. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this looks for
const USUAL_LETTERS = /\x1b\(B/y
const OTHERS = new RegExp(`[${CONTROLS}](?:(?!\\x1b)[${CONTROLS}]){0,4000}`, 'y')

const CONCEALED = '8'
const CLIPBOARD = '52'

const colourParts = (kind: string | undefined): number => (kind === '5' ? 2 : kind === '2' ? 4 : 0)

/** Returns true if text in this colour (`31`, `1;38;5;208`, `38:2::10:20:30`) is invisible. */
function conceals(parameters: string): boolean {
  const parts = parameters.split(';')
  let [text, ground] = ['', '']
  for (let i = 0; i < parts.length; i++) {
    const part = parts[i] ?? ''
    if (part === CONCEALED) return true
    if (part === '38' || part === '48' || part === '58') {
      const colour = parts.slice(i + 1, i + 1 + colourParts(parts[i + 1]))
      if (part === '38') text = colour.join(';')
      if (part === '48') ground = colour.join(';')
      i += colour.length
    } else if (/^[39][0-7]$/.test(part)) text = part
    else if (/^(?:4|10)[0-7]$/.test(part)) ground = String(Number(part) - 10)
  }
  return text !== '' && text === ground
}

function weighSequence(sequence: string): Severity | undefined {
  const said = sequence.slice(sequence.startsWith('\x1b') ? 2 : 1)
  if (said.endsWith('m')) return conceals(said.slice(0, -1)) ? 'block' : undefined
  return /^0?K$|^\?(?:25|2004)[hl]$/.test(said) ? undefined : 'warn'
}

const MAX_ACCIDENT_LENGTH = 2
/** A wrongly decoded character makes up to three of these. */
const WRONGLY_DECODED = /^[\x80-\x9f]{1,3}$/

const weighOthers = (controls: string): Severity =>
  controls.length <= MAX_ACCIDENT_LENGTH || WRONGLY_DECODED.test(controls) ? 'warn' : 'block'

const KINDS: [RegExp, (match: RegExpExecArray) => Severity | undefined][] = [
  [SEQUENCE, ([sequence]) => weighSequence(sequence)],
  [COMMAND, ([, command]) => (command === CLIPBOARD ? 'block' : 'warn')],
  [UNSHOWN, () => 'block'],
  [USUAL_LETTERS, () => undefined],
  [OTHERS, ([controls]) => weighOthers(controls)],
]

function pieceAt(text: string, at: number): { end: number; severity: Severity | undefined } {
  for (const [pattern, weigh] of KINDS) {
    pattern.lastIndex = at
    const match = pattern.exec(text)
    if (match) return { end: pattern.lastIndex, severity: weigh(match) }
  }
  return { end: at + 1, severity: 'warn' }
}

function findOverwritten(text: string): Finding[] {
  const found: Finding[] = []
  for (const { index: start } of text.matchAll(RETURN)) {
    if (found.length === MAX_PER_SEVERITY) break
    found.push({ rule: 'hidden_text', severity: 'warn', start, end: start + 1 })
  }
  return found
}

/** Finds control characters that hide or overwrite text in a terminal. Log colours are allowed. */
function findControls(text: string): Finding[] {
  const found = { block: [] as Finding[], warn: [] as Finding[], note: [] as Finding[] }
  ANY.lastIndex = 0
  for (let match = ANY.exec(text); match !== null; match = ANY.exec(text)) {
    const start = match.index
    const { end, severity } = pieceAt(text, start)
    if (severity && found[severity].length < MAX_PER_SEVERITY)
      found[severity].push({ rule: 'hidden_text', severity, start, end })
    if (found.block.length === MAX_PER_SEVERITY) break
    ANY.lastIndex = end
  }
  return [...found.block, ...found.warn]
}

const HIDING_STYLE =
  /style\s{0,3}=\s{0,3}["'][^"'>]{0,300}?(?:display\s{0,3}:\s{0,3}none|visibility\s{0,3}:\s{0,3}hidden|font-size\s{0,3}:\s{0,3}[01](?:px|pt|em|rem|%)?\s{0,3}[;"']|opacity\s{0,3}:\s{0,3}0(?![.\d])|(?<=[;"' ])color\s{0,3}:\s{0,3}(?:#fff(?:fff)?\b|white|transparent)|(?:left|top|text-indent)\s{0,3}:\s{0,3}-\d{3,6})/iy

/** Triggers for text that a page hides but an agent reads. */
export const HIDDEN_TRIGGERS: readonly Trigger[] = [
  trigger('hidden_text', 'warn', 'style=¦style =', HIDING_STYLE),
  trigger('hidden_text', 'warn', '<font', /<font[^>]{0,60}color\s{0,2}=\s{0,2}["']?(?:#f{3,6}|white)/iy),
  trigger(
    'hidden_text',
    'warn',
    '<span hidden¦<div hidden¦<p hidden¦<section hidden',
    /<(?:span|div|p|section) hidden\b/iy,
  ),
  farTrigger('hidden_text', 'warn', '<!--', {
    head: '<!--',
    gap: '[^>]{0,600}?',
    part: '\\b(?:assistant|agents?|model|llm|the user|ai|instructions?|approve[ds]?)\\b',
    within: '<!--'.length + 600,
    stop: />/g,
  }),
  trigger('hidden_text', 'note', '<!--', /<!--(?:\s{1,20}[^\s>]{1,60}){5}/iy),
  trigger('hidden_text', 'warn', '[//]:¦[comment]:', /\[(?:\/\/|comment)\]: ?(?:#|<>) ?["'(]/iy),
  trigger(
    'hidden_text',
    'warn',
    'data:text/¦data:application/¦data:image/svg',
    /data:(?:text\/(?:html|javascript|xml)|application\/(?:x-)?(?:javascript|xhtml|xml|octet-stream)|image\/svg\+xml)[;,]/iy,
  ),
]

const MAYBE_INVISIBLE = new RegExp(`[${INVISIBLE}${PAIRS_OR_PRIVATE}]`)
const CONTROL = new RegExp(`[${CONTROLS}]`)

const MIXED_WORD = new RegExp(`[A-Za-z][${CYRILLIC_TWINS}]|[${CYRILLIC_TWINS}][A-Za-z]`)

const SPACED_LETTERS = /(?<![A-Za-z])(?:[A-Za-z] {1,3}){9}[A-Za-z](?![A-Za-z])/g
const SINGLE_LETTERS = /[A-Za-z] [A-Za-z] [A-Za-z] /
const MAX_SPACED = 20

export function findHiddenCharacters(text: string, isPlain: boolean): Finding[] {
  const found: Finding[] = []
  if (!isPlain) {
    if (MAYBE_INVISIBLE.test(text)) found.push(...findInvisible(text))
    if (CONTROL.test(text)) found.push(...findControls(text))
    const mixed = MIXED_WORD.exec(text)
    if (mixed) found.push({ rule: 'hidden_text', severity: 'warn', start: mixed.index, end: mixed.index + 2 })
  }
  if (text.includes('\r')) found.push(...findOverwritten(text))
  if (SINGLE_LETTERS.test(text))
    for (const match of [...text.matchAll(SPACED_LETTERS)].slice(0, MAX_SPACED))
      found.push({
        rule: 'hidden_text',
        severity: 'warn',
        start: match.index,
        end: match.index + match[0].length,
      })
  return found
}
