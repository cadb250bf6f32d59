import type { Collection } from '../search/collections.ts'
import { numbers } from './fill.ts'

/** Dialogues of people who tell each other what they did, in sessions of some turns, made from templates. */

const PEOPLE = 'Mara Tobias Ines Kenji Olu Freya Dario Priya Anton Leila Bruno Sasha'.split(' ')
const DEEDS: [past: string, asked: string][] = [
  ['repaired', 'fix'],
  ['bought', 'buy'],
  ['sold', 'sell'],
  ['lost', 'lose'],
  ['painted', 'paint'],
  ['borrowed', 'borrow'],
  ['cleaned', 'clean'],
  ['gave away', 'give away'],
  ['photographed', 'photograph'],
  ['ordered', 'order'],
  ['returned', 'return'],
  ['carried', 'carry'],
  ['wrapped', 'wrap'],
  ['found', 'find'],
  ['measured', 'measure'],
  ['built', 'build'],
]
const THINGS =
  'bicycle,kayak,violin,typewriter,greenhouse,telescope,sewing machine,record player,bookshelf,rowing boat,espresso machine,tent,lantern,quilt,carpet,fireplace,fence,birdhouse,saxophone,microscope,treadmill,hammock,wardrobe,chandelier,accordion,snowboard,aquarium,trampoline,wheelbarrow,chessboard,projector,skateboard,canoe,easel,loom,kiln,beehive,sundial,harmonica,suitcase,compass,barometer,gramophone,sledge,teapot,cupboard'.split(
    ',',
  )
const LOCATIONS =
  'harbour,library,old mill,school yard,flea market,town hall,ferry terminal,botanical garden,train station,lighthouse,vineyard,monastery,quarry,fire station,observatory,bakery,swimming pool,museum shop,community centre,campsite'.split(
    ',',
  )
const COLOURS = 'green,yellow,crimson,turquoise,grey,violet,orange,ivory,copper,navy'.split(',')
const REASONS = [
  'my neighbour needed it for a wedding',
  'the roof had started to leak',
  'I wanted to surprise my grandmother',
  'we are moving to a smaller flat in autumn',
  'the insurance finally paid',
  'the children kept asking for it',
  'I had promised it to the choir',
  'the old one fell apart in the storm',
  'a colleague made me an offer I could not refuse',
  'I am taking evening classes now',
]
const CHATTER = [
  'Honestly, this week was far too long, how are you holding up?',
  'That sounds great, tell me more about it some time!',
  'I have not slept well, the dog next door barks all night.',
  'We should meet for lunch again, it has been ages.',
  'Work is busy, two people left and nobody replaces them.',
  'Did you see the rain yesterday? The cellar was wet again.',
  'My sister called, she sends her love to everybody.',
  'I am thinking of taking a few days off in spring.',
  'The kids have a concert on Friday, I still need to bake something.',
  'You always know how to cheer me up, thank you!',
  'I tried that new recipe, it was a disaster from start to end.',
  'No news from the landlord, as usual.',
]

type Make = { pick: <T>(from: readonly T[]) => T; add: (text: string) => string }
type Asked = { text: string; answers: string[] }

/** One event in a dialogue: a question, an answer in one or two turns, and small talk in between. */
function episode({ pick, add }: Make, used: Set<string>): Asked | undefined {
  const [teller, friend] = [pick(PEOPLE), pick(PEOPLE)]
  const [past, asked] = pick(DEEDS)
  const [thing, colour] = [pick(THINGS), pick(COLOURS)]
  const key = `${teller} ${past} ${thing}`
  const say = (who: string, text: string) => add(`${who}: ${text}`)
  if (teller === friend || used.has(key)) {
    say(friend, pick(CHATTER))
    return undefined
  }
  used.add(key)
  const location = pick(LOCATIONS)
  const reason = pick(REASONS)
  say(friend, pick([`Hey ${teller}, any news?`, `What have you been up to, ${teller}?`, pick(CHATTER)]))
  const told = say(
    teller,
    pick([
      `I finally ${past} the ${colour} ${thing}, right behind the ${location}.`,
      `Guess what, I ${past} a ${colour} ${thing} near the ${location} on Saturday!`,
      `Well, the ${thing}! I ${past} it at the ${location}, it is ${colour} by the way.`,
    ]),
  )
  say(friend, pick([`A ${thing}? Why that?`, 'Really? How come?', 'Oh wow, what made you do it?']))
  const why = say(teller, pick([`Because ${reason}.`, `You know, ${reason}, so it had to be.`]))
  for (let rest = pick([1, 2, 4, 6]); rest > 0; rest -= 1) say(pick([teller, friend]), pick(CHATTER))
  return pick([
    { text: `Where did ${teller} ${asked} the ${thing}?`, answers: [told] },
    { text: `What colour was the ${thing} that ${teller} ${past}?`, answers: [told] },
    { text: `Why did ${teller} ${asked} a ${thing}?`, answers: [told, why] },
    { text: `What did ${teller} do at the ${location} with the ${thing}?`, answers: [told] },
  ])
}

/** Makes the given number of turns, one event each, and questions about some of them. */
export function dialogues(turns: number, questions: number): Collection {
  const next = numbers(11)
  const pick = <T>(from: readonly T[]): T => from[Math.floor(next() * from.length)] as T
  const texts: Collection['texts'] = []
  const add = (text: string) => {
    texts.push({ _id: `turn${texts.length}`, text })
    return `turn${texts.length - 1}`
  }
  const asked: Asked[] = []
  const used = new Set<string>()
  while (texts.length < turns) {
    const question = episode({ pick, add }, used)
    if (question) asked.push(question)
  }
  const step = Math.max(1, Math.floor(asked.length / questions))
  const chosen = asked.filter((_, i) => i % step === 0).slice(0, questions)
  return {
    name: 'dialogues',
    texts,
    queries: chosen.map(({ text }, i) => ({ _id: `q${i}`, text })),
    judgements: new Map(
      chosen.map(({ answers }, i) => [`q${i}`, new Map(answers.map((answer) => [answer, 1]))]),
    ),
  }
}
