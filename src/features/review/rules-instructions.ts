import { farTrigger, type Trigger, trigger } from './rule.ts'

const BEFORE = 'agent_instruction'

/** Sentences that try to take over an agent. */
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
    /(?<=\b(?:your|safety|content|previous|earlier|prior|the|system|all|these) {1,2}(?:safety |content |earlier |previous )?)(?:instructions|guidelines|rules|restrictions|safety (?:rules|checks|guidelines|filters)|filters|guardrails)\b[^.!?\n]{0,20}?\b(?:are void|are lifted|are off|are disabled|is off|do(?:es)? not apply|no longer appl|are suspended|have been (?:lifted|disabled|removed)|don.t apply)/iy,
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

/** Sentences that single out an agent as the reader. */
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
    'tell the model¦tell the agent¦tell the assistant¦tells it to call¦for the model¦models shall¦agents shall¦agents that read',
    /(?:tell the (?:model|agent|assistant) to|tells it to call|for the model (?:alone|only)|(?:models|agents) shall|agents that read)\b/iy,
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

/** Sentences that want something hidden from a person, or claim a consent that nobody gave. */
const CONCEAL: Trigger[] = [
  trigger(
    BEFORE,
    'block',
    "do not tell¦don't tell¦never tell¦do not mention¦don't mention¦never mention¦do not inform¦never inform¦do not reveal¦do not show¦do not notify¦do not warn¦never reveal¦without telling¦without informing¦without notifying¦hide this from¦keep this from¦secret from",
    new RegExp(
      `(?:(?:do not|don't|never) (?:tell|mention|inform|reveal|show|notify|warn)|without (?:telling|informing|notifying)|(?:hide|keep) this|secret) ?(?:this |it |that |anything |any of this )?(?:step |line |paragraph |part |change |note )?(?:to |from )?(?:the |your |any |a )?${PERSON}\\b`,
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
    'the user has¦the owner has¦the operator has¦the user already¦user agreed¦administrator approved¦administrator has¦was checked by security¦the user wants you¦approved by the¦pre-approved¦authorised by¦authorized by',
    /(?:the (?:user|owner|operator)(?: has)?(?: already)? (?:agreed|approved|consented|confirmed|authori[sz]ed|allowed)\b|(?:the )?administrator (?:has )?(?:already )?(?:approved|authori[sz]ed) (?:it|this|every|all|unrestricted)|was checked by security|the user wants you|(?:is|was|are) approved by the (?:user|owner|operator|administrator)|(?:below|commands|following)[^.!?\n]{0,20}pre-approved)/iy,
  ),
  trigger(
    BEFORE,
    'warn',
    'no need to ask¦skip the permission¦skip the confirmation¦need not ask',
    /(?:no need to ask (?:for|the|anyone)|need not ask (?:for|the user|anyone)|skip the (?:permission|confirmation|approval))\b/iy,
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

/** Marks of this vault and of others, by which a text says of itself that it can be trusted. */
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
