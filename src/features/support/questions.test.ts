import { expect, test } from 'vitest'
import { loadGuide } from '../guide/guide.ts'
import { answerWhole, lookUp } from './chat.ts'

/** Questions as people ask them, with the guide pages that may answer them; and such that no page answers. */
type Question = readonly [question: string, pages: string]

const QUESTIONS: readonly Question[] = [
  ['My colleague cannot edit my card, why?', 'teams'],
  ['Why does my agent get nothing when a command fails?', 'hooks recall'],
  ['How do I make a backup in docker?', 'docker backup'],
  ['Who may invite people to a team?', 'teams web-app'],
  ['What can a viewer do?', 'teams'],
  ['I forgot my password', 'account web-app'],
  ['How do I restore a backup on another machine?', 'backup operating'],
  ['How do I get rid of a member who left the company?', 'teams web-app'],
  ['Can I undelete a card?', 'cards web-app'],
  ['Who can see my private cards?', 'cards publishing teams web-app'],
  ['How do I take back something I published?', 'publishing web-app'],
  ['Does searching cost money?', 'billing search web-app'],
  ['How do I cancel my subscription?', 'billing web-app'],
  ['The link in the invitation does not work any more', 'teams web-app'],
  ['How do I connect Codex?', 'clients web-app cli hooks'],
  ['How do I stop the hooks for one project?', 'hooks'],
  ['Are my API tokens sent to the server when an output contains them?', 'redaction hooks'],
  ['How do I run two servers on one database?', 'scaling'],
  ['How do I upgrade to a new release?', 'operating docker'],
  ['Where are the logs and metrics?', 'operating'],
  ['How do I put it behind nginx with https?', 'operating docker'],
  ['Is there an OpenAPI description?', 'api'],
  ['Why was my card refused when I published it?', 'publishing safety'],
  ['How do I report an abusive card?', 'moderation web-app'],
  ['How can I see who changed a card?', 'cards teams web-app'],
  ['What does outdated mean on a card?', 'trust staleness cards'],
  ['How do I make the agent forget a project?', 'agent-memory web-app'],
  ['Where do drafts come from?', 'drafts'],
  ['Why did I get no draft today?', 'drafts'],
  ['How do I delete my account?', 'account web-app'],
  ['Can I download all my data?', 'account web-app'],
  ['How do I mention somebody in a comment?', 'comments'],
  ['I do not want mails any more', 'mail web-app account'],
  ['Which keyboard shortcuts are there?', 'web-app'],
  ['How do I search for an exact phrase?', 'search'],
  ['How do I sign in with Google?', 'account web-app'],
  ['Wie lade ich jemanden in mein Team ein?', 'teams web-app'],
  ['Warum kann meine Kollegin meine Karte nicht bearbeiten?', 'teams'],
  ['Wie mache ich eine Sicherung?', 'backup docker'],
  ['Wie lösche ich mein Konto?', 'account web-app'],
  ['Was kostet die Suche in der Bibliothek?', 'credits billing search web-app'],
  ['Wie ändere ich mein Passwort?', 'account web-app'],
  ['Wie verbinde ich Claude Code?', 'clients web-app cli hooks'],
  ['Warum bekommt mein Agent nichts, wenn ein Befehl fehlschlägt?', 'hooks recall'],
  ['Wie veröffentliche ich eine Karte?', 'publishing web-app'],
  ['Wie kündige ich meinen Plan?', 'billing web-app'],
]

/** These only measure; do not look at them when you change the search. */
const HELD_OUT: readonly Question[] = [
  ['Can an editor remove somebody?', 'teams'],
  ['What happens to my cards when I leave a team?', 'teams publishing cards web-app'],
  ['My disk is full, what now?', 'operating'],
  ['How do I rotate an API key?', 'account web-app cli'],
  ['Does it work without internet?', 'web-app reliability hooks'],
  ['How do I move the vault to PostgreSQL?', 'operating backup docker'],
  ['What does kvault check do in CI?', 'cli staleness'],
  ['How do I exchange cards with another company’s vault?', 'sharing-between-servers'],
  ['What is kept of my conversations with the agent?', 'hooks agent-memory recall'],
  ['How can I attach a screenshot to a card?', 'cards web-app'],
  ['How do I write to a human?', 'support web-app'],
  ['Which tools does the MCP server have?', 'tools mcp'],
  ['Payment failed, what happens?', 'billing web-app'],
  ['How does the vault treat prompt injection?', 'safety mcp'],
  ['How do I merge two cards that say the same?', 'trust'],
  ['Welche Rollen gibt es?', 'teams'],
  ['Wie stelle ich eine gelöschte Karte wieder her?', 'cards web-app'],
  ['Wie exportiere ich meine Daten?', 'account web-app'],
  ['Der Agent findet den Server nicht', 'mcp clients cli hooks'],
  ['Wie schalte ich die Hooks aus?', 'hooks'],
  ['Wo sehe ich meine Rechnung?', 'billing web-app'],
]

/** The guide has nothing about these. */
const OFF_TOPIC: readonly string[] = [
  'What is the capital of France?',
  'Write me a poem about autumn',
  'How do I bake bread?',
  'Which stocks should I buy this year?',
  'Who won the football match yesterday?',
  'Wie wird das Wetter morgen?',
  'How tall is Mount Everest?',
  'Recommend a good restaurant nearby',
]

const whole = loadGuide()

type Said = { role: 'user' | 'assistant'; content: string }

const lookUpOf = (message: string, history: Said[] = [], isInWebApp = false) =>
  lookUp({
    message,
    history,
    guide: whole,
    isInWebApp,
    baseUrl: 'https://vault.example',
    llm: null,
    onModelError: () => {},
  })

const pageOf = (url = ''): string => /^\/guide\/([a-z0-9-]+)/.exec(url)?.[1] ?? ''

/** Returns the share of questions for which the first source is a page that answers them. */
function shareAnswered(
  questions: readonly Question[],
  isInWebApp: boolean,
  inOneConversation: boolean,
): number {
  const history: Said[] = []
  const right = questions.filter(([question, pages]) => {
    const { sources } = lookUpOf(question, inOneConversation ? history : [], isInWebApp)
    history.push({ role: 'user', content: question }, { role: 'assistant', content: 'An answer.' })
    return pages.split(' ').includes(pageOf(sources[0]?.url))
  })
  return right.length / questions.length
}

test.each([
  ['outside', false],
  ['in the web app', true],
])('questions in English and German find their page, %s', (_, isInWebApp) => {
  expect(shareAnswered(QUESTIONS, isInWebApp, false)).toBeGreaterThan(0.85)
  expect(shareAnswered(HELD_OUT, isInWebApp, false)).toBeGreaterThan(0.55)
})

test('the topic of one question does not enter the next one', () => {
  for (const questions of [QUESTIONS, HELD_OUT])
    expect(shareAnswered(questions, false, true)).toBeGreaterThan(
      shareAnswered(questions, false, false) - 1.5 / questions.length,
    )
})

test('what the guide does not answer is said to be unknown', async () => {
  for (const question of OFF_TOPIC)
    expect(await answerWhole(lookUpOf(question)), question).toMatch(
      /^(?:I do not know|The guide has no page)/,
    )
})

test('an answer is a few sentences and the page that they are from', async () => {
  for (const [question] of QUESTIONS) {
    const material = lookUpOf(question)
    const text = await answerWhole(material)
    const [source] = material.sources
    expect(text, question).toContain(`](${source?.url})`)
    expect(text.replace(/```[\s\S]*?```/g, '').length, question).toBeLessThan(1500)
  }
})
